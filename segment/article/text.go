package article

import (
	"plat/plat"
	"plat/plat/calendar"
)

// minProse is the minimum number of words that makes a paragraph prose; menus
// have fewer. From 8 to 12 the result on the pages tried is the same; at 15 a
// whole short notice is lost (F1 0.985 → 0.973).
const minProse = 10

// maxLinked is the share of links at which a passage stops being prose.
const maxLinked = 0.5

// maxWeight limits the weight of a passage, so that one long passage does not
// outweigh several.
const maxWeight = 150

// weight returns the length of a passage in words, as wordCount does.
func (q *passage) weight() int { return q.words + q.wide/letters }

// prose reports whether a passage looks like written text: long enough and not
// mostly links.
func (q *passage) prose() bool {
	return q.seen && q.weight() >= minProse && q.linkShare() < maxLinked
}

// proseWeight returns the weight of a passage if it is prose, else 0.
func (q *passage) proseWeight() int32 {
	if !q.prose() {
		return 0
	}
	return int32(min(q.weight(), maxWeight))
}

// text is a page split into passages, with prefix sums for constant-time
// queries about any subtree.
type text struct {
	*page
	all   []passage
	total int32   // weight of all prose
	sum   []int32 // of the prose before each node
	plain []tally // the same without boilerplate
	heads []int32 // <h1> before each node

	headline int32 // first node of the heading that agrees best with the declared titles, or -1

	dating *calendar.Style // of the page's dates, nil until it is needed
	farDay bool            // the date found is not beside the text

	// The appearance of the region's paragraphs, see measure.
	bodySize  float32
	bodyColor plat.Color
	left      float32 // of the column of most of them, px
	right     float32
}

// tally is the content of a range of nodes.
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

// unhide makes hidden text visible if it is most of the text: some pages reveal
// their text only after scripts or style sheets have loaded. Terms and dialogs
// are hidden, too; so if there is visible prose, only hidden text in an element
// declared as the main text counts.
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

// add computes the prefix sums of the passages' weights.
func (t *text) add(weight func(*passage) int32) {
	clear(t.sum)
	for i := range t.all {
		t.sum[t.all[i].first+1] += weight(&t.all[i])
	}
	for i := range t.at {
		t.sum[i+1] += t.sum[i]
	}
}

// count sums up the content outside boilerplate.
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

// prose returns the weight of the prose in the subtree of node i.
func (t *text) prose(i int32) int32 { return t.sum[t.at[i].end] - t.sum[i] }

// holds returns the content of the subtree of node i outside boilerplate.
func (t *text) holds(i int32) tally {
	a, b := t.plain[i], t.plain[t.at[i].end]
	return tally{b.prose - a.prose, b.chars - a.chars, b.linked - a.linked}
}

// headed reports whether the subtree of node i holds the page's headline.
func (t *text) headed(i int32) bool { return t.headline > i && t.headline < t.at[i].end }

// heading returns the heading level of a passage, 0 if it is not a heading.
func (t *text) heading(q *passage) int {
	for i, k := q.block, 0; i >= 0 && k < 3; i, k = t.at[i].parent, k+1 {
		if n := t.Nodes[i].Name; len(n) == 2 && n[0] == 'h' && n[1] >= '1' && n[1] <= '6' {
			return int(n[1] - '0')
		}
	}
	return 0
}

// tag returns the name of the block around a passage.
func (t *text) tag(q *passage) string { return t.Nodes[q.block].Name }

// wrapper is the number of nodes from which an element is not specific to one
// line.
const wrapper = 40

// near returns the hints of the four innermost elements around a passage:
// markers of dates and authors are close, while a wrapper's names
// ("status-publish") concern all its content.
func (t *text) near(q *passage) (h hints) {
	for i, k := t.at[q.first].parent, 0; i >= 0 && k < 4; i, k = t.at[i].parent, k+1 {
		if t.at[i].end-i < wrapper {
			h |= t.at[i].own
		}
	}
	return h
}
