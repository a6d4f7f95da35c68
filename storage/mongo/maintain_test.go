package mongo

import (
	"fmt"
	"os"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"plat/fixtures"
	"plat/storage"
	"plat/storage/storagetest"
)

// serverModes are the servers that a failover, or a restart, meets.
var serverModes = []struct {
	name, options string
	single        bool
	among         []failure
}{
	{"a replica set", "", false, []failure{refuses, cutAfter}},
	{"a replica set without retryable writes", "&retryWrites=false", false, []failure{refuses, applied, cutAfter}},
	{"a single server", "", true, []failure{cutBefore, cutAfter}},
}

// A failover meets any one write of the commands that clean up: they do not fail, and the archive is whole.
func TestFailoverWithinMaintenance(t *testing.T) {
	t.Parallel()
	kept := storage.Cut{KeepLast: 1}
	gc := func(s *Store, _ string) error { _, err := s.GC(t.Context(), time.Now().Add(time.Hour)); return err }
	forget := func(s *Store, url string) error { _, err := s.Forget(t.Context(), url, kept, false); return err }
	n := 0
	for name, c := range map[string]struct {
		do     func(s *Store, url string) error
		after  func(s *Store, url string) error // has been done before
		inline int                              // 0: the usual limit of data in a document
	}{
		"gc":                          {gc, forget, 0},
		"gc of large data":            {gc, forget, 400},
		"forget":                      {forget, nil, 0},
		"forget a part of large data": {forget, nil, 400},
		"forget the page": {func(s *Store, url string) error {
			_, err := s.Forget(t.Context(), url, storage.Cut{}, false)
			return err
		}, nil, 0},
		"reindex": {func(s *Store, _ string) error { return s.Reindex(t.Context(), nil) }, nil, 0},
	} {
		for _, mode := range serverModes {
			for _, how := range mode.among {
				n++
				step := int64(fixtures.OneIn(8))
				for k, met := 1+int64(n)%step, true; met; k += step {
					t.Run(fmt.Sprintf("%s, %s, %s at write %d", name, mode.name, how, k), func(t *testing.T) {
						rs := newReplicaSet(t)
						rs.election, rs.single = time.Millisecond, mode.single
						s := openAt(t, rs.uri(mode.options), Options{})
						if c.inline > 0 {
							s.inline = c.inline
						}
						p := storagetest.NewPage("https://a.test/", 3)
						for range 3 {
							if _, err := s.Commit(t.Context(), p.Next()); err != nil {
								t.Fatal(err)
							}
						}
						if c.after != nil {
							if err := c.after(s, p.URL); err != nil {
								t.Fatal(err)
							}
						}
						err := rs.failAt(k, how, &met, func() error { return c.do(s, p.URL) })
						if err != nil {
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
}

// failAt fails a write of what do does. met says whether there was one.
func (rs *replicaSet) failAt(k int64, how failure, met *bool, do func() error) error {
	var n atomic.Int64
	rs.mu.Lock()
	rs.fail = func(string, string) failure {
		if n.Add(1) == k {
			return how
		}
		return works
	}
	rs.mu.Unlock()
	defer func() {
		rs.mu.Lock()
		defer rs.mu.Unlock()
		*met, rs.fail = n.Load() >= k, nil
	}()
	return do()
}

// A failover meets any one write with which an archive is made: it is made whole.
func TestFailoverWithinOpen(t *testing.T) {
	t.Parallel()
	want, err := open(t, Options{}).db.ListCollectionNames(t.Context(), bson.D{})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(want)
	for i, mode := range serverModes {
		for _, how := range mode.among {
			step := int64(fixtures.OneIn(5))
			for k, met := 1+int64(i)%step, true; met; k += step {
				rs := newReplicaSet(t)
				rs.election, rs.single = time.Millisecond, mode.single
				var s *Store
				err := rs.failAt(k, how, &met, func() (err error) {
					s, err = Open(t.Context(), rs.uri(mode.options), Options{Database: fmt.Sprintf("plat_test_%d_%d", os.Getpid(), databases.Add(1))})
					return err
				})
				if err != nil {
					t.Errorf("%s, %s at write %d: %v", mode.name, how, k, err)
					continue
				}
				got, err := s.db.ListCollectionNames(t.Context(), bson.D{})
				if slices.Sort(got); err != nil || !slices.Equal(got, want) {
					t.Errorf("%s, %s at write %d: the collections are %q, %v, want %q", mode.name, how, k, got, err, want)
				}
				if _, n, err := s.readFormat(t.Context()); err != nil || n != format {
					t.Errorf("the format is %d, %v", n, err)
				}
				s.db.Drop(t.Context())
				s.Close()
			}
		}
	}
}
