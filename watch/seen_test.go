package watch

import (
	"fmt"
	"testing"

	"plat/plat/calendar"
)

// entryOf returns an entry by its address, title and date.
func entryOf(url, title, date string) *Entry {
	e := &Entry{URL: url}
	e.title(title)
	e.Dated, _ = calendar.Find(date, calendar.Style{})
	return e
}

// TestWhichEntriesOfAFeedAPageHas: the feed and the page may use different addresses, and one of them no dates.
func TestWhichEntriesOfAFeedAPageHas(t *testing.T) {
	const page, feed = "https://site.test/roof", "https://site.test/?p=7"
	const day, other = "2026-05-03", "2026-05-04"
	for _, tc := range []struct {
		name string
		is   *Entry   // of the feed
		page []*Entry // all that the page ever had
		own  []*Entry // all that the feed ever had, beside the entry
		want bool
	}{
		{"nothing", entryOf(feed, "The roof", day), nil, nil, false},
		{"the address", entryOf(page, "The roof", day), []*Entry{entryOf(page, "A roof is mended", other)}, nil, true},
		{"the address, written differently", entryOf("http://site.test/roof/", "The roof", ""), []*Entry{entryOf(page, "A roof is mended", "")}, nil, true},
		{"title and date", entryOf(feed, "The roof", day), []*Entry{entryOf(page, "The roof!", day)}, nil, true},
		{"the title of a different day", entryOf(feed, "The roof", day), []*Entry{entryOf(page, "The roof", other)}, nil, false},
		{"the date of a different title", entryOf(feed, "The roof", day), []*Entry{entryOf(page, "The wheel", day)}, nil, false},
		{"no titles, and one date", entryOf(feed, "", day), []*Entry{entryOf(page, "", day)}, nil, false},
		{"no titles and no dates", entryOf(feed, "", ""), []*Entry{entryOf(page, "", "")}, nil, false},
		{"the title, and the page has no date", entryOf(feed, "The roof", day), []*Entry{entryOf(page, "The roof", "")}, nil, true},
		{"the title, and the feed has no date", entryOf(feed, "The roof", ""), []*Entry{entryOf(page, "The roof", day)}, nil, true},
		{"the title, and neither has a date", entryOf(feed, "The roof", ""), []*Entry{entryOf(page, "The roof", "")}, nil, true},
		{"the title without an address", entryOf(feed, "The roof", day), []*Entry{entryOf("", "The roof", day)}, nil, false},
		{"an entry without an address comes first", entryOf(feed, "The roof", ""), []*Entry{entryOf("", "The wheel", ""), entryOf(page, "The roof", "")}, nil, true},
		{"a title that repeats in the feed", entryOf(feed, "The roof", ""), []*Entry{entryOf(page, "The roof", "")}, []*Entry{entryOf("https://site.test/?p=8", "The roof", "")}, false},
		{"a title that repeats in the feed, with its date", entryOf(feed, "The roof", day), []*Entry{entryOf(page, "The roof", day)}, []*Entry{entryOf("https://site.test/?p=8", "The roof", "")}, true},
		{"the entry in the feed before", entryOf(feed, "The roof", ""), []*Entry{entryOf(page, "The roof", "")}, []*Entry{entryOf(feed, "The roof", day)}, true},
		{"the title in the feed without an address", entryOf(feed, "The roof", ""), []*Entry{entryOf(page, "The roof", "")}, []*Entry{entryOf("", "The roof", "")}, true},
		{"a different title in the feed", entryOf(feed, "The roof", ""), []*Entry{entryOf(page, "The roof", "")}, []*Entry{entryOf("https://site.test/?p=8", "The wheel", "")}, true},
	} {
		m, own := New(), New()
		for _, e := range tc.page {
			m.seen.add(markOf(e))
		}
		for _, e := range append(tc.own, tc.is) {
			own.seen.add(markOf(e))
		}
		if got := m.Has(tc.is, own); got != tc.want {
			t.Errorf("%s: %v", tc.name, got)
		}
	}
}

