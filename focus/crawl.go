package focus

import (
	"fmt"
	"slices"
	"strings"

	"plat/plat"
)

// Crawl is a focused crawl: its pages so far, and the links that wait. It is not safe for
// concurrent use.
//
// Next takes the best link, and Add or Miss gives the result of its visit. A crawl that is made of
// the same calls of Ask, Add and Miss in the same order is the same.
type Crawl struct {
	topic *Topic
	o     Options
	order order
	docs  Collection

	urls    []target
	ids     map[string]int32
	hosts   []host
	hostIDs map[string]int32
	folders folders
	waiting []link  // of targets that wait or are requested
	free    []int32 // unused places of waiting
	spare   []int32 // unused targets
	best    []int32 // heap of hosts with links that wait

	all    mean // rewards of all pages
	seq    int32
	round  int // place in waiting where the next rescoring begins
	counts Counts
	flight int  // targets that are requested
	since  int  // URLs visited since the last page that belongs
	left   bool // a host, by Leave
}

// Options configures a crawl. The zero value is the default.
type Options struct {
	Order   string  // one of Orders; empty: "blocks"
	Pages   int     // most pages that are visited; 0: no limit
	PerHost int     // most pages of one host; 0: no limit
	Least   float64 // relevance from which a page belongs to the topic; 0: DefaultLeast
	Tunnel  int     // most pages in a row that do not belong to the topic; 0: no limit
	Links   int     // most links that wait, about; 0: 1,000,000

	Follows func(url string) bool // whether a link may be followed; nil: any

	// Patience is the number of URLs in a row without a page that belongs, after which a crawl
	// ends; 0: 1,000, negative: never.
	Patience int

	// Constants changes constants of the order blocks, to measure their effect: by the name of a part,
	// the factor of its weights, 0 to leave it out; and those that checkConstants names.
	Constants map[string]float64
}

// Counts says how far a crawl is.
type Counts struct {
	Asked   int `json:"asked"`   // taken by Next or Ask
	Pages   int `json:"pages"`   // visited, each once, whatever addresses lead to it
	Belong  int `json:"belong"`  // of these: to the topic
	Missing int `json:"missing"` // requested, but there was no page
	Waiting int `json:"waiting"` // links
	Dropped int `json:"dropped"` // links dropped because too many wait: the worst
	Capped  int `json:"capped"`  // links that wait on hosts which have reached their limit, or were left
	Targets int `json:"targets"` // URLs known
}

// Link states.
const (
	unseen  = iota // known by name alone
	waits          // may be requested
	asked          // Next has returned it
	visited        // the page was read, or is missing
)

// target is a known URL.
type target struct {
	url       string
	host      int32
	folder    int32
	place     int32 // in waiting; -1: neither waiting nor requested
	state     uint8
	belongs   bool
	relevance float32 // of a visited page
	tunnel    int32   // pages in a row, up to here, that do not belong to the topic
	kids      mean    // rewards of the visited pages to which it links
}

// link is a target that waits, with the links that lead to it.
type link struct {
	target int32
	pos    int32 // in its host's heap; -1: in no heap
	seq    int32 // order of discovery
	seed   bool  // goes before all that are not
	score  float32
	in     []inlink
	words  []uint32 // features, see model.go
}

// inlink is a link to a target.
type inlink struct {
	from  int32 // target of the page that contains it
	group int32 // of links in the same kind of block of the same host
	match [matches]float32
	rw    float32
}

// Matches of a link's words with the topic.
const (
	ofText = iota
	ofHeading
	ofAround
	ofURL
	matches
)

// maxIn is the number of links to a target that are kept.
const maxIn = 8

// DefaultLeast is the default of Options.Least.
const DefaultLeast = .5

