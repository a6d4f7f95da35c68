package queue

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"
)

// shard is the content of a shard's keys.
type shard struct {
	urls, lease, clocks, more          map[string]string
	queue                              []string // members, in order
	hosts, waiting, ready, leases, low map[string]float64
}

func readShard(t testing.TB, q *Queue, n int) shard {
	t.Helper()
	ctx, keys := context.Background(), q.keys[n]
	pipe := q.rdb.TxPipeline()
	hash := func(i int) *redis.MapStringStringCmd { return pipe.HGetAll(ctx, keys[i]) }
	zset := func(i int) *redis.ZSliceCmd { return pipe.ZRangeWithScores(ctx, keys[i], 0, -1) }
	urls, lease, clocks, more := hash(0), hash(6), hash(7), hash(9)
	queue := pipe.ZRange(ctx, keys[1], 0, -1)
	zsets := []*redis.ZSliceCmd{zset(2), zset(3), zset(4), zset(5), zset(8)}
	_, err := pipe.Exec(ctx)
	ok(t, err)
	s := shard{urls: urls.Val(), lease: lease.Val(), clocks: clocks.Val(), more: more.Val(), queue: queue.Val()}
	for i, to := range []*map[string]float64{&s.hosts, &s.waiting, &s.ready, &s.leases, &s.low} {
		*to = map[string]float64{}
		for _, z := range zsets[i].Val() {
			(*to)[z.Member.(string)] = z.Score
		}
	}
	return s
}

// checkKeys checks the invariants of the keys of each shard.
func checkKeys(t testing.TB, q *Queue) {
	t.Helper()
	for n := range q.keys {
		s := readShard(t, q, n)
		if wrong := s.check(); len(wrong) > 0 {
			t.Errorf("shard %d: %s", n, strings.Join(wrong, "; "))
		}
	}
}

func (s *shard) check() (wrong []string) {
	must := func(is bool, format string, args ...any) {
		if !is {
			wrong = append(wrong, fmt.Sprintf(format, args...))
		}
	}
	count, best := map[string]int{}, map[string]int{}
	for _, m := range s.queue {
		f := strings.SplitN(m, " ", 4)
		host, url := f[0], f[3]
		rank, _ := strconv.Atoi(f[1])
		seq, _ := strconv.Atoi(f[2])
		if count[host]++; count[host] == 1 {
			best[host] = rank
		}
		e := strings.Fields(s.urls[url])
		must(len(e) == 6 && e[0] == "q" && e[4] == fmt.Sprint(rank) && e[5] == fmt.Sprint(seq), "%q is queued, but its entry is %q", m, s.urls[url])
		_, inside := s.hosts[host]
		must(inside, "%s has queued URLs, but is not in the window", host)
	}
	must(len(s.urls) == len(s.queue)+len(s.lease), "%d URLs, %d queued, %d leased", len(s.urls), len(s.queue), len(s.lease))
	for host, l := range s.lease {
		f := strings.SplitN(l, " ", 4)
		must(strings.HasPrefix(s.urls[f[3]], "l "), "%s is leased, its entry is %q", f[3], s.urls[f[3]])
		_, inside := s.hosts[host]
		_, lasts := s.leases[host]
		must(inside && lasts, "%s is leased; in the window: %v, in leases: %v", host, inside, lasts)
	}
	must(len(s.leases) == len(s.lease), "%d leases end, of %d", len(s.leases), len(s.lease))
	for host, score := range s.hosts {
		if count[host] == 0 {
			best[host] = 1001
		}
		must(score == float64(best[host]*1e6+count[host]), "%s has score %f, best rank %d of %d", host, score, best[host], count[host])
		_, leased := s.lease[host]
		_, ready := s.ready[host]
		_, waiting := s.waiting[host]
		_, isLow := s.low[host]
		_, more := s.more[host]
		must(isLow == (more && (count[host] <= 4 || strings.HasSuffix(s.more[host], "!"))), "%s has %d queued URLs, more: %v, low: %v", host, count[host], more, isLow)
		must(count[host] > 0 || leased || isLow, "%s has no reason to be in the window", host)
		must(!leased || !ready && !waiting, "%s is leased; ready: %v, waiting: %v", host, ready, waiting)
		must(leased || count[host] == 0 || ready != waiting, "%s has %d queued URLs; ready: %v, waiting: %v", host, count[host], ready, waiting)
		if ready {
			must(count[host] > 0 && int(s.ready[host]/1e12) == best[host], "%s is ready with %f; it has %d URLs, rank %d", host, s.ready[host], count[host], best[host])
		}
	}
	for what, in := range map[string]map[string]float64{"ready": s.ready, "low": s.low} {
		for host := range in {
			_, inside := s.hosts[host]
			must(inside, "%s is %s, but not in the window", host, what)
		}
	}
	for host := range s.more {
		_, inside := s.hosts[host]
		must(inside, "the archive has more of %s, which is not in the window", host)
	}
	for host, clock := range s.clocks {
		_, leased := s.lease[host]
		ms, _ := strconv.ParseFloat(clock, 64)
		must(leased || s.waiting[host] == ms, "%s has the clock %s, but waits until %f", host, clock, s.waiting[host])
	}
	for host := range s.waiting {
		must(s.clocks[host] != "", "%s waits without a clock", host)
	}
	return wrong
}

