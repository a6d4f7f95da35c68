package queue

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"plat/fixtures"
	"plat/plat"
)

// archive is a fake archive: all jobs that are not done.
type archive struct {
	mu   sync.Mutex
	jobs map[string][]*archived // by host
	age  int
}

type archived struct {
	url      string
	priority float32
	age      int
}

func newArchive() *archive { return &archive{jobs: map[string][]*archived{}} }

// put enlists a URL and returns it.
func (a *archive) put(url string, priority float32) string {
	a.mu.Lock()
	defer a.mu.Unlock()
	host := plat.HostOf(url)
	a.age++
	a.jobs[host] = append(a.jobs[host], &archived{url, priority, a.age})
	return url
}

// done settles a URL, and reports whether it was not done.
func (a *archive) done(url string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	host := plat.HostOf(url)
	before := len(a.jobs[host])
	a.jobs[host] = slices.DeleteFunc(a.jobs[host], func(j *archived) bool { return j.url == url })
	return len(a.jobs[host]) < before
}

// read returns the first n jobs of a host, and whether there are more.
func (a *archive) read(host string, n int) (jobs []LoadedJob, more bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	all := slices.Clone(a.jobs[host])
	slices.SortFunc(all, func(a, b *archived) int {
		return cmp.Or(cmp.Compare(b.priority, a.priority), cmp.Compare(a.age, b.age))
	})
	for _, j := range all[:min(n, len(all))] {
		jobs = append(jobs, LoadedJob{URL: j.url, Priority: j.priority, Due: time.UnixMilli(1)})
	}
	return jobs, len(all) > n
}

func (a *archive) hosts() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	var hosts []string
	for h, jobs := range a.jobs {
		if len(jobs) > 0 {
			hosts = append(hosts, h)
		}
	}
	slices.Sort(hosts)
	return hosts
}

// fill loads hosts like a simple loader: it tops up low hosts, and brings in hosts that are not in
// the window, n URLs of each.
func (a *archive) fill(ctx context.Context, q *Queue, n int) error {
	for shard := range q.Shards() {
		w, err := q.Window(ctx, shard)
		if err != nil {
			return err
		}
		if w == nil {
			continue
		}
		var hosts []string
		for _, l := range w.Low {
			hosts = append(hosts, l.Host)
		}
		for _, h := range a.hosts() {
			if q.ShardOf(h) == shard && !slices.Contains(hosts, h) {
				hosts = append(hosts, h)
			}
		}
		states, err := q.Hosts(ctx, shard, hosts)
		if err != nil {
			return err
		}
		var loads []HostJobs
		for i, h := range hosts {
			if s := states[i]; !s.In || s.Low {
				jobs, more := a.read(h, n+s.Queued)
				loads = append(loads, HostJobs{Host: h, Jobs: jobs, More: more, Stamp: s.Stamp})
			}
		}
		if _, err := q.Load(ctx, loads); err != nil && !errors.Is(err, ErrNotLoader) {
			return err
		}
	}
	return nil
}

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

// read is a loader's reading of a host, to be loaded later.
type read struct {
	host  string
	jobs  []LoadedJob
	more  bool
	stamp int64
	model int             // stamp of the model
	seen  map[string]bool // all of the host's URLs in the archive
}

// simulation runs random operations on a window and on its model.
type simulation struct {
	*testing.T
	q       *Queue
	r       *rand.Rand
	m       model
	archive *archive
	leases  []*Lease
	reads   []read
	missed  map[string]bool // URLs offered while their host was not in the window
	n       int             // URLs so far
	log     []string
}

