package article

import "plat/plat"

// find returns the region, the node that holds the main text. Every paragraph
// votes for the nodes around it, the nearest most, as in readability; the
// winner may then be widened.
func (t *text) find() int32 {
	score := make([]float32, len(t.at))
	direct := make([]int32, len(t.at)) // passages directly in each block
	for i := range t.all {
		direct[t.all[i].block]++
	}
	for i := range t.all {
		q := &t.all[i]
		if !q.prose() || t.at[q.first].all&boilerplate != 0 {
			continue
		}
		w := float32(min(q.weight(), 100)) * float32(1-q.linkShare())
		n := q.block
		if direct[n] < 3 && t.at[n].parent >= 0 {
			n = t.at[n].parent // the paragraph's own element, which holds nothing else
		}
		for k := float32(1); n >= 0 && k <= 6; k++ {
			score[n] += w / (k * k)
			n = t.at[n].parent
		}
	}
	best := int32(0)
	for i := range score {
		if score[i] > score[best] {
			best = int32(i)
		}
	}
	if score[best] == 0 {
		best = t.longest()
	}
	return t.widen(best)
}

// longest returns the element with most letters among those named as the text,
// <article> and <main>: for texts without a long paragraph.
func (t *text) longest() int32 {
	best, most, rank := int32(0), int32(0), 0
	for i := range t.at {
		n, a := &t.Nodes[i], &t.at[i]
		r := 0
		switch {
		case a.all&boilerplate != 0:
		case a.own&hintBody != 0:
			r = 3
		case n.Name == "article":
			r = 2
		case n.Name == "main":
			r = 1
		}
		if h := t.holds(int32(i)); h.chars > 0 && (r > rank || r == rank && r > 0 && h.chars > most) {
			best, most, rank = int32(i), h.chars, r
		}
	}
	return best
}

// A region is widened to an ancestor if that adds at least moreProse of its
// prose, with at most moreLinks of the letters in links: parts of a text may be
// wrapped separately, but so are teasers of other texts, which consist largely
// of links.
const (
	moreProse = 0.25
	moreLinks = 0.12
)

// widen extends a region: to the outermost ancestor named as the text; else as
// long as that adds prose, up to the element that holds the headline.
func (t *text) widen(region int32) int32 {
	named := false
	for up := region; up > 0; up = t.at[up].parent {
		if t.at[up].own&hintBody != 0 {
			region, named = up, true
		}
	}
	for last, up := region, t.at[region].parent; up > 0 && !named && !t.headed(last); last, up = up, t.at[up].parent {
		in, out := t.holds(region), t.holds(up)
		prose, chars, linked := out.prose-in.prose, out.chars-in.chars, out.linked-in.linked
		if float64(prose) >= moreProse*float64(in.prose) && float64(linked) <= moreLinks*float64(chars) {
			region = up
		}
	}
	return region
}

// inside lists the passages of a region.
func (t *text) inside(region int32) (in []int) {
	for i := range t.all {
		if q := &t.all[i]; q.first >= region && q.first < t.at[region].end {
			in = append(in, i)
		}
	}
	return in
}

// begin returns the passage at which the text begins: the first paragraph of in
// with the minimum length.
func (t *text) begin(in []int) int {
	for _, i := range in {
		if q := &t.all[i]; q.prose() && t.paragraph(q, true) && t.at[q.first].all&boilerplate == 0 {
			return i
		}
	}
	if len(in) > 0 {
		return in[0]
	}
	return 0
}

// measure sets the usual appearance of the paragraphs in in: the size and
// colour of most of their letters, and the column of most of them.
func (t *text) measure(in []int) {
	sizes, lefts := map[float32]int{}, map[float32]int{}
	colors := map[plat.Color]int{}
	for _, i := range in {
		q := &t.all[i]
		if !q.prose() {
			continue
		}
		sizes[q.size] += q.chars
		if q.box.W > 0 {
			lefts[q.box.X] += q.chars
		}
		if st := t.style(&t.Nodes[q.first]); st != nil {
			colors[st.Color] += q.chars
		}
	}
	t.bodySize, t.bodyColor, t.left = most(sizes), most(colors), most(lefts)
	t.right = t.left
	for _, i := range in {
		if q := &t.all[i]; q.prose() && q.box.X == t.left {
			t.right = max(t.right, q.box.X+q.box.W)
		}
	}
}

// most returns the key with the greatest value, at a tie the least key.
func most[K float32 | plat.Color](counts map[K]int) (key K) {
	best := 0
	for k, n := range counts {
		if n > best || n == best && k < key {
			key, best = k, n
		}
	}
	return key
}

// outside reports whether a passage is in a column of its own beside the text,
// less than half as wide, and is not a table cell of the text.
func (t *text) outside(q *passage) bool {
	w := t.right - t.left
	return w > 0 && t.tag(q) != "td" && t.tag(q) != "th" && q.box.W > 0 && q.box.W < w/2 && (q.box.X >= t.right || q.box.X+q.box.W <= t.left)
}
