package watch

import (
	"slices"
	"strings"
	"unicode"

	"plat"
	"plat/diff"
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
	Shape uint64 // of its list
	Title string
	URL   string
	Block int32 // lineage
}

// sequence is the entries of lists as they are remembered for the next look.
func (t *tree) sequence(lists []*list) []past {
	var out []past
	for _, l := range lists {
		for i := range l.entries {
			e := &l.entries[i]
			p := past{Shape: l.shape, Title: e.Title, URL: e.URL}
			if e.Block >= 0 {
				p.Block = t.blocks[e.Block].Lineage
			}
			out = append(out, p)
		}
	}
	return out
}

// keys are the elements that are aligned: a text or, for one without words, an address.
func keys(all []past) []uint64 {
	out := make([]uint64, len(all))
	for i := range all {
		if out[i] = sum(titleKey(all[i].Title)); out[i] == 0 {
			out[i] = sum(urlKey(all[i].URL))
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
	fresh := map[int]int{} // place: index in items
	for i := range items {
		fresh[place[items[i].at]] = i
	}
	k, oldKeys := keys(seq), keys(m.last)
	here, was := standing(seq, k), standing(m.last, oldKeys)
	ends := m.ends(oldKeys, here)
	var removed []Item
	for _, g := range gaps(oldKeys, k) {
		paired := map[int]bool{}
		for i := g.B; i < g.BEnd; i++ {
			at, isNew := fresh[i]
			old := was.of(seq[i].URL)
			if here.of(seq[i].URL) != i {
				old = -1
			}
			if isNew && old < 0 && g.AEnd-g.A <= maxGap {
				for o := g.A; o < g.AEnd && old < 0; o++ {
					if !paired[o] && !here.titles[oldKeys[o]] && revised(&m.last[o], now[i]) {
						old = o
					}
				}
			}
			switch {
			case old < 0 || oldKeys[old] == k[i] || here.titles[oldKeys[old]]:
			case isNew && revised(&m.last[old], now[i]):
				items[at].Kind, items[at].Was = plat.ItemChanged, m.last[old].Title
				paired[old] = true
			case !isNew:
				items = append(items, Item{Kind: plat.ItemChanged, Entry: *now[i], Was: m.last[old].Title})
			}
		}
		for i := g.A; i < g.AEnd; i++ {
			p := &m.last[i]
			if _, ok := here.urls[urlKey(p.URL)]; !ok && !here.titles[oldKeys[i]] && !paired[i] && i < ends[p.Shape] {
				removed = append(removed, Item{Kind: plat.ItemRemoved, Entry: Entry{Title: p.Title, URL: p.URL, Block: -1}})
			}
		}
	}
	return append(items, removed...)
}

// maxGap is how many old entries one that may be a revision is compared with.
const maxGap = 64

// stand is what entries stand on a page.
type stand struct {
	titles map[uint64]bool
	urls   map[string]int // key of an address: place of its entry, -1: of several
}

func standing(seq []past, keys []uint64) stand {
	s := stand{map[uint64]bool{}, map[string]int{}}
	for i := range seq {
		s.titles[keys[i]] = true
		if u := urlKey(seq[i].URL); u != "" {
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

// ends returns, by list, the place of its last old entry that still stands on the page. What
// stood after it was pushed off a list of the latest ones, which is no news.
func (m *Memory) ends(keys []uint64, here stand) map[uint64]int {
	ends := map[uint64]int{}
	for i := range m.last {
		if here.titles[keys[i]] {
			ends[m.last[i].Shape] = i
		}
	}
	return ends
}

// revised reports whether an entry is an old one in other words: most of the words are the
// same, or they differ in numbers alone, and it has no other address or version.
func revised(p *past, e *Entry) bool {
	if p.URL != "" && e.URL != "" && urlKey(p.URL) != urlKey(e.URL) || versionOf(p.Title) != e.version {
		return false
	}
	a, b := strings.Fields(masked(p.Title)), strings.Fields(masked(e.Title))
	if len(a) == 0 || len(b) == 0 {
		return false
	}
	if slices.Equal(a, b) {
		return true
	}
	n := 0
	for _, w := range b {
		if slices.Contains(a, w) {
			n++
		}
	}
	return n >= 3 && 4*n >= 3*max(len(a), len(b))
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
