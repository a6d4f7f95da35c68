package focus

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// The relevant cluster of a simulated university, and its remaining pages.
const (
	bioPages   = 2_500
	otherPages = 10_000
)

// university returns a site with a cluster of pages of the topic among many pages of other topics. All
// pages link to the entry of a trap, whose pages trap makes; they begin with its URL.
func university(entry string, trap web) web {
	menu := []anchorOf{{"https://u.test/", "home"}, {entry, "services"}}
	other := func(rng *rand.Rand) anchorOf {
		return anchorOf{fmt.Sprintf("https://u.test/dep%d/%d", rng.IntN(10), rng.IntN(otherPages/10)), prose(rng, 3, .005)}
	}
	bio := func(rng *rand.Rand) anchorOf {
		return anchorOf{fmt.Sprintf("https://u.test/bio/%d", rng.IntN(bioPages)), prose(rng, 3, .2)}
	}
	return func(u string) *Page {
		if strings.HasPrefix(u, entry) {
			p := trap(u)
			return p
		}
		rng := rngOf(u)
		links := append([]anchorOf{}, menu...)
		switch {
		case u == "https://u.test/":
			for range 40 {
				links = append(links, other(rng))
			}
			return pageOf(u, prose(rng, 50, 0), append(links, bio(rng), bio(rng))...)
		case strings.HasPrefix(u, "https://u.test/bio/"):
			for range 8 {
				links = append(links, bio(rng), other(rng))
			}
			return pageOf(u, prose(rng, 150, .12), links...)
		}
		for range 10 {
			links = append(links, other(rng))
		}
		if rng.IntN(10) == 0 {
			links = append(links, bio(rng))
		}
		return pageOf(u, prose(rng, 150, .003), links...)
	}
}

// calendar has a page for each day, without end, with links to the days around, months and years. A
// few days have a talk on the topic.
func calendar(entry string) web {
	return func(u string) *Page {
		rng := rngOf(u)
		var day int
		fmt.Sscanf(strings.TrimPrefix(u, entry), "%d", &day)
		var links []anchorOf
		for by := -30; by <= 365; by += 5 {
			links = append(links, anchorOf{fmt.Sprint(entry, day+by), fmt.Sprint("day ", (day+by)%30)})
		}
		words := "calendar monday tuesday events of the day none " + prose(rng, 10, 0)
		if rng.IntN(20) == 0 {
			words += " talk octopus squid "
			links = append(links, anchorOf{fmt.Sprintf("https://u.test/bio/%d", rng.IntN(bioPages)), "octopus talk"})
		}
		return pageOf(u, words, links...)
	}
}

// forum gives each visitor a new session, in all links of a page.
func forum(entry string) web {
	return func(u string) *Page {
		var thread int
		fmt.Sscanf(strings.TrimPrefix(u, entry), "%d", &thread)
		rng := rand.New(rand.NewPCG(uint64(thread), 4))
		var links []anchorOf
		for range 15 {
			links = append(links, anchorOf{fmt.Sprintf("%s%d?sid=%08x", entry, rng.IntN(300), TermOf(u)), prose(rng, 3, 0)})
		}
		return pageOf(u, "forum thread reply "+prose(rng, 100, 0), links...)
	}
}

// endless has wrong relative links, so that each page seems to have further pages below it.
func endless(entry string) web {
	return func(u string) *Page {
		if len(u) > 1_900 {
			return nil
		}
		var links []anchorOf
		for _, name := range strings.Fields("news about contact shop help terms press jobs team blog wiki forum map login cart sale new top all more") {
			links = append(links, anchorOf{u + name + "/", name})
		}
		return pageOf(u, "shop basket order "+prose(rngOf(u), 60, 0), links...)
	}
}

// inTrap counts the URLs that begin with an entry.
func inTrap(visited []string, entry string) (n int) {
	for _, u := range visited {
		if strings.HasPrefix(u, entry) {
			n++
		}
	}
	return n
}

