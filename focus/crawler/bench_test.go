package crawler

import (
	"fmt"
	"testing"

	"plat/focus"
	"plat/plat"
)

// BenchmarkRestore restores a crawl of 5,000 pages of 300 words and 20 links from its archive, as
// a process does at its start and, with labels, the steering process after each of them: all its
// other crawls wait so long. Run
//
//	go test ./focus/crawler -run '^$' -bench Restore -benchtime 3x
func BenchmarkRestore(b *testing.B) {
	const pages = 5_000
	r := rng(70)
	w := newWorld(b, web{})
	crawl := w.begin(nil)
	name := func(i int) string { return fmt.Sprintf("https://h%d.test/a/page%d", i%200, i) }
	for from := 0; from < pages; from += 500 {
		var asked []plat.CrawlPage
		for i := from; i < from+500; i++ {
			u := seedURL
			if i > 0 {
				u = name(i)
			}
			asked = append(asked, plat.CrawlPage{Crawl: crawl.ID, N: i + 1, URL: u, Score: .5, Asked: w.clock()})
		}
		if _, err := w.store.Ask(b.Context(), asked); err != nil {
			b.Fatal(err)
		}
		for i := range asked {
			p := &focus.Page{URL: asked[i].URL}
			for range 300 {
				p.Words = append(p.Words, focus.TermOf(fmt.Sprint("word", r.IntN(30_000))))
			}
			on := r.IntN(4) == 0
			if on {
				for range 20 {
					p.Words = append(p.Words, focus.TermOf(birdWords[r.IntN(len(birdWords))]))
				}
			}
			for range 20 {
				at := int32(r.IntN(300))
				p.Links = append(p.Links, focus.Link{URL: name(r.IntN(4 * pages)), Text: "a link", At: focus.Span{First: at, End: at + 3}, Heading: -1, Path: uint32(r.IntN(8))})
			}
			a := asked[i]
			a.Visited, a.Outcome, a.Relevance, a.Title, a.Reading = w.clock(), plat.OutcomeOffTopic, .1, "A page", p.Encode()
			if on {
				a.Outcome, a.Relevance, a.Version = plat.OutcomeNew, .9, 1
			}
			if err := w.store.Answer(b.Context(), &a); err != nil {
				b.Fatal(err)
			}
		}
	}
	restore := func(b *testing.B) {
		s := w.steerer(w.store)
		for b.Loop() {
			c, err := s.open(b.Context(), w.crawl(crawl.ID))
			if err != nil || c.focus.Counts().Pages != pages {
				b.Fatalf("%+v, %v", c.focus.Counts(), err)
			}
		}
	}
	b.Run("labels=0", restore)
	w.edit(crawl.ID, func(c *plat.Crawl) {
		for i := range 10 {
			Label(c, w.clock(), PageLabel{name(1 + 7*i), []string{"yes", "no"}[i%2]})
		}
	})
	b.Run("labels=10", restore)
}