// TestTheWindowIsThatOfTheModel runs random operations: the window must be that of the model after
// each of them, within its bounds, and no URL may be forgotten: if a URL in the archive is not in
// the window, and its host is, the host has an entry in more. Exempt are URLs offered while their
// host was not in the window: news makes the loader find them.
func TestTheWindowIsThatOfTheModel(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		for range 4 / fixtures.OneIn(2) {
			seed := rand.Uint64()
			t.Logf("seed %d", seed)
			q := begun(t, url, func(o *Options) { o.Shards, o.Size, o.PerHost = 1, 20, 6 })
			elect(t, q)
			s := &simulation{
				T: t, q: q, r: rand.New(rand.NewPCG(seed, 1)), archive: newArchive(), missed: map[string]bool{},
				m: model{hosts: map[string]*modelHost{}, size: 20, most: 6},
			}
			for range 400 {
				elect(t, q) // a busy machine may take longer for a step than an election lasts
				s.step()
				s.compare()
				if t.Failed() {
					t.Fatalf("after\n%s", strings.Join(s.log[max(0, len(s.log)-40):], "\n"))
				}
			}
			elect(t, q)
			s.drain()
		}
	})
}

func (s *simulation) did(format string, args ...any) {
	s.log = append(s.log, fmt.Sprintf(format, args...))
}

func (s *simulation) host() string { return fmt.Sprintf("h%d.test", s.r.IntN(6)) }

func (s *simulation) step() {
	switch n := s.r.IntN(100); {
	case n < 20:
		s.enlist()
	case n < 25:
		s.announce()
	case n < 40:
		s.read()
	case n < 55:
		s.load()
	case n < 75:
		s.lease()
	case n < 88:
		s.settle()
	case n < 94:
		s.several()
	case n < 98:
		worse, urls := float32(s.r.IntN(10))/10, 1+s.r.IntN(8)
		s.did("evict %d worse than %v", urls, worse)
		got, err := s.q.Evict(s.Context(), 0, urls, worse)
		if want := s.m.evict(urls, worse); err != nil || got != want {
			s.Errorf("evicted %d, %v; want %d", got, err, want)
		}
	default:
		s.did("clear")
		ok(s, s.q.Clear(s.Context()))
		s.m.clear()
	}
}

// enlist writes URLs of a host to the archive, and offers them.
func (s *simulation) enlist() {
	host := s.host()
	var us []modelURL
	var jobs []plat.Job
	for range 1 + s.r.IntN(4) {
		priority := float32(s.r.IntN(5)) / 10
		url := fmt.Sprintf("http://%s/%d", host, s.n)
		s.n++
		s.archive.put(url, priority)
		if s.m.hosts[host] == nil {
			s.missed[url] = true
		}
		us = append(us, modelURL{url, priority})
		jobs = append(jobs, plat.Job{URL: url, Priority: priority, Due: time.UnixMilli(1)})
	}
	// And a URL that is there already, with a higher priority.
	if known := s.archive.jobs[host]; s.r.IntN(3) == 0 {
		j := known[s.r.IntN(len(known))]
		j.priority = max(j.priority, 0.5)
		us = append(us, modelURL{j.url, j.priority})
		jobs = append(jobs, plat.Job{URL: j.url, Priority: j.priority, Due: time.UnixMilli(1)})
	}
	s.did("offer %v", us)
	before := s.m.queued()
	ok(s, s.q.Offer(s.Context(), jobs))
	s.m.offer(host, us)
	s.bounded(before)
}

// announce writes a URL of a host to the archive, and announces it.
func (s *simulation) announce() {
	host, priority := s.host(), float32(s.r.IntN(9))/10
	url := fmt.Sprintf("http://%s/%d", host, s.n)
	s.n++
	s.archive.put(url, priority)
	if s.m.hosts[host] == nil {
		s.missed[url] = true
	}
	s.did("announce %s of %v", url, priority)
	ok(s, s.q.Announce(s.Context(), map[string]float32{host: priority}))
	s.m.announce(host, priority)
}

// bounded checks that URLs came in only within the bounds. URLs given back may exceed them.
func (s *simulation) bounded(before int) {
	if n := s.m.queued(); n > max(before, s.m.size) || n > s.m.size+6 {
		s.Errorf("%d URLs are queued, before %d", n, before)
	}
	for name, h := range s.m.hosts {
		if len(h.queued) > s.m.most+1 {
			s.Errorf("%d URLs of %s are queued", len(h.queued), name)
		}
	}
}

