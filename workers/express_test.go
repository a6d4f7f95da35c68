package workers_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"plat/plat"
)

// What is pushed on plat:inbox:first while a long queue is worked off is visited next, on hosts of
// the window and on new ones.
func TestTheExpressLaneGoesBeforeTheQueue(t *testing.T) {
	t.Parallel()
	w := newTown(t, nil)
	const queued = 300
	var jobs []plat.Job
	for i := range queued {
		jobs = append(jobs, plat.Job{URL: fmt.Sprintf("http://a.test/%d", i), Priority: 0.9})
	}
	w.enqueue(jobs...)
	client := redis.NewClient(&redis.Options{Addr: w.url[len("redis://") : len(w.url)-len("/0")]})
	defer client.Close()
	blank := w.show("")
	begun, all := make(chan struct{}), make(chan struct{})
	var mu sync.Mutex
	visits, places := 0, map[string]int{}
	express := map[string]bool{"http://a.test/now": true, "http://b.test/now": true}
	w.show = func(url string) *plat.Snapshot {
		time.Sleep(20 * time.Millisecond)
		mu.Lock()
		defer mu.Unlock()
		if visits++; visits == 1 {
			close(begun)
		}
		if express[url] && places[url] == 0 {
			if places[url] = visits; len(places) == len(express) {
				close(all)
			}
		}
		return blank
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	crew := w.crew(quick)
	go func() {
		defer close(ended)
		crew.Run(ctx, nil)
	}()
	<-begun
	for url := range express {
		if err := client.LPush(t.Context(), "plat:inbox:first", url).Err(); err != nil {
			t.Fatal(err)
		}
	}
	select {
	case <-all:
	case <-time.After(30 * time.Second):
		t.Error("not visited within 30 s")
	}
	stop()
	<-ended
	t.Logf("visited as numbers %v of %d", places, queued)
	for url, n := range places {
		if n > queued*2/3 {
			t.Errorf("%s is visited as number %d of %d", url, n, queued)
		}
	}
	if n, err := client.LLen(context.Background(), "plat:inbox:first").Result(); err != nil || n != 0 {
		t.Errorf("%d entries remain, %v", n, err)
	}
}