// New begins a crawl for a topic.
func New(t *Topic, o Options) (*Crawl, error) {
	if o.Least == 0 {
		o.Least = DefaultLeast
	}
	if o.Links == 0 {
		o.Links = 1_000_000
	}
	if o.Patience == 0 {
		o.Patience = 1_000
	}
	if o.Order == "" {
		o.Order = "blocks"
	}
	if err := checkConstants(o.Constants); err != nil {
		return nil, err
	}
	c := &Crawl{topic: t, o: o, ids: map[string]int32{}, hostIDs: map[string]int32{}, folders: newFolders()}
	for _, known := range orders {
		if known.name == o.Order {
			c.order = known.make(c)
			return c, nil
		}
	}
	return nil, fmt.Errorf("order %q: write one of %s", o.Order, strings.Join(Orders(), ", "))
}

// Seed adds URLs to begin with: they go before all links.
func (c *Crawl) Seed(urls ...string) {
	for _, u := range urls {
		t := c.target(u)
		switch c.urls[t].state {
		case unseen:
			c.wait(t)
		case waits:
		default:
			continue
		}
		place := c.urls[t].place
		c.waiting[place].seed, c.waiting[place].score = true, 1
		c.fix(place)
	}
}

// target returns the number of a URL, a new one if it is not known.
func (c *Crawl) target(u string) int32 {
	if t, ok := c.ids[u]; ok {
		return t
	}
	name := plat.HostOf(u)
	h, ok := c.hostIDs[name]
	if !ok {
		h = int32(len(c.hosts))
		c.hosts = append(c.hosts, host{name: name, pos: -1})
		c.hostIDs[name] = h
	}
	t := int32(len(c.urls))
	if n := len(c.spare); n > 0 {
		t, c.spare = c.spare[n-1], c.spare[:n-1]
	} else {
		c.urls = append(c.urls, target{})
	}
	c.urls[t] = target{url: u, host: h, folder: c.folders.of(u), place: -1}
	c.ids[u] = t
	return t
}

// wait makes a target wait, and returns its link.
func (c *Crawl) wait(t int32) *link {
	var place int32
	if n := len(c.free); n > 0 {
		place, c.free = c.free[n-1], c.free[:n-1]
	} else {
		place = int32(len(c.waiting))
		c.waiting = append(c.waiting, link{})
	}
	l := &c.waiting[place]
	l.target, l.pos, l.seq, l.seed = t, -1, c.seq, false
	l.in, l.words = l.in[:0], l.words[:0]
	l.score = 1
	c.seq++
	c.urls[t].place, c.urls[t].state = place, waits
	c.counts.Waiting++
	c.push(place)
	return l
}

// release forgets a target's link.
func (c *Crawl) release(t int32) {
	u := &c.urls[t]
	if u.place < 0 {
		return
	}
	switch u.state {
	case waits:
		c.remove(u.place)
		c.counts.Waiting--
	case asked:
		c.flight--
	}
	l := &c.waiting[u.place]
	l.target = -1
	if cap(l.words) > 64 {
		l.words = nil
	}
	c.free = append(c.free, u.place)
	u.place = -1
}

func (c *Crawl) full() bool { return c.counts.Waiting >= c.o.Links }

// makeRoom drops the worst waiting links if n more would be too many, enough of them that the next
// call is not soon. Without it the first that fill the crawl, as a trap does, would keep out all
// that are found later.
func (c *Crawl) makeRoom(n int) {
	if c.counts.Waiting+n <= c.o.Links {
		return
	}
	c.Rescore(len(c.waiting)) // old scores could drop the best
	places := c.sorted()
	for _, place := range places[min(len(places), max(0, c.o.Links-max(n, c.o.Links/10))):] {
		c.forget(c.waiting[place].target)
	}
}

// forget drops a waiting link. It may be found again.
func (c *Crawl) forget(t int32) {
	c.release(t)
	c.urls[t].state = unseen
	c.counts.Dropped++
	switch c.order.(type) {
	case follower, picker:
		return // they have its number too
	}
	delete(c.ids, c.urls[t].url)
	c.urls[t] = target{place: -1}
	c.spare = append(c.spare, t)
}

// sorted returns the places of the links that wait, best first.
func (c *Crawl) sorted() []int32 {
	places := make([]int32, 0, c.counts.Waiting)
	for i := range c.waiting {
		if l := &c.waiting[i]; l.target >= 0 && c.urls[l.target].state == waits {
			places = append(places, int32(i))
		}
	}
	slices.SortFunc(places, func(a, b int32) int {
		if c.before(a, b) {
			return -1
		}
		return 1
	})
	return places
}

