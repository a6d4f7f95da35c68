package focus

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"plat/plat"
)

func TestBestIsTheOrderInWhichLinksAreGivenOut(t *testing.T) {
	c := newCrawl(t, Options{Patience: -1})
	w := randomWeb(3)
	c.Seed("https://h1.test/0/1", "https://h2.test/0/2", "https://h3.test/0/3")
	for range 20 {
		if a, ok := c.Next(nil); ok {
			if p := w(a.URL); p != nil {
				c.Add(a.URL, p)
			} else {
				c.Miss(a.URL)
			}
		}
	}
	best := c.Best(10)
	if len(best) != 10 {
		t.Fatalf("%d links wait", len(best))
	}
	for i, want := range best {
		if got, _ := c.Next(nil); got != want {
			t.Fatalf("link %d is %+v, and was to be %+v", i, got, want)
		}
	}
	if len(c.Best(1e6)) != c.Counts().Waiting {
		t.Errorf("of %d links that wait Best gives %d", c.Counts().Waiting, len(c.Best(1e6)))
	}
}

// The same calls make the same crawl, to the last bit: a crawl that was killed is restored so. The
// replay has maps of its own, whose order differs.
func TestTheSameCallsMakeTheSameCrawl(t *testing.T) {
	for _, order := range Orders() {
		t.Run(order, func(t *testing.T) {
			o := Options{Order: order, PerHost: 60, Patience: -1}
			w := randomWeb(5)
			rng := rand.New(rand.NewPCG(1, 1))
			var calls []func(c *Crawl)
			c := newCrawl(t, o)
			do := func(f func(c *Crawl)) { calls = append(calls, f); f(c) }
			do(func(c *Crawl) { c.Seed("https://h1.test/0/1", "https://h2.test/0/2", "https://h3.test/0/3") })
			var flight []string
			for range 500 {
				for len(flight) < 5 {
					a, ok := c.Next(func(h string) bool { return rng.IntN(5) > 0 })
					if !ok {
						break
					}
					flight = append(flight, a.URL)
					calls = append(calls, func(c *Crawl) { c.Ask(a.URL) })
				}
				if len(flight) == 0 {
					break
				}
				i := rng.IntN(len(flight))
				u := flight[i]
				flight = slices.Delete(flight, i, i+1)
				if p := w(u); p != nil {
					do(func(c *Crawl) { c.Add(u, p) })
				} else {
					do(func(c *Crawl) { c.Miss(u) })
				}
			}
			for range 3 {
				again := newCrawl(t, o)
				for _, f := range calls {
					f(again)
				}
				if !reflect.DeepEqual(again.urls, c.urls) || again.Counts() != c.Counts() {
					t.Fatalf("replayed: %+v, want %+v, or pages are judged otherwise", again.Counts(), c.Counts())
				}
				if n := min(100, c.Counts().Waiting); n < 50 || !reflect.DeepEqual(again.Best(n), c.Best(n)) {
					t.Fatalf("the best of %d links are others:\n%v\n%v", n, again.Best(n), c.Best(n))
				}
				both := func(c *Crawl) (all []Asked) {
					for range 100 {
						a, ok := c.Next(nil)
						if !ok {
							break
						}
						all = append(all, a)
						if p := w(a.URL); p != nil {
							c.Add(a.URL, p)
						} else {
							c.Miss(a.URL)
						}
					}
					return all
				}
				first := newCrawl(t, o)
				for _, f := range calls {
					f(first)
				}
				a, b := both(first), both(again)
				if len(a) < 30 || !reflect.DeepEqual(a, b) {
					t.Fatalf("the next %d and %d links differ", len(a), len(b))
				}
			}
		})
	}
}

