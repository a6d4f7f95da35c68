package main

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
)

// event is a fault injected after a number of requests of its round.
type event struct {
	at   int64
	what func(context.Context) error
}

// at is a moment of a round, after a number of its requests.
func (r *chaosRun) at(requests int) int64 {
	return int64(float64(requests) * (0.03 + 0.85*r.rand.Float64()))
}

// events are the faults of a round.
func (r *chaosRun) events(requests, kills int) (all []event) {
	for i := range kills {
		if i%3 == 2 {
			all = append(all, event{r.at(requests), r.killBrowser})
		} else {
			all = append(all, event{r.at(requests), r.killWorker})
		}
	}
	return append(all,
		event{r.at(requests), func(ctx context.Context) error { r.restarts++; return r.restartRedis(ctx, false) }},
		event{r.at(requests), func(ctx context.Context) error { r.forgotten++; return r.restartRedis(ctx, true) }},
		event{r.at(requests), r.stopStore})
}

// cause injects each fault when its time has come. The site counts progress,
// because Redis counts from zero after losing its data.
func (r *chaosRun) cause(ctx context.Context, before int64, events []event, stopping *atomic.Bool) error {
	done := make([]bool, len(events))
	for left := len(events); left > 0 && !stopping.Load(); {
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(50 * time.Millisecond):
		}
		n := int64(r.site.requests()) - before
		for i, e := range events {
			if done[i] || n < e.at {
				continue
			}
			done[i] = true
			left--
			if err := e.what(ctx); err != nil {
				return err
			}
			r.note("fault %d after %d requests", i, n)
		}
	}
	return nil
}

func (r *chaosRun) victim() *proc { return r.f.workers[r.rand.IntN(len(r.f.workers))] }

func (r *chaosRun) killWorker(context.Context) error {
	w := r.victim()
	w.kill()
	r.killedWorkers++
	return w.start()
}

func (r *chaosRun) killBrowser(context.Context) error {
	w := r.victim()
	for _, pid := range children(w.pid()) {
		syscall.Kill(pid, syscall.SIGKILL)
		r.killedBrowsers++
	}
	return nil
}

func (r *chaosRun) restartRedis(_ context.Context, forget bool) error {
	r.f.redis.Kill()
	if forget {
		if err := r.f.redis.Forget(); err != nil {
			return err
		}
	}
	time.Sleep(time.Duration(r.rand.IntN(1500)) * time.Millisecond)
	return r.f.redis.Restart()
}

// stopStore takes the store away for ten seconds: it kills the server, or holds the lock of the file,
// as another program may.
func (r *chaosRun) stopStore(ctx context.Context) error {
	r.storeStops++
	if r.f.store == nil {
		return holdLock(ctx, strings.TrimPrefix(r.f.uri, "sqlite:"))
	}
	r.f.store.kill()
	pause(ctx, 10*time.Second)
	return r.f.store.start()
}

// holdLock holds the write lock of an SQLite file for ten seconds.
func holdLock(ctx context.Context, path string) (err error) {
	db, err := sql.Open("sqlite", "file:"+path+"?_txlock=immediate&_pragma=busy_timeout(60000)")
	if err != nil {
		return err
	}
	defer db.Close()
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("lock %s: %w", path, err)
	}
	pause(ctx, 10*time.Second)
	return tx.Rollback()
}
