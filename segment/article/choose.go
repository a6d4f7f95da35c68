package article

import (
	"plat/plat/calendar"
	"plat/segment/article/phrases"
)

// choose selects the passages that belong to the text, as indexes into t.all: those of in, the
// region's passages, that are not boilerplate, from the first paragraph after the title to the last
// that continues the text. title is the passage that shows the title, -1 if there is no such passage.
//
// The definition of text follows annotated news pages: it includes headings, lists, quotations,
// tables and embedded posts, but not the title, bylines, dates, subtitles, captions, lines that are
// only a link ("read also"), tags, and labels, the lines that introduce boilerplate.
func (t *text) choose(region int32, in []int, title int) []int {
	in = after(in, title)
	inner := t.inner(region)
	beside := t.lastBeside(in)
	all, past := int32(0), int32(0)
	for _, i := range in {
		all += t.all[i].proseWeight()
	}
	var kept []int
	first, last := -1, -1 // paragraphs, as indexes into kept
	for k, i := range in {
		q := &t.all[i]
		past += q.proseWeight()
		if len(kept) > 0 && past*2 >= all && phrases.Endings.Has(q.text) {
			if last >= 0 && beside[t.besides(&t.all[kept[last]])] > i {
				continue // an insertion; the text continues after it
			}
			break
		}
		if !t.belongs(q, inner[q.first-region], k, t.hasText(in[k:])) {
			continue
		}
		if t.paragraph(q, first < 0) {
			if first < 0 {
				first = len(kept)
			}
			last = len(kept)
		}
		kept = append(kept, i)
	}
	if first < 0 || all == 0 {
		return kept
	}
	around := t.at[t.all[kept[first]].block].parent
	for first > 0 && t.leadsIn(kept[first-1], around, title) {
		first--
	}
	for k := last + 1; k < len(kept); k++ {
		switch q := &t.all[kept[k]]; {
		case tailTags[t.tag(q)] && q.linkShare() < maxLinked:
			last = k
		case t.heading(q) == 0:
			k = len(kept)
		}
	}
	kept = kept[first : last+1]
	return append(t.lead(title, kept[0]), kept...)
}

// tailTags are the elements that may continue a text after its last whole
// sentence.
var tailTags = wordSet("p li td dd pre")

// after drops the title and everything above it.
func after(in []int, title int) []int {
	for len(in) > 0 && in[0] <= title {
		in = in[1:]
	}
	return in
}

// inner returns the hints of each node with those of its ancestors inside the
// region: the region's own names no longer matter.
func (t *text) inner(region int32) []hints {
	inner := make([]hints, t.at[region].end-region)
	for i := 1; i < len(inner); i++ {
		a := &t.at[region+int32(i)]
		inner[i] = a.own | inner[a.parent-region]
	}
	return inner
}

// besides returns the grandparent of a passage's block, or else its parent. It
// contains the paragraphs of a text even if each is wrapped separately.
func (t *text) besides(q *passage) int32 {
	up := t.at[q.block].parent
	if up >= 0 && t.at[up].parent >= 0 {
		return t.at[up].parent
	}
	return up
}

// lastBeside returns, for each node returned by besides, the last paragraph that
// is not boilerplate.
func (t *text) lastBeside(in []int) map[int32]int {
	last := map[int32]int{}
	for _, i := range in {
		if q := &t.all[i]; q.prose() && t.at[q.first].all&boilerplate == 0 {
			last[t.besides(q)] = i
		}
	}
	return last
}

// paragraph reports whether a passage alone counts as text: long enough, or short with a sentence's
// end. At the start of the text, lines with a date are excluded.
func (t *text) paragraph(q *passage, start bool) bool {
	if t.heading(q) > 0 || start && dated(q) {
		return false
	}
	return q.prose() || q.ends && q.weight() >= 5 && q.linkShare() < 0.65
}

// dated reports whether a passage is a date line rather than text.
func dated(q *passage) bool {
	if q.ends || q.weight() > 20 {
		return false
	}
	_, ok := calendar.Find(q.text, calendar.Style{})
	return ok
}

// longHeading is the minimum number of words that make a heading right below
// the title a subtitle.
const longHeading = 8

// leadsIn reports whether passage i, right before the first paragraph, belongs
// to the text: a heading other than a subtitle, or a short paragraph or item
// beside it other than a byline.
func (t *text) leadsIn(i int, around int32, title int) bool {
	q := &t.all[i]
	if h := t.heading(q); h > 0 {
		return h >= 2 && !dated(q) && !(title >= 0 && i-title <= 2 && q.weight() >= longHeading)
	}
	up := t.at[q.block].parent
	switch t.tag(q) {
	case "p":
	case "li":
		if up >= 0 {
			up = t.at[up].parent
		}
	default:
		return false
	}
	return up == around && t.near(q)&(hintAuthor|hintDate|hintSummary) == 0 && q.linkShare() < maxLinked && !dated(q) && !startsAsByline(q.text)
}

// hasText reports whether the first of some passages is a heading whose text follows before the next
// heading: all of it may be a link to its own page, or to itself.
func (t *text) hasText(in []int) bool {
	if t.heading(&t.all[in[0]]) == 0 {
		return false
	}
	for _, i := range in[1:] {
		q := &t.all[i]
		if t.heading(q) > 0 {
			return false
		}
		if q.prose() && t.near(q)&boilerplate == 0 {
			return true
		}
	}
	return false
}

// longSummary is the minimum number of words that make a summary above a text
// its first paragraph, as in German papers; a shorter one is a subtitle, as in
// American ones.
const longSummary = 22

// belongs reports whether the k-th passage of a region may be part of the text; h are the hints
// inherited within the region. headed reports that it is a heading with text below.
func (t *text) belongs(q *passage, h hints, k int, headed bool) bool {
	switch {
	case !q.seen, q.chars == 0:
		return false
	case h&boilerplate != 0, t.outside(q):
		return false
	case h&hintSummary != 0 && k < 8 && q.weight() < longSummary:
		return false
	case q.linkShare() > 0.7 && (q.weight() > 3 || t.tag(q) != "p") && !headed:
		return false // "Read also: …"; a shorter one may be a source, "[Reuters]"
	}
	return !phrases.Labels.Has(q.text) && !phrases.Credit(q.text)
}

// leadReach is the number of passages after the title that are searched for a
// lead.
const leadReach = 30

// lead returns the passages between the title and the text's first passage that
// begin the text: the summary that many newspapers put above it, in its own
// element.
func (t *text) lead(title, first int) []int {
	var lead []int
	for i := title + 1; title >= 0 && i < first && i < title+leadReach; i++ {
		q := &t.all[i]
		if !q.seen || !q.ends || q.weight() < longSummary || q.linkShare() > 0.2 || t.heading(q) > 0 ||
			t.at[q.first].all&(boilerplate&^hintHeader) != 0 || q.text == t.all[first].text || t.outside(q) {
			continue
		}
		lead = append(lead, i)
	}
	if len(lead) > 2 {
		return nil // too many for a lead
	}
	return lead
}
