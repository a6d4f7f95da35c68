package queue

import (
	"fmt"
	"math"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"plat/plat"
	"plat/queue/redistest"
	"plat/queue/schedule"
)

// Shared data follows schedule.Steering, and every process sees it.
func TestShare(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		q := open(t, url, nil)
		ctx := t.Context()
		s := plat.Schedule{Budget: "1000000000/day"}
		v := &schedule.Visit{State: plat.URLState{URL: "https://a.test/", Plan: plat.Plan{Schedule: s}}}
		got, err := q.Share(ctx, v, schedule.Learned{Pages: 100})
		if err != nil || got.Pages != 100 || got.Beyond != 0 || got.Offset != 0 {
			t.Fatalf("%+v, %v", got, err)
		}
		if got, err = q.Share(ctx, v, schedule.Learned{Visits: 1e9}); err != nil || math.Abs(got.Beyond/1e9-1) > 0.01 {
			t.Fatalf("%+v, %v", got, err)
		}
		for range 3 { // each time some is earned
			was := got.Steering
			time.Sleep(5 * time.Millisecond)
			asked, err := q.Share(ctx, v, schedule.Learned{})
			if err != nil {
				t.Fatal(err)
			}
			none := schedule.Learned{Pages: 1e-12} // too little to be seen, but written
			if got, err = q.Share(ctx, v, none); err != nil {
				t.Fatal(err)
			}
			if asked.Offset < was.Offset-1e-6 || asked.Offset > got.Offset+1e-6 || asked.Beyond < got.Beyond-1e-6 || asked.Beyond > was.Beyond+1e-6 || asked.Pages != got.Pages {
				t.Errorf("asked %+v, written %+v", asked.Steering, got.Steering)
			}
			earned := was.Beyond - got.Beyond
			if want := 1e9 / 86400e3 * 5; earned < want {
				t.Errorf("in 5 ms only %v visits are earned, not %v", earned, want)
			}
			was.Earned(earned)
			if math.Abs(was.Offset-got.Offset) > 1e-6*(1+math.Abs(was.Offset)) || math.Abs(was.Pages-got.Pages) > 1e-6 {
				t.Errorf("Redis has %+v, schedule.Steering %+v", got.Steering, was)
			}
		}
		l := schedule.Learned{}
		l.Site[2] = 0.25
		for range 2 {
			if got, err = q.Share(ctx, v, l); err != nil {
				t.Fatal(err)
			}
		}
		if got.Burst.Off[2] != 0.5 || got.Burst.Off[1] != 0 {
			t.Errorf("weights %v", got.Burst.Off)
		}
		other := *v
		other.State.URL = "https://b.test/"
		if got, err = q.Share(ctx, &other, schedule.Learned{Pages: 1}); err != nil || got.Pages != 101 || got.Burst != (schedule.Burst{}) {
			t.Errorf("another site: %+v, %v; want the same budget, and other weights", got, err)
		}
		each := other
		each.State.Schedule.Budget = "7/day/host"
		if got, err = q.Share(ctx, &each, schedule.Learned{Pages: 1}); err != nil || got.Pages != 1 {
			t.Errorf("a budget of the host: %+v, %v", got, err)
		}
		v.State.Schedule = plat.Schedule{Every: time.Hour}
		if got, err := q.Share(ctx, v, schedule.Learned{}); got != nil || err != nil {
			t.Errorf("without a budget: %+v, %v", got, err)
		}
	})
}

