package segment

import "plat/plat"

// lookAt completes the appearance of node i after all its children have been
// accumulated.
func (v *view) lookAt(i int32) {
	n, f := &v.Nodes[i], &v.info[i]
	if n.HasBox {
		f.area = f.area.Union(v.seenPart(i))
	}
	if f.text {
		f.first, f.font = i, v.Styles[n.Style].FontSize
	} else if f.media || f.picture {
		f.first = i
	}
	f.shape = f.shape*31 + tagHash(n.Name)
}

// pictured reports whether an element without other visible content shows a
// picture as its background: a button or a logo whose text is hidden off the
// page.
func (v *view) pictured(i int32) bool {
	const least, most = 24, 0.5 // least: px per side; most: share of the viewport, above which it is a backdrop
	n := &v.Nodes[i]
	return n.Kind == plat.ElementNode && n.HasBox && v.Styles[n.Style].BackgroundImage && !v.info[i].media &&
		n.Box.W >= least && n.Box.H >= least && n.Box.Area() <= most*v.Viewport.Area()
}

// headingRank returns 1 to 6 for h1 to h6, 0 for other elements.
func headingRank(name string) int {
	if len(name) == 2 && name[0] == 'h' && name[1] >= '1' && name[1] <= '6' {
		return int(name[1] - '0')
	}
	return 0
}

// tagHash returns the FNV-1a hash of a name.
func tagHash(name string) uint32 {
	h := uint32(2166136261)
	for i := range len(name) {
		h = (h ^ uint32(name[i])) * 16777619
	}
	return h
}

// mass returns the visible content of Nodes[first:end], in characters.
func (v *view) mass(first, end int32) float64 {
	return float64(v.sums[end].chars-v.sums[first].chars) + mediaMass*float64(v.sums[end].media-v.sums[first].media)
}

// share returns the mass relative to the page's.
func (v *view) share(first, end int32) float64 {
	return v.mass(first, end) / max(1, v.mass(0, int32(len(v.Nodes))))
}

// mediaMass is the mass of a picture or a control, in characters: about one
// menu entry.
const mediaMass = 25
