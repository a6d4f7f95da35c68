package focus

// Result is the assessment of a page.
type Result struct {
	Relevance float64 // 0 to 1
	Belongs   bool    // to the topic
}

// leastBackground is the number of first pages that all count in the collection: among a few
// pages, no word is rare. Later, pages that belong to the topic do not count, or a crawl that
// finds many of them would make the topic's words common, and find no more.
const leastBackground = 30

// Add adds a page that was visited at a URL, which need not be the page's own, and the links on
// it.
func (c *Crawl) Add(u string, p *Page) Result {
	if r, ok := c.known(u); ok {
		return r
	}
	v := p.vector()
	few := c.docs.pages < leastBackground
	if few {
		c.docs.add(v)
	}
	r := c.topic.relevance(v, &c.docs)
	res := Result{r, r >= c.o.Least}
	if !few && !res.Belongs {
		c.docs.add(v)
	}
	c.add(u, p, res)
	return res
}

// AddAs is Add with a given result.
func (c *Crawl) AddAs(u string, p *Page, r Result) {
	if _, ok := c.known(u); !ok {
		if c.docs.pages < leastBackground || !r.Belongs {
			c.docs.add(p.vector())
		}
		c.add(u, p, r)
	}
}

// known returns the result of a visited URL.
func (c *Crawl) known(u string) (Result, bool) {
	t := &c.urls[c.target(u)]
	return Result{float64(t.relevance), t.belongs}, t.state == visited
}

func (c *Crawl) add(u string, p *Page, r Result) {
	t, final := c.target(u), c.target(p.URL)
	again := final != t && c.urls[final].state == visited // under a different address
	if !again {
		c.counts.Pages++
	}
	c.since++
	if r.Belongs {
		if !again {
			c.counts.Belong++
		}
		c.since = 0
	}
	c.learn(t, r.Relevance)
	c.settle(t, r)
	if final != t && !again {
		c.settle(final, r) // it is the same page
	}
	if o := c.o.Tunnel; o == 0 || int(c.urls[t].tunnel) < o {
		c.follow(t, p)
	}
	c.rescoreSome()
}

// learn learns the reward of a page's links.
func (c *Crawl) learn(t int32, r float64) {
	u := &c.urls[t]
	c.folders.add(u.folder, r)
	c.all.add(r)
	if u.place < 0 {
		return
	}
	l := &c.waiting[u.place]
	for i := range l.in {
		from := &c.urls[l.in[i].from]
		from.kids.add(r)
		if i == 0 || from.tunnel < u.tunnel {
			u.tunnel = from.tunnel
		}
	}
	c.order.learn(c, l, r)
}

// settle marks a target as visited.
func (c *Crawl) settle(t int32, r Result) {
	c.release(t)
	u := &c.urls[t]
	u.state, u.relevance, u.belongs = visited, float32(r.Relevance), r.Belongs
	if u.tunnel++; r.Belongs {
		u.tunnel = 0
	}
}

// follow adds the links of a page.
func (c *Crawl) follow(from int32, p *Page) {
	var to []int32
	var rws []float32
	place := map[int32]int{}
	c.makeRoom(len(p.Links))
	for i := range p.Links {
		k := &p.Links[i]
		if c.o.Follows != nil && !c.o.Follows(k.URL) {
			continue
		}
		if _, ok := c.ids[k.URL]; !ok && c.full() {
			c.counts.Dropped++
			continue
		}
		t := c.target(k.URL)
		if t == from {
			continue
		}
		rw := float32(c.topic.RW(p, k))
		if at, twice := place[t]; twice {
			rws[at] = max(rws[at], rw)
		} else {
			place[t] = len(to)
			to, rws = append(to, t), append(rws, rw)
		}
		if c.urls[t].state == unseen {
			if c.full() {
				c.counts.Dropped++
				continue
			}
			c.wait(t)
		}
		if c.urls[t].state == waits {
			c.found(from, t, p, k, rw)
		}
	}
	if f, ok := c.order.(follower); ok {
		f.follow(c, from, to, rws)
	}
	for _, t := range to {
		if c.urls[t].state == waits {
			c.rescore(c.urls[t].place)
		}
	}
}

// found adds a link to a target that waits. Of several on one page the best of each counts.
func (c *Crawl) found(from, t int32, p *Page, k *Link, rw float32) {
	l := &c.waiting[c.urls[t].place]
	before, after := p.near(k)
	in := inlink{from: from, group: -1, rw: rw}
	in.match[ofText] = c.topic.match(p.anchor(k), &c.docs)
	in.match[ofHeading] = c.topic.match(p.heading(k), &c.docs)
	in.match[ofURL] = c.topic.match(k.Tip, &c.docs)
	in.match[ofAround] = max(c.topic.match(before, &c.docs), c.topic.match(after, &c.docs))
	if f, ok := c.order.(finder); ok {
		f.find(c, &in, l, p, k)
	}
	if n := len(l.in) - 1; n >= 0 && l.in[n].from == from {
		for m := range in.match {
			l.in[n].match[m] = max(l.in[n].match[m], in.match[m])
		}
		l.in[n].rw = max(l.in[n].rw, rw)
		return
	}
	if len(l.in) < maxIn {
		l.in = append(l.in, in)
	}
}

// rescore recomputes the score of a waiting link.
func (c *Crawl) rescore(place int32) {
	l := &c.waiting[place]
	if l.seed {
		return
	}
	if score := float32(c.order.score(c, l)); score != l.score {
		l.score = score
		c.fix(place)
	}
}

// Bounds of the links that are rescored when a page is added: all of them within 25 pages, and a
// moment's work at most.
const (
	leastRescored = 200
	mostRescored  = 5_000
)

func (c *Crawl) rescoreSome() {
	c.Rescore(min(mostRescored, max(leastRescored, c.counts.Waiting/25)))
}

// Rescore recomputes the scores of n links, starting after the last one.
func (c *Crawl) Rescore(n int) {
	for range min(n, len(c.waiting)) {
		if c.round++; c.round >= len(c.waiting) {
			c.round = 0
		}
		if l := &c.waiting[c.round]; l.target >= 0 && c.urls[l.target].state == waits {
			c.rescore(int32(c.round))
		}
	}
}