// If Redis loses its data, the memory of the next URL replaces it.
func TestShareIsRestored(t *testing.T) {
	server, err := Embed("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	q := open(t, server.URL(), nil)
	v := &schedule.Visit{State: plat.URLState{URL: "https://a.test/", Plan: plat.Plan{Schedule: plat.Schedule{Budget: "5/day"}}}, Time: time.Now()}
	l := schedule.Learned{Pages: 40}
	l.Site[3], l.Site[schedule.SiteDays] = -0.125, 90
	shared, err := q.Share(t.Context(), v, l)
	if err != nil {
		t.Fatal(err)
	}
	v.Shared, v.Outcome = shared, plat.OutcomeNew
	v.Memory = schedule.Decide(v).Memory
	if err := q.rdb.FlushAll(t.Context()).Err(); err != nil {
		t.Fatal(err)
	}
	q = open(t, server.URL(), nil)                         // the process has ended, too
	fresh := &schedule.Visit{State: v.State, Time: v.Time} // a page without a memory counts as the first
	if _, err := q.Share(t.Context(), fresh, schedule.Learned{Pages: 1}); err != nil {
		t.Fatal(err)
	}
	again, err := q.Share(t.Context(), v, schedule.Learned{})
	if err != nil || again.Pages != 41 || again.Burst != shared.Burst {
		t.Errorf("%+v, %v; want %+v, and one page more", again, err, shared)
	}
	written, err := q.Share(t.Context(), v, schedule.Learned{Visits: 1})
	if err != nil || written.Pages != 41 || written.Burst != shared.Burst {
		t.Errorf("written %+v, %v; want %+v, and one page more", written, err, shared)
	}
	// The largest remembered number of earlier pages counts, and a page counted since then counts
	// once.
	more := *v
	more.Shared = &schedule.Shared{Steering: schedule.Steering{Pages: 60}, Epoch: shared.Epoch}
	more.Memory = schedule.Decide(&more).Memory
	since := *v
	since.Shared = written
	since.Memory = schedule.Decide(&since).Memory
	for _, ask := range []schedule.Learned{{}, {Visits: 1}} {
		for _, one := range []struct {
			v    *schedule.Visit
			want float64
		}{{&since, 41}, {v, 41}, {fresh, 41}} {
			if got, err := q.Share(t.Context(), one.v, ask); err != nil || got.Pages != one.want || got.Epoch == shared.Epoch || got.Epoch == 0 {
				t.Errorf("%+v, %v; want %v pages", got, err, one.want)
			}
		}
	}
	for _, ask := range []schedule.Learned{{}, {Visits: 1}} {
		if got, err := q.Share(t.Context(), &more, ask); err != nil || got.Pages != 61 {
			t.Errorf("%+v, %v; want 61 pages", got, err)
		}
	}
}

// If Redis loses its data several times, the number of pages is restored from the memories of URLs
// of each epoch.
func TestShareIsRestoredAfterSeveralLosses(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		t.Run("new processes", func(t *testing.T) { restoreSeveralTimes(t, url, true) })
		t.Run("one process", func(t *testing.T) { restoreSeveralTimes(t, url, false) })
	})
}

// restoreSeveralTimes visits after each loss, with new processes that have no tally, or with one
// that keeps running.
func restoreSeveralTimes(t *testing.T, url string, renewed bool) {
	q := open(t, url, nil)
	renew := func() {
		if renewed {
			q = open(t, url, beside(q))
		}
	}
	var urls []*schedule.Visit
	pages := 0.0
	for life := range 4 {
		renew()
		if err := q.rdb.Del(t.Context(), q.tag(0)+"budget:"+schedule.Pool(plat.Schedule{Budget: "5/day"}, "")).Err(); err != nil {
			t.Fatal(err)
		}
		for i := range 10 + life { // new pages, each with a memory of the count so far
			v := &schedule.Visit{State: plat.URLState{URL: fmt.Sprintf("https://a%d-%d.test/", life, i), Plan: plat.Plan{Schedule: plat.Schedule{Budget: "5/day"}}}, Time: time.Now(), Outcome: plat.OutcomeNew}
			var err error
			if v.Shared, err = q.Share(t.Context(), v, schedule.Learned{Pages: 1}); err != nil {
				t.Fatal(err)
			}
			v.Memory = schedule.Decide(v).Memory
			urls = append(urls, v)
			pages++
		}
	}
	renew()
	for i, v := range urls { // those of the last life are the last
		asked, err := q.Share(t.Context(), v, schedule.Learned{})
		if err != nil {
			t.Fatal(err)
		}
		got, err := q.Share(t.Context(), v, schedule.Learned{Visits: 1})
		if err != nil || got.Pages != asked.Pages || got.Counted != 13 || asked.Counted != 13 || (i >= 32 || !renewed) && got.Pages != pages {
			t.Errorf("%d: %+v, %v; asked %+v", i, got, err, asked)
		}
	}
}

