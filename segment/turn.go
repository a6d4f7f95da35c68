package segment

import (
	"slices"
	"strings"

	"plat/plat"
)

// slide reports whether an element alternates with a shown sibling. It must
// have the same tag, and either be out of sight and aligned with the sibling,
// or have only classes that the sibling has too, apart from those that mark an
// inactive slide.
func (f *folder) slide(at int32, kids *siblings, why Reason) bool {
	n := &f.Nodes[at]
	own := classesOf(n)
	for _, i := range kids.shown {
		s := &f.Nodes[i]
		if s.Name != n.Name {
			continue
		}
		if n.HasBox && s.HasBox && inLine(n.Box, s.Box) && f.moved(at) {
			return true
		}
		other := classesOf(s)
		shared := 0
		alien := slices.ContainsFunc(own, func(c string) bool {
			if slices.Contains(other, c) {
				shared++
				return false
			}
			return !idleClass(c)
		})
		if !alien && (shared > 0 || len(own) == 0 && len(other) == 0 && why == Clipped && f.track(n.Parent)) {
			return true
		}
	}
	return false
}

// moved reports whether an element lies beyond the edge of its clipping
// ancestor, and that ancestor does not scroll.
func (f *folder) moved(i int32) bool {
	if !f.seenPart(i).Empty() {
		return false
	}
	for p := f.Nodes[i].Parent; p > 0; p = f.Nodes[p].Parent {
		if n := &f.Nodes[p]; f.info[p].clips {
			st := &f.Styles[n.Style]
			return n.Kind == plat.ElementNode && !scrolls(st.OverflowX) && !scrolls(st.OverflowY)
		}
	}
	return true
}

// inLine reports whether two boxes are aligned in a row or column. Carousels
// and tickers move such boxes behind a clipping box.
func inLine(a, b plat.Rect) bool {
	near := func(x, y float32) bool { return x-y <= 1 && y-x <= 1 }
	return !a.Empty() && !b.Empty() &&
		(near(a.W, b.W) && (near(a.X, b.X) || near(a.Y, b.Y)) || near(a.H, b.H) && near(a.Y, b.Y))
}

// classesOf returns the first maxClasses classes of an element.
func classesOf(n *plat.Node) (all []string) {
	class, _ := n.Attr("class")
	for c := range strings.FieldsSeq(class) {
		if all = append(all, c); len(all) == maxClasses {
			break
		}
	}
	return all
}

const maxClasses = 32

// track reports whether an element's children move behind a clipping box.
func (f *folder) track(i int32) bool {
	return f.info[i].clips || f.Nodes[i].Parent > 0 && f.info[f.Nodes[i].Parent].clips
}

// idleClass reports whether a class marks an inactive slide.
func idleClass(c string) bool {
	c = strings.ToLower(c)
	c = strings.TrimPrefix(c, "is-")
	switch c {
	case "hidden", "inactive", "next", "prev", "clone", "cloned", "closed", "collapsed", "hide":
		return true
	}
	return strings.Contains(c, "slide") || strings.Contains(c, "carousel")
}
