package storagetest

import (
	"context"
	"testing"
	"time"

	"plat/plat"
	"plat/storage"
)

func testVerify(t *testing.T, open func(testing.TB) storage.Store, size int) {
	t.Run("progress reaches the end", func(t *testing.T) {
		s := open(t)
		history(t, s, "https://a.test/", 1, 20)
		calls, last := 0, int64(0)
		var of int64
		_, err := s.Verify(t.Context(), func(done, total int64) {
			if done < last || done > total {
				t.Errorf("progress %d of %d after %d", done, total, last)
			}
			calls, last, of = calls+1, done, total
		})
		if err != nil || calls == 0 || last != of {
			t.Errorf("Verify reported progress %d times, last %d of %d; %v", calls, last, of, err)
		}
	})

	t.Run("every method honours a cancelled context", func(t *testing.T) {
		s := open(t)
		c := history(t, s, "https://a.test/", 1, 2)[1]
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		failed := func(name string, err error) {
			if err == nil {
				t.Errorf("%s did not fail", name)
			}
		}
		_, err := s.State(ctx, "https://a.test/")
		failed("State", err)
		_, err = s.Version(ctx, "https://a.test/", 0)
		failed("Version", err)
		_, err = s.Contents(ctx, leafHashes(c.Version))
		failed("Contents", err)
		_, err = s.Verify(ctx, nil)
		failed("Verify", err)
		_, err = s.GC(ctx, time.Now())
		failed("GC", err)
		failed("Record", s.Record(ctx, plat.Visit{URL: "https://a.test/", Time: day}, 0))
		_, err = s.Enlist(ctx, []plat.Job{{URL: "https://a.test/", Due: day}}, storage.Join)
		failed("Enlist", err)
		failed("Defer", s.Defer(ctx, storage.Deferral{URL: "https://a.test/", Due: day}))
		_, err = s.Load(ctx, day, []storage.HostLimit{{Host: "a.test", Limit: 1}})
		failed("Load", err)
		_, err = s.Ready(ctx, storage.ReadyHost{}, 1)
		failed("Ready", err)
		failed("SetNote", s.SetNote(ctx, "name", "text"))
		_, err = s.ReplaceNote(ctx, "name", "", "text")
		failed("ReplaceNote", err)
		for _, err = range s.States(ctx, "", "") {
		}
		failed("States", err)
		for _, err = range s.Find(ctx, storage.BlockQuery{}) {
		}
		failed("Find", err)
	})
}
