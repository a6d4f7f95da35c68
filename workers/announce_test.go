package workers_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"plat/plat"
	"plat/queue"
)

// A crew is in the list of workers from its start to its end, with what it does.
func TestACrewAnnouncesItself(t *testing.T) {
	t.Parallel()
	w := newTown(t, nil)
	rendering, goOn := make(chan struct{}), make(chan struct{})
	var once sync.Once
	blank := w.show("")
	w.show = func(string) *plat.Snapshot {
		once.Do(func() { close(rendering) })
		<-goOn
		return blank
	}
	w.enqueue(plat.Job{URL: daily})
	o := quick
	o.Worker = queue.Worker{Version: "v1", Host: "machine", PID: 7, Tabs: 2}
	o.Memory = func() int64 { return 1000 }
	crew := w.crew(o)
	drain, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		crew.Run(t.Context(), drain)
	}()
	until := func(what string, is func(queue.Worker) bool) {
		t.Helper()
		var all []queue.Worker
		for range 3000 {
			var err error
			if all, err = w.queue.Workers(context.Background()); err != nil {
				t.Fatal(err)
			}
			if len(all) == 1 && is(all[0]) {
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
		t.Fatalf("not %s: %+v", what, all)
	}
	<-rendering
	until("working", func(x queue.Worker) bool {
		return x.State == "working" && x.Visits == 1 && x.Tabs == 2 && x.Memory == 1000 && x.Version == "v1" && x.Name == "w" && !x.Started.IsZero()
	})
	close(drain)
	until("draining", func(x queue.Worker) bool { return x.State == "draining" && x.Visits == 1 })
	close(goOn)
	<-ended
	if all, err := w.queue.Workers(t.Context()); err != nil || len(all) != 0 {
		t.Errorf("after its end: %+v, %v", all, err)
	}
}
