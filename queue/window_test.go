package queue

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"plat/plat"
)

func orderOfURLs(t *testing.T, url string) {
	q := begun(t, url, func(o *Options) { o.Shards = 1 })
	add(t, q,
		job("http://b.test/low", 0.2), job("http://a.test/1", 0.5), job("http://a.test/2", 0.5),
		job("http://a.test/best", 0.9), job("http://c.test/", 0.5), job("http://b.test/", 0.5), job("http://d.test/top", 1))
	var got []string
	for range 7 {
		l := lease(t, q)
		got = append(got, strings.TrimPrefix(l.URL, "http://"))
		ok(t, q.Done(t.Context(), l, 0))
	}
	want := []string{"d.test/top", "a.test/best", "b.test/", "c.test/", "a.test/1", "a.test/2", "b.test/low"}
	if !slices.Equal(got, want) {
		t.Errorf("visited %v, want %v", got, want)
	}
	if wait := empty(t, q); wait < 30*time.Second {
		t.Errorf("told to ask again in %v, but the frontier is empty", wait)
	}
}

// Offers bring in only URLs that are due, of hosts in the window.
func offers(t *testing.T, url string) {
	q := begun(t, url, func(o *Options) { o.Shards = 1 })
	now, err := q.Now(t.Context())
	ok(t, err)
	elect(t, q)
	before, err := q.Window(t.Context(), 0)
	ok(t, err)
	offer(t, q, page("1", 1))
	w, err := q.Window(t.Context(), 0)
	if ok(t, err); w.News == before.News || w.Queued+w.Hosts != 0 {
		t.Errorf("offered of another host: %+v before, %+v", before, w)
	}
	add(t, q, page("1", 0.5))
	offer(t, q, page("2", 0.5), plat.Job{URL: "http://a.test/later", Due: now.Add(time.Hour), Priority: 1}, plat.Job{URL: "http://a.test/3", Due: now, Priority: 0.5}, page("4", 0.6))
	wantQueued(t, q, "a.test", "4", "1", "2", "3")
	l := lease(t, q)
	offer(t, q, page("4", 1)) // it is being visited
	wantQueued(t, q, "a.test", "1", "2", "3")
	for range 3 {
		ok(t, q.Done(t.Context(), l, 0))
		l = lease(t, q)
	}
	offer(t, q, page("5", 0)) // its host is leased, so in the window
	ok(t, q.Done(t.Context(), l, 0))
	wantQueued(t, q, "a.test", "5")
	if h := hostNow(t, q, "a.test"); !h.In || h.Low || h.Queued != 1 || h.Stamp != 0 {
		t.Errorf("%+v", h)
	}
}

// The window has the first of a host's URLs: later URLs of equal priority never overtake those
// that are left in the archive.
func bounds(t *testing.T, url string) {
	q := begun(t, url, func(o *Options) { o.Shards, o.Size, o.PerHost = 1, 6, 4 })
	if q.Size() != 6 || q.PerHost() != 4 {
		t.Fatalf("%d URLs, %d per host", q.Size(), q.PerHost())
	}
	add(t, q, page("1", 0.5), page("2", 0.5), page("3", 0.7))
	offer(t, q, page("4", 0.5), page("5", 0.5)) // 5 exceeds the bound of a host
	wantQueued(t, q, "a.test", "3", "1", "2", "4")
	if h := hostNow(t, q, "a.test"); h.Stamp == 0 || !h.Low {
		t.Errorf("a URL was left to the archive: %+v", h)
	}
	offer(t, q, page("6", 0.6), page("7", 0.5)) // 6 pushes out 4
	wantQueued(t, q, "a.test", "3", "6", "1", "2")
	ok(t, q.Done(t.Context(), lease(t, q), 0))
	offer(t, q, page("8", 0.5)) // there is room, but 4 and 5 are older
	wantQueued(t, q, "a.test", "6", "1", "2")
	offer(t, q, page("9", 0.8)) // goes before all that are left to the archive
	wantQueued(t, q, "a.test", "9", "6", "1", "2")
	// The bound of the window.
	n, err := q.Load(t.Context(), []HostJobs{
		{Host: "b.test", Jobs: []LoadedJob{{URL: "http://b.test/1", Priority: 0.1}, {URL: "http://b.test/2", Priority: 0.1}, {URL: "http://b.test/3", Priority: 0.1}, {URL: "http://b.test/4", Priority: 0.2}}},
		{Host: "c.test", Jobs: []LoadedJob{{URL: "http://c.test/"}}},
	})
	if n != 3 || err != nil {
		t.Errorf("loaded %d, %v", n, err)
	}
	wantQueued(t, q, "b.test", "4", "1") // 4 in place of 2
	if h := hostNow(t, q, "b.test"); h.Stamp == 0 || !h.Low {
		t.Errorf("URLs were left to the archive: %+v", h)
	}
	if h := hostNow(t, q, "c.test"); h.In {
		t.Errorf("there was no room: %+v", h)
	}
	offer(t, q, job("http://b.test/5", 0.1))
	wantQueued(t, q, "b.test", "4", "1")
	w, err := q.Window(t.Context(), 0)
	ok(t, err)
	if w.Queued != 6 || w.Room != 0 || w.Hosts != 2 || w.LowTotal != 2 || w.Worst != 0.2 || w.Held {
		t.Errorf("%+v", w)
	}
}

