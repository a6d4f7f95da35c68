package focus

import "container/heap"

// host is a host with the heap of its links that wait, best first.
type host struct {
	name   string
	queue  []int32 // places in Crawl.waiting
	pos    int32   // in Crawl.best; -1: it is not there
	asked  int
	closed bool // no further requests: all of its pages are requested
	left   bool // by Leave
}

// before reports whether the link at a goes before that at b.
func (c *Crawl) before(a, b int32) bool {
	x, y := &c.waiting[a], &c.waiting[b]
	if x.seed != y.seed {
		return x.seed
	}
	if x.score != y.score {
		return x.score > y.score
	}
	return x.seq < y.seq
}

// hostHeap sorts the links of a host.
type hostHeap struct {
	*Crawl
	h *host
}

func (q hostHeap) Len() int           { return len(q.h.queue) }
func (q hostHeap) Less(i, j int) bool { return q.before(q.h.queue[i], q.h.queue[j]) }
func (q hostHeap) Swap(i, j int) {
	s := q.h.queue
	s[i], s[j] = s[j], s[i]
	q.waiting[s[i]].pos, q.waiting[s[j]].pos = int32(i), int32(j)
}
func (q hostHeap) Push(x any) {
	place := x.(int32)
	q.waiting[place].pos = int32(len(q.h.queue))
	q.h.queue = append(q.h.queue, place)
}
func (q hostHeap) Pop() any {
	n := len(q.h.queue) - 1
	place := q.h.queue[n]
	q.h.queue = q.h.queue[:n]
	q.waiting[place].pos = -1
	return place
}

// bestHeap sorts the hosts by their best links.
type bestHeap struct{ *Crawl }

func (q bestHeap) Len() int { return len(q.best) }
func (q bestHeap) Less(i, j int) bool {
	return q.before(q.hosts[q.best[i]].queue[0], q.hosts[q.best[j]].queue[0])
}
func (q bestHeap) Swap(i, j int) {
	s := q.best
	s[i], s[j] = s[j], s[i]
	q.hosts[s[i]].pos, q.hosts[s[j]].pos = int32(i), int32(j)
}
func (q bestHeap) Push(x any) {
	h := x.(int32)
	q.hosts[h].pos = int32(len(q.best))
	q.Crawl.best = append(q.best, h)
}
func (q bestHeap) Pop() any {
	n := len(q.best) - 1
	h := q.best[n]
	q.Crawl.best = q.best[:n]
	q.hosts[h].pos = -1
	return h
}

// push adds a link to its host's heap.
func (c *Crawl) push(place int32) {
	h := c.urls[c.waiting[place].target].host
	heap.Push(hostHeap{c, &c.hosts[h]}, place)
	c.lift(h)
}

// remove takes a link from its host's heap.
func (c *Crawl) remove(place int32) {
	l := &c.waiting[place]
	if l.pos < 0 {
		return
	}
	h := c.urls[l.target].host
	heap.Remove(hostHeap{c, &c.hosts[h]}, int(l.pos))
	c.lift(h)
}

// fix moves a link whose score has changed.
func (c *Crawl) fix(place int32) {
	l := &c.waiting[place]
	h := c.urls[l.target].host
	heap.Fix(hostHeap{c, &c.hosts[h]}, int(l.pos))
	c.lift(h)
}

// lift moves a host to its place in the heap.
func (c *Crawl) lift(h int32) {
	x := &c.hosts[h]
	switch there := x.pos >= 0; {
	case len(x.queue) == 0 || x.closed:
		if there {
			c.drop(h)
		}
	case there:
		heap.Fix(bestHeap{c}, int(x.pos))
	default:
		heap.Push(bestHeap{c}, h)
	}
}

// drop takes a host out, whose queue may be empty, so that it cannot be compared.
func (c *Crawl) drop(h int32) {
	at, last := int(c.hosts[h].pos), len(c.best)-1
	c.best[at] = c.best[last]
	c.hosts[c.best[at]].pos = int32(at)
	c.best = c.best[:last]
	c.hosts[h].pos = -1
	if at < last {
		heap.Fix(bestHeap{c}, at)
	}
}

func (c *Crawl) close(h int32) {
	c.hosts[h].closed = true
	c.lift(h)
}

func (c *Crawl) open(h int32) {
	c.hosts[h].closed = c.hosts[h].left
	c.lift(h)
}

// Leave ends the crawl's requests to a host.
func (c *Crawl) Leave(name string) {
	if h, ok := c.hostIDs[name]; ok {
		c.hosts[h].left, c.left = true, true
		c.close(h)
	}
}

// pick returns the host with the best link among those that may accepts, -1 if there is none.
func (c *Crawl) pick(may func(host string) bool) int32 {
	var aside []int32
	found := int32(-1)
	for len(c.best) > 0 {
		h := c.best[0]
		if may == nil || may(c.hosts[h].name) {
			found = h
			break
		}
		c.drop(h)
		aside = append(aside, h)
	}
	for _, h := range aside {
		c.lift(h)
	}
	return found
}
