package watch

import (
	"hash/fnv"

	"plat/calendar"
)

// mark is what is remembered of an entry for ever. Hashes are of 64 bits, so two of a
// million entries are taken for one with a chance of one in ten million.
type mark struct {
	url     uint64 // 0: it had none of its own
	title   uint64
	date    calendar.Day
	version uint64
}

// seen is the set of entries that were ever seen on a page.
type seen struct {
	marks    []mark
	byURL    map[uint64][]int32
	byTitle  map[uint64][]int32
	products map[uint64]bool
}

func newSeen() *seen {
	return &seen{byURL: map[uint64][]int32{}, byTitle: map[uint64][]int32{}, products: map[uint64]bool{}}
}

func sum(s string) uint64 {
	if s == "" {
		return 0
	}
	h := fnv.New64a()
	h.Write([]byte(s))
	return max(1, h.Sum64())
}

func markOf(e *Entry) mark {
	return mark{sum(urlKey(e.URL)), sum(titleKey(e.Title)), e.Dated, sum(e.version)}
}

func (s *seen) add(m mark) {
	for _, i := range s.byTitle[m.title] {
		if s.marks[i] == m {
			return
		}
	}
	i := int32(len(s.marks))
	s.marks = append(s.marks, m)
	s.byTitle[m.title] = append(s.byTitle[m.title], i)
	if m.url != 0 {
		s.byURL[m.url] = append(s.byURL[m.url], i)
	}
}

// knows reports whether an entry was seen before. An entry is known by its address, its title
// and its date: two of them tell, and one does where the others do not contradict. shared
// says that other entries of the page have its address too; repeated, that others of its list
// have its title.
func (s *seen) knows(e *Entry, shared, repeated bool) bool {
	if p := e.product(); p != "" && s.products[sum(p)] {
		return true
	}
	m := markOf(e)
	other := func(o mark) bool { return o.date.OK() && m.date.OK() && o.date != m.date }
	if m.url != 0 {
		at := s.byURL[m.url]
		generic := shared // the page of several things, as "downloads"
		for _, i := range at {
			generic = generic || s.marks[i].date.OK() && s.marks[i].date != s.marks[at[0]].date
		}
		for _, i := range at {
			o := s.marks[i]
			switch {
			case o.title == m.title:
				return true
			case !generic && m.date.OK() && o.date == m.date:
				return true
			case !shared && o.version == m.version && !other(o):
				return true
			}
		}
	}
	for _, i := range s.byTitle[m.title] {
		o := s.marks[i]
		if !other(o) && !(repeated && m.url != 0 && o.url != m.url) {
			return true
		}
	}
	return false
}
