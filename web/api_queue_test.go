package web

import (
	"context"
	"testing"
	"time"

	"plat/storage"
)

// tallied counts how often jobs are counted.
type tallied struct {
	storage.Store
	counts int
}

func (s *tallied) Counts(ctx context.Context, now time.Time) (storage.JobCounts, error) {
	s.counts++
	return s.Store.Counts(ctx, now)
}

// However often the state of the queue is requested, the archive counts its jobs once in a while.
func TestTheAPICountsJobsOnceForAll(t *testing.T) {
	store := &tallied{Store: made(t)}
	s := New(Options{Store: store, Queue: frontier(t, store)})
	first := get(s, "GET", "/api/v1/queue")
	for range 3 {
		if again := get(s, "GET", "/api/v1/queue"); again.Code != 200 || again.Body.String() != first.Body.String() {
			t.Errorf("%d %s, first %s", again.Code, again.Body, first.Body)
		}
	}
	if store.counts != 1 {
		t.Errorf("the archive has counted %d times", store.counts)
	}
}
