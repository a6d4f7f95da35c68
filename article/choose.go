package article

// choose picks the passages that belong to the text, as indexes into t.all: of
// those in the region, in, without boilerplate, from the first paragraph after the
// title to the last that goes on with the text. title is the passage that shows
// the title, -1 if none does.
//
// What counts as text was learnt from what people marked on news pages: headings,
// lists, quotations, tables and embedded posts do; the title, bylines, dates,
// subtitles, captions, lines that are only a link ("read also"), tags and the
// lines that name what stands around (labels) do not.
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
		if len(kept) > 0 && past*2 >= all && names(endings, q.text) {
			if last >= 0 && beside[t.besides(&t.all[kept[last]])] > i {
				continue // it was only put into the text
			}
			break
		}
		if !t.belongs(q, inner[q.first-region], k) {
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

// tailTags are what may go on with a text after its last whole sentence.
var tailTags = wordSet("p li td dd pre")

// after leaves out the title and what stands above it.
func after(in []int, title int) []int {
	for len(in) > 0 && in[0] <= title {
		in = in[1:]
	}
	return in
}

// inner is what each node of the region has from the nodes around it up to the
// region's own: what that is called itself no longer matters.
func (t *text) inner(region int32) []hints {
	inner := make([]hints, t.at[region].end-region)
	for i := 1; i < len(inner); i++ {
		a := &t.at[region+int32(i)]
		inner[i] = a.own | inner[a.parent-region]
	}
	return inner
}

// besides is the node that the paragraphs of a text stand side by side in: the
// one around that of a passage, or around that, where each is wrapped.
func (t *text) besides(q *passage) int32 {
	up := t.at[q.block].parent
	if up >= 0 && t.at[up].parent >= 0 {
		return t.at[up].parent
	}
	return up
}

// lastBeside is, by the node they stand side by side in, the last paragraph
// outside of boilerplate.
func (t *text) lastBeside(in []int) map[int32]int {
	last := map[int32]int{}
	for _, i := range in {
		if q := &t.all[i]; q.prose() && t.at[q.first].all&boilerplate == 0 {
			last[t.besides(q)] = i
		}
	}
	return last
}

// paragraph reports whether a passage is text by itself: long enough, or short
// and with a sentence's end. As long as nothing was found, lines that say when
// are not.
func (t *text) paragraph(q *passage, start bool) bool {
	if t.heading(q) > 0 || start && dated(q) {
		return false
	}
	return q.prose() || q.ends && q.weight() >= 5 && q.linkShare() < 0.65
}

// dated reports whether a passage is a line that says when, rather than text.
func dated(q *passage) bool {
	if q.ends || q.weight() > 20 {
		return false
	}
	_, ok := findDate(q.text, false)
	return ok
}

// longHeading is the length in words from which on a heading right below the
// title is a subtitle.
const longHeading = 8

// leadsIn reports whether passage i, right before the first paragraph, belongs to
// the text: a heading that is no subtitle, or a short paragraph or item beside it
// that is no byline.
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

// longSummary is the length in words from which on a summary above a text is its
// first paragraph; a shorter one is a subtitle. German papers set the former so,
// American ones the latter.
const longSummary = 22

// belongs reports whether the k-th passage of a region may be part of the text; h
// is what is around it in the region.
func (t *text) belongs(q *passage, h hints, k int) bool {
	switch {
	case !q.seen, q.chars == 0:
		return false
	case h&boilerplate != 0, t.outside(q):
		return false
	case h&hintSummary != 0 && k < 8 && q.weight() < longSummary:
		return false
	case q.linkShare() > 0.7 && (q.weight() > 3 || t.tag(q) != "p"):
		return false // "Read also: …"; a short one may be a source, "[Reuters]"
	}
	return !names(labels, q.text) && !credit(q.text)
}

// leadReach is how many passages after the title are looked at for a lead.
const leadReach = 30

// lead is what stands between the title and the text's first passage and begins
// the text: the summary that many newspapers set above it, in a place of its own.
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
		return nil // that many are something else
	}
	return lead
}
