package queue

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"plat/fixtures"
	"plat/plat"
)

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
