package watch

import (
	"encoding/binary"
	"hash/fnv"
	"slices"

	"plat/plat/calendar"
)

// mark is the record of an entry in the memory. Hashes have 64 bits, so the probability that
// any two of a million entries collide is below one in ten million.
type mark struct {
	url     uint64 // 0: the entry has no address of its own
	title   uint64
	date    calendar.Day
	version uint64
	product uint64 // 0: it is not a version of a product
	extra   uint64 // see features; 0: unknown, or it has no further text
}

// seen is the set of entries that were ever seen on a page. A lookup takes constant time.
type seen struct {
	marks []mark // in order of the last check that found them
	at    map[mark]bool
	facts map[uint64]bool         // hashes of statements about them, see fact
	dates map[uint64]calendar.Day // by address
}

func newSeen() *seen {
	return &seen{at: map[mark]bool{}, facts: map[uint64]bool{}, dates: map[uint64]calendar.Day{}}
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
	return mark{sum(urlKey(e.URL)), sum(e.key), e.Dated, sum(e.version), sum(e.product()), e.extra}
}

// several is the date of an address that was seen with more than one date. whenever stands for
// any date.
var several, whenever = calendar.Day{Year: -1}, calendar.Day{Year: -2}

// fact returns the hash of a statement such as: an entry with address a and title b was seen,
// or an entry with title a and this date.
func fact(kind byte, a, b uint64, date calendar.Day) uint64 {
	var buf [23]byte
	buf[0] = kind
	binary.LittleEndian.PutUint64(buf[1:], a)
	binary.LittleEndian.PutUint64(buf[9:], b)
	binary.LittleEndian.PutUint32(buf[17:], uint32(date.Year))
	buf[21], buf[22] = byte(date.Month), byte(date.Day)
	h := fnv.New64a()
	h.Write(buf[:])
	return h.Sum64()
}

// add stores a mark.
func (s *seen) add(m mark) {
	if s.at[m] {
		return
	}
	s.at[m] = true
	s.marks = append(s.marks, m)
	s.facts[fact('t', m.title, 0, m.date)] = true
	s.facts[fact('t', m.title, 0, whenever)] = true
	if m.extra != 0 {
		s.facts[fact('x', m.title, m.extra, m.date)] = true
		s.facts[fact('y', m.title, 0, whenever)] = true
	}
	if m.product != 0 {
		s.facts[fact('p', m.product, 0, whenever)] = true
	}
	if m.url == 0 {
		return
	}
	s.facts[fact('u', m.url, m.title, whenever)] = true
	s.facts[fact('v', m.url, m.version, m.date)] = true
	s.facts[fact('v', m.url, m.version, whenever)] = true
	if m.date.OK() {
		if d, ok := s.dates[m.url]; ok && d != m.date {
			m.date = several
		}
		s.dates[m.url] = m.date
	}
}

// again adds the marks of a check. Above limit it drops the marks that were not seen for the
// longest time.
func (s *seen) again(now []mark, limit int) {
	here := make(map[mark]bool, len(now))
	for _, m := range now {
		here[m] = true
	}
	kept := make([]mark, 0, len(s.marks)+len(now))
	for _, m := range s.marks {
		if !here[m] {
			kept = append(kept, m)
		}
	}
	kept = append(kept, now...)
	if len(kept) > limit {
		*s = *newSeen()
		kept = kept[len(kept)-limit:]
	}
	s.marks = s.marks[:0]
	clear(s.at)
	for _, m := range kept {
		s.add(m)
	}
}

// Has reports whether an entry of a different page with the same list, such as a feed, was ever in a list of this one: by its
// address, or by its title and date. Where a date is unknown, the title does alone, unless it repeats: own is the memory of the
// entry's page. Entries without an address do not count.
func (m *Memory) Has(e *Entry, own *Memory) bool {
	is := markOf(e)
	titled := false
	for _, k := range m.seen.marks {
		switch {
		case k.url == 0:
		case k.url == is.url, is.title != 0 && k.title == is.title && k.date == is.date && is.date.OK():
			return true
		case is.title != 0 && k.title == is.title && !(k.date.OK() && is.date.OK()):
			titled = true
		}
	}
	return titled && !slices.ContainsFunc(own.seen.marks, func(k mark) bool { return k.title == is.title && k.url != 0 && k.url != is.url })
}

// knows reports whether an entry was seen before. An entry is identified by its address, title
// and date: two of them suffice, and so does one that the remaining two do not contradict.
// Of entries of one title in a list, those without an address are told apart by their further texts, those of one address by
// their dates.
func (s *seen) knows(e *Entry, with company) bool {
	m := markOf(e)
	// dated reports whether there was an entry with an equal date, or with no date.
	dated := func(kind byte, a, b uint64) bool {
		if !m.date.OK() {
			return s.facts[fact(kind, a, b, whenever)]
		}
		return s.facts[fact(kind, a, b, m.date)] || s.facts[fact(kind, a, b, calendar.Day{})]
	}
	switch {
	case m.product != 0 && s.facts[fact('p', m.product, 0, whenever)]:
		return true
	case m.url == 0 && with.title && m.extra != 0 && s.facts[fact('y', m.title, 0, whenever)]:
		return s.facts[fact('x', m.title, m.extra, m.date)]
	case m.url == 0:
		return dated('t', m.title, 0)
	case with.apart && e.id != "":
		return false
	case with.apart && m.date.OK():
		return s.facts[fact('t', m.title, 0, m.date)]
	case s.facts[fact('u', m.url, m.title, whenever)]:
		return true
	case !with.address && (m.date.OK() && s.dates[m.url] == m.date || dated('v', m.url, m.version)):
		return true
	}
	return !with.title && dated('t', m.title, 0)
}
