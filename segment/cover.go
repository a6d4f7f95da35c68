package segment

import (
	"plat/plat"
	"plat/segment/markup"
)

// uncover hides text node i if an opaque box covers it or if it has the colour of
// its background. It compares only boxes that are painted in the same place.
func (v *view) uncover(i int32) {
	if why := v.behind(i); why != Plain {
		f := &v.info[i]
		f.hide(why)
		f.text, f.visible = false, false
	}
}

// paint indexes the boxes that node i paints: its background or medium, and its pseudo-elements. It
// also sets the visibility of generated text.
func (v *view) paint(i int32, n *plat.Node) {
	for k := range v.generatedBy(i) {
		of := v.made[i] + int32(k)
		v.seeGenerated(i, of)
		g := &v.Generated[of]
		if g.Kind != plat.Before && g.Kind != plat.After {
			continue
		}
		st := &v.Styles[g.Style]
		if p, ok := v.painter(i, g.Box, st, g.Paint, v.info[i].windows.around(st)); ok && st.Painted() && st.Opacity >= leastOpacity {
			p.Opaque = p.Opaque && st.Opacity > .99
			v.painted.Add(p)
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
		p.Plain = p.Plain && !media
		v.painted.Add(p)
	}
}

// painter returns the box that element i, or one of its pseudo-elements, paints, clipped by window w,
// if any.
func (v *view) painter(i int32, box plat.Rect, st *plat.Style, rank, w int32) (paintedBox, bool) {
	f := &v.info[i]
	e := v.windows[w].now.Meet(edgesOf(box))
	if st.Hidden || f.state != markup.Shown || e.Width() < 1 || e.Height() < 1 {
		return paintedBox{}, false
	}
	return paintedBox{
		Edges: e, Rank: rank, Node: i, Doc: f.doc, Color: st.Background,
		Plain: !st.BackgroundImage, Below: st.Below || f.below > 0,
		Opaque: st.Background&0xff == 0xff && f.opacity > .99 && !f.stays && !st.Transformed && !st.Shaped && !st.TextClip,
	}, true
}

// behind reports whether text node i is [Covered], [Camouflaged] or neither
// ([Plain]).
func (v *view) behind(i int32) Reason {
	n, f := &v.Nodes[i], &v.info[i]
	st, at := &v.Styles[n.Style], edgesOf(n.Box)
	now := v.windows[f.windows.flow].now.Meet(at)
	same := f.paint.image < 0 && !f.inlaid && !st.Shadowed && !(v.dark && f.paint.color == canvas) &&
		v.tones.Distance(st.Color.Over(f.paint.color), f.paint.color) < leastTone
	if now.Empty() && !same {
		return Plain // its cover after scrolling is unknown
	}
	// Text far outside the viewport at layout time has no paint rank.
	coverable := n.Paint > 0 && !now.Empty() && !f.stays
	covered, ground := false, (*paintedBox)(nil)
	x, y := (at.Left+at.Right)/2, (at.Top+at.Bottom)/2
	for _, all := range v.painted.Around(y) {
		for k := range all {
			switch p := &all[k]; {
			case p.Doc != f.doc || !p.Edges.Holds(edges{Left: x, Top: y, Right: x, Bottom: y}):
			case p.Rank > n.Paint && (!p.Below || f.below > 0):
				covered = covered || coverable && p.Opaque && p.Edges.Holds(at)
			case (p.Node < i || p.Rank < n.Paint) && (ground == nil || p.Rank > ground.Rank || p.Rank == ground.Rank && p.Node > ground.Node):
				ground = p
			}
		}
	}
	if same && ground != nil {
		color := ground.Color.Over(f.paint.color)
		same = ground.Plain && v.tones.Distance(st.Color.Over(color), color) < leastTone
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
	box := edgesOf(v.Nodes[i].Box)
	for p := v.Nodes[i].Parent; p > 0; p = v.Nodes[p].Parent {
		n := &v.Nodes[p]
		if n.Kind != plat.ElementNode || !n.HasBox || v.scrollsPage(p) || v.Styles[n.Style].Stacked {
			return false
		}
		if v.Styles[n.Style].Background&0xff == 0xff && edgesOf(n.Box).Holds(box) {
			return true
		}
	}
	return false
}
