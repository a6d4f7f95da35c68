package focus

import (
	"fmt"
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"plat/fixtures"
	"plat/queue/links"
	"plat/segment"
)

// realPages are stored pages of real sites, with blocks. Judge a change by
//
//	go test ./focus -run '^$' -bench . -benchmem -count 6 | tee new.txt
//	benchstat old.txt new.txt
func realPages(b *testing.B) map[string]*links.Page {
	b.Helper()
	all := map[string]*links.Page{}
	d := describer(b)
	for _, name := range []string{"site-zh-1", "calcite-news", "flink-downloads", "flink-community"} {
		s := fixtures.Snapshot(b, name)
		cut, err := segment.Segment(s, segment.Params{})
		if err != nil {
			b.Fatal(err)
		}
		if err := d.Describe(s, &cut.Page, cut.Spans, cut.Visible()); err != nil {
			b.Fatal(err)
		}
		all[name] = &links.Page{Snapshot: s, Blocks: cut.Page.Blocks, Spans: cut.Spans}
	}
	return all
}

// BenchmarkRead reads a page whose links are found, as a worker does.
func BenchmarkRead(b *testing.B) {
	d := describer(b)
	for name, page := range realPages(b) {
		b.Run("page="+name, func(b *testing.B) {
			found := page.Links(nil, maxLinks)
			var p *Page
			b.ReportAllocs()
			for b.Loop() {
				p = Read(page, found, d)
			}
			b.ReportMetric(float64(len(p.Words)), "words")
			b.ReportMetric(float64(len(p.Links)), "links")
		})
	}
}

// BenchmarkRelevance computes the relevance of a page, with a collection of 100,000 terms.
func BenchmarkRelevance(b *testing.B) {
	d := describer(b)
	topic := seaTopic(b)
	var c Collection
	rng := rand.New(rand.NewPCG(1, 1))
	for range 1_000 {
		v := vector{}
		for range 200 {
			v[Term(rng.Uint32N(100_000))] = 1
		}
		c.add(v)
	}
	for name, page := range realPages(b) {
		b.Run("page="+name, func(b *testing.B) {
			p := Read(page, page.Links(nil, maxLinks), d)
			b.ReportAllocs()
			for b.Loop() {
				topic.relevance(p.vector(), &c)
			}
			b.ReportMetric(float64(len(p.vector())), "terms")
		})
	}
}

// fill makes a crawl of so many pages with 100 links each, with words and URLs of usual length. Some 61
// of the 100 are to pages that no page before links to.
func fill(tb testing.TB, pages int, o Options) *Crawl {
	tb.Helper()
	o.Patience = -1
	c := newCrawl(tb, o)
	rng := rand.New(rand.NewPCG(1, 2))
	for page := range pages {
		u := fmt.Sprintf("https://www.site-%d.test/visited/page-%d.html", page%5_000, page)
		var to []anchorOf
		for range 100 {
			// Some links are to pages that were linked before.
			k := page*100 + rng.IntN(100)
			if rng.IntN(3) == 0 {
				k = rng.IntN(page*100 + 100)
			}
			to = append(to, anchorOf{fmt.Sprintf("https://www.site-%d.test/section-%d/articles/a-title-of-some-words-%d.html", k%5_000, k%17, k), prose(rng, 5, .02)})
		}
		c.Ask(u)
		c.Add(u, pageOf(u, prose(rng, 200, .05), to...))
	}
	return c
}

func BenchmarkScore(b *testing.B) {
	for _, order := range Orders() {
		b.Run("order="+order, func(b *testing.B) {
			c := fill(b, 300, Options{Order: order})
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				for i++; c.waiting[i%len(c.waiting)].target < 0; i++ {
				}
				c.order.score(c, &c.waiting[i%len(c.waiting)])
			}
		})
	}
}

// BenchmarkRescore computes the scores of 100,000 links that wait.
func BenchmarkRescore(b *testing.B) {
	c := fill(b, 1_630, Options{})
	b.ReportAllocs()
	for b.Loop() {
		c.all.add(float64(b.N % 2)) // so that scores change
		c.Rescore(len(c.waiting))
	}
}

// BenchmarkAdd adds a page with 100 links and 200 words to a crawl in which 100,000 links wait.
func BenchmarkAdd(b *testing.B) {
	for _, order := range []string{"blocks", "ipagerank"} {
		b.Run("order="+order, func(b *testing.B) {
			c := fill(b, 1_630, Options{Order: order, Links: 110_000})
			rng := rand.New(rand.NewPCG(4, 2))
			var to []anchorOf
			for range 100 {
				k := rng.IntN(200_000)
				to = append(to, anchorOf{fmt.Sprintf("https://www.site-%d.test/section-%d/articles/a-title-of-some-words-%d.html", k%5_000, k%17, k), prose(rng, 5, .02)})
			}
			p := pageOf("", prose(rng, 200, .05), to...)
			b.ReportAllocs()
			for b.Loop() {
				a, ok := c.Next(nil)
				if !ok {
					b.Fatal("no links are left")
				}
				p.URL = a.URL
				c.Add(a.URL, p)
			}
		})
	}
}

// TestAMillionLinksWait measures the memory of a crawl and the time of its operations.
func TestAMillionLinksWait(t *testing.T) {
	if os.Getenv("PLAT_LONG") != "1" {
		t.Skip("a long test: set PLAT_LONG=1")
	}
	const n = 1_000_000
	var c *Crawl
	took, memory := spent(func() any { c = fill(t, n*10/615, Options{Links: 2 * n}); return c })
	start := time.Now()
	c.Rescore(len(c.waiting))
	rescored := time.Since(start)
	start = time.Now()
	const asks = 1_000
	for range asks {
		if _, ok := c.Next(nil); !ok {
			t.Fatal("no links are left")
		}
	}
	next := time.Since(start) / asks
	got := c.Counts()
	t.Logf("%d links wait, of %d URLs, %d pages: %d MiB, %d bytes a link; made in %v, rescored in %v, Next takes %v", got.Waiting, got.Targets, got.Pages,
		memory>>20, memory/int64(got.Waiting), took.Round(time.Second), rescored.Round(time.Millisecond), next)
	if memory > 1<<30 || got.Waiting < n*9/10 {
		t.Errorf("a crawl with a million links has %d MiB, more than 1 GiB", memory>>20)
	}

	// The worst make room.
	const most = n / 10
	c = nil
	took, memory = spent(func() any { c = fill(t, 5_000, Options{Links: most}); return c })
	got = c.Counts()
	t.Logf("of %d links %d may wait: %d wait, %d URLs are known, %d MiB, %v", got.Dropped+got.Waiting, most, got.Waiting, got.Targets, memory>>20, took.Round(time.Millisecond))
	if got.Waiting > most || got.Targets > most+got.Pages || got.Dropped < most {
		t.Errorf("%+v", got)
	}
}