// model is the expected window: a list per host, without keys or scripts.
type model struct {
	hosts map[string]*modelHost // in the window
	size  int
	most  int // per host
	stamp int
}

type modelHost struct {
	queued []modelURL // in the order of visits
	leased *modelURL
	more   int  // stamp of the model, 0 if the archive has no more jobs of the host
	urgent bool // with more: an announced job precedes all queued URLs
}

type modelURL struct {
	url      string
	priority float32
}

func (m *model) queued() (n int) {
	for _, h := range m.hosts {
		n += len(h.queued)
	}
	return n
}

func (h *modelHost) index(url string) int {
	return slices.IndexFunc(h.queued, func(u modelURL) bool { return u.url == url })
}

// insert queues a URL behind those of its priority.
func (h *modelHost) insert(u modelURL) {
	i := slices.IndexFunc(h.queued, func(o modelURL) bool { return o.priority < u.priority })
	if i < 0 {
		i = len(h.queued)
	}
	h.queued = slices.Insert(h.queued, i, u)
}

// bring brings in a URL if it belongs there, and returns whether one was left to the
// archive; if first, only if it goes before all that are left to the archive.
func (m *model) bring(h *modelHost, u modelURL, first bool) (left bool) {
	if i := h.index(u.url); i >= 0 {
		if u.priority > h.queued[i].priority {
			h.queued = slices.Delete(h.queued, i, i+1)
			h.insert(u)
		}
		return false
	}
	if h.leased != nil && h.leased.url == u.url {
		return false
	}
	n := len(h.queued)
	better := n > 0 && u.priority > h.queued[n-1].priority
	if n < m.most && m.queued() < m.size && (!first || better) {
		h.insert(u)
		return false
	}
	if better {
		h.queued = h.queued[:n-1]
		h.insert(u)
	}
	return true
}

func (m *model) offer(host string, us []modelURL) {
	h := m.hosts[host]
	if h == nil {
		return
	}
	left := false
	for _, u := range us {
		left = m.bring(h, u, left || h.more > 0) || left
	}
	if left {
		m.stamp++
		h.more = m.stamp
	}
}

func (m *model) announce(host string, priority float32) {
	h := m.hosts[host]
	if h == nil {
		return
	}
	m.stamp++
	h.more = m.stamp
	h.urgent = h.urgent || len(h.queued) == 0 || priority > h.queued[0].priority
}

func (m *model) load(host string, us []modelURL, more bool, stamp int) {
	h := m.hosts[host]
	if h == nil {
		h = &modelHost{}
		m.hosts[host] = h
	}
	left := false
	for _, u := range us {
		left = m.bring(h, u, false) || left
	}
	if h.more == stamp {
		h.urgent = false
	}
	switch {
	case left, more && h.more == 0:
		m.stamp++
		h.more = m.stamp
	case !more && h.more == stamp:
		h.more = 0
	}
	if len(h.queued) == 0 && h.leased == nil {
		delete(m.hosts, host)
	}
}

func (m *model) settled(host string) {
	h := m.hosts[host]
	h.leased = nil
	if len(h.queued) == 0 && h.more == 0 {
		delete(m.hosts, host)
	}
}

// evict returns how many URLs are pushed out.
func (m *model) evict(n int, worse float32) int {
	var names []string
	for name, h := range m.hosts {
		if len(h.queued) > 0 && h.leased == nil && rankOf(h.queued[0].priority) > rankOf(worse) {
			names = append(names, name)
		}
	}
	slices.SortFunc(names, func(a, b string) int {
		x, y := m.hosts[a].queued, m.hosts[b].queued
		return cmp.Or(cmp.Compare(x[0].priority, y[0].priority), cmp.Compare(len(y), len(x)), cmp.Compare(b, a))
	})
	out := 0
	for _, name := range names {
		if out >= n {
			break
		}
		out += len(m.hosts[name].queued)
		delete(m.hosts, name)
	}
	return out
}

func (m *model) clear() {
	for name, h := range m.hosts {
		if h.queued = nil; h.leased == nil {
			delete(m.hosts, name)
			continue
		}
		m.stamp++
		h.more, h.urgent = m.stamp, false
	}
}

// text describes a host of the window for comparison.
func (h *modelHost) text() string {
	var b strings.Builder
	if h.leased != nil {
		fmt.Fprint(&b, "leased ", h.leased.url, " ")
	}
	for _, u := range h.queued {
		fmt.Fprint(&b, u.url, "=", u.priority, " ")
	}
	fmt.Fprint(&b, "more=", h.more > 0, " urgent=", h.urgent)
	return b.String()
}

// hosts returns the same texts for the window in Redis.
func (s *shard) texts() map[string]string {
	all := map[string]*modelHost{}
	for name := range s.hosts {
		all[name] = &modelHost{}
		if s.more[name] != "" {
			all[name].more, all[name].urgent = 1, strings.HasSuffix(s.more[name], "!")
		}
		if l := s.lease[name]; l != "" {
			all[name].leased = &modelURL{url: strings.SplitN(l, " ", 4)[3]}
		}
	}
	for _, m := range s.queue {
		f := strings.SplitN(m, " ", 4)
		rank, _ := strconv.Atoi(f[1])
		all[f[0]].queued = append(all[f[0]].queued, modelURL{f[3], priorityOf(rank)})
	}
	texts := map[string]string{}
	for name, h := range all {
		texts[name] = h.text()
	}
	return texts
}
