package workers_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"plat/plat"
	"plat/queue"
	"plat/queue/redistest"
)

// The master of Redis is killed during a crawl: the same crew goes on with the one that the Sentinel
// names, and each job is settled once.
func TestCrewGoesOnAfterAFailoverOfRedis(t *testing.T) {
	servers := redistest.StartReplicated(t)
	w := newTown(t, func(o *queue.Options) { o.URL, o.TTL = servers.URL(), 2*time.Second })
	var urls []string
	for i := range 24 {
		urls = append(urls, fmt.Sprintf("http://h%d.test/", i%12)+fmt.Sprint(i))
		w.enqueue(plat.Job{URL: urls[i]})
	}
	var kill sync.Once
	var killed time.Time
	w.fails = func(string) error {
		w.mu.Lock()
		n := len(w.seen)
		w.mu.Unlock()
		if n >= 8 {
			kill.Do(func() {
				servers.Master.Kill()
				killed = time.Now()
			})
		}
		return nil
	}
	w.work(w.crew(quick))
	if killed.IsZero() {
		t.Fatal("the master was not killed")
	}
	t.Logf("all is visited %v after the master was killed", time.Since(killed).Round(10*time.Millisecond))
	for _, u := range urls {
		w.once(u)
	}
	if at, err := servers.Replica.Info(t.Context(), "replication"); err != nil || at["role"] != "master" {
		t.Errorf("the replica is %q, %v", at["role"], err)
	}
}
