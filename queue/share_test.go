package queue

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// A text is made by one process, read by all while it is fresh, and then made again.
func textsAreShared(t *testing.T, url string) {
	a := open(t, url, nil)
	b := open(t, url, func(o *Options) { o.Prefix = a.o.Prefix })
	var made atomic.Int32
	slow := func(context.Context) (string, error) {
		time.Sleep(100 * time.Millisecond)
		made.Add(1)
		return "text", nil
	}
	var all sync.WaitGroup
	for _, q := range []*Queue{a, b, a, b} {
		all.Go(func() {
			text, err := q.Shared(t.Context(), "x", 2*time.Second, 5*time.Second, slow)
			if err != nil || text != "text" {
				t.Errorf("%q, %v", text, err)
			}
		})
	}
	all.Wait()
	if n := made.Load(); n != 1 {
		t.Errorf("made %d times, want once", n)
	}
	time.Sleep(2100 * time.Millisecond)
	_, err := a.Shared(t.Context(), "x", 2*time.Second, time.Second, slow)
	if ok(t, err); made.Load() != 2 {
		t.Errorf("made %d times, want again", made.Load())
	}

	// An error is that of one call only.
	broken := errors.New("broken")
	if _, err := a.Shared(t.Context(), "y", time.Second, time.Second, func(context.Context) (string, error) { return "", broken }); !errors.Is(err, broken) {
		t.Errorf("%v, want the error", err)
	}
	_, err = b.Shared(t.Context(), "y", time.Second, time.Second, slow)
	ok(t, err)

	// A process that crashed while it made the text is waited for, but not for ever.
	now, err := a.Now(t.Context())
	ok(t, err)
	ok(t, a.rdb.Set(t.Context(), a.o.Prefix+":shared:z:turn", now.UnixMilli(), 0).Err())
	began := time.Now()
	_, err = b.Shared(t.Context(), "z", time.Second, 300*time.Millisecond, slow)
	if ok(t, err); time.Since(began) < 250*time.Millisecond {
		t.Error("it did not wait")
	}
}
