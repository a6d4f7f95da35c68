package label

import (
	"slices"
	"strings"

	"plat/plat"
)

// Comments are found by the field for a new one: they are between the heading of the comments and the
// field, or, without a heading, after the field inside the block around it.

// asksForComment reports whether a text, or the name of a field, asks for a comment.
func asksForComment(text string) bool {
	if len(text) > 200 {
		return false
	}
	text = strings.ToLower(text)
	for _, w := range askingWords {
		if strings.Contains(text, w) {
			return true
		}
	}
	return false
}

var askingWords = strings.Fields(`comment kommentar komment reply replies respond discussion antworten diskussion commentaire réagir
comentario comentário responder commento reageer reactie reacties svar комментар ответить обсужд 评论 評論 留言 回复 回覆 コメント 返信 댓글`)

// discuss finds the blocks in the parts of the page with comments; main is the leaf with most text.
func (g *gathered) discuss(main int32) {
	all := g.discussions(main)
	for i := range g.facts {
		g.facts[i].discussed = inside(g.page.Blocks[i].Box, all)
	}
}

// discussions returns the parts of the page with comments; main is the leaf with most text, and
// comments are below it.
func (g *gathered) discussions(main int32) (all []plat.Rect) {
	const least = 60 // px: less is the rest of the form
	heading := -1    // the last leaf that announces comments
	for i := range g.page.Blocks {
		b, f := &g.page.Blocks[i], &g.facts[i]
		switch {
		case !b.Leaf() || g.overlays[i]:
		case f.commentWord && f.chars < 100:
			heading = i
		case f.areas > 0 && main > 0 && g.page.Blocks[main].Box.Y < b.Box.Y && (f.asks || g.asks(f)):
			if h := heading; h >= 0 {
				if top := &g.page.Blocks[h].Box; b.Box.Y-top.Y > least {
					all = append(all, plat.Rect{X: min(top.X, b.Box.X), Y: top.Y, W: max(top.W, b.Box.W), H: b.Box.Y - top.Y})
					continue
				}
			}
			for p := parentOf(g.page, i); p > 0; p = parentOf(g.page, int(p)) {
				around, end := &g.page.Blocks[p].Box, b.Box.Y+b.Box.H
				if rest := around.Y + around.H - end; rest > least {
					all = append(all, plat.Rect{X: around.X, Y: end, W: around.W, H: rest})
					break
				}
			}
		}
	}
	return all
}

// asks reports whether the text of a block asks for a comment.
func (g *gathered) asks(f *facts) bool {
	return slices.ContainsFunc(g.runs[f.firstRun:f.endRun], func(r run) bool { return asksForComment(r.text) })
}

// inside reports whether the center of a box is in one of some boxes.
func inside(b plat.Rect, others []plat.Rect) bool {
	x, y := b.X+b.W/2, b.Y+b.H/2
	for _, o := range others {
		if x >= o.X && x < o.X+o.W && y >= o.Y && y < o.Y+o.H {
			return true
		}
	}
	return false
}
