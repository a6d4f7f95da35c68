package window_test

import (
	"context"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"plat/queue"
	"plat/queue/window"
	"plat/storage"
)

// A slowArchive takes 50 ms for a page of hosts, and 30 ms for the jobs of a host.
type slowArchive struct{ *manyHosts }

func (a slowArchive) Ready(ctx context.Context, after storage.ReadyHost, limit int) ([]storage.ReadyHost, error) {
	time.Sleep(50 * time.Millisecond)
	return a.manyHosts.Ready(ctx, after, limit)
}

func (a slowArchive) Load(ctx context.Context, now time.Time, hosts []storage.HostLimit) ([]storage.HostJobs, error) {
	time.Sleep(time.Duration(len(hosts)) * 30 * time.Millisecond)
	return a.manyHosts.Load(ctx, now, hosts)
}

// A shortWindow rejects calls after the end of an election, as Redis does.
type shortWindow struct {
	manyWindow
	until *time.Time
	late  *int
}

func (w shortWindow) Window(ctx context.Context, shard int) (*queue.Window, error) {
	*w.until = time.Now().Add(queue.LoaderTTL)
	return w.manyWindow.Window(ctx, shard)
}

func (w shortWindow) Load(ctx context.Context, hosts []queue.HostJobs) (int, error) {
	if time.Now().After(*w.until) {
		*w.late++
		return 0, queue.ErrNotLoader
	}
	return w.manyWindow.Load(ctx, hosts)
}

// With many hosts and a slow archive, the first URLs come into the window at once, and no election
// ends before its work is done.
func TestASlowArchiveIsLoadedInSmallParts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &manyHosts{in: make([]bool, 10_000), now: time.Unix(1e9, 0), room: 100_000}
		w := shortWindow{manyWindow{m}, new(time.Time), new(int)}
		began, first := time.Now(), time.Duration(0)
		l := window.NewLoader(slowArchive{m}, w, nil, slog.New(slog.DiscardHandler), func() {
			if first == 0 {
				first = time.Since(began)
			}
		})
		for time.Since(began) < 4*time.Second {
			tick := time.Now()
			if _, err := l.Tick(t.Context()); err != nil {
				t.Fatal(err)
			}
			if took := time.Since(tick); took > queue.LoaderTTL/2 {
				t.Errorf("a tick took %v", took)
			}
		}
		if first == 0 || first > 2*time.Second {
			t.Errorf("the first URL came after %v", first)
		}
		if n := len(m.loaded); n < 50 || *w.late > 0 {
			t.Errorf("%d hosts were loaded, %d times too late", n, *w.late)
		}
		for i := range m.loaded[:50] {
			if !m.in[i] {
				t.Errorf("host %d was passed over", i)
			}
		}
	})
}