// If Redis loses its data or goes back, each running process restores its last tally with its next
// visit, whatever the page remembers.
func TestShareIsRestoredByProcesses(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		one := open(t, url, nil)
		other := open(t, url, beside(one))
		n := 0
		visit := func(q *Queue, want, offset float64) {
			t.Helper()
			n++
			v := &schedule.Visit{State: plat.URLState{URL: fmt.Sprintf("https://a%d.test/", n), Plan: plat.Plan{Schedule: plat.Schedule{Budget: "5/day"}}}}
			if got, err := q.Share(t.Context(), v, schedule.Learned{Pages: 1}); err != nil || got.Pages != want || math.Abs(got.Offset-offset) > 1e-3 {
				t.Errorf("page %d: %+v, %v; want %v pages, offset %v", n, got, err, want, offset)
			}
		}
		for range 10 {
			visit(one, float64(n+1), 0)
		}
		key := one.tag(0) + "budget:" + schedule.Pool(plat.Schedule{Budget: "5/day"}, "")
		set := func(fields ...any) {
			t.Helper()
			if err := one.rdb.HSet(t.Context(), key, fields...).Err(); err != nil {
				t.Fatal(err)
			}
		}
		lose := func() {
			t.Helper()
			if err := one.rdb.Del(t.Context(), key).Err(); err != nil {
				t.Fatal(err)
			}
		}
		set("offset", "0.5")
		visit(one, 11, .5)
		lose()
		visit(other, 1, 0) // which has no tally yet
		asked, err := one.Share(t.Context(), &schedule.Visit{State: plat.URLState{URL: "https://a.test/", Plan: plat.Plan{Schedule: plat.Schedule{Budget: "5/day"}}}}, schedule.Learned{})
		if err != nil || asked.Pages != 12 || math.Abs(asked.Offset-.5) > 1e-3 {
			t.Errorf("asked %+v, %v; want 12 pages, offset 0.5", asked, err)
		}
		visit(one, 13, .5)
		visit(other, 14, .5)
		lose() // again, and now both know
		visit(other, 15, .5)
		visit(one, 16, .5)
		visit(one, 17, .5)
		set("pages", "15")   // a snapshot, of two pages before
		visit(other, 16, .5) // it has seen less
		visit(one, 18, .5)
		one, other = open(t, url, beside(one)), open(t, url, beside(one))
		lose()
		visit(other, 1, 0)
		visit(one, 2, 0)
	})
}

// beside opens the same queue as a second process does.
func beside(q *Queue) func(*Options) { return func(o *Options) { o.Prefix = q.o.Prefix } }

// The tallies of a process are bounded.
func TestTalliesAreBounded(t *testing.T) {
	var all tallies
	for i := range maxTallies + 10 {
		all.set(fmt.Sprint(i), tally{pages: float64(i)})
	}
	last := fmt.Sprint(maxTallies + 9)
	all.set(last, tally{pages: 1}) // an answer that comes late
	if len(all.all) != maxTallies || all.of(last).pages != maxTallies+9 || all.of("none") != (tally{}) {
		t.Errorf("%d tallies; the last is %+v", len(all.all), all.of(last))
	}
}

// If Redis goes back to an older state of its epoch, the next URLs restore the pages that it has
// lost; and a memory that does not say in which life it was counted is not added.
func TestShareGoesOnAfterASnapshot(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		q := open(t, url, nil)
		v := &schedule.Visit{State: plat.URLState{URL: "https://a.test/", Plan: plat.Plan{Schedule: plat.Schedule{Budget: "5/day"}}}, Time: time.Now(), Outcome: plat.OutcomeNew}
		var err error
		if v.Shared, err = q.Share(t.Context(), v, schedule.Learned{Pages: 100}); err != nil {
			t.Fatal(err)
		}
		v.Memory = schedule.Decide(v).Memory
		key := q.tag(0) + "budget:" + schedule.Pool(v.State.Schedule, "")
		if err := q.rdb.HSet(t.Context(), key, "pages", "40").Err(); err != nil {
			t.Fatal(err)
		}
		// Each call comes from a process without a tally.
		share := func(v *schedule.Visit, l schedule.Learned) (*schedule.Shared, error) {
			return open(t, url, beside(q)).Share(t.Context(), v, l)
		}
		rebuilt := *v
		rebuilt.Shared = &schedule.Shared{Steering: schedule.Steering{Pages: 100}}
		rebuilt.Memory = schedule.Decide(&rebuilt).Memory
		for i, x := range []*schedule.Visit{v, v, &rebuilt, v} {
			for _, l := range []schedule.Learned{{}, {Visits: 1}} {
				if got, err := share(x, l); err != nil || got.Pages != 100 || got.Counted != 100 {
					t.Errorf("%d: %+v, %v", i, got, err)
				}
			}
		}
		if err := q.rdb.Del(t.Context(), key).Err(); err != nil {
			t.Fatal(err)
		}
		for _, l := range []schedule.Learned{{}, {Visits: 1}, {}, {Pages: 1}} {
			if got, err := share(&rebuilt, l); err != nil || got.Pages != 100+l.Pages {
				t.Errorf("rebuilt, after a loss: %+v, %v", got, err)
			}
		}
	})
}