// A job offered while the loader reads the archive is not forgotten.
func stamps(t *testing.T, url string) {
	q := begun(t, url, func(o *Options) { o.PerHost = 2 })
	load := func(h HostJobs) {
		t.Helper()
		h.Host = "a.test"
		_, err := q.Load(t.Context(), []HostJobs{h})
		ok(t, err)
	}
	elect(t, q)
	load(HostJobs{Jobs: loaded(page("1", 0.5), page("2", 0.5)), More: true})
	read := hostNow(t, q, "a.test")
	if read.Stamp == 0 {
		t.Fatal("the archive has more, but there is no stamp")
	}
	// The loader reads the archive: it has no further jobs. Meanwhile:
	ok(t, q.Done(t.Context(), lease(t, q), 0))
	offer(t, q, page("3", 0.5))
	load(HostJobs{Stamp: read.Stamp})
	read = hostNow(t, q, "a.test")
	if read.Stamp == 0 || !read.Low || read.Queued != 1 {
		t.Fatalf("page 3 is forgotten: %+v", read)
	}
	load(HostJobs{Jobs: loaded(page("3", 0.5)), Stamp: read.Stamp})
	if h := hostNow(t, q, "a.test"); h.Stamp != 0 || h.Low || h.Queued != 2 {
		t.Errorf("all is loaded, but %+v", h)
	}
	// Also if there was no stamp when the loader read.
	offer(t, q, page("4", 0.5))
	load(HostJobs{})
	if h := hostNow(t, q, "a.test"); h.Stamp == 0 {
		t.Errorf("page 4 is forgotten: %+v", h)
	}
}

// Hosts with few queued URLs count as low as long as the archive has more of them.
func lowHosts(t *testing.T, url string) {
	q := begun(t, url, func(o *Options) { o.Shards = 1 })
	elect(t, q)
	var jobs []plat.Job
	for i := range 6 {
		jobs = append(jobs, page(fmt.Sprint(i), 0.5))
	}
	_, err := q.Load(t.Context(), []HostJobs{{Host: "a.test", Jobs: loaded(jobs...), More: true}, {Host: "b.test", Jobs: loaded(job("http://b.test/", 0.4))}})
	ok(t, err)
	for i := range 6 {
		l := lease(t, q)
		left := 5 - i
		w, err := q.Window(t.Context(), 0)
		ok(t, err)
		if isLow := w.LowTotal == 1; isLow != (left <= 4) || isLow && (w.Low[0].Host != "a.test" || w.Low[0].Queued != left || w.Low[0].Stamp == 0) {
			t.Errorf("%d left: %+v", left, w)
		}
		ok(t, q.Done(t.Context(), l, 0))
	}
	if h := hostNow(t, q, "a.test"); !h.In || !h.Low || h.Queued != 0 || h.Leased {
		t.Errorf("the archive has more, but %+v", h)
	}
	ok(t, q.Done(t.Context(), lease(t, q), 0))
	empty(t, q)
	// The loader finds no job.
	_, err = q.Load(t.Context(), []HostJobs{{Host: "a.test", Stamp: hostNow(t, q, "a.test").Stamp}})
	ok(t, err)
	w, err := q.Window(t.Context(), 0)
	ok(t, err)
	if w.Hosts != 0 || w.LowTotal != 0 || w.Worst != 1 {
		t.Errorf("%+v", w)
	}
}

