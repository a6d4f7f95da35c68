package label

import (
	"math"

	"plat/plat"
)

// look sets the facts of block i that are not sums over its nodes.
func (g *gathered) look(i int, w *words) {
	f, b := &g.facts[i], &g.page.Blocks[i]
	f.overlay = g.overlays[i]
	f.root = b.Rule == plat.RuleRoot && b.Parent < 0
	f.box = b.Box
	f.page = plat.Rect{W: g.snap.Width, H: g.height}
	f.view = g.snap.Viewport
	if f.page.W <= 0 {
		f.page.W = f.view.W
	}
	f.bodySize = g.bodySize
	if f.endRun > f.firstRun {
		w.announced(f, g.runs[f.firstRun].text)
	}
}

// announced searches the first line of a block for the words that introduce
// advertisements and comments.
func (w *words) announced(f *facts, text string) {
	if len(text) > 60 {
		return
	}
	n := 0
	only := false
	w.each(text, func(word string, s script) bool {
		n++
		var buf [maxStop]byte
		if key, ok := lowerInto(buf[:], word); ok {
			f.commentWord = f.commentWord || commentWords[string(key)]
			only = n == 1 && adWords[string(key)]
		}
		return n < 4
	})
	f.adWord = only
}

func is(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

func share(part, whole int32) float64 {
	if whole <= 0 {
		return 0
	}
	return min(float64(part)/float64(whole), 1)
}

func inRole(r role) func(*facts) float64 {
	return func(f *facts) float64 { return share(f.roles[r], f.mass) }
}

func named(h hint) func(*facts) float64 {
	return func(f *facts) float64 { return share(f.hints[h], f.mass) }
}

// amount is the share of a number of characters that the text reaches, at most
// 1.
func amount(full int32) func(*facts) float64 {
	return func(f *facts) float64 { return share(f.chars, full) }
}

func links(f *facts) float64 { return share(f.linkChars, f.chars) }

// menu: three or more links, most of them short, little else.
func menu(f *facts) float64 {
	if f.links < 3 {
		return 0
	}
	return share(f.shortLinks, f.links) * links(f)
}

// teasers: three or more links as long as titles.
func teasers(f *facts) float64 {
	long := f.links - f.shortLinks
	if long < 3 {
		return 0
	}
	return share(long, f.links) * max(links(f), .5)
}

// items: parts of a repetition; eight count full.
func items(f *facts) float64 {
	if f.items < 3 {
		return 0
	}
	return share(f.items, 8)
}

// headings: the share of a short text inside heading elements.
func headings(f *facts) float64 {
	if f.chars > 200 || f.links > 2 {
		return 0
	}
	return share(f.headChars, f.chars)
}

// largeFont: a short text in twice the page's usual font size counts full.
func largeFont(f *facts) float64 {
	if f.bodySize <= 0 || f.chars > 200 || f.chars == 0 {
		return 0
	}
	return max(0, min(float64(f.maxSize/f.bodySize)-1, 1))
}

// fewWords: falls from 1 without text to 0 at 120 characters.
func fewWords(f *facts) float64 { return max(0, 1-float64(f.chars)/120) }

// pictures: the share of the box that they cover, less if there is text too.
func pictures(f *facts) float64 {
	area := f.box.Area()
	if area <= 0 || f.media+f.frames == 0 {
		return 0
	}
	return min(f.mediaArea/area, 1) * math.Exp(-float64(f.chars)/300)
}

// controls: their share of the content; fields count double.
func controls(f *facts) float64 {
	if f.fields == 0 && f.controls < 2 {
		return 0
	}
	n := float64(f.controls + f.fields)
	return n * mediaMass / (n*mediaMass + float64(f.chars))
}

// cells: a grid of small texts is data, one of large texts is a layout table.
func cells(f *facts) float64 {
	if f.rows < 2 || f.cells < 6 || f.cells < 2*f.rows {
		return 0
	}
	per := float64(f.chars) / float64(f.cells)
	return max(0, 1-per/80) * (1 - links(f)*.5) * is(f.mass < 2*f.chars)
}

// top: begins in the first quarter of the first screen and ends in its upper
// half.
func top(f *facts) float64 {
	return is(!f.box.Empty() && f.box.Y <= .25*f.view.H && f.box.Y+f.box.H <= .5*f.view.H)
}

// bottom: begins in the last eighth of the page, or ends the page without being
// tall; only on pages longer than one screen.
func bottom(f *facts) float64 {
	end := f.box.Y + f.box.H
	return is(!f.box.Empty() && f.page.H > f.view.H &&
		(f.box.Y >= .9*f.page.H || end >= .97*f.page.H && f.box.H <= .6*f.view.H && f.box.Y >= .6*f.page.H))
}

// masthead: begins at the very top, spans most of the width and is taller than
// a bar of links.
func masthead(f *facts) float64 {
	return is(top(f) == 1 && f.box.Y <= 60 && f.box.W >= .6*f.page.W && f.box.H >= 60)
}

// side: a narrow, tall box in the left or right third, not at the top. A low
// box is part of a column, not the column.
func side(f *facts) float64 {
	if f.box.Empty() || f.page.W <= 0 || f.box.W > .36*f.page.W || f.box.H < 350 {
		return 0
	}
	middle := (f.box.X + f.box.W/2) / f.page.W
	return is((middle < .3 || middle > .7) && top(f) == 0)
}

// centre: at least 40 % of the page wide, across its middle.
func centre(f *facts) float64 {
	m := f.page.W / 2
	return is(f.box.W >= .4*f.page.W && f.box.X <= m && f.box.X+f.box.W >= m && top(f) == 0 && bottom(f) == 0)
}