func (s *simulation) read() {
	r := read{host: s.host(), seen: map[string]bool{}}
	h := hostNow(s, s.q, r.host)
	r.stamp = h.Stamp
	if m := s.m.hosts[r.host]; m != nil {
		r.model = m.more
	}
	r.jobs, r.more = s.archive.read(r.host, 1+s.r.IntN(8))
	for _, j := range s.archive.jobs[r.host] {
		r.seen[j.url] = true
	}
	s.did("read %s: %d jobs, more %v, stamp %d", r.host, len(r.jobs), r.more, r.stamp)
	s.reads = append(s.reads, r)
}

func (s *simulation) load() {
	if len(s.reads) == 0 {
		return
	}
	i := s.r.IntN(len(s.reads))
	r := s.reads[i]
	// One loader reads a host once at a time.
	s.reads = slices.DeleteFunc(s.reads, func(o read) bool { return o.host == r.host })
	var us []modelURL
	for _, j := range r.jobs {
		us = append(us, modelURL{j.URL, j.Priority})
	}
	s.did("load %s: %v, more %v, stamp %d", r.host, us, r.more, r.stamp)
	before := s.m.queued()
	_, err := s.q.Load(s.Context(), []HostJobs{{Host: r.host, Jobs: r.jobs, More: r.more, Stamp: r.stamp}})
	ok(s, err)
	if s.m.hosts[r.host] == nil {
		// Jobs that were written after the reading, and whose offer was refused.
		for _, j := range s.archive.jobs[r.host] {
			if s.missed[j.url] = !r.seen[j.url]; !s.missed[j.url] {
				delete(s.missed, j.url)
			}
		}
	} else {
		for url := range r.seen {
			delete(s.missed, url)
		}
	}
	s.m.load(r.host, us, r.more, r.model)
	s.bounded(before)
}

func (s *simulation) lease() {
	l, _, err := s.q.Lease(s.Context(), "w")
	ok(s, err)
	s.leased(l)
}

// leased checks the result of a request for a lease; nil: no lease.
func (s *simulation) leased(l *Lease) {
	if l == nil {
		s.did("no lease")
		for name, h := range s.m.hosts {
			if _, rests := readShard(s, s.q, 0).waiting[name]; h.leased == nil && len(h.queued) > 0 && !rests {
				s.Errorf("%s is not leased", name)
			}
		}
		return
	}
	s.did("lease %s", l.URL)
	h := s.m.hosts[l.Host]
	if h == nil || h.leased != nil || len(h.queued) == 0 || h.queued[0].url != l.URL || h.queued[0].priority != l.Priority {
		s.Errorf("leased %+v, want the first of %+v", l.Entry, h)
		return
	}
	h.leased, h.queued = &h.queued[0], slices.Clone(h.queued[1:])
	s.leases = append(s.leases, l)
}

func (s *simulation) settle() {
	if len(s.leases) == 0 {
		return
	}
	i := s.r.IntN(len(s.leases))
	l := s.leases[i]
	s.leases = slices.Delete(s.leases, i, i+1)
	delay := time.Duration(s.r.IntN(3)) * time.Millisecond
	h := s.m.hosts[l.Host]
	switch s.r.IntN(6) {
	case 0:
		s.did("back %s", l.URL)
		ok(s, s.q.Back(s.Context(), l, delay))
		h.insert(*h.leased)
	case 1:
		s.did("lost %s", l.URL)
		ok(s, s.q.rdb.ZAdd(s.Context(), s.q.keys[0][5], redis.Z{Member: l.Host, Score: 1}).Err())
		ok(s, s.q.Pause(s.Context(), true))
		empty(s, s.q)
		ok(s, s.q.Pause(s.Context(), false))
		if err := s.q.Done(s.Context(), l, 0); !errors.Is(err, ErrLost) {
			s.Errorf("settled a lost lease: %v", err)
		}
		h.insert(*h.leased)
	case 2, 3:
		s.did("done %s", l.URL)
		s.archive.done(l.URL)
		ok(s, s.q.Done(s.Context(), l, delay))
	default:
		s.did("done %s, and the next", l.URL)
		s.archive.done(l.URL)
		next, err := s.q.EndNext(s.Context(), l, Finished, delay, "w")
		ok(s, err)
		s.m.settled(l.Host)
		s.leased(next)
		return
	}
	s.m.settled(l.Host)
}