// Pages counted by an older version, without epochs, are not counted again.
func TestShareOfAnOlderPlat(t *testing.T) {
	server, err := Embed("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	q := open(t, server.URL(), nil)
	v := &schedule.Visit{State: plat.URLState{URL: "https://a.test/", Plan: plat.Plan{Schedule: plat.Schedule{Budget: "5/day"}}}, Time: time.Now(), Outcome: plat.OutcomeNew}
	v.Shared = &schedule.Shared{Steering: schedule.Steering{Pages: 39}}
	v.Memory = schedule.Decide(v).Memory
	key := q.tag(0) + "budget:" + schedule.Pool(v.State.Schedule, "a.test")
	if err := q.rdb.HSet(t.Context(), key, "pages", "40", "beyond", "1", "offset", "0.5", "at", time.Now().UnixMilli()).Err(); err != nil {
		t.Fatal(err)
	}
	for i, l := range []schedule.Learned{{}, {Visits: 1}, {}, {Pages: 1}, {}} {
		if got, err := q.Share(t.Context(), v, l); err != nil || got.Pages != 40+float64(i/3) || math.Abs(got.Offset-.5) > .01 {
			t.Errorf("%d: %+v, %v", i, got, err)
		}
	}
}

// A visit without a contribution only reads.
func TestShareOfNothingOnlyReads(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		q := open(t, url, nil)
		ctx := t.Context()
		v := &schedule.Visit{State: plat.URLState{URL: "https://a.test/", Plan: plat.Plan{Schedule: plat.Schedule{Budget: "1000000000/day"}}}, Time: time.Now(), Outcome: plat.OutcomeNew}
		l := schedule.Learned{Pages: 40}
		l.Site[3] = -0.125
		weights := schedule.Burst{}
		weights.Off[3] = -0.125
		v.Shared = &schedule.Shared{Steering: schedule.Steering{Pages: 7, Offset: 0.5}, Burst: weights}
		v.Memory = schedule.Decide(v).Memory
		before, err := q.rdb.DBSize(ctx).Result()
		if err != nil {
			t.Fatal(err)
		}
		got, err := q.Share(ctx, v, schedule.Learned{})
		if err != nil || got.Pages != 7 || got.Offset != 0.5 || got.Burst != weights {
			t.Errorf("of a budget that Redis does not know: %+v, %v; want what is remembered", got, err)
		}
		if after := q.rdb.DBSize(ctx).Val(); after != before {
			t.Errorf("there are %d keys, not %d", after, before)
		}
		v.Memory = ""
		l.Site[3], weights.Off[3] = 0.25, 0.25
		if _, err := q.Share(ctx, v, l); err != nil {
			t.Fatal(err)
		}
		if _, err := q.Share(ctx, v, schedule.Learned{Visits: 1e9}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(5 * time.Millisecond)
		first, err := q.Share(ctx, v, schedule.Learned{})
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(5 * time.Millisecond)
		if got, err = q.Share(ctx, v, schedule.Learned{}); err != nil || got.Pages != 40 || got.Burst != weights || got.Beyond >= first.Beyond || got.Offset <= 0 {
			t.Errorf("%+v, %v; before %+v", got, err, first)
		}
		v.State.Schedule = plat.Schedule{Every: time.Hour}
		if got, err := q.Share(ctx, v, schedule.Learned{}); got != nil || err != nil {
			t.Errorf("without a budget: %+v, %v", got, err)
		}
	})
}

// BenchmarkShare measures the calls to Redis that a visit needs to keep a budget, with known
// sites: each iteration is one read. It also reports the CPU time of both sides, and
// Redis' memory per site; URLs use no memory.
//
//	go test ./queue -run '^$' -bench Share/redis -benchtime 50000x -args -urls 1000000
func BenchmarkShare(b *testing.B) {
	b.Run("redis", func(b *testing.B) { share(b, redistest.Start(b, "--appendonly", "no").URL(), *million/100) })
	b.Run("embedded", func(b *testing.B) {
		s, err := Embed("127.0.0.1:0")
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { s.Close() })
		share(b, s.URL(), *million/100)
	})
}

func share(b *testing.B, url string, sites int) {
	q := open(b, url, nil)
	all := make([]schedule.Visit, sites)
	l := schedule.Learned{Visits: 1}
	l.Site[1], l.Site[4] = 0.012345678, -0.1
	before := memory(b, q)
	for i := range all {
		all[i].State = plat.URLState{URL: fmt.Sprintf("https://www.host-%d.example/", i), Plan: plat.Plan{Schedule: plat.Schedule{Budget: "5000/day"}}}
		if _, err := q.Share(b.Context(), &all[i], l); err != nil {
			b.Fatal(err)
		}
	}
	after := memory(b, q)
	spent := used(q)
	var left atomic.Int64
	left.Store(int64(b.N))
	var work sync.WaitGroup
	b.ResetTimer()
	for range 16 {
		work.Go(func() {
			for i := left.Add(-1); i >= 0; i = left.Add(-1) {
				if _, err := q.Share(b.Context(), &all[int(i)%sites], l); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	work.Wait()
	b.StopTimer()
	report(b, q, spent, "op")
	if after > 0 {
		b.ReportMetric(float64(after-before)/float64(sites), "B/site")
	}
}
