package focus

import (
	"math"
	"math/rand/v2"
)

// order computes the expected relevance of a link.
type order interface {
	score(c *Crawl, l *link) float64         // higher goes first
	learn(c *Crawl, l *link, reward float64) // its page was visited
}

// follower is an order that needs a page's links: their targets, each once, with their RW.
type follower interface {
	follow(c *Crawl, from int32, to []int32, rw []float32)
}

// finder is an order that uses more of a link than its matches.
type finder interface {
	find(c *Crawl, in *inlink, l *link, p *Page, k *Link)
}

// picker is an order that does not sort links by scores. Where pick returns -1, the best by scores is next.
type picker interface {
	pick(c *Crawl, may func(host string) bool) (place int32)
}

// orders are all orders. Those of DRFW are as published; the last three are from the literature,
// for comparison.
var orders = []struct {
	name, about string
	make        func(c *Crawl) order
}{
	{"blocks", "learnt from words, blocks, pages and folders", newBlocks},
	{"bfs", "breadth first", func(*Crawl) order { return breadth{} }},
	{"pagerank", "by PageRank", func(*Crawl) order { return &ranked{} }},
	{"rw", "by the relevance of a link's words", func(*Crawl) order { return byRW{} }},
	{"ipagerank", "by PageRank with links weighted by relevance", func(*Crawl) order { return &ranked{weigh: true} }},
	{"cosine", "by the relevance of the page that contains the link", func(*Crawl) order { return byPage{} }},
	{"classifier", "learnt from a link's words and those around it", func(c *Crawl) order { return newClassifier(c) }},
	{"paths", "a bandit that learns which places in pages lead to relevant ones", func(*Crawl) order { return newPaths() }},
}

// Orders returns the names of all orders, the default first.
func Orders() []string {
	out := make([]string, len(orders))
	for i := range orders {
		out[i] = orders[i].name
	}
	return out
}

// AboutOrder describes an order.
func AboutOrder(name string) string {
	for i := range orders {
		if orders[i].name == name {
			return orders[i].about
		}
	}
	return ""
}

// breadth visits links in the order of their discovery.
type breadth struct{}

func (breadth) score(*Crawl, *link) float64  { return 0 }
func (breadth) learn(*Crawl, *link, float64) {}

// byRW follows DRFW, section 3.6.2.
type byRW struct{}

func (byRW) score(_ *Crawl, l *link) float64 {
	var best float32
	for i := range l.in {
		best = max(best, l.in[i].rw)
	}
	return float64(best)
}
func (byRW) learn(*Crawl, *link, float64) {}

// byPage takes links of the most relevant pages first (Cho, Garcia-Molina and Page 1998).
type byPage struct{}

func (byPage) score(c *Crawl, l *link) float64 {
	var best float32
	for i := range l.in {
		best = max(best, c.urls[l.in[i].from].relevance)
	}
	return float64(best)
}
func (byPage) learn(*Crawl, *link, float64) {}

// ranked follows DRFW, sections 3.6.3 and 3.6.4.
type ranked struct {
	ranks ranks
	weigh bool // IPageRank
}

// maxPushes is the limit of pages whose ranks are updated when a page arrives.
const maxPushes = 100_000

func (r *ranked) follow(c *Crawl, from int32, to []int32, rw []float32) {
	r.ranks.grow(len(c.urls))
	if !r.weigh {
		rw = make([]float32, len(to))
	}
	r.ranks.link(from, to, rw)
	r.ranks.settle(maxPushes)
}

func (r *ranked) score(_ *Crawl, l *link) float64 { return r.ranks.of(l.target) }
func (r *ranked) learn(*Crawl, *link, float64)    {}

// classifier is the link classifier of ACHE (Barbosa and Freire 2007): a link's words, those of
// its URL and those around it, learnt online from whether its page was relevant. So that it has
// something to begin with, the topic's own words count for a link.
type classifier struct{ model *model }

func newClassifier(c *Crawl) *classifier {
	o := &classifier{model: newModel()}
	for t := range c.topic.own {
		for kind := range uint32(3) {
			o.model.weight[slot(t, kind)] = 1
		}
	}
	return o
}

func (o *classifier) find(_ *Crawl, _ *inlink, l *link, p *Page, k *Link) {
	before, after := p.near(k)
	for kind, words := range [...][]Term{p.anchor(k), k.Tip, before, after} {
		for _, w := range words {
			if len(l.words) < 4*maxFeatures {
				l.words = append(l.words, slot(w, uint32(min(kind, 2))))
			}
		}
	}
}
func (o *classifier) score(_ *Crawl, l *link) float64 { return sigmoid(o.model.sum(l.words)) }
func (o *classifier) learn(_ *Crawl, l *link, r float64) {
	o.model.step(l.words, sigmoid(o.model.sum(l.words))-r)
}

// paths is a sleeping bandit over the places of links in pages, as tag paths (Gauquier,
// Manolescu and Senellart 2025): a place with the highest upper confidence bound of its
// reward, and one of its links at random.
type paths struct {
	arms map[uint32]*pathArm
	all  []*pathArm
	of   map[int32]*pathArm // by target
	n    int
}

type pathArm struct {
	links []int32 // targets
	mean  mean
}

func newPaths() *paths {
	return &paths{arms: map[uint32]*pathArm{}, of: map[int32]*pathArm{}}
}

func (o *paths) find(_ *Crawl, _ *inlink, l *link, _ *Page, k *Link) {
	if o.of[l.target] != nil {
		return
	}
	a := o.arms[k.Path]
	if a == nil {
		a = &pathArm{}
		o.arms[k.Path] = a
		o.all = append(o.all, a)
	}
	a.links = append(a.links, l.target)
	o.of[l.target] = a
}
func (o *paths) score(*Crawl, *link) float64 { return 0 }
func (o *paths) learn(_ *Crawl, l *link, r float64) {
	o.n++
	if a := o.of[l.target]; a != nil {
		a.mean.add(r)
	}
}

func (o *paths) pick(c *Crawl, may func(string) bool) int32 {
	var best *pathArm
	bound := 0.0
	for _, a := range o.all {
		a.links = filter(a.links, func(t int32) bool { return c.urls[t].state == waits })
		if len(a.links) == 0 {
			continue
		}
		b := math.Inf(1)
		if a.mean.n > 0 {
			b = float64(a.mean.sum/a.mean.n) + math.Sqrt(math.Log(float64(o.n+1))/float64(2*a.mean.n))
		}
		if best == nil || b > bound {
			best, bound = a, b
		}
	}
	if best != nil {
		// Seeded by the state of the crawl, not by the number of calls, so that a restored crawl
		// does the same.
		rng := rand.New(rand.NewPCG(1, uint64(c.counts.Asked)))
		for range 20 {
			t := best.links[rng.IntN(len(best.links))]
			if h := &c.hosts[c.urls[t].host]; !h.closed && (may == nil || may(h.name)) {
				return c.urls[t].place
			}
		}
	}
	return -1
}

// filter keeps the wanted elements of a list, in order and in place.
func filter(all []int32, keep func(int32) bool) []int32 {
	out := all[:0]
	for _, x := range all {
		if keep(x) {
			out = append(out, x)
		}
	}
	return out
}
