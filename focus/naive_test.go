package focus

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"plat/plat"
)

// randomWeb has many hosts with many pages that link to each other at random, redirects among
// them.
func randomWeb(seed uint64) web {
	return func(u string) *Page {
		rng := rngOf(u)
		rng = rand.New(rand.NewPCG(rng.Uint64(), seed))
		if rng.IntN(8) == 0 {
			return nil
		}
		share := 0.0
		if rng.IntN(3) == 0 {
			share = .4
		}
		final := u
		if rng.IntN(6) == 0 {
			final = randomURL(rng)
		}
		var links []anchorOf
		for range rng.IntN(9) {
			links = append(links, anchorOf{randomURL(rng), prose(rng, 3, share)})
		}
		if len(links) > 2 {
			links = append(links, links[0], anchorOf{u, "itself"}) // twice on a page
		}
		return pageOf(final, prose(rng, 30, share), links...)
	}
}

func randomURL(rng *rand.Rand) string {
	return fmt.Sprintf("https://h%d.test/%d/%d", rng.IntN(12), rng.IntN(3), rng.IntN(30))
}

// naive is the reference of a crawl's waiting links: a list.
type naive struct {
	o       Options
	waiting []string // in the order of their discovery
	seeds   map[string]bool
	state   map[string]int
	asked   map[string]int // by host
}

func (n *naive) wait(u string, seed bool) {
	if n.state[u] == unseen {
		n.state[u] = waits
		n.waiting = append(n.waiting, u)
	}
	if n.state[u] == waits && seed {
		n.seeds[u] = true
	}
}

func (n *naive) take(u string) {
	n.wait(u, false)
	n.end(u, asked)
	n.asked[plat.HostOf(u)]++
}

func (n *naive) end(u string, state int) {
	n.waiting = slices.DeleteFunc(n.waiting, func(w string) bool { return w == u })
	n.state[u] = state
}

func (n *naive) add(u string, p *Page) {
	if n.state[u] == visited {
		return
	}
	n.end(u, visited)
	n.end(p.URL, visited)
	for i := range p.Links {
		n.wait(p.Links[i].URL, false)
	}
}

func (n *naive) miss(u string) {
	switch n.state[u] {
	case visited:
		return
	case asked:
		n.asked[plat.HostOf(u)]--
	}
	n.end(u, visited)
}

// best returns the link that is due next, by the scores in c; empty without a link.
func (n *naive) best(c *Crawl, may func(string) bool) string {
	best := ""
	score := func(u string) float32 { return c.waiting[c.urls[c.ids[u]].place].score }
	for _, u := range n.waiting {
		host := plat.HostOf(u)
		if !may(host) || n.o.PerHost > 0 && n.asked[host] >= n.o.PerHost {
			continue
		}
		if best == "" || n.seeds[u] && !n.seeds[best] || n.seeds[u] == n.seeds[best] && score(u) > score(best) {
			best = u // of equals the first that was found
		}
	}
	return best
}

// Of all waiting links on allowed hosts with pages left, Next returns the best: seeds, then those
// with the highest score, then those found first.
func TestNextGivesTheBestLinkThatIsAllowed(t *testing.T) {
	for _, order := range []string{"blocks", "bfs", "ipagerank", "rw", "cosine", "classifier"} {
		for seed := range uint64(12) {
			t.Run(fmt.Sprint(order, " ", seed), func(t *testing.T) { checkNext(t, order, seed) })
		}
	}
}

func checkNext(t *testing.T, order string, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 7))
	o := Options{Order: order, PerHost: int(seed%4) * 5, Patience: -1}
	c, w := newCrawl(t, o), randomWeb(seed)
	n := &naive{o: o, seeds: map[string]bool{}, state: map[string]int{}, asked: map[string]int{}}
	var flight []string
	given := 0
	for step := range 600 {
		may := func(h string) bool { return rngOf(fmt.Sprint(h, step)).IntN(3) > 0 }
		switch op := rng.IntN(20); {
		case op == 0 || step == 0:
			u := randomURL(rng)
			c.Seed(u)
			n.wait(u, true)
		case op == 1:
			c.Rescore(rng.IntN(300))
		case op == 2:
			u := randomURL(rng)
			if n.state[u] == unseen || n.state[u] == waits {
				n.take(u)
				flight = append(flight, u)
			}
			c.Ask(u)
		case op < 12:
			want := n.best(c, may)
			a, ok := c.Next(may)
			if c.Done() == "" && (ok != (want != "") || a.URL != want) {
				t.Fatalf("step %d: Next gives %q %t, want %q", step, a.URL, ok, want)
			}
			if ok {
				given++
				n.take(a.URL)
				flight = append(flight, a.URL)
			}
		case len(flight) > 0:
			i := rng.IntN(len(flight))
			u := flight[i]
			flight = slices.Delete(flight, i, i+1)
			if p := w(u); p != nil {
				c.Add(u, p)
				n.add(u, p)
			} else {
				c.Miss(u)
				n.miss(u)
			}
		}
		checkHeaps(t, c, n)
	}
	if given < 40 {
		t.Errorf("only %d links were given out", given)
	}
}

// checkHeaps checks that those wait that should, and that all heaps are in order.
func checkHeaps(t *testing.T, c *Crawl, n *naive) {
	t.Helper()
	if got := c.Counts(); got.Waiting != len(n.waiting) {
		t.Fatalf("%d links wait, want %d", got.Waiting, len(n.waiting))
	}
	for _, u := range n.waiting {
		if x := &c.urls[c.ids[u]]; x.state != waits || x.place < 0 || c.urls[c.waiting[x.place].target].url != u {
			t.Fatalf("%s should wait: %+v", u, x)
		}
	}
	queued := 0
	for h := range c.hosts {
		q := c.hosts[h].queue
		queued += len(q)
		for i, place := range q {
			if int(c.waiting[place].pos) != i || i > 0 && c.before(place, q[(i-1)/2]) {
				t.Fatalf("the heap of %s is not in order at %d", c.hosts[h].name, i)
			}
		}
		full := n.o.PerHost > 0 && n.asked[c.hosts[h].name] >= n.o.PerHost
		if pos := c.hosts[h].pos; (pos >= 0) != (len(q) > 0 && !full) || pos >= 0 && int(c.best[pos]) != h {
			t.Fatalf("host %s with %d links, full: %t, is at %d", c.hosts[h].name, len(q), full, pos)
		}
	}
	if queued != len(n.waiting) {
		t.Fatalf("%d links are in heaps, and %d wait", queued, len(n.waiting))
	}
	for i := 1; i < len(c.best); i++ {
		if (bestHeap{c}).Less(i, (i-1)/2) {
			t.Fatalf("the heap of hosts is not in order at %d", i)
		}
	}
}
