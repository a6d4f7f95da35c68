package noise_test

import (
	"fmt"
	"strings"
	"testing"

	"plat/diff/noise"
)

// rotate shows one of some texts at each visit, the same in all its renderings, and returns for each
// visit whether it was news.
func rotate(s *site, visits int, text func(visit int) string) (told []bool) {
	for v := range visits {
		news := s.visit(func(int) []string { return []string{"Ticket 14 euros", text(v), still} })
		told = append(told, news > 0)
	}
	return told
}

// count returns the number of visits that were news.
func count(told []bool) (n int) {
	for _, is := range told {
		if is {
			n++
		}
	}
	return n
}

// Texts that take turns from visit to visit are no news once six have come back. They are stored with
// their reason, and a text that was never there is news.
func TestTextsThatTakeTurnsReturn(t *testing.T) {
	s := newSite(t)
	told := rotate(s, 40, func(v int) string { return sponsored[v%8] })
	if n := count(told[:15]); n != 13 || count(told[15:]) > 0 {
		t.Errorf("of 8 texts that take turns %d visits are news at first, %d later", n, count(told[15:]))
	}
	if s.versions != 40 {
		t.Errorf("%d versions: a text is not stored", s.versions)
	}
	for _, p := range s.past[16:] {
		if len(p.own) != 1 || p.own[0].Why != string(noise.Returned) || !p.own[0].Suppressed() {
			t.Fatalf("by itself: %+v", p.own)
		}
	}
	if told = rotate(s, 1, func(int) string { return "A storm warning is in force until further notice" }); !told[0] {
		t.Error("a text that was never there is no news")
	}
	// Beside a change by an author the text is not marked.
	s = newSite(t)
	rotate(s, 20, func(v int) string { return sponsored[v%8] })
	news := s.changes(func(int) []string { return []string{"Ticket 15 euros", sponsored[20%8], still} })
	if len(news) != 1 || news[0].new != "Ticket 15 euros" {
		t.Errorf("beside a price: %+v", news)
	}
}

// What an author writes is news however often it returns: few texts, short ones, numbers, and texts
// that last.
func TestTextsThatReturnAndAreNews(t *testing.T) {
	ferry := []string{"The ferry runs on schedule all day", "Cancelled because of strong wind from the north", "Delayed by fog, more news at noon", "A smaller ship sails today, without cars", "Boarding begins soon at the other quay"}
	for _, tc := range []struct {
		name string
		text func(v int) string
	}{
		{"a state of five", func(v int) string { return ferry[v%5] }},
		{"a state that is mostly the same", func(v int) string { return []string{ferry[0], sponsored[v/2%8]}[v%2] }},
		{"a price in a sentence", func(v int) string {
			return []string{"Today the ferry to the islands costs 20 euros", "Children and dogs travel for 14 euros this week"}[v%2]
		}},
		{"numbers that take turns", func(v int) string { return fmt.Sprint(sponsored[v%8], " and ", v%8, " others") }},
		{"short texts", func(v int) string {
			return strings.Join([]string{"In stock", "Sold out", "Coming soon", "Few left", "On order", "Delayed", "Back again"}[v%7:][:1], "")
		}},
		{"headlines", func(v int) string { return fmt.Sprint(titles[v%30], " ", titles[(v+7)%30]) }},
		{"one word of a sentence", func(v int) string {
			return "Today the kitchen has " + proverbs[v%8][:5] + " soup and bread for everyone"
		}},
	} {
		s := newSite(t)
		if told := rotate(s, 30, tc.text); count(told[1:]) != 29 && tc.name != "a state that is mostly the same" {
			t.Errorf("%s: %d of 29 changes are news", tc.name, count(told[1:]))
		} else if tc.name == "a state that is mostly the same" && count(told[1:16]) != 15 {
			t.Errorf("%s: %d of 15 changes are news", tc.name, count(told[1:16]))
		}
	}
	s := newSite(t) // each lasts four visits
	if told := rotate(s, 160, func(v int) string { return sponsored[v/4%8] }); count(told) != 39 {
		t.Errorf("texts that last: %d of 39 changes are news", count(told))
	}
	s = newSite(t) // one lasts after they have taken turns
	rotate(s, 20, func(v int) string { return sponsored[v%8] })
	rotate(s, 5, func(int) string { return sponsored[0] })
	if told := rotate(s, 10, func(v int) string { return sponsored[1+v%7] }); count(told) != 10 {
		t.Errorf("after one that lasted: %d of 10 changes are news", count(told))
	}
	s = newSite(t) // each lasts, but the visits were skipped
	told := 0
	for v := range 40 {
		told += count(rotate(s, 1, func(int) string { return sponsored[v%8] }))
		for range 4 {
			s.mask.Skipped()
		}
	}
	if told != 39 {
		t.Errorf("texts that last through skipped visits: %d of 39 changes are news", told)
	}
}

// The target of a link in a text that returns is news if it was never there.
func TestLinksInTextsThatReturn(t *testing.T) {
	link := func(v int, to string) string {
		return fmt.Sprintf(`<p>%s <a href="/%s">here</a></p>`, sponsored[v%8], to)
	}
	s := newSite(t)
	if told := rotate(s, 24, func(v int) string { return link(v, "all") }); count(told[15:]) > 0 {
		t.Errorf("with links that return, %d visits are news", count(told[15:]))
	}
	if told := rotate(s, 1, func(int) string { return link(24, "other") }); !told[0] {
		t.Error("another link is no news")
	}
}

// The memory of texts that take turns is bounded, and what two renderings prove comes first.
func TestTextsThatTakeTurnsTakeLittleMemory(t *testing.T) {
	s, n := newSite(t), 0
	const most = 440
	words := func(n int) string { // six that no other text has
		var all []string
		for i := range 6 {
			all = append(all, strings.Repeat(string(rune('a'+i)), 1+n%20)+string(rune('a'+n/20)))
		}
		return strings.Join(all, " ")
	}
	for v := range 100 {
		s.visit(func(int) []string {
			n++
			return []string{fmt.Sprintf("Views %d of all", n), words(v), words(200 + v), still}
		})
		if size := len(s.mask.Encode()); size > most {
			t.Fatalf("%d bytes after %d visits, want %d at most", size, v, most)
		}
	}
	if !s.mask.Varies() {
		t.Error("the counter is forgotten")
	}
}
