package segment

import (
	"cmp"
	"slices"

	"plat"
	"plat/markup"
	"plat/segment/edges"
)

// painter is a painted box that may lie in front of or behind text.
type painter struct {
	box   edges.Edges // the part visible before scrolling
	paint int32       // rank in paint order
	order int32       // tie-breaker within a rank: the later one is on top
	doc   int32
	cover bool // opaque
	below bool // negative z-index: below the content of its stacking context
	color plat.Color
	known bool // color is its only paint: no image, no media
}

// bands indexes painters by horizontal stripes of the page and keeps the
// largest ones of each. Painters that span many stripes are kept in a separate
// list.
type bands struct {
	at   [][]painter
	tall []painter
}

const (
	bandHeight = 128 // px
	bandSize   = 64
	maxBands   = 1 << 14
	tallBands  = 64
)

func band(y float32) int {
	if !(y > 0) { // or no number
		return 0
	}
	return int(min(float64(y)/bandHeight, maxBands))
}

func (b *bands) add(p painter) {
	from, to := band(p.box.Top), band(p.box.Bottom)
	if to-from > tallBands {
		b.tall = add(b.tall, p)
		return
	}
	for n := len(b.at); n <= to; n++ {
		if n == cap(b.at) {
			b.at = append(b.at, nil)
		} else {
			b.at = b.at[:n+1]
			b.at[n] = b.at[n][:0] // of an earlier page
		}
	}
	for i := from; i <= to; i++ {
		b.at[i] = add(b.at[i], p)
	}
}

// clear forgets the painters.
func (b *bands) clear() { b.tall, b.at = b.tall[:0], b.at[:0] }

func add(all []painter, p painter) []painter {
	if len(all) < bandSize {
		return append(all, p)
	}
	if k := smallest(all); all[k].box.Area() < p.box.Area() {
		all[k] = p
	}
	return all
}

// around lists the painters that may lie at a height of the page.
func (b *bands) around(y float32) [2][]painter {
	if i := band(y); i < len(b.at) {
		return [2][]painter{b.tall, b.at[i]}
	}
	return [2][]painter{b.tall}
}

func smallest(all []painter) int {
	least := slices.MinFunc(all, func(a, b painter) int { return cmp.Compare(a.box.Area(), b.box.Area()) })
	return slices.IndexFunc(all, func(p painter) bool { return p == least })
}

// uncover hides text node i if an opaque box covers it or if it has the colour of
// its background. It compares only painters in the same place, band by band.
func (v *view) uncover(i int32) {
	if why := v.behind(i); why != Plain {
		f := &v.info[i]
		f.hide(why)
		f.text, f.visible = false, false
	}
}

// paint indexes what node i paints: its background or medium, and its
// pseudo-elements. It also sets the visibility of generated text.
func (v *view) paint(i int32, n *plat.Node) {
	for k := range v.generatedBy(i) {
		of := v.made[i] + int32(k)
		v.seeGenerated(i, of)
		g := &v.Generated[of]
		if g.Kind != plat.Before && g.Kind != plat.After {
			continue
		}
		st := &v.Styles[g.Style]
		if p, ok := v.painter(i, g.Box, st, g.Paint, v.info[i].windows.around(st)); ok && st.Painted() {
			p.cover = p.cover && st.Opacity > .99
			v.painters.add(p)
		}
	}
	if n.Kind != plat.ElementNode || !n.HasBox {
		return
	}
	st := &v.Styles[n.Style]
	media := v.info[i].media && n.Name != "input" && n.Name != "button" && n.Name != "select" && n.Name != "textarea"
	if !st.Painted() && !media {
		return
	}
	if p, ok := v.painter(i, n.Box, st, n.Paint, v.windowOf(i)); ok {
		p.known = p.known && !media
		v.painters.add(p)
	}
}

// painter returns what element i, or one of its pseudo-elements, paints in a
// box clipped by window w, if anything.
func (v *view) painter(i int32, box plat.Rect, st *plat.Style, rank, w int32) (painter, bool) {
	f := &v.info[i]
	e := v.windows[w].now.Meet(edges.Of(box))
	if st.Hidden || f.state != markup.Shown || e.Width() < 1 || e.Height() < 1 {
		return painter{}, false
	}
	return painter{
		box: e, paint: rank, order: i, doc: f.doc, color: st.Background,
		known: !st.BackgroundImage, below: st.Below || f.below > 0,
		cover: st.Background&0xff == 0xff && f.opacity > .99 && !f.stays && !st.Transformed && !st.Shaped && !st.TextClip,
	}, true
}

// behind reports whether text node i is [Covered], [Camouflaged] or neither
// ([Plain]).
func (v *view) behind(i int32) Reason {
	n, f := &v.Nodes[i], &v.info[i]
	st, at := &v.Styles[n.Style], edges.Of(n.Box)
	now := v.windows[f.windows.flow].now.Meet(at)
	same := f.paint.image < 0 && !f.inlaid && !st.Shadowed && !(v.dark && f.paint.color == canvas) &&
		v.tones.Distance(st.Color.Over(f.paint.color), f.paint.color) < leastTone
	if now.Empty() && !same {
		return Plain // what covers it after scrolling is unknown
	}
	// Text far outside the viewport at layout time has no paint rank.
	coverable := n.Paint > 0 && !now.Empty() && !f.stays
	covered, ground := false, (*painter)(nil)
	x, y := (at.Left+at.Right)/2, (at.Top+at.Bottom)/2
	for _, all := range v.painters.around(y) {
		for k := range all {
			switch p := &all[k]; {
			case p.doc != f.doc || !p.box.Holds(edges.Edges{Left: x, Top: y, Right: x, Bottom: y}):
			case p.paint > n.Paint && (!p.below || f.below > 0):
				covered = covered || coverable && p.cover && p.box.Holds(at)
			case (p.order < i || p.paint < n.Paint) && (ground == nil || p.paint > ground.paint || p.paint == ground.paint && p.order > ground.order):
				ground = p
			}
		}
	}
	if same && ground != nil {
		color := ground.color.Over(f.paint.color)
		same = ground.known && v.tones.Distance(st.Color.Over(color), color) < leastTone
	}
	switch {
	case covered, f.below > 0 && v.sunk(f.below):
		return Covered
	case same:
		return Camouflaged
	}
	return Plain
}

// sunk reports whether an element with a negative z-index lies below the opaque
// background of an ancestor that creates no stacking context (CSS 2, appendix
// E).
func (v *view) sunk(i int32) bool {
	box := edges.Of(v.Nodes[i].Box)
	for p := v.Nodes[i].Parent; p > 0; p = v.Nodes[p].Parent {
		n := &v.Nodes[p]
		if n.Kind != plat.ElementNode || !n.HasBox || v.scrollsPage(p) || v.Styles[n.Style].Stacked {
			return false
		}
		if v.Styles[n.Style].Background&0xff == 0xff && edges.Of(n.Box).Holds(box) {
			return true
		}
	}
	return false
}
