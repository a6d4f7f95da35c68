package queue

import (
	"testing"
	"time"
)

// A lease that has ended, or that Redis may have lost, is no visit in progress.
func TestStatsCountNoGhosts(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		q := begun(t, url, func(o *Options) { o.TTL, o.Shards = 300*time.Millisecond, 1 })
		add(t, q, job("http://a.test/1", 1), job("http://a.test/2", 1), job("http://b.test/", 0.5))
		check := func(when string, queued, leased int64) {
			t.Helper()
			if s, err := q.Stats(t.Context()); err != nil || s.Queued != queued || s.Leased != leased || leased == 0 && s.OldestMS != 0 {
				t.Errorf("%s: %d queued, %d leased, the oldest for %d ms, %v; want %d, %d", when, s.Queued, s.Leased, s.OldestMS, err, queued, leased)
			}
			if all, err := q.Held(t.Context()); err != nil || int64(len(all)) != leased {
				t.Errorf("%s: %v are listed, %v; want %d", when, all, err, leased)
			}
		}
		lease(t, q)
		check("leased", 2, 1)
		time.Sleep(400 * time.Millisecond) // its worker crashes, and all others are busy
		check("its lease has ended", 3, 0)
		b := lease(t, q)
		check("collected", 2, 1)
		ok(t, q.rdb.HSet(t.Context(), q.keys[0][metaKey], "lost", 1).Err())
		check("lost", 2, 0)
		ok(t, q.rdb.HDel(t.Context(), q.keys[0][metaKey], "lost").Err())
		ok(t, q.Done(t.Context(), b, 0))
		check("settled", 2, 0)
	})
}
