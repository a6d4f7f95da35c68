package noise

import (
	"cmp"
	"iter"
	"slices"
	"sort"
	"strings"

	"plat/diff"
	"plat/diff/noise/dial"
	"plat/diff/noise/times"
)

// confirmed marks the edits between old and new at places where a second rendering, again, differs
// from the first: these are self-changes. Edits that are partly news are split. Text that both
// renderings share is news.
func confirmed(edits []Edit, old, new, again *words) []Edit {
	if !anyOpen(edits) {
		return edits
	}
	vary := variations(new, again)
	stay(vary, new, edits)
	var out []Edit
	for _, e := range edits {
		if e.Why != "" {
			out = append(out, e)
			continue
		}
		out = append(out, confirm(e, old, new, again, vary)...)
	}
	return out
}

// A variation is a place where two renderings differ.
type variation struct {
	first, second Span // in the renderings
	fixed         bool // as many words of the same shapes in both
	stays         bool // the old version has the text of the first rendering there, and it is more than chance
}

// between is the maximum number of equal words between two varying places that count as equal by
// chance, if no number is among them: "the" is in many quotes of the day.
const between = 2

// variations returns the places where two renderings differ, word by word.
func variations(first, second *words) []variation {
	a, b := first.all, second.all
	var all []variation
	i, j, equal, number := 0, 0, between+1, false
	add := func(toA, toB int) {
		if i == toA && j == toB {
			return
		}
		v := variation{first: part(a, i, toA), second: part(b, j, toB), fixed: toA-i == toB-j}
		for k := 0; v.fixed && i+k < toA; k++ {
			v.fixed = a[i+k].shape() == b[j+k].shape()
		}
		if n := len(all); n > 0 && equal <= between && !number && !(v.fixed && all[n-1].fixed) {
			all[n-1] = variation{first: Span{all[n-1].first.From, v.first.To}, second: Span{all[n-1].second.From, v.second.To}}
			return
		}
		all = append(all, v)
	}
	for _, r := range diff.ByLines(texts(a), texts(b), first.ends(), second.ends()) {
		add(r.A, r.B)
		i, j, equal = r.A+r.N, r.B+r.N, r.N
		number = first.hasNumber(a[r.A:i]) // a number is not chance
	}
	add(len(a), len(b))
	return all
}

// hasNumber reports whether a number is among some words, and is not a part of a longer word.
func (w *words) hasNumber(ws []token) bool {
	return slices.ContainsFunc(ws, func(t token) bool { return t.shape() == '0' && w.alone(t.Span) })
}

// alone reports whether a word is not a part of a longer one, such as the 3 of "3fa9".
func (w *words) alone(s Span) bool {
	letter := func(i int) bool {
		c := byte(' ')
		if i >= 0 && i < len(w.text) {
			c = w.text[i] | 0x20
		}
		return c >= 'a' && c <= 'z' || c >= '0' && c <= '9'
	}
	return !letter(s.From-1) && !letter(s.To)
}

// stay marks the variations that no edit touches.
func stay(vary []variation, new *words, edits []Edit) {
	for i, k := 0, 0; i < len(vary); i++ {
		v := &vary[i]
		for k < len(edits) && edits[k].New.To <= v.first.From {
			k++
		}
		v.stays = len(new.in(v.first)) > between
		for n := k; n < len(edits) && edits[n].New.From < v.first.To; n++ {
			v.stays = v.stays && edits[n].New.Empty() && beside(v.first, edits[n].New)
		}
	}
}

// beside reports whether a position is at the beginning or the end of a span.
func beside(s, at Span) bool { return at.From == s.To || at.To == s.From }

// confirm splits an edit that is news so far into the words that vary and the rest.
func confirm(e Edit, old, new, again *words, vary []variation) []Edit {
	was, is := old.in(e.Old), new.in(e.New)
	varies := make([]bool, len(is))
	touched, fixed := false, true
	var others [][]token // words of the second rendering there
	longest := 0         // length of the place in either rendering, in words
	first, _ := slices.BinarySearchFunc(vary, e.New.From, func(v variation, pos int) int { return cmp.Compare(v.first.To, pos) })
	for _, v := range vary[first:] {
		if v.first.From > e.New.To {
			break
		}
		here := v.first.Empty() && e.New.From <= v.first.From && v.first.From <= e.New.To ||
			e.New.Empty() && v.first.From <= e.New.From && e.New.From <= v.first.To && !(v.stays && beside(v.first, e.New))
		for k, w := range is {
			if v.first.From < w.To && w.From < v.first.To {
				varies[k], here = true, true
			}
		}
		if here {
			touched, fixed = true, fixed && v.fixed
			others = append(others, again.in(v.second))
			longest = max(longest, len(new.in(v.first)), len(again.in(v.second)))
		}
	}
	if !touched {
		return []Edit{e}
	}
	// Find the old words that the varying ones replace: those that the second rendering shows again;
	// no words, if they are too many for this place; for varying words of fixed shapes, words of the
	// same shapes; otherwise all. An author removed the remaining old words.
	stood := make([]bool, len(was))
	if again := sequence(was, others); len(again) > 0 && len(again) < len(was) {
		for _, i := range again {
			stood[i] = true
		}
	} else if !fixed && len(was) > atMost(longest) && longest > 0 {
	} else if fixed && inPlace(was, is, varies) {
		copy(stood, varies)
	} else if fixed && !(len(was) == len(is) && !slices.Contains(varies, false)) {
		stand(was, is, varies, stood)
	} else {
		for i := range stood {
			stood[i] = true
		}
	}
	return split(e, was, is, stood, varies, TwoLook)
}

