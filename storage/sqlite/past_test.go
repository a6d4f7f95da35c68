package sqlite

import (
	"path/filepath"
	"testing"

	"plat/plat"
	"plat/storage"
	"plat/storage/storagetest"
)

// returning commits versions of a page: the content of its last block leaves with version 2 and returns with the last. before
// is called before that, and its Since is returned.
func returning(t *testing.T, versions int, before func(s *Store)) (since int32) {
	t.Helper()
	s := openAt(t, filepath.Join(t.TempDir(), "a.db"), Options{})
	p := storagetest.NewPage("https://a.test/", 3)
	first := p.Next()
	if _, err := s.Commit(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	last := len(first.Version.Blocks) - 1
	next := func(n int, content string) {
		t.Helper()
		c := *first
		v := *first.Version
		v.N, v.Taken, v.Blocks = n, first.Version.Taken.AddDate(0, 0, n), append([]plat.Block(nil), first.Version.Blocks...)
		if b := &v.Blocks[last]; content != "" {
			b.Content, b.Hash, b.Change = []byte(content), plat.HashOf([]byte(content)), plat.Content
		}
		v.Changes = map[plat.Kind]int{plat.Content: 1}
		c.Version = &v
		c.Visit = plat.Visit{URL: v.URL, Time: v.Taken, Outcome: plat.OutcomeChanged, Version: n}
		if _, err := s.Commit(t.Context(), &c); err != nil {
			t.Fatalf("version %d: %v", n, err)
		}
	}
	for n := 2; n < versions; n++ {
		next(n, []string{"<p>even</p>", "<p>odd</p>"}[n%2])
	}
	before(s)
	next(versions, "")
	u, err := s.numbers(t.Context(), "https://a.test/")
	if err != nil {
		t.Fatal(err)
	}
	tree, err := s.tree(t.Context(), s.read, u.id, u.URL, versions)
	if err != nil {
		t.Fatal(err)
	}
	return tree.Since[last]
}

func execute(t *testing.T, s *Store, statement string, args ...any) {
	t.Helper()
	if _, err := s.write.Exec(statement, args...); err != nil {
		t.Fatal(err)
	}
}

// A content that returns is as old as it was: also in an archive that an older plat has filled, after a Forget, and
// if the key of a different content is the same.
func TestContentsThatReturn(t *testing.T) {
	for _, tc := range []struct {
		name   string
		before func(s *Store)
		want   int32
	}{
		{"as always", func(*Store) {}, 1},
		{"of an older archive", func(s *Store) { execute(t, s, "DELETE FROM past"); execute(t, s, "UPDATE urls SET past = 0") }, 1},
		{"half known", func(s *Store) {
			execute(t, s, "DELETE FROM past WHERE since > 1")
			execute(t, s, "UPDATE urls SET past = 3")
		}, 1},
		{"with the key of another", func(s *Store) { execute(t, s, "UPDATE past SET since = 5") }, 1},
		{"that was forgotten", func(s *Store) {
			if _, err := s.Forget(t.Context(), "https://a.test/", storage.Cut{KeepLast: 3}, false); err != nil {
				t.Fatal(err)
			}
		}, 12},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if since := returning(t, 12, tc.before); since != tc.want {
				t.Errorf("it dates from version %d, want %d", since, tc.want)
			}
		})
	}
}

// A commit reads no version of long ago to date a content that returns: these cannot be read here.
func TestACommitReadsNoOldVersions(t *testing.T) {
	since := returning(t, 300, func(s *Store) {
		execute(t, s, "UPDATE versions SET data = x'00' WHERE n > 1 AND n < 200")
	})
	if since != 1 {
		t.Errorf("it dates from version %d, want 1", since)
	}
}
