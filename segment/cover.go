package segment

import (
	"cmp"
	"slices"

	"plat"
	"plat/markup"
)

// painter is something that is painted on the page, and lies over or behind text.
type painter struct {
	box   edges // as it is seen before anything is scrolled
	paint int32 // rank in paint order
	order int32 // of two of the same rank the later one lies on top
	doc   int32
	cover bool // nothing is seen through it
	below bool // it lies below what its stacking context shows
	color plat.Color
	known bool // color is all that is painted
}

// bands are stripes across the page, each with the largest of what is painted in it. What
// reaches through many stands in a list of its own.
type bands map[int32][]painter

const (
	bandHeight = 128 // px
	bandSize   = 64
	maxBands   = 1 << 14
	tall       = int32(-1) // the band of what reaches through more than tallBands
	tallBands  = 64
)

func band(y float32) int32 { return int32(max(0, min(float64(y)/bandHeight, maxBands))) }

func (b bands) add(p painter) {
	from, to := band(p.box.top), band(p.box.bottom)
	if to-from > tallBands {
		from, to = tall, tall
	}
	for i := from; i <= to; i++ {
		if all := b[i]; len(all) < bandSize {
			b[i] = append(all, p)
		} else if k := smallest(all); all[k].box.area() < p.box.area() {
			all[k] = p
		}
	}
}

func smallest(all []painter) int {
	least := slices.MinFunc(all, func(a, b painter) int { return cmp.Compare(a.box.area(), b.box.area()) })
	return slices.IndexFunc(all, func(p painter) bool { return p == least })
}

// uncover finds the texts that something opaque covers, and those of the colour of what is
// behind them. It compares what is painted in the same place, band by band.
func (v *view) uncover() {
	painted := v.painted()
	for i := range v.Nodes {
		if n, f := &v.Nodes[i], &v.info[i]; f.text && n.HasBox && n.Kind == plat.TextNode {
			if why := v.behind(int32(i), painted); why != Plain {
				f.hide(why)
				f.text, f.visible = false, false
			}
		}
	}
}

// painted lists what is painted: backgrounds and media, of pseudo-elements too, whose text is
// looked at on the way.
func (v *view) painted() bands {
	all := bands{}
	for i := range v.Nodes {
		n, at := &v.Nodes[i], int32(i)
		for k := range v.generatedBy(at) {
			of := v.made[i] + int32(k)
			v.seeGenerated(at, of)
			g := &v.Generated[of]
			if g.Kind != plat.Before && g.Kind != plat.After {
				continue
			}
			st := &v.Styles[g.Style]
			if p, ok := v.painter(at, g.Box, st, g.Paint, v.info[i].windows.around(st)); ok && st.Painted() {
				p.cover = p.cover && st.Opacity > .99
				all.add(p)
			}
		}
		if n.Kind != plat.ElementNode || !n.HasBox {
			continue
		}
		st := &v.Styles[n.Style]
		media := isMedia(n) && n.Name != "input" && n.Name != "button" && n.Name != "select" && n.Name != "textarea"
		if !st.Painted() && !media {
			continue
		}
		if p, ok := v.painter(at, n.Box, st, n.Paint, v.windowOf(at)); ok {
			p.known = p.known && !media
			all.add(p)
		}
	}
	return all
}

// painter is what element i, or what is generated for it, paints in a box that is seen in
// window w, if anything.
func (v *view) painter(i int32, box plat.Rect, st *plat.Style, rank, w int32) (painter, bool) {
	f := &v.info[i]
	e := v.windows[w].now.meet(edgesOf(box))
	if st.Hidden || f.state != markup.Shown || e.width() < 1 || e.height() < 1 {
		return painter{}, false
	}
	return painter{
		box: e, paint: rank, order: i, doc: f.doc, color: st.Background,
		known: !st.BackgroundImage, below: st.Below || f.below > 0,
		cover: st.Background&0xff == 0xff && f.opacity > .99 && !f.stays && !st.Transformed && !st.Shaped && !st.TextClip,
	}, true
}

// behind reports whether text node i is [Covered] or [Camouflaged]; else it is [Plain].
func (v *view) behind(i int32, painted bands) Reason {
	n, f := &v.Nodes[i], &v.info[i]
	st, at := &v.Styles[n.Style], edgesOf(n.Box)
	now := v.windows[f.windows.flow].now.meet(at)
	same := f.paint.image < 0 && !f.inlaid && !st.Shadowed && !(v.dark && f.paint.color == canvas) &&
		contrast(st.Color.Over(f.paint.color), f.paint.color) < leastTone
	if now.empty() && !same {
		return Plain // what lies over it once it is scrolled to is not known
	}
	// What was far from the window when it was laid out has no rank.
	coverable := n.Paint > 0 && !now.empty() && !f.stays
	covered, ground := false, (*painter)(nil)
	x, y := (at.left+at.right)/2, (at.top+at.bottom)/2
	for _, all := range [...][]painter{painted[tall], painted[band(y)]} {
		for k := range all {
			switch p := &all[k]; {
			case p.doc != f.doc || !p.box.holds(edges{x, y, x, y}):
			case p.paint > n.Paint && (!p.below || f.below > 0):
				covered = covered || coverable && p.cover && p.box.holds(at)
			case (p.order < i || p.paint < n.Paint) && (ground == nil || p.paint > ground.paint || p.paint == ground.paint && p.order > ground.order):
				ground = p
			}
		}
	}
	if same && ground != nil {
		color := ground.color.Over(f.paint.color)
		same = ground.known && contrast(st.Color.Over(color), color) < leastTone
	}
	switch {
	case covered, f.below > 0 && v.sunk(f.below):
		return Covered
	case same:
		return Camouflaged
	}
	return Plain
}

// sunk reports whether an element with a negative z-index lies below the opaque background
// of one that it is in: of one that makes no stacking context (CSS 2, appendix E).
func (v *view) sunk(i int32) bool {
	box := edgesOf(v.Nodes[i].Box)
	for p := v.Nodes[i].Parent; p > 0; p = v.Nodes[p].Parent {
		n := &v.Nodes[p]
		if n.Kind != plat.ElementNode || !n.HasBox || v.scrollsPage(p) || v.Styles[n.Style].Stacked {
			return false
		}
		if v.Styles[n.Style].Background&0xff == 0xff && edgesOf(n.Box).holds(box) {
			return true
		}
	}
	return false
}