func TestAHostHasNoMorePagesThanItMay(t *testing.T) {
	c := newCrawl(t, Options{PerHost: 3, Patience: -1})
	var links []anchorOf
	for i := range 10 {
		links = append(links, anchorOf{fmt.Sprint("https://a.test/", i), "squid"}, anchorOf{fmt.Sprint("https://b.test/", i), "octopus"})
	}
	c.Seed("https://seed.test/")
	a, _ := c.Next(nil)
	c.Add(a.URL, pageOf(a.URL, seaWords, links...))
	asked := map[string][]string{}
	next := func() {
		for {
			a, ok := c.Next(nil)
			if !ok {
				return
			}
			asked[plat.HostOf(a.URL)] = append(asked[plat.HostOf(a.URL)], a.URL)
		}
	}
	next()
	if len(asked["a.test"]) != 3 || len(asked["b.test"]) != 3 || c.Counts().Capped != 14 {
		t.Fatalf("asked for %v, %+v", asked, c.Counts())
	}
	c.Miss(asked["a.test"][1]) // gives its place back
	c.Miss(asked["a.test"][1]) // once
	next()
	if len(asked["a.test"]) != 4 || len(asked["b.test"]) != 3 {
		t.Fatalf("after a miss: asked for %v", asked)
	}
	if c.Done() != "" {
		t.Errorf("done while pages are on their way: %s", c.Done())
	}
	for _, all := range asked {
		for _, u := range all {
			c.Add(u, pageOf(u, seaWords))
		}
	}
	if _, ok := c.Next(nil); ok || c.Done() != "every host with links has reached its limit of pages" {
		t.Errorf("not done: %q, %+v", c.Done(), c.Counts())
	}
}

func TestDoneSaysWhy(t *testing.T) {
	off := func(u string, to ...string) *Page {
		var links []anchorOf
		for _, l := range to {
			links = append(links, anchorOf{l, "link"})
		}
		return pageOf(u, "bread butter and jam", links...)
	}
	chain := func(u string) *Page { return off(u, u+"x") } // without an end
	for _, tc := range []struct {
		name  string
		o     Options
		w     web
		pages int
		want  string
	}{
		{"all pages", Options{Pages: 7}, chain, 7, "all 7 pages were requested"},
		{"patience", Options{Patience: 5}, chain, 5, "no page at the last 5 URLs belongs to the topic"},
		{"patience is 1,000 URLs", Options{}, chain, 1_000, "no page at the last 1000 URLs belongs to the topic"},
		{"no links", Options{}, func(u string) *Page { return off(u) }, 1, "no links are left"},
		{"nothing there", Options{}, func(string) *Page { return nil }, 0, "no links are left"},
		{"hosts have had theirs", Options{PerHost: 4}, chain, 4, "every host with links has reached its limit of pages"},
		{"a redirect to a page that waits", Options{}, func(u string) *Page {
			if strings.HasSuffix(u, "/") {
				return off(u, u+"1", u+"2")
			}
			return off("https://a.test/2")
		}, 2, "no links are left"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c := newCrawl(t, tc.o)
			if c.Done() != "" {
				t.Fatalf("done before it began: %s", c.Done())
			}
			c.Seed("https://a.test/")
			if got := crawl(t, c, tc.w); len(got) != tc.pages || c.Done() != tc.want || c.Counts().Pages != tc.pages {
				t.Errorf("visited %d pages, counted %d, done: %q; want %d, %q", len(got), c.Counts().Pages, c.Done(), tc.pages, tc.want)
			}
		})
	}
}

// Two URLs are requested at once, and the first redirects to the second.
func TestACrawlEndsAlthoughAPageWasAskedForTwice(t *testing.T) {
	c := newCrawl(t, Options{})
	c.Seed("https://a.test/1", "https://a.test/2")
	c.Next(nil)
	c.Next(nil)
	c.Add("https://a.test/1", pageOf("https://a.test/2", "bread"))
	c.Add("https://a.test/2", pageOf("https://a.test/2", "bread"))
	if got := c.Counts(); c.Done() != "no links are left" || got.Pages != 1 {
		t.Errorf("done: %q, %+v", c.Done(), got)
	}
}

