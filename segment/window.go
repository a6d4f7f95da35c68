package segment

import (
	"plat/plat"
)

// window is the region in which content is visible: that of a clipping box, as
// with overflow other than visible (CSS Overflow 3, section 3).
type window struct {
	reach edges // where content is visible after scrolling
	now   edges // where it is visible before scrolling
}

// The predefined windows.
const (
	pageWindow = int32(iota) // the scrollable page
	viewWindow               // the viewport, which clips fixed content
)

// windows holds the clipping windows of a node's children by their position
// property: a positioned box is clipped by its containing block, which may be
// an ancestor further up (CSS 2, section 10.1). They are indexes into
// view.windows.
type windows struct{ flow, absolute, fixed int32 }

// around returns the window that clips a node with the given style; f are its
// parent's.
func (f *windows) around(st *plat.Style) int32 {
	switch st.Position {
	case "absolute":
		return f.absolute
	case "fixed":
		return f.fixed
	}
	return f.flow
}

// within returns the windows for the children of node i, which has a box; f are
// those for node i itself.
func (v *view) within(i int32, f windows) windows {
	n := &v.Nodes[i]
	st := &v.Styles[n.Style]
	w := f.around(st)
	switch {
	case v.scrollsPage(i):
		if w = v.narrowed(i, w); w != f.flow {
			f.absolute = w
		}
	case (clips(st.OverflowX) || clips(st.OverflowY)) && (n.Name == "svg" || st.Display != "inline" && !v.info[i].media):
		w = v.clip(w, n.Box, st.OverflowX, st.OverflowY)
	}
	f.flow = w
	if st.Transformed || st.Position != "static" && st.Position != "" {
		f.absolute = w
	}
	if st.Transformed {
		f.fixed = w
	}
	return f
}

// clip adds the window of a clipping box inside window w.
func (v *view) clip(w int32, box plat.Rect, x, y string) int32 {
	outer, e := v.windows[w], edgesOf(box)
	in := window{reach: outer.reach.Meet(e), now: outer.now.Meet(e)}
	if !in.reach.Empty() {
		if scrolls(x) {
			in.reach.Left, in.reach.Right = e.Left, infinite
		}
		if scrolls(y) {
			in.reach.Top, in.reach.Bottom = e.Top, infinite
		}
	}
	if !clips(x) {
		in.reach.Left, in.reach.Right, in.now.Left, in.now.Right = outer.reach.Left, outer.reach.Right, outer.now.Left, outer.now.Right
	}
	if !clips(y) {
		in.reach.Top, in.reach.Bottom, in.now.Top, in.now.Bottom = outer.reach.Top, outer.reach.Bottom, outer.now.Top, outer.now.Bottom
	}
	v.windows = append(v.windows, in)
	return int32(len(v.windows)) - 1
}

func clips(overflow string) bool   { return overflow != "" && overflow != "visible" }
func scrolls(overflow string) bool { return overflow == "auto" || overflow == "scroll" }

// scrollsPage reports whether the overflow of node i applies to the viewport or
// frame: the document element's, or else the body's (CSS Overflow 3, section
// 3.3). If both have one, as behind a dialog that blocks scrolling, neither
// clips.
func (v *view) scrollsPage(i int32) bool {
	n := &v.Nodes[i]
	if n.Kind != plat.ElementNode || n.Parent < 0 {
		return false
	}
	p := &v.Nodes[n.Parent]
	return p.Kind == plat.DocumentNode ||
		n.Name == "body" && p.Name == "html" && p.Parent >= 0 && v.Nodes[p.Parent].Kind == plat.DocumentNode
}

// narrowed returns the window of a document whose element i does not let it
// scroll to the right.
func (v *view) narrowed(i, w int32) int32 {
	width := v.Viewport.W
	for p := v.Nodes[i].Parent; p > 0; p = v.Nodes[p].Parent {
		if v.Nodes[p].Kind == plat.DocumentNode {
			width = v.Nodes[v.Nodes[p].Parent].Box.W
			break
		}
	}
	x := v.Styles[v.Nodes[i].Style].OverflowX
	if x != "hidden" && x != "clip" || width <= 0 {
		return w
	}
	in := v.windows[w]
	in.reach.Right = min(in.reach.Right, in.reach.Left+width)
	in.now.Right = min(in.now.Right, in.reach.Right)
	v.windows = append(v.windows, in)
	return int32(len(v.windows)) - 1
}
