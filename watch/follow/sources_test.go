package follow

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"plat/plat"
	"plat/storage/sqlite"
	"plat/storage/sqlite/sqlitetest"
)

const feedURL = "https://site.test/feed.atom"

// feed stores the next version of a feed's page.
func feed(t *testing.T, s *sqlite.Store, n int, titles ...string) {
	t.Helper()
	var b strings.Builder
	b.WriteString("<main>")
	for _, title := range titles {
		fmt.Fprintf(&b, `<article><h2><a href="/%s.html?from=feed">%s</a></h2><p>All about it.</p></article>`, strings.ReplaceAll(title, " ", "-"), title)
	}
	commit(t, s, feedURL, day(n), b.String()+"</main>")
}

// What is on the page and in its feed is one item, whichever has it first.
func TestAFeedBesideThePageTellsEachItemOnce(t *testing.T) {
	s := sqlitetest.Open(t)
	f := follower(s)
	subscribe(t, s, plat.Subscription{Feeds: []string{feedURL}, Tell: []string{"a"}})
	publish(t, s, page, day(1), "One story", "Two story")
	feed(t, s, 1, "One story", "Two story", "Old story")
	once(t, f, 1)
	news := func() (out []string) {
		for _, it := range items(t, s) {
			if strings.HasPrefix(it, "new ") {
				out = append(out, it)
			}
		}
		return out
	}
	for _, step := range []struct {
		name string
		do   func()
		want []string
	}{
		{"first in the feed", func() { feed(t, s, 2, "Three story", "One story", "Two story", "Old story") }, []string{"new Three story"}},
		{"then on the page", func() { publish(t, s, page, day(3), "Three story", "One story", "Two story") }, []string{"new Three story"}},
		{"first on the page", func() { publish(t, s, page, day(4), "Four story", "Three story", "One story", "Two story") }, []string{"new Three story", "new Four story"}},
		{"then in the feed", func() { feed(t, s, 5, "Four story", "Three story", "One story") }, []string{"new Three story", "new Four story"}},
		{"an old one of the feed comes to the page", func() { publish(t, s, page, day(6), "Old story", "Four story", "Three story", "One story") }, []string{"new Three story", "new Four story"}},
		{"in both at once", func() {
			publish(t, s, page, day(7), "Five story", "Old story", "Four story", "Three story", "One story")
			feed(t, s, 7, "Five story", "Four story", "Three story", "One story")
		}, []string{"new Three story", "new Four story", "new Five story"}},
	} {
		step.do()
		once(t, f, 1)
		if got := news(); !slices.Equal(got, step.want) {
			t.Errorf("%s: %q", step.name, got)
		}
	}
	if n := len(messages(t, s)); n != 3 {
		t.Errorf("%d messages", n)
	}
}

// A page without a list is no fault if it has a feed, and a feed that is added later tells nothing that it has already.
func TestAFeedIsEnough(t *testing.T) {
	s := sqlitetest.Open(t)
	f := follower(s)
	subscribe(t, s, plat.Subscription{})
	commit(t, s, page, day(1), "<p>A text of the mill.</p>")
	once(t, f, 1)
	if sub, _ := s.Subscription(t.Context(), "s"); sub.Broken == "" {
		t.Fatal("a page without a list is well")
	}
	subscribe(t, s, plat.Subscription{Feeds: []string{feedURL}})
	feed(t, s, 2, "One story", "Two story")
	once(t, f, 1)
	if sub, _ := s.Subscription(t.Context(), "s"); sub.Broken != "" || len(sub.Pages) != 2 || len(items(t, s)) != 0 {
		t.Errorf("broken %q, %d pages, items %q", sub.Broken, len(sub.Pages), items(t, s))
	}
	feed(t, s, 3, "Three story", "One story", "Two story")
	once(t, f, 1)
	if got := items(t, s); !slices.Equal(got, []string{"new Three story"}) {
		t.Errorf("items %q", got)
	}
}

// A feed that redirects is followed under the address of its page.
func TestAFeedMovesToTheAddressOfItsPage(t *testing.T) {
	s := sqlitetest.Open(t)
	f := follower(s)
	subscribe(t, s, plat.Subscription{Feeds: []string{"https://site.test/rss", "https://site.test/other"}})
	publish(t, s, page, day(1), "One story", "Two story")
	once(t, f, 1)
	feed(t, s, 1, "One story", "Two story")
	for from, to := range map[string]string{"https://site.test/rss": feedURL, "https://site.test/other": page} {
		if err := s.Record(t.Context(), plat.Visit{URL: from, Time: day(1), Outcome: plat.OutcomeAlias, Main: to}, 0); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		if err := f.Readdress(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if sub, _ := s.Subscription(t.Context(), "s"); !slices.Equal(sub.Feeds, []string{feedURL}) || sub.URL != page {
		t.Errorf("feeds %q of %s", sub.Feeds, sub.URL)
	}
	once(t, f, 1)
	feed(t, s, 2, "Three story", "One story", "Two story")
	once(t, f, 1)
	if got := items(t, s); got[len(got)-1] != "new Three story" {
		t.Errorf("items %q", got)
	}
}

// Entries of one title are told each once, though their dates are missing on the page, or on it and in the feed.
func TestATitleThatRepeatsIsToldEachTime(t *testing.T) {
	for name, dated := range map[string]bool{"dates in the feed": true, "no dates": false} {
		s := sqlitetest.Open(t)
		f := follower(s)
		// list has an open thread for each week, the latest first, and a story.
		list := func(url string, n, weeks int, dated bool) {
			t.Helper()
			var b strings.Builder
			b.WriteString("<main>")
			for w := weeks; w > 0; w-- {
				day := ""
				if dated {
					day = fmt.Sprintf("<time>2026-05-%02d</time>", w)
				}
				fmt.Fprintf(&b, `<article><h2><a href="/week%d/thread.html">Open thread</a></h2>%s<p>All about it.</p></article>`, w, day)
			}
			commit(t, s, url, day(n), b.String()+`<article><h2><a href="/story.html">A story</a></h2><p>All about it.</p></article></main>`)
		}
		subscribe(t, s, plat.Subscription{Feeds: []string{feedURL}})
		list(page, 1, 1, false)
		list(feedURL, 1, 1, dated)
		once(t, f, 1)
		for step, url := range []string{feedURL, page, page, feedURL} { // week 2 is in the feed first, week 3 on the page
			list(url, 2+step, 2+step/2, url == feedURL && dated)
			once(t, f, 1)
			told := 0
			for _, it := range items(t, s) {
				if it == "new Open thread" {
					told++
				}
			}
			if told != 1+step/2 {
				t.Errorf("%s, step %d: told %d times, want %d", name, step, told, 1+step/2)
			}
		}
	}
}
