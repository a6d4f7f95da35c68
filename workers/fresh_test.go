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
	"plat/storage"
)

// Several workers that start together on an empty Redis do not wait for leases that the others could hold.
func TestAFreshFleetStartsAtOnce(t *testing.T) {
	t.Parallel()
	worst := time.Duration(0)
	for i := 0; i < 50; i += fixtures.OneIn(5) {
		w := newTown(t, func(o *queue.Options) { o.TTL = time.Minute })
		if _, err := w.store.Enlist(t.Context(), []plat.Job{{URL: "http://a.test/", Due: time.Now()}}, storage.Join); err != nil {
			t.Fatal(err)
		}
		first := make(chan struct{})
		var once sync.Once
		blank := w.show("")
		w.show = func(string) *plat.Snapshot { once.Do(func() { close(first) }); return blank }
		ctx, stop := context.WithCancel(t.Context())
		var fleet sync.WaitGroup
		began := time.Now()
		for n := range 3 {
			o := quick
			o.Name = fmt.Sprint("worker-", n)
			c := w.crew(o)
			fleet.Go(func() { c.Run(ctx, nil) })
		}
		select {
		case <-first:
		case <-time.After(20 * time.Second):
			t.Errorf("start %d: no visit within 20 s", i)
		}
		worst = max(worst, time.Since(began))
		stop()
		fleet.Wait()
	}
	t.Logf("first visit after %v at most", worst)
	if worst > 3*time.Second {
		t.Errorf("the first visit began after %v", worst)
	}
}
