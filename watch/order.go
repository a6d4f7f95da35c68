package watch

import (
	"slices"
	"strings"
	"unicode"

	"plat/diff"
	"plat/plat"
)

// Changed, moved and removed entries follow from their order. Zhou and Guo (section 1.5) align
// the texts of old and new by a longest common subsequence, computed by the method of Nakatsu,
// Kambayashi and Yajima (see package diff): between two matches, texts on both sides are
// changed, texts only in the new page are inserted, and texts only in the old page are deleted.
// Where several longest common subsequences exist they enumerate all, and keep the one whose
// inserted texts are not in the old page: a thread that only moved up is not new.
//
// Enumerating is not needed. A text that is not in the old page matches nothing, so every
// alignment inserts it. A text that is in the old page is not new in any alignment that they
// keep. Their rule therefore reports exactly the texts that are not in the old page, whichever
// alignment is used (TestEveryAlignmentReportsTheSame). We extend "the old page" to all
// previous checks, and use the alignment for the rest.

// past is an entry of the previous check.
type past struct {
	shape uint64 // shape of its list
	title string
	url   string
	key   string // titleKey of the title
}

// sequence returns the entries of lists in the form that is stored for the next check.
func sequence(lists []*list) []past {
	var out []past
	for _, l := range lists {
		for i := range l.entries {
			out = append(out, past{l.shape, l.entries[i].Title, l.entries[i].URL, l.entries[i].key})
		}
	}
	return out
}

// keys returns the elements to align: the hash of a title or, for a title without words, of an
// address.
func keys(all []past) []uint64 {
	out := make([]uint64, len(all))
	for i := range all {
		if out[i] = sum(all[i].key); out[i] == 0 {
			out[i] = sum(urlKey(all[i].url))
		}
	}
	return out
}

// gap is a place where old and new do not match: now[B:BEnd] is in the place of old[A:AEnd].
type gap struct{ A, AEnd, B, BEnd int }

// gaps aligns two sequences, and returns the places that do not match.
func gaps(old, now []uint64) []gap {
	var out []gap
	a, b := 0, 0
	for _, r := range append(diff.LCS(old, now), diff.Run{A: len(old), B: len(now)}) {
		if r.A > a || r.B > b {
			out = append(out, gap{a, r.A, b, r.B})
		}
		a, b = r.A+r.N, r.B+r.N
	}
	return out
}

// inserted returns the indexes of the elements of now that an alignment inserts; improved
// leaves out elements that are in old.
func inserted(old, now []uint64, improved bool) []int {
	stands := map[uint64]bool{}
	if improved {
		for _, k := range old {
			stands[k] = true
		}
	}
	var out []int
	for _, g := range gaps(old, now) {
		for i := g.B; i < g.BEnd; i++ {
			if !stands[now[i]] {
				out = append(out, i)
			}
		}
	}
	return out
}

// revise marks items as changed that would be reported as new, and adds further changed entries
// and the removed ones. now holds the entries in the order of seq.
func (m *Memory) revise(items []Item, seq []past, now []*Entry) []Item {
	place := map[*Entry]int{}
	for i, e := range now {
		place[e] = i
	}
	fresh := map[int]Item{} // new items, by place
	for _, it := range items {
		fresh[place[it.at]] = it
	}
	k, oldKeys := keys(seq), keys(m.last)
	here, was := standing(seq, k), standing(m.last, oldKeys)
	pushed := m.pushedOff(oldKeys, seq, k, here, was)
	known := func(name string) bool { return m.seen.facts[fact('t', sum(name), 0, whenever)] }
	var out, removed []Item
	matched := 0
	for _, g := range gaps(oldKeys, k) {
		for ; matched < g.B; matched++ {
			if it, ok := fresh[matched]; ok {
				out = append(out, it)
			}
		}
		matched = g.BEnd
		near := m.wordings(g)
		for i := g.B; i < g.BEnd; i++ {
			it, isNew := fresh[i]
			w := wordingOf(now[i].Title, now[i].URL)
			old := was.of(seq[i].url)
			if here.of(seq[i].url) != i {
				old = -1
			}
			if isNew && old < 0 {
				if o := nearest(near, w, known, func(o int) bool { return !here.titles[oldKeys[g.A+o]] }); o >= 0 {
					near[o].taken = true
					old = g.A + o
				}
			}
			var before *wording
			if old >= 0 && oldKeys[old] != k[i] && !here.titles[oldKeys[old]] {
				before = wordingOf(m.last[old].title, m.last[old].url)
			}
			switch {
			case before == nil || isNew && !before.revisedBy(w, known):
				if isNew {
					out = append(out, it)
				}
			case before.text == w.text && before.version == w.version && !(isNew && now[i].Dated.OK()):
				// Only a counter or a clock in it advanced.
			default:
				out = append(out, Item{Kind: plat.ItemChanged, Entry: *now[i], Was: m.last[old].title})
			}
		}
		for i := g.A; i < g.AEnd; i++ {
			p := &m.last[i]
			if _, ok := here.urls[urlKey(p.url)]; ok || here.titles[oldKeys[i]] || pushed(i) || i-g.A < len(near) && near[i-g.A].taken {
				continue
			}
			removed = append(removed, Item{Kind: plat.ItemRemoved, Entry: Entry{Title: p.title, URL: p.url, Block: -1}})
		}
	}
	for ; matched < len(seq); matched++ {
		if it, ok := fresh[matched]; ok {
			out = append(out, it)
		}
	}
	return append(out, removed...)
}

