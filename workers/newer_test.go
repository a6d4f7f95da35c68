package workers_test

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"plat/plat"
	"plat/queue"
)

// lines is a log that can be read while it is written.
type lines struct {
	mu  sync.Mutex
	all bytes.Buffer
}

func (l *lines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all.Write(b)
}

func (l *lines) count(text string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Count(l.all.String(), text)
}

// A crew that meets the frontier of a newer plat visits nothing, says so once, in its log and in the list
// of workers, and goes on when the frontier is one that it understands.
func TestACrewTooOldForTheFrontierWaits(t *testing.T) {
	t.Parallel()
	w := newTown(t, nil)
	address, err := redis.ParseURL(w.url)
	if err != nil {
		t.Fatal(err)
	}
	rdb := redis.NewClient(address)
	defer rdb.Close()
	format := func(n int) {
		t.Helper()
		if err := rdb.HSet(t.Context(), "{plat:0}:meta", "generation", "x", "format", n).Err(); err != nil {
			t.Fatal(err)
		}
	}
	format(queue.Format + 1)
	w.enqueue(plat.Job{URL: daily})
	var log lines
	o := quick
	o.Log, o.Slots = slog.New(slog.NewTextHandler(&log, nil)), 2
	crew := w.crew(o)
	ctx, stop := context.WithCancel(t.Context())
	var run sync.WaitGroup
	run.Go(func() { crew.Run(ctx, nil) })
	until := func(what string, is func() bool) {
		t.Helper()
		for end := time.Now().Add(20 * time.Second); !is(); time.Sleep(20 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("not %s", what)
			}
		}
	}
	state := func() string {
		all, err := w.queue.Workers(t.Context())
		if err != nil || len(all) != 1 {
			return ""
		}
		return all[0].State
	}
	until("shown as waiting", func() bool { return state() == "waiting for an upgrade" })
	time.Sleep(2500 * time.Millisecond) // each slot asks again
	if n := log.count("too old for the frontier"); n != 1 {
		t.Errorf("it is logged %d times", n)
	}
	if err := crew.Ready(); err == nil || len(w.rendered()) > 0 {
		t.Errorf("it is ready: %v; it has rendered %v", err, w.rendered())
	}
	if m, err := rdb.HGetAll(t.Context(), "{plat:0}:meta").Result(); err != nil || m["generation"] != "x" {
		t.Errorf("the newer frontier is %v, %v", m, err)
	}
	format(queue.Format)
	until("going on", func() bool { return len(w.rendered()) == 1 && crew.Ready() == nil })
	stop()
	run.Wait()
	if n := log.count("understands again"); n != 1 {
		t.Errorf("its end is logged %d times", n)
	}
}
