package storagetest

import (
	"fmt"
	"maps"
	"sync"
	"sync/atomic"
	"testing"

	"plat/storage"
)

func testNotes(t *testing.T, open func(testing.TB) storage.Store) {
	t.Run("notes", func(t *testing.T) {
		s := open(t)
		for _, n := range [][2]string{{"a/1", "x"}, {"a/2", "y 新"}, {"b", "z"}, {"a/1", "x2"}, {"b", ""}, {"c", ""}, {"a%", "p"}} {
			if err := s.SetNote(t.Context(), n[0], n[1]); err != nil {
				t.Fatal(err)
			}
		}
		for prefix, want := range map[string]map[string]string{"a/": {"a/1": "x2", "a/2": "y 新"}, "": {"a/1": "x2", "a/2": "y 新", "a%": "p"}, "a%": {"a%": "p"}, "b": {}} {
			if got, err := s.Notes(t.Context(), prefix); err != nil || !maps.Equal(got, want) {
				t.Errorf("Notes(%q) = %v, %v; want %v", prefix, got, err, want)
			}
		}
	})
	t.Run("of many that replace a note, one does", func(t *testing.T) {
		s := open(t)
		for _, old := range []string{"", "0 新"} {
			var done atomic.Int64
			var all sync.WaitGroup
			for i := range 8 {
				all.Go(func() {
					replaced, err := s.ReplaceNote(t.Context(), "a", old, fmt.Sprintf("%d 新", (i+1)*len(old)))
					if err != nil {
						t.Error(err)
					}
					if replaced {
						done.Add(1)
					}
				})
			}
			all.Wait()
			if done.Load() != 1 {
				t.Errorf("%d replaced %q", done.Load(), old)
			}
			if replaced, err := s.ReplaceNote(t.Context(), "a", "x", "y"); err != nil || replaced {
				t.Errorf("a note with another text was replaced: %t, %v", replaced, err)
			}
		}
	})
}