func (s *simulation) compare() {
	redis := readShard(s, s.q, 0)
	for _, wrong := range redis.check() {
		s.Error(wrong)
	}
	got := redis.texts()
	for name, h := range s.m.hosts {
		if want := h.text(); got[name] != want {
			s.Errorf("%s: %q, want %q", name, got[name], want)
		}
		delete(got, name)
		if h.more > 0 {
			continue
		}
		for _, j := range s.archive.jobs[name] {
			if h.index(j.url) < 0 && (h.leased == nil || h.leased.url != j.url) && !s.missed[j.url] {
				s.Errorf("%s is forgotten", j.url)
			}
		}
	}
	if len(got) > 0 {
		s.Errorf("in the window, but not in the model: %v", got)
	}
}

// drain visits all URLs; no job may be left.
func (s *simulation) drain() {
	for _, l := range s.leases {
		s.archive.done(l.URL)
		ok(s, s.q.Done(s.Context(), l, 0))
	}
	for deadline := time.Now().Add(20 * time.Second); len(s.archive.hosts()) > 0; {
		if time.Now().After(deadline) {
			s.Fatalf("left: %v", s.archive.hosts())
		}
		// The loader loads hosts in the window as well, because of URLs that were missed.
		for _, h := range s.archive.hosts() {
			jobs, more := s.archive.read(h, 10)
			_, err := s.q.Load(s.Context(), []HostJobs{{Host: h, Jobs: jobs, More: more, Stamp: hostNow(s, s.q, h).Stamp}})
			ok(s, err)
		}
		elect(s, s.q)
		for {
			l, _, err := s.q.Lease(s.Context(), "w")
			ok(s, err)
			if l == nil {
				break
			}
			s.archive.done(l.URL)
			ok(s, s.q.Done(s.Context(), l, 0))
		}
	}
	checkKeys(s, s.q)
}

// TestOrderIsThatOfTheArchive visits the URLs of hosts in the exact order of the
// archive, by priority, then first in, first out, however small the window is, while
// URLs are added, if the loader is never overtaken.
func TestOrderIsThatOfTheArchive(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		seed := rand.Uint64()
		t.Logf("seed %d", seed)
		r := rand.New(rand.NewPCG(seed, 2))
		q := begun(t, url, func(o *Options) { o.Shards, o.Size, o.PerHost = 1, 12, 5 })
		a := newArchive()
		for visits, added := 0, 0; visits < 300; {
			var jobs []plat.Job
			for range r.IntN(4) {
				if added < 300 {
					u := a.put(fmt.Sprintf("http://h%d.test/%d", r.IntN(4), added), float32(r.IntN(4))/10)
					jobs = append(jobs, plat.Job{URL: u, Due: time.UnixMilli(1), Priority: a.jobs[plat.HostOf(u)][len(a.jobs[plat.HostOf(u)])-1].priority})
					added++
				}
			}
			offer(t, q, jobs...)
			if r.IntN(3) == 0 || added == 300 {
				ok(t, a.fill(t.Context(), q, 1+r.IntN(6)))
			}
			for range r.IntN(5) {
				l, _, err := q.Lease(t.Context(), "w")
				ok(t, err)
				if l == nil {
					break
				}
				if want, _ := a.read(l.Host, 1); want[0].URL != l.URL {
					t.Fatalf("visited %s, want %s", l.URL, want[0].URL)
				}
				a.done(l.URL)
				ok(t, q.Done(t.Context(), l, 0))
				visits++
			}
		}
		checkKeys(t, q)
	})
}