// A page that was not requested counts too, and a miss of such a URL does not make room for a
// further page.
func TestPagesAreCountedHoweverTheyCome(t *testing.T) {
	c := newCrawl(t, Options{Pages: 3, Patience: -1})
	c.Seed("https://a.test/1", "https://a.test/2", "https://a.test/3", "https://a.test/4")
	c.Add("https://a.test/1", pageOf("https://a.test/1", "bread"))
	c.Miss("https://a.test/5")
	c.Next(nil)
	c.Next(nil)
	if _, ok := c.Next(nil); ok {
		t.Error("a fourth page of three is asked for")
	}
	c.Miss("https://a.test/2")
	if _, ok := c.Next(nil); !ok {
		t.Error("the place of a page that was missing is not given to another")
	}
}

func TestPatienceCountsFromTheLastPageThatBelongs(t *testing.T) {
	c := newCrawl(t, Options{Patience: 4})
	c.Seed("https://a.test/0")
	got := crawl(t, c, func(u string) *Page {
		text := "bread butter and jam"
		if strings.HasSuffix(u, "0xxx") {
			text = seaWords // the fourth
		}
		return pageOf(u, text, anchorOf{u + "x", "link"})
	})
	if len(got) != 8 || c.Counts().Belong != 1 {
		t.Errorf("%d pages, %d belong; want 4 and 4 more, and 1", len(got), c.Counts().Belong)
	}
}

// Links on a page that is the t-th in a row that does not belong to the topic are not followed. Of
// several ways to a page the shortest counts.
func TestTunnelsHaveAnEnd(t *testing.T) {
	for limit := 1; limit <= 3; limit++ {
		for _, order := range []string{"blocks", "bfs"} {
			c := newCrawl(t, Options{Tunnel: limit, Order: order})
			c.Seed("https://a.test/good")
			var got []string
			for _, u := range crawl(t, c, func(u string) *Page {
				n := strings.Count(u, "x")
				switch {
				case strings.HasSuffix(u, "/good"):
					return pageOf(u, seaWords, anchorOf{"https://a.test/x", "one"})
				case n == 6:
					return pageOf(u, seaWords, anchorOf{u + "x", "more"})
				}
				return pageOf(u, "bread butter and jam", anchorOf{u + "x", "deeper"})
			}) {
				got = append(got, strings.TrimPrefix(u, "https://a.test/"))
			}
			want := []string{"good", "x", "xx", "xxx"}[:limit+1]
			if !slices.Equal(got, want) || c.Done() != "no links are left" {
				t.Errorf("%s: with tunnels of %d visited %q, want %q; %s", order, limit, got, want, c.Done())
			}
		}
	}
	// A page that belongs ends the count: good → x → good → x …
	c := newCrawl(t, Options{Tunnel: 2, Pages: 50})
	c.Seed("https://a.test/")
	if got := crawl(t, c, func(u string) *Page {
		text := "bread butter and jam"
		if strings.Count(u, "x")%2 == 0 {
			text = seaWords
		}
		return pageOf(u, text, anchorOf{u + "x", "on"})
	}); len(got) != 50 {
		t.Errorf("of an endless way with relevant pages %d were visited", len(got))
	}
	// Two ways: seed → far (1 page off topic) → end, and seed → end.
	c = newCrawl(t, Options{Tunnel: 2, Order: "bfs"})
	c.Seed("https://a.test/")
	got := crawl(t, c, func(u string) *Page {
		switch u {
		case "https://a.test/":
			return pageOf(u, seaWords, anchorOf{"https://a.test/far", "far"}, anchorOf{"https://a.test/late", "late"})
		case "https://a.test/far":
			return pageOf(u, "bread", anchorOf{"https://a.test/end", "end"})
		case "https://a.test/late":
			return pageOf(u, seaWords, anchorOf{"https://a.test/end", "end"})
		case "https://a.test/end":
			return pageOf(u, "bread", anchorOf{"https://a.test/behind", "behind"})
		}
		return pageOf(u, "bread")
	})
	if !slices.Contains(got, "https://a.test/behind") {
		t.Errorf("a page that a relevant one links to ends a tunnel: %q", got)
	}
}