// Asked is a link that a crawl requests.
type Asked struct {
	URL   string  `json:"url"`
	Score float64 `json:"score"`          // expected relevance; comparable within an order
	From  string  `json:"from,omitempty"` // the page on which it was found first; empty for seeds
}

// Next returns the best link on a host for which may returns true; a nil may accepts all hosts. ok
// is false if there is no such link, or the crawl is done.
func (c *Crawl) Next(may func(host string) bool) (a Asked, ok bool) {
	if c.Done() != "" {
		return a, false
	}
	h := c.pick(may)
	if h < 0 {
		return a, false
	}
	place := c.hosts[h].queue[0]
	if p, is := c.order.(picker); is && !c.waiting[place].seed {
		if picked := p.pick(c, may); picked >= 0 {
			place = picked
		}
	}
	a = c.askedAt(place)
	c.take(c.waiting[place].target)
	return a, true
}

func (c *Crawl) askedAt(place int32) Asked {
	l := &c.waiting[place]
	a := Asked{URL: c.urls[l.target].url, Score: float64(l.score)}
	if len(l.in) > 0 && !l.seed {
		a.From = c.urls[l.in[0].from].url
	}
	return a
}

// Ask records that Next has returned a URL, in this crawl before it was restored.
func (c *Crawl) Ask(u string) {
	t := c.target(u)
	switch c.urls[t].state {
	case unseen:
		c.wait(t)
	case waits:
	default:
		return
	}
	c.take(t)
}

func (c *Crawl) take(t int32) {
	u := &c.urls[t]
	c.remove(u.place)
	u.state = asked
	c.counts.Waiting--
	c.counts.Asked++
	c.flight++
	h := &c.hosts[u.host]
	if h.asked++; h.asked == c.o.PerHost {
		c.close(u.host)
	}
}

// Miss records that there is no page at a URL.
func (c *Crawl) Miss(u string) {
	t := c.target(u)
	if c.urls[t].state == visited {
		return
	}
	if c.urls[t].state == asked {
		h := &c.hosts[c.urls[t].host]
		if h.asked--; h.asked == c.o.PerHost-1 {
			c.open(c.urls[t].host)
		}
	}
	c.release(t)
	c.urls[t].state = visited
	c.counts.Missing++
	c.since++ // or a page of dead links could occupy a crawl for ever
}

// Done returns the reason why a crawl is done, empty if it is not.
func (c *Crawl) Done() string {
	switch {
	case c.o.Pages > 0 && c.counts.Pages+c.flight >= c.o.Pages:
		return fmt.Sprintf("all %d pages were requested", c.o.Pages)
	case c.o.Patience > 0 && c.since >= c.o.Patience:
		return fmt.Sprintf("no page at the last %d URLs belongs to the topic", c.since)
	case c.flight > 0:
		return "" // its result may change the rest
	case c.counts.Waiting == 0 && c.counts.Pages+c.counts.Missing > 0:
		return "no links are left"
	case c.counts.Waiting > 0 && len(c.best) == 0:
		if c.left {
			return "every host with links has reached its limit of pages, or was left"
		}
		return "every host with links has reached its limit of pages"
	}
	return ""
}

// Forbear restarts the count of Patience.
func (c *Crawl) Forbear() { c.since = 0 }

// Least returns the relevance from which a page belongs to the topic.
func (c *Crawl) Least() float64 { return c.o.Least }

// Counts returns the progress of the crawl.
func (c *Crawl) Counts() Counts {
	n := c.counts
	n.Targets = len(c.ids)
	for i := range c.hosts {
		if c.hosts[i].closed {
			n.Capped += len(c.hosts[i].queue)
		}
	}
	return n
}

// Best returns the n best links that wait, best first.
func (c *Crawl) Best(n int) []Asked {
	places := c.sorted()
	out := make([]Asked, min(n, len(places)))
	for i := range out {
		out[i] = c.askedAt(places[i])
	}
	return out
}
