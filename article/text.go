package article

import "plat"

// minProse is the least number of words of a paragraph that says by itself that
// here is text; menus have shorter ones. From 8 to 12 nothing changes on the
// pages this was tried on; at 15 a short notice is lost whole (F1 0.985 → 0.973).
const minProse = 10

// maxLinked is the share of links from which on a passage is no prose.
const maxLinked = 0.5

// maxWeight bounds what one passage counts for: one long one is no more than
// some.
const maxWeight = 150

// weight is the length of a passage in words, as wordCount has it.
func (q *passage) weight() int { return q.words + q.wide/letters }

// prose reports whether a passage looks like written text: long enough and not
// mostly links.
func (q *passage) prose() bool {
	return q.seen && q.weight() >= minProse && q.linkShare() < maxLinked
}

// proseWeight is the weight of a passage if it is prose.
func (q *passage) proseWeight() int32 {
	if !q.prose() {
		return 0
	}
	return int32(min(q.weight(), maxWeight))
}

// text is a page cut into passages, with sums by which what any node holds is
// known at once.
type text struct {
	*page
	all   []passage
	total int32   // weight of all prose
	sum   []int32 // of the prose before each node
	plain []tally // the same outside of boilerplate
	heads []int32 // <h1> before each node

	headline int32 // first node of the heading that agrees best with the declared titles, -1 if none does

	// How the paragraphs of the region look, see measure.
	bodySize  float32
	bodyColor plat.Color
	left      float32 // of the column that most of them stand in, px
	right     float32
}

// tally is what stands in some place.
type tally struct{ prose, chars, linked int32 }

func newText(p *page, said []declaredTitle) *text {
	n := len(p.at) + 1
	t := &text{page: p, all: p.passages(), sum: make([]int32, n), plain: make([]tally, n), heads: make([]int32, n), headline: -1}
	t.unhide()
	t.add((*passage).proseWeight)
	if t.sum[n-1] == 0 { // a text without one long paragraph
		t.add(func(q *passage) int32 { return int32(max(q.chars-q.linked, 0)) })
	}
	t.total = t.sum[n-1]
	for i := range p.Nodes {
		t.heads[i+1] = t.heads[i]
		if p.Nodes[i].Name == "h1" {
			t.heads[i+1]++
		}
	}
	t.trust()
	t.count()
	best := 0.5
	for i := range t.all {
		q := &t.all[i]
		if h := t.heading(q); h == 0 || h > 2 || q.weight() > maxTitle {
			continue
		}
		if a := agreement(q.text, said); a > best {
			best, t.headline = a, q.first
		}
	}
	return t
}

// unhide shows what is hidden where that is most of the text: some pages show
// their text only when their scripts or style sheets have come. Terms and
// dialogs are hidden, too; so beside prose that is shown only what is in an
// element that says the text is in it counts.
func (t *text) unhide() {
	shown, all, main := 0, 0, 0
	for i := range t.all {
		q := &t.all[i]
		if q.weight() < minProse || q.linkShare() >= maxLinked {
			continue
		}
		switch {
		case q.seen:
			shown += q.weight()
		case t.at[q.first].main:
			main += q.weight()
			fallthrough
		default:
			all += q.weight()
		}
	}
	if all > 0 && shown == 0 || main > 3*shown {
		for i := range t.all {
			q := &t.all[i]
			q.seen = q.seen || shown == 0 || t.at[q.first].main
		}
	}
}

// written reports whether there is any prose on the page.
func (t *text) written() bool {
	for i := range t.all {
		if t.all[i].prose() {
			return true
		}
	}
	return false
}

// add makes the sums before each node of what the passages weigh.
func (t *text) add(weight func(*passage) int32) {
	clear(t.sum)
	for i := range t.all {
		t.sum[t.all[i].first+1] += weight(&t.all[i])
	}
	for i := range t.at {
		t.sum[i+1] += t.sum[i]
	}
}

// count sums up what stands outside of boilerplate.
func (t *text) count() {
	for i := range t.all {
		q := &t.all[i]
		if !q.seen || t.at[q.first].all&boilerplate != 0 {
			continue
		}
		c := &t.plain[q.first+1]
		c.chars += int32(q.chars)
		c.linked += int32(q.linked)
		c.prose += q.proseWeight()
	}
	for i := range t.at {
		a, b := &t.plain[i], &t.plain[i+1]
		b.prose, b.chars, b.linked = a.prose+b.prose, a.chars+b.chars, a.linked+b.linked
	}
}

// prose is the weight of the prose in the subtree of node i.
func (t *text) prose(i int32) int32 { return t.sum[t.at[i].end] - t.sum[i] }

// holds is what stands in the subtree of node i outside of boilerplate.
func (t *text) holds(i int32) tally {
	a, b := t.plain[i], t.plain[t.at[i].end]
	return tally{b.prose - a.prose, b.chars - a.chars, b.linked - a.linked}
}

// headed reports whether the subtree of node i holds the page's headline.
func (t *text) headed(i int32) bool { return t.headline > i && t.headline < t.at[i].end }

// heading is the level of the heading that a passage is, 0 for none.
func (t *text) heading(q *passage) int {
	for i, k := q.block, 0; i >= 0 && k < 3; i, k = t.at[i].parent, k+1 {
		if n := t.Nodes[i].Name; len(n) == 2 && n[0] == 'h' && n[1] >= '1' && n[1] <= '6' {
			return int(n[1] - '0')
		}
	}
	return 0
}

// tag is the name of the block that a passage stands in.
func (t *text) tag(q *passage) string { return t.Nodes[q.block].Name }

// wrapper is the number of nodes from which on an element is no longer about one
// line.
const wrapper = 40

// near is what the four innermost elements around a passage call themselves: who
// says when or by whom stands close, while a wrapper's names ("status-publish")
// are about all in it.
func (t *text) near(q *passage) (h hints) {
	for i, k := t.at[q.first].parent, 0; i >= 0 && k < 4; i, k = t.at[i].parent, k+1 {
		if t.at[i].end-i < wrapper {
			h |= t.at[i].own
		}
	}
	return h
}