// A crawl of 2,000 pages finds the cluster and avoids endless traps, because their pages are worth
// nothing. A breadth-first crawl visits several times as many of their pages. On a host of its own
// a trap gets exactly the pages that PerHost allows.
func TestTrapsGetASmallPartOfACrawl(t *testing.T) {
	const pages = 2_000
	for _, tc := range []struct {
		name string
		make func(entry string) web
		path string
		most int // pages of 2,000 in the trap
		bfs  int // at least that many breadth first: it is a trap
	}{
		{"calendar", calendar, "calendar/", 50, 100},
		{"session ids", forum, "forum/", 50, 100},
		{"endless paths", endless, "shop/", 50, 100},
	} {
		t.Run(tc.name, func(t *testing.T) {
			run := func(o Options, entry string) (trapped, cluster int, n Counts) {
				o.Pages, o.Patience = pages, -1
				c := newCrawl(t, o)
				c.Seed("https://u.test/")
				visited := crawl(t, c, university(entry, tc.make(entry)))
				return inTrap(visited, entry), inTrap(visited, "https://u.test/bio/"), c.Counts()
			}
			inside := "https://u.test/" + tc.path
			got, good, n := run(Options{}, inside)
			bfs, wide, _ := run(Options{Order: "bfs"}, inside)
			t.Logf("%d of %d pages in the trap (%.2f %%), %d in the cluster; breadth first %d, %d", got, n.Pages, 100*float64(got)/float64(n.Pages), good, bfs, wide)
			if got > tc.most || n.Pages != pages || good < pages/2 {
				t.Errorf("%d pages in the trap, %d in the cluster; want at most %d, at least %d", got, good, tc.most, pages/2)
			}
			if bfs < tc.bfs {
				t.Errorf("breadth first %d pages in the trap: it is none", bfs)
			}
			outside := "https://trap.test/" + tc.path
			if got, _, n := run(Options{PerHost: 20, Order: "bfs"}, outside); got != 20 || n.Pages != 40 {
				t.Errorf("%d pages of the trap's host, want 20: %+v", got, n)
			}
		})
	}
}

// If all that is found is a trap, a crawl loses its patience.
func TestACrawlThatFindsATrapAloneEnds(t *testing.T) {
	entry := "https://u.test/forum/"
	c := newCrawl(t, Options{})
	c.Seed(entry + "1")
	visited := crawl(t, c, forum(entry))
	if n := c.Counts(); len(visited) != 1_000 || !strings.HasPrefix(c.Done(), "no page at the last 1000 URLs") {
		t.Errorf("%d pages, %d of the topic: %s", len(visited), n.Belong, c.Done())
	}
}

// The same page under ever new URLs is counted as often as it is visited: the crawl does not
// compare pages. Only PerHost bounds it.
func TestSessionIDsInTheClusterItself(t *testing.T) {
	w := func(u string) *Page {
		page, _, _ := strings.Cut(u, "?")
		rng := rngOf(page)
		var links []anchorOf
		for range 10 {
			links = append(links, anchorOf{fmt.Sprintf("https://u.test/bio/%d?sid=%08x", rng.IntN(500), TermOf(u)), prose(rng, 3, .2)})
		}
		return pageOf(u, prose(rng, 150, .12), links...)
	}
	c := newCrawl(t, Options{Pages: 2_000})
	c.Seed("https://u.test/bio/1")
	visited := crawl(t, c, w)
	different := map[string]bool{}
	for _, u := range visited {
		page, _, _ := strings.Cut(u, "?")
		different[page] = true
	}
	t.Logf("of %d pages visited %d are different, of 500", len(visited), len(different))
	if len(visited) > 1_200 || len(different) < 250 {
		t.Errorf("it visited %d pages, %d of them different: it should see many, and give up", len(visited), len(different))
	}
	c = newCrawl(t, Options{Pages: 2_000, PerHost: 100})
	c.Seed("https://u.test/bio/1")
	if got := len(crawl(t, c, w)); got != 100 {
		t.Errorf("%d pages of a host, want 100", got)
	}
}

// A farm of 1,000 pages that repeat the topic's words and link to each other, with a link from a
// relevant page, looks like the best site.
func TestALinkFarmIsBoundedByPerHost(t *testing.T) {
	const pages = 2_000
	entry := "https://farm.test/"
	farm := func(u string) *Page {
		rng := rngOf(u)
		var links []anchorOf
		for range 50 {
			links = append(links, anchorOf{fmt.Sprint(entry, rng.IntN(1_000)), "octopus squid cephalopod"})
		}
		return pageOf(u, strings.Repeat(seaWords+" ", 20), links...)
	}
	run := func(o Options) (farmed int, n Counts) {
		o.Pages, o.Patience = pages, -1
		c := newCrawl(t, o)
		c.Seed("https://u.test/")
		visited := crawl(t, c, university(entry, farm))
		return inTrap(visited, entry), c.Counts()
	}
	got, n := run(Options{})
	t.Logf("without PerHost: %d of %d pages of the farm, %d said to belong", got, n.Pages, n.Belong)
	if got > 1_001 { // its 1,000 pages, and the entry
		t.Errorf("%d pages of a farm of 1,001", got)
	}
	for _, most := range []int{1, 50, 400} {
		got, n := run(Options{PerHost: most})
		t.Logf("with PerHost %d: %d of %d pages of the farm", most, got, n.Pages)
		if got != most || n.Pages != 2*most {
			t.Errorf("with PerHost %d: %d pages of the farm, %d in all", most, got, n.Pages)
		}
	}
}
