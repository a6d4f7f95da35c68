package mongo

import (
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"plat/fixtures"
	"plat/storage"
	"plat/storage/storagetest"
)

// A failover meets any one write of the commands that clean up: they do not fail, and the archive is whole.
func TestFailoverWithinMaintenance(t *testing.T) {
	t.Parallel()
	kept := storage.Cut{KeepLast: 1}
	for name, do := range map[string]func(s *Store, url string) error{
		"gc":     func(s *Store, url string) error { _, err := s.GC(t.Context(), time.Now().Add(time.Hour)); return err },
		"forget": func(s *Store, url string) error { _, err := s.Forget(t.Context(), url, kept, false); return err },
		"forget the page": func(s *Store, url string) error {
			_, err := s.Forget(t.Context(), url, storage.Cut{}, false)
			return err
		},
		"reindex": func(s *Store, _ string) error { return s.Reindex(t.Context(), nil) },
	} {
		for i, how := range []failure{refuses, cutAfter} {
			for k, met := int64(1+2*i%fixtures.OneIn(4)), true; met; k += int64(fixtures.OneIn(4)) {
				t.Run(fmt.Sprintf("%s, %s at write %d", name, how, k), func(t *testing.T) {
					rs := newReplicaSet(t)
					rs.election = time.Millisecond
					s := openAt(t, rs.uri(""), Options{})
					p := storagetest.NewPage("https://a.test/", 3)
					for range 3 {
						if _, err := s.Commit(t.Context(), p.Next()); err != nil {
							t.Fatal(err)
						}
					}
					if name == "gc" {
						if _, err := s.Forget(t.Context(), p.URL, kept, false); err != nil {
							t.Fatal(err)
						}
					}
					var n atomic.Int64
					var armed atomic.Bool
					rs.fail = func(string, string) failure {
						if armed.Load() && n.Add(1) == k {
							return how
						}
						return works
					}
					armed.Store(true)
					err := do(s, p.URL)
					armed.Store(false)
					if met = n.Load() >= k; err != nil {
						t.Error(err)
					}
					if r, err := s.Verify(t.Context(), nil); err != nil || r.BrokenTotal > 0 {
						t.Errorf("Verify = %+v, %v", r, err)
					}
				})
			}
		}
	}
}
