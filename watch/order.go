package watch

import (
	"slices"
	"strings"
	"unicode"

	"plat/diff"
	"plat/plat"
)

// The order of the entries tells what was changed, moved and removed. Zhou and Guo (section
// 1.5) align the texts of old and new by a longest common subsequence, computed by the method
// of Nakatsu, Kambayashi and Yajima (package diff has it): what stands between two matches in
// both is changed, in the new alone inserted, in the old alone deleted. Where several longest
// common subsequences exist they enumerate all, and keep that whose inserted texts do not
// stand in the old page: a thread that only moved up is no news.
//
// Enumerating is not needed. A text that does not stand in the old page matches nothing, so
// every alignment inserts it; one that does stand there is no news in any alignment that
// they would keep. So what their rule reports is what the old page does not have, whichever
// alignment is at hand (TestEveryAlignmentReportsTheSame). We extend "the old page" to all
// looks before, and use the alignment for the rest.

// past is an entry of the last look.
type past struct {
	shape uint64 // of its list
	title string
	url   string
	key   string // of the title
}

// sequence is the entries of lists as they are remembered for the next look.
func sequence(lists []*list) []past {
	var out []past
	for _, l := range lists {
		for i := range l.entries {
			out = append(out, past{l.shape, l.entries[i].Title, l.entries[i].URL, l.entries[i].key})
		}
	}
	return out
}

// keys are the elements that are aligned: a text or, for one without words, an address.
func keys(all []past) []uint64 {
	out := make([]uint64, len(all))
	for i := range all {
		if out[i] = sum(all[i].key); out[i] == 0 {
			out[i] = sum(urlKey(all[i].url))
		}
	}
	return out
}

// gap is a place where old and new do not match: old[A:AEnd] stands where now[B:BEnd] does.
type gap struct{ A, AEnd, B, BEnd int }

// gaps aligns two sequences.
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

// inserted returns which elements of now an alignment inserts; improved leaves out those that
// stand in old.
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

// revise takes changed entries out of the items that would be told as new, and adds them and
// the removed ones. now are the entries in order, at the places of seq.
func (m *Memory) revise(items []Item, seq []past, now []*Entry) []Item {
	place := map[*Entry]int{}
	for i, e := range now {
		place[e] = i
	}
	fresh := map[int]Item{} // new ones, by place
	for _, it := range items {
		fresh[place[it.at]] = it
	}
	k, oldKeys := keys(seq), keys(m.last)
	here, was := standing(seq, k), standing(m.last, oldKeys)
	pushed := m.pushedOff(oldKeys, seq, k, here, was)
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
				for o := range near {
					if at := g.A + o; !near[o].taken && !here.titles[oldKeys[at]] && near[o].revisedBy(w) {
						near[o].taken = true
						old = at
						break
					}
				}
			}
			var before *wording
			if old >= 0 && oldKeys[old] != k[i] && !here.titles[oldKeys[old]] {
				before = wordingOf(m.last[old].title, m.last[old].url)
			}
			switch {
			case before == nil || isNew && !before.revisedBy(w):
				if isNew {
					out = append(out, it)
				}
			case before.text == w.text && before.version == w.version && !(isNew && now[i].Dated.OK()):
				// Only a counter or a clock in it went on.
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

// stand is what entries stand on a page.
type stand struct {
	titles map[uint64]bool
	urls   map[string]int // key of an address: place of its entry, -1: of several
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

// of is the place of the entry with an address, -1 if there is none or several.
func (s *stand) of(url string) int {
	if i, ok := s.urls[urlKey(url)]; ok {
		return i
	}
	return -1
}

// pushedOff returns which old entries are gone as a list shows but the latest, which is no
// news: those after the last that still stands on the page, and, where entries were added at
// the end of the list, those before the first.
func (m *Memory) pushedOff(old []uint64, seq []past, now []uint64, here, was stand) func(i int) bool {
	begin, end := map[uint64]int{}, map[uint64]int{} // by list
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
	appended := map[uint64]bool{} // lists of which the last entry is not an old one
	for i := range seq {
		appended[seq[i].shape] = !was.titles[now[i]]
	}
	return func(i int) bool {
		shape := m.last[i].shape
		return i >= end[shape] || appended[shape] && i < begin[shape]
	}
}

// wording is the title of an entry, to be compared with others.
type wording struct {
	text    string   // masked
	words   []string // of it, sorted
	version string
	url     string // key of the entry's address
	taken   bool   // by an entry that is a revision of it
}

func wordingOf(title, url string) *wording {
	w := &wording{text: masked(title), version: versionOf(title), url: urlKey(url)}
	w.words = strings.Fields(w.text)
	slices.Sort(w.words)
	return w
}

// maxPairs is how many old and new titles of a gap are compared, each with each.
const maxPairs = 64 * 64

// wordings are those of the old entries in a gap; none if there are too many.
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

// revisedBy reports whether an entry is an old one in other words: most of the words are the
// same, or they differ in numbers alone, and it has no other address or version.
func (w *wording) revisedBy(by *wording) bool {
	if w.url != "" && by.url != "" && w.url != by.url || w.version != by.version || w.text == "" || by.text == "" {
		return false
	}
	if w.text == by.text {
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

// masked is a title's key with its numbers made equal: a counter is no news.
func masked(title string) string {
	var b strings.Builder
	number := false
	for _, r := range titleKey(title) {
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
