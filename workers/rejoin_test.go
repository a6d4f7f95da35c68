package workers_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"plat/fixtures"
	"plat/plat"
	"plat/queue"
	"plat/queue/redistest"
	"plat/workers"
)

// street is a town whose visits take some time. It watches that no host is visited twice at a time, or
// before it has rested.
type street struct {
	*town
	takes, rests time.Duration

	mu     sync.Mutex
	open   map[string]int       // visits, by host
	ended  map[string]time.Time // last visit, by host
	starts []time.Time          // of visits
}

func (s *street) Render(ctx context.Context, url string, more func(*plat.Snapshot) plat.Attachments) (*plat.Snapshot, error) {
	host := plat.HostOf(url)
	s.mu.Lock()
	s.starts = append(s.starts, time.Now())
	if s.open[host]++; s.open[host] > 1 {
		s.t.Errorf("%s is visited twice at a time", host)
	}
	if rested := time.Since(s.ended[host]); rested < s.rests {
		s.t.Errorf("%s has rested for %v", host, rested)
	}
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.open[host]--
		s.ended[host] = time.Now()
	}()
	select {
	case <-time.After(s.takes):
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	return s.town.Render(ctx, url, more)
}

func (s *street) visits() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.starts)
}

// pause returns the longest time without the beginning of a visit.
func (s *street) pause() (longest time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := 1; i < len(s.starts); i++ {
		longest = max(longest, s.starts[i].Sub(s.starts[i-1]))
	}
	return longest
}

// Redis is killed and started again under a fleet. Its workers go on as soon as all of them have ended
// their earlier visits, and not later. If a worker has crashed, whose leases nobody knows, they wait
// until these have ended.
func TestAFleetGoesOnSoonAfterARestartOfRedis(t *testing.T) {
	hold := 8 * time.Second
	if fixtures.OneIn(2) == 1 {
		hold = 30 * time.Second
	}
	for _, tc := range []struct {
		name           string
		forget, crash  bool
		atLeast, below time.Duration
	}{
		{"with its data", false, false, 0, hold * 3 / 5},
		{"without its data", true, false, 0, hold * 3 / 5},
		{"a worker has crashed", false, true, hold, 2 * hold},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			server := redistest.Start(t)
			w := newTown(t, func(o *queue.Options) { o.URL, o.TTL, o.Rest = server.URL(), hold, hold/4 })
			s := &street{town: w, takes: 150 * time.Millisecond, rests: 200 * time.Millisecond, open: map[string]int{}, ended: map[string]time.Time{}}
			var urls []string
			for i := range 120 {
				urls = append(urls, fmt.Sprintf("http://h%d.test/%d", i%20, i))
				w.enqueue(plat.Job{URL: urls[i]})
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute+2*hold)
			defer cancel()
			drain := make(chan struct{})
			var fleet sync.WaitGroup
			for i := range 3 {
				q, err := queue.Open(ctx, queue.Options{URL: server.URL(), TTL: hold, Rest: hold / 4, Attempts: 3})
				if err != nil {
					t.Fatal(err)
				}
				defer q.Close()
				o := quick
				o.Name, o.Slots, o.Delay = fmt.Sprint("worker-", i), 2, 200*time.Millisecond
				c := workers.NewCrew(workers.New(s, w.store, describer(t), workers.Options{}), q, w.store, w, o)
				fleet.Go(func() { c.Run(ctx, drain) })
			}
			until := func(what string, is func() bool) {
				t.Helper()
				for !is() {
					select {
					case <-ctx.Done():
						t.Fatalf("not %s, after %d visits", what, s.visits())
					case <-time.After(5 * time.Millisecond):
					}
				}
			}
			until("at work", func() bool { return s.visits() >= 30 })
			if tc.crash {
				note := fmt.Sprintf(`{"until": %q, "hold": %d}`, time.Now().Add(2*time.Second).UTC().Format(time.RFC3339Nano), hold)
				if err := w.store.SetNote(ctx, "leases/crashed/X", note); err != nil {
					t.Fatal(err)
				}
			}
			server.Kill()
			if tc.forget {
				if err := server.Forget(); err != nil {
					t.Fatal(err)
				}
			}
			if err := server.Restart(); err != nil {
				t.Fatal(err)
			}
			until("done", func() bool {
				n, err := w.store.Counts(ctx, time.Now())
				return err == nil && n.Backlog+n.Due+n.Later+n.Dead == 0
			})
			close(drain)
			fleet.Wait()
			for _, u := range urls {
				w.once(u)
			}
			pause := s.pause()
			t.Logf("no visit began for %v, of a hold of %v", pause.Round(10*time.Millisecond), hold)
			if pause < tc.atLeast || pause > tc.below {
				t.Errorf("want %v to %v", tc.atLeast, tc.below)
			}
		})
	}
}