// TestWhenAnEntryIsKnown: two of address, title and date identify an entry, and so does one that the rest does not contradict.
func TestWhenAnEntryIsKnown(t *testing.T) {
	const a, b = "https://site.test/a", "https://site.test/b"
	const day, other = "2026-05-03", "2026-05-04"
	for _, tc := range []struct {
		name             string
		is, was          *Entry
		shared, repeated bool
		want             bool
	}{
		{"all", entryOf(a, "The roof", day), entryOf(a, "The roof", day), false, false, true},
		{"all, of several", entryOf(a, "The roof", day), entryOf(a, "The roof", day), true, true, true},
		{"address and title", entryOf(a, "The roof", day), entryOf(a, "The roof", other), false, false, true},
		{"address and date", entryOf(a, "The roof", day), entryOf(a, "A wheel", day), false, false, true},
		{"address and date, of several", entryOf(a, "The roof", day), entryOf(a, "A wheel", day), true, false, false},
		{"the address, on a different day", entryOf(a, "The roof", day), entryOf(a, "A wheel", other), false, false, false},
		{"the address, without a date then", entryOf(a, "The roof", day), entryOf(a, "A wheel", ""), false, false, true},
		{"the address, without a date now", entryOf(a, "The roof", ""), entryOf(a, "A wheel", day), false, false, true},
		{"the address of a different version", entryOf(a, "Mill 1.2.0", ""), entryOf(a, "Mill 1.1.0", ""), false, false, false},
		{"title and date", entryOf(b, "The roof", day), entryOf(a, "The roof", day), false, false, true},
		{"title and date, which repeat", entryOf(b, "The roof", day), entryOf(a, "The roof", day), false, true, false},
		{"the title, on a different day", entryOf(b, "The roof", day), entryOf(a, "The roof", other), false, false, false},
		{"the title without an address", entryOf("", "The roof", day), entryOf(a, "The roof", ""), false, false, true},
		{"the title without an address, on a different day", entryOf("", "The roof", day), entryOf(a, "The roof", other), false, false, false},
		{"a product at a different address", entryOf(b+".tgz", "Mill wheel 1.2.0", day), entryOf(a+".tgz", "The Mill wheel 1.2.0", other), false, false, true},
		{"nothing", entryOf(b, "The roof", day), entryOf(a, "A wheel", day), false, false, false},
	} {
		m := New()
		m.seen.add(markOf(tc.was))
		if got := m.seen.knows(tc.is, company{address: tc.shared, title: tc.repeated}); got != tc.want {
			t.Errorf("%s: %v", tc.name, got)
		}
	}
	// An address that was seen with two dates is known by neither.
	m := New()
	m.seen.add(markOf(entryOf(a, "The roof", day)))
	m.seen.add(markOf(entryOf(a, "A wheel", other)))
	if d := m.seen.dates[sum(urlKey(a))]; d != several {
		t.Errorf("the address has the date %v", d)
	}
	// Entries of one title without an address are told apart by their further text and date.
	post := func(extra uint64, date string) *Entry {
		e := entryOf("", "Cook", date)
		e.extra = extra
		return e
	}
	m = New()
	m.seen.add(markOf(post(5, day)))
	for want, e := range map[string]*Entry{"true true": post(5, day), "true false": post(6, day), "false false": post(6, other)} {
		if got := fmt.Sprint(m.seen.knows(e, company{}), " ", m.seen.knows(e, company{title: true})); got != want {
			t.Errorf("extra %d on %v: known %s, want %s", e.extra, e.Dated, got, want)
		}
	}
}

// TestTheLatestMarksAreKept: above the limit, those are dropped that were not seen for the longest time.
func TestTheLatestMarksAreKept(t *testing.T) {
	number := func(i int) mark { return mark{url: uint64(i), title: uint64(100 + i)} }
	s := newSeen()
	for i := range 4 {
		s.add(number(i + 1))
	}
	for _, tc := range []struct {
		now, limit int
		want       []uint64
	}{{2, 4, []uint64{1, 3, 4, 2}}, {5, 5, []uint64{1, 3, 4, 2, 5}}, {6, 5, []uint64{3, 4, 2, 5, 6}}, {3, 2, []uint64{6, 3}}} {
		s.again([]mark{number(tc.now)}, tc.limit)
		var got []uint64
		for _, m := range s.marks {
			got = append(got, m.url)
		}
		if fmt.Sprint(got) != fmt.Sprint(tc.want) || len(s.at) != len(got) {
			t.Errorf("%d with %d at most: %v, want %v", tc.now, tc.limit, got, tc.want)
		}
		for i := range 6 {
			kept := false
			for _, u := range got {
				kept = kept || u == uint64(i+1)
			}
			// Until marks are dropped, all statements about them are known.
			if known := s.facts[fact('t', uint64(101+i), 0, whenever)]; kept && !known || !kept && known {
				t.Errorf("%d with %d at most: statements about %d are known: %v", tc.now, tc.limit, i+1, known)
			}
		}
	}
}