// The number of waiting links is bounded; those that do are the best, and neither the URLs nor the
// folders that are remembered grow without bound.
func TestTheWorstLinksMakeRoom(t *testing.T) {
	for _, order := range []string{"blocks", "rw", "ipagerank", "paths"} {
		t.Run(order, func(t *testing.T) {
			const most = 2_000
			c := newCrawl(t, Options{Links: most, Order: order, Patience: -1})
			c.Seed("https://a.test/")
			for range 200 { // so that the topic's words are rare
				c.docs.add(vector{TermOf("bread"): 1, TermOf("butter"): 1})
			}
			rng := rand.New(rand.NewPCG(1, 3))
			u := "https://a.test/"
			for n := range 60 {
				var links []anchorOf
				for i := range 500 {
					links = append(links, anchorOf{fmt.Sprintf("https://junk.test/%d/%d/%d", n, i, rng.IntN(9)), "bread butter"})
				}
				links[250] = anchorOf{fmt.Sprintf("https://a.test/%d", n), "octopus squid tentacle"}
				c.Ask(u)
				c.Add(u, pageOf(u, seaWords, links...))
				u = fmt.Sprintf("https://a.test/%d", n+1000) // without any link to it
				if got := c.Counts(); got.Waiting > most {
					t.Fatalf("%d links wait, of at most %d", got.Waiting, most)
				}
			}
			got := c.Counts()
			if got.Dropped+got.Waiting < 60*500-100 {
				t.Errorf("links are lost: %+v", got)
			}
			if order == "ipagerank" || order == "paths" {
				return
			}
			if got.Targets > most+200 || len(c.urls) > most+700 {
				t.Errorf("%d URLs are known, %d places used, with at most %d links", got.Targets, len(c.urls), most)
			}
			for n := range 60 {
				if u, ok := c.ids[fmt.Sprintf("https://a.test/%d", n)]; !ok || c.urls[u].state != waits {
					t.Errorf("good link %d of 60 made room for bad ones", n)
				}
			}
		})
	}
	c := newCrawl(t, Options{Links: 5, Patience: -1})
	var links []anchorOf
	for i := range 100 {
		links = append(links, anchorOf{fmt.Sprint("https://a.test/", i), "squid"})
	}
	c.Add("https://b.test/", pageOf("https://b.test/", seaWords, links...))
	if got := c.Counts(); got.Waiting != 5 || got.Dropped != 95 || got.Targets != 6 {
		t.Errorf("of 100 links on one page, where 5 may wait: %+v", got)
	}
}

// Seeds go before all links, also if pages link to them.
func TestSeedsGoFirst(t *testing.T) {
	for _, order := range Orders() {
		c := newCrawl(t, Options{Order: order})
		c.Seed("https://a.test/1", "https://a.test/2")
		a, _ := c.Next(nil)
		c.Add(a.URL, pageOf(a.URL, "bread", anchorOf{"https://a.test/2", "jam"}, anchorOf{"https://a.test/3", "octopus squid"},
			anchorOf{"https://a.test/4", "jam"}))
		c.Seed("https://a.test/4")
		c.Rescore(10)
		b, _ := c.Next(nil)
		d, _ := c.Next(nil)
		e, _ := c.Next(nil)
		if a.URL != "https://a.test/1" || b.URL != "https://a.test/2" || d.URL != "https://a.test/4" || e.URL != "https://a.test/3" || b.From != "" || e.From != a.URL {
			t.Errorf("%s: the order is %v, %v, %v, %v", order, a, b, d, e)
		}
	}
}

func TestUnknownOrdersAreRefused(t *testing.T) {
	_, err := New(seaTopic(t), Options{Order: "luck"})
	if err == nil || !strings.Contains(err.Error(), `order "luck": write one of blocks, bfs`) {
		t.Errorf("error %v", err)
	}
	for _, name := range Orders() {
		if AboutOrder(name) == "" {
			t.Errorf("nothing is said about %s", name)
		}
	}
}