// stand is the set of the entries on a page.
type stand struct {
	titles map[uint64]bool
	urls   map[string]int // key of an address: place of its entry, -1 if not unique
}

func standing(seq []past, keys []uint64) stand {
	s := stand{map[uint64]bool{}, map[string]int{}}
	for i := range seq {
		s.titles[keys[i]] = true
		if u := urlKey(seq[i].url); u != "" {
			if _, ok := s.urls[u]; ok {
				i = -1
			}
			s.urls[u] = i
		}
	}
	return s
}

// of returns the place of the entry with an address, or -1 if it is not there or not unique.
func (s *stand) of(url string) int {
	if i, ok := s.urls[urlKey(url)]; ok {
		return i
	}
	return -1
}

// pushedOff returns a function that reports whether an old entry is gone only because a list
// shows a limited number. That is not a removal. It holds for the entries after the last one
// that is still there, and, in lists that grow at the end, for the entries before the first.
func (m *Memory) pushedOff(old []uint64, seq []past, now []uint64, here, was stand) func(i int) bool {
	begin, end := map[uint64]int{}, map[uint64]int{} // first and last old entry that is still there, by list
	for i := range m.last {
		shape := m.last[i].shape
		if !here.titles[old[i]] {
			continue
		}
		if _, ok := begin[shape]; !ok {
			begin[shape] = i
		}
		end[shape] = i
	}
	appended := map[uint64]bool{} // lists whose last entry is new
	for i := range seq {
		appended[seq[i].shape] = !was.titles[now[i]]
	}
	return func(i int) bool {
		shape := m.last[i].shape
		return i >= end[shape] || appended[shape] && i < begin[shape]
	}
}

// wording is the title of an entry, prepared for comparison.
type wording struct {
	title   string
	text    string   // masked
	words   []string // of the text, without numbers, sorted
	version string
	url     string // key of the entry's address
	taken   bool   // a new entry is a revision of it
}

func wordingOf(title, url string) *wording {
	w := &wording{title: title, text: masked(title), version: versionOf(title), url: urlKey(url)}
	w.words = slices.DeleteFunc(strings.Fields(w.text), func(word string) bool { return word == "0" })
	slices.Sort(w.words)
	return w
}

// maxPairs limits the comparisons of old with new titles in a gap.
const maxPairs = 64 * 64

// wordings returns the wordings of the old entries in a gap, or nil above maxPairs.
func (m *Memory) wordings(g gap) []*wording {
	if (g.AEnd-g.A)*(g.BEnd-g.B) > maxPairs {
		return nil
	}
	out := make([]*wording, 0, g.AEnd-g.A)
	for _, p := range m.last[g.A:g.AEnd] {
		out = append(out, wordingOf(p.title, p.url))
	}
	return out
}

// nearest returns the place of the first wording that is free and that another one revises, the same name before different ones;
// -1 if there is none.
func nearest(all []*wording, by *wording, known func(name string) bool, free func(i int) bool) int {
	near := -1
	for i, w := range all {
		if w.taken || !free(i) || !w.revisedBy(by, known) {
			continue
		}
		if w.text == by.text || goesOn(w.title, by.title, known) {
			return i
		}
		if near < 0 {
			near = i
		}
	}
	return near
}

// revisedBy reports whether an entry is a rewording of an old one: at least three quarters of
// the words are the same, they differ only in numbers, or in what follows the name, and address and version do not
// differ. known reports whether an entry was ever called by a name.
func (w *wording) revisedBy(by *wording, known func(name string) bool) bool {
	if w.url != "" && by.url != "" && w.url != by.url || w.version != by.version || w.text == "" || by.text == "" {
		return false
	}
	if w.text == by.text || goesOn(w.title, by.title, known) {
		return true
	}
	n, o := 0, 0
	for _, word := range by.words {
		for o < len(w.words) && w.words[o] < word {
			o++
		}
		if o < len(w.words) && w.words[o] == word {
			n++
		}
	}
	return n >= 3 && 4*n >= 3*max(len(w.words), len(by.words))
}

// masked returns a title's key with every number replaced by 0: a changed counter is not news.
func masked(title string) string {
	key := titleKey(title)
	if !strings.ContainsFunc(key, unicode.IsDigit) {
		return key
	}
	var b strings.Builder
	b.Grow(len(key))
	number := false
	for _, r := range key {
		if unicode.IsDigit(r) {
			if !number {
				b.WriteByte('0')
			}
			number = true
			continue
		}
		number = false
		b.WriteRune(r)
	}
	return b.String()
}