// Low hosts take turns.
func turnsOfLowHosts(t *testing.T, url string) {
	q := begun(t, url, func(o *Options) { o.Shards = 1 })
	elect(t, q)
	for _, h := range []string{"a.test", "b.test", "c.test"} {
		_, err := q.Load(t.Context(), []HostJobs{{Host: h, Jobs: loaded(job("http://"+h+"/", 0.5)), More: true}})
		ok(t, err)
	}
	var got []string
	for range 7 {
		w, err := q.Window(t.Context(), 0)
		ok(t, err)
		got = append(got, w.Low[0].Host)
		_, err = q.Load(t.Context(), []HostJobs{{Host: w.Low[0].Host, More: true, Stamp: w.Low[0].Stamp}})
		ok(t, err)
	}
	if want := []string{"a.test", "b.test", "c.test", "a.test", "b.test", "c.test", "a.test"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// A queued URL takes over later data from the archive.
func merging(t *testing.T, url string) {
	q := begun(t, url, nil)
	now, err := q.Now(t.Context())
	ok(t, err)
	at := func(ms int) time.Time { return now.Add(time.Duration(ms)*time.Millisecond - time.Minute) }
	add(t, q, plat.Job{URL: "http://a.test/x", Priority: 0.1, Due: at(1)}, page("y", 0.5))
	offer(t, q, plat.Job{URL: "http://a.test/x", Priority: 0.9, Due: at(1)})
	offer(t, q, plat.Job{URL: "http://a.test/x", Priority: 0.2, Due: at(5)}) // a later visit
	add(t, q, plat.Job{URL: "http://a.test/x", Priority: 0.3, Due: at(3)})   // read before
	wantQueued(t, q, "a.test", "x", "y")
	l := lease(t, q)
	if l.URL != "http://a.test/x" || l.Priority != 0.9 || !l.Due.Equal(at(5)) {
		t.Errorf("%+v", l.Entry)
	}
	// A leased URL stays unchanged.
	add(t, q, plat.Job{URL: "http://a.test/x", Priority: 1})
	offer(t, q, plat.Job{URL: "http://a.test/x", Priority: 1})
	ok(t, q.Done(t.Context(), l, 0))
	wantQueued(t, q, "a.test", "y")
	_, err = q.Load(t.Context(), []HostJobs{{Host: "a.test", Jobs: []LoadedJob{{URL: "http://a.test/y", Due: at(60_000 + 1), Priority: 0.1, Attempts: 2, Throttled: 1}}}})
	ok(t, err)
	if l := lease(t, q); l.URL != "http://a.test/y" || l.Priority != 0.5 {
		t.Errorf("%+v", l.Entry)
	}
}

// Evict removes whole hosts, the least urgent first, but no leased host.
func eviction(t *testing.T, url string) {
	q := begun(t, url, func(o *Options) { o.Shards = 1 })
	var jobs []plat.Job
	for i, priority := range []float32{0.9, 0.1, 0.3, 0.5, 0.2} {
		for k := range 3 {
			jobs = append(jobs, job(fmt.Sprintf("http://%d.test/%d", i, k), priority-float32(k)*0.05))
		}
	}
	jobs = append(jobs, job("http://4.test/urgent", 0.8)) // a host counts by its best URL
	add(t, q, jobs...)
	l := lease(t, q)
	add(t, q, job("http://0.test/slow", 0)) // of the leased host
	evict := func(urls int, worse float32, want int, left ...string) {
		t.Helper()
		if n, err := q.Evict(t.Context(), 0, urls, worse); n != want || err != nil {
			t.Errorf("evicted %d, %v; want %d", n, err, want)
		}
		var got []string
		hosts, err := q.Hosts(t.Context(), 0, []string{"0.test", "1.test", "2.test", "3.test", "4.test"})
		ok(t, err)
		for i, h := range hosts {
			if h.In {
				got = append(got, fmt.Sprint(i))
			}
		}
		if !slices.Equal(got, left) {
			t.Errorf("left are %v, want %v", got, left)
		}
	}
	evict(10, 0.1, 0, "0", "1", "2", "3", "4") // no host is less urgent
	evict(1, 0.5, 3, "0", "2", "3", "4")
	evict(100, 0.5, 3, "0", "3", "4")
	w, err := q.Window(t.Context(), 0)
	ok(t, err)
	if w.Worst != 0.5 || w.Queued != 10 {
		t.Errorf("%+v", w)
	}
	evict(4, 1, 7, "0")
	evict(100, 1, 0, "0")
	ok(t, q.Done(t.Context(), l, 0))
	evict(100, 1, 3)
	empty(t, q)
	// Also if many less urgent ones are leased.
	var leases []*Lease
	for i := range mostEvictedHosts + 5 {
		add(t, q, job(fmt.Sprintf("http://l%d.test/1", i), 0.1), job(fmt.Sprintf("http://l%d.test/2", i), 0.1))
		leases = append(leases, lease(t, q))
	}
	add(t, q, job("http://1.test/", 0.2))
	evict(1, 0.5, 1)
	for _, l := range leases {
		ok(t, q.Done(t.Context(), l, 0))
	}
	if n, err := q.Evict(t.Context(), 0, 1000, 1); n != len(leases) || err != nil {
		t.Errorf("evicted %d, %v", n, err)
	}
	// Many URLs take several calls; clocks remain.
	until := time.Now().Add(time.Hour)
	var hosts []HostJobs
	for i := range 120 {
		h := HostJobs{Host: fmt.Sprintf("h%d.test", i), Clock: until}
		for k := range 10 {
			h.Jobs = append(h.Jobs, LoadedJob{URL: fmt.Sprintf("http://h%d.test/%d", i, k), Priority: 0.5})
		}
		hosts = append(hosts, h)
	}
	_, err = q.Load(t.Context(), hosts)
	ok(t, err)
	if n, err := q.Evict(t.Context(), 0, 1111, 0.6); n != 1120 || err != nil {
		t.Errorf("evicted %d, %v", n, err)
	}
	if n, err := q.rdb.ZCard(t.Context(), q.keys[0][3]).Result(); n != 120 || err != nil {
		t.Errorf("%d clocks remain, %v", n, err)
	}
	if s, err := q.Stats(t.Context()); err != nil || s.Hosts != 8 || s.WaitingHosts != 8 || s.ReadyHosts != 0 || s.Queued != 80 {
		t.Errorf("%+v, %v", s, err)
	}
	checkKeys(t, q)
}

func entriesOfTheWindow(t *testing.T, url string) {
	q := begun(t, url, nil)
	due := time.UnixMilli(1_790_000_000_000).UTC()
	add(t, q, plat.Job{URL: "http://a.test/", Due: due, Priority: 1}, plat.Job{URL: "http://b.test/a b", Due: due, Priority: 0.5})
	ok(t, q.Back(t.Context(), lease(t, q), time.Hour))
	lease(t, q)
	entries := map[string]Entry{}
	for e, err := range q.Entries(t.Context()) {
		ok(t, err)
		entries[e.URL] = e
	}
	states := []string{entries["http://a.test/"].State, entries["http://b.test/a b"].State}
	if len(entries) != 2 || !slices.Contains(states, "queued") || !slices.Contains(states, "leased") ||
		entries["http://a.test/"].Priority != 1 || !entries["http://b.test/a b"].Due.Equal(due) {
		t.Errorf("%+v", entries)
	}
}