// Parts of the order blocks that are left out have no effect.
func TestPartsOfAnOrderAreLeftOut(t *testing.T) {
	for part := range blockParts {
		b := newBlocks(&Crawl{o: Options{Constants: map[string]float64{part: 0}}}).(*blocks)
		whole := newBlocks(&Crawl{}).(*blocks)
		if b.weights == whole.weights && b.words == whole.words {
			t.Errorf("without %q the order is the same", part)
		}
	}
}

func TestUnknownConstantsAreRefused(t *testing.T) {
	for name, want := range map[string]string{"luck": `constant "luck": write one of folders, groups,`, "page": "constant page is -1: write a number"} {
		_, err := New(seaTopic(t), Options{Constants: map[string]float64{name: -1}})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v", err)
		}
	}
}

// RW by hand, and an order that uses it.
func TestRWIsTheShareOfTheTopicInTheWordsOfALink(t *testing.T) {
	topic, err := NewTopic([]Text{{Stems: []string{"octopus", "squid", "fish"}, Weight: 1}})
	if err != nil {
		t.Fatal(err)
	}
	words := func(all string) (out []Term) {
		for _, w := range strings.Fields(all) {
			out = append(out, TermOf(w))
		}
		return out
	}
	p := &Page{
		Words:    words("a b c d e f g h i j k fish octopus squid bread x squid"),
		Headings: []Heading{{Terms: words("fish market")}},
	}
	// Text: "octopus squid" (12 to 14): 2. Tip: "fish": 1. Heading: "fish market": 1. Before: the
	// ten words c … k, fish: 1. After: "bread x squid": 1. In all 6 of 2 + 1 + 2 + 10 + 3 words.
	l := &Link{At: Span{12, 14}, Tip: words("fish"), Heading: 0}
	if got, want := topic.RW(p, l), 6./18; got < want-1e-7 || got > want+1e-7 {
		t.Errorf("RW is %.6f, want %.6f", got, want)
	}
	// Not displayed: "squid jam" is not on the page: 1, and around place 0 "a … j" follow.
	l = &Link{At: Span{0, 0}, Terms: words("squid jam"), Heading: -1}
	if got, want := topic.RW(p, l), 1./12; got < want-1e-7 || got > want+1e-7 {
		t.Errorf("RW of a link that is not displayed is %.6f, want %.6f", got, want)
	}
	if got := topic.RW(&Page{}, &Link{Heading: -1}); got != 0 {
		t.Errorf("RW of a link without words is %g", got)
	}
	if got := topic.RW(&Page{Words: words("octopus")}, &Link{At: Span{0, 1}, Heading: -1}); got != 1 {
		t.Errorf("RW of a link of the topic's word alone is %g", got)
	}
}

// Both pages have two links; only the weighted order sends the rank to the one with words of the
// topic.
func TestIPageRankOfACrawl(t *testing.T) {
	for order, want := range map[string]string{"ipagerank": "https://a.test/2", "pagerank": "https://a.test/1"} {
		c := newCrawl(t, Options{Order: order})
		c.Seed("https://a.test/0")
		a, _ := c.Next(nil)
		c.Add(a.URL, pageOf(a.URL, strings.Repeat("bread ", 20), anchorOf{"https://a.test/1", "jam " + strings.Repeat("bread ", 30)},
			anchorOf{"https://a.test/2", "octopus squid " + strings.Repeat("mantle ", 30)}))
		if got, _ := c.Next(nil); got.URL != want {
			t.Errorf("%s asks for %s first, want %s", order, got.URL, want)
		}
	}
}

// A page of dead links must not occupy a crawl for ever.
func TestDeadLinksUseUpPatience(t *testing.T) {
	topic, err := NewTopic([]Text{{Stems: []string{"bird"}, Weight: 1}})
	if err != nil {
		t.Fatal(err)
	}
	c, err := New(topic, Options{Patience: 20})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 100 {
		c.Seed(fmt.Sprintf("https://a.test/%d", i))
	}
	n := 0
	for a, ok := c.Next(nil); ok; a, ok = c.Next(nil) {
		c.Miss(a.URL)
		n++
	}
	if n != 20 || c.Done() == "" {
		t.Errorf("asked for %d dead links, want 20: %q", n, c.Done())
	}
}