// split divides an edit into the words with this reason, marked in stood for the old text and in
// varies for the new one, and the words that are news.
func split(e Edit, was, is []token, stood, varies []bool, reason Reason) []Edit {
	if !slices.Contains(varies, false) && !slices.Contains(stood, false) {
		return []Edit{{Old: e.Old, New: e.New, Why: reason}}
	}
	if !slices.Contains(varies, true) && !slices.Contains(stood, true) {
		return []Edit{e}
	}
	why := map[bool]Reason{true: reason}
	var out []Edit
	for from, to := range runs(stood) {
		out = append(out, Edit{Old: Span{was[from].From, was[to-1].To}, New: Span{e.New.From, e.New.From}, Why: why[stood[from]]})
	}
	for from, to := range runs(varies) {
		out = append(out, Edit{Old: Span{e.Old.To, e.Old.To}, New: Span{is[from].From, is[to-1].To}, Why: why[varies[from]]})
	}
	return out
}

// joined returns the edits of two texts, of which two second renderings explain parts. Words that
// either explains are not news.
func joined(edits, others []Edit, old, new *words) (all []Edit) {
	if len(others) == 0 {
		return edits
	}
	explained := func(ws []token, span func(*Edit) Span) []bool {
		is, k := make([]bool, len(ws)), 0
		for i := range ws {
			for k < len(others) && span(&others[k]).To <= ws[i].From {
				k++
			}
			is[i] = k < len(others) && others[k].Why != "" && span(&others[k]).contains(ws[i].Span)
		}
		return is
	}
	for _, e := range edits {
		if e.Why != "" {
			all = append(all, e)
			continue
		}
		was, is := old.in(e.Old), new.in(e.New)
		all = append(all, split(e, was, is, explained(was, func(e *Edit) Span { return e.Old }), explained(is, func(e *Edit) Span { return e.New }), TwoLook)...)
	}
	return all
}

// stand marks in stood the old words that the varying words replace, each by one of the same shape:
// at both ends the one in its position, between them the next.
func stand(was, is []token, varies, stood []bool) {
	from, to, a, b := 0, len(is), 0, len(was)
	for to > 0 && b > 0 && varies[to-1] && was[b-1].shape() == is[to-1].shape() {
		to, b = to-1, b-1
		stood[b] = true
	}
	for from < to && a < b && varies[from] && was[a].shape() == is[from].shape() {
		stood[a] = true
		from, a = from+1, a+1
	}
	for k := from; k < to; k++ {
		i := a
		for varies[k] && i < b && was[i].shape() != is[k].shape() {
			i++
		}
		if varies[k] && i < b {
			stood[i], a = true, i+1
		}
	}
}

// inPlace reports whether the varying words replace words of the same shapes, one for one.
func inPlace(was, is []token, varies []bool) bool {
	if len(was) != len(is) {
		return false
	}
	for k := range is {
		if varies[k] && was[k].shape() != is[k].shape() {
			return false
		}
	}
	return true
}

// atMost returns the maximum length of a text, in words, that may replace one of this length.
func atMost(words int) int { return words + words/4 + 1 }

// sequence returns the indexes of the words that form one of the given texts, complete and in a row.
// Texts of a few words, which may be equal by chance, do not count.
func sequence(was []token, others [][]token) (at []int) {
	text := texts(was)
	for _, o := range others {
		if len(o) <= between {
			continue
		}
		is := texts(o)
		for i := 0; i+len(is) <= len(text); i++ {
			if slices.Equal(text[i:i+len(is)], is) {
				for k := range is {
					at = append(at, i+k)
				}
				break
			}
		}
	}
	return at
}

// runs yields the runs of equal values, as [from, to).
func runs(all []bool) iter.Seq2[int, int] {
	return func(yield func(int, int) bool) {
		for from := 0; from < len(all); {
			to := from + 1
			for to < len(all) && all[to] == all[from] {
				to++
			}
			if !yield(from, to) {
				return
			}
			from = to
		}
	}
}

// words is a text and its words; a time of several words is one of them.
type words struct {
	text string
	all  []token

	around  []around   // of each word; computed on demand
	pairs   []uint32   // see pairsOf
	numbers *dial.Text // see dial
}

func parse(s string) *words { return &words{text: s, all: scan(s)} }

// at returns the index of the first word that begins at a position or after it.
func (w *words) at(pos int) int {
	return sort.Search(len(w.all), func(i int) bool { return w.all[i].From >= pos })
}

// in returns the words that begin in a part of the text.
func (w *words) in(s Span) []token { return w.all[w.at(s.From):w.at(s.To)] }

// ends returns the ends of the lines, as indexes of words.
func (w *words) ends() (all []int) {
	for i := 1; i < len(w.all); i++ {
		if strings.IndexByte(w.text[w.all[i-1].To:w.all[i].From], '\n') >= 0 {
			all = append(all, i)
		}
	}
	return append(all, len(w.all))
}

func texts(ws []token) []string {
	all := make([]string, len(ws))
	for i := range ws {
		all[i] = ws[i].text
	}
	return all
}

// shape returns the class of a word: a time, a number, letters, or the mark itself.
func (t *token) shape() byte {
	switch c := t.text[0]; {
	case t.Kind != times.Word:
		return 't'
	case c >= '0' && c <= '9':
		return '0'
	case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= 0x80:
		return 'a'
	default:
		return c
	}
}
