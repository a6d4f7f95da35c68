package storagetest

import (
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"plat/plat"
	"plat/storage"
)

// formatsDir has files of older formats; tests run two folders below the root.
const formatsDir = "../../fixtures/formats"

// OldSQLite returns the path of a copy of an archive that an older plat wrote in SQLite.
func OldSQLite(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "old.db")
	if err := os.WriteFile(path, unzipped(t, "archive.db.gz"), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// OldMongo returns the documents of an archive that an older plat wrote in MongoDB: an object of JSON with an array of
// extended JSON for each collection.
func OldMongo(t *testing.T) []byte { return unzipped(t, "mongo.json.gz") }

func unzipped(t *testing.T, name string) []byte {
	t.Helper()
	f, err := os.Open(filepath.Join(formatsDir, name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// sameLabels checks that blocks from formats without roles have their labels, and the roles and
// kinds of content that these imply.
func sameLabels(t *testing.T, s storage.Store, url string, head int) {
	t.Helper()
	for n := range head {
		v, err := s.Version(t.Context(), url, n+1)
		if err != nil {
			t.Fatal(err)
		}
		labelled := 0
		for i := range v.Blocks {
			b := &v.Blocks[i]
			if b.Label != "" {
				labelled++
			}
			if role, holds := b.Implied(); b.Role != role || b.Holds != holds {
				t.Errorf("version %d of %s: block %d, labelled %q, is %q holding %q, want %q holding %q", n+1, url, i, b.Label, b.Role, b.Holds, role, holds)
			}
		}
		if labelled == 0 {
			t.Errorf("version %d of %s has no labels", n+1, url)
		}
	}
}

// TestOldFormat checks an archive of [OldSQLite] or [OldMongo]: that all
// data is read unchanged, and that new versions can be added. restore returns a version's whole
// page.
func TestOldFormat(t *testing.T, s storage.Store, restore func(url string, n int) ([]byte, error)) {
	text, err := os.ReadFile(filepath.Join(formatsDir, "want.json"))
	if err != nil {
		t.Fatal(err)
	}
	var want struct {
		Pages  map[string]string
		States []struct {
			URL          string
			Due, Settled time.Time
			Priority     float32
			Depth        int
			Scope, Every string
			Visits, Head int
		}
	}
	if err := json.Unmarshal(text, &want); err != nil {
		t.Fatal(err)
	}
	same := func(when string) {
		t.Helper()
		got := states(t, s)
		if len(got) != len(want.States) {
			t.Fatalf("%s: %d URLs, want %d", when, len(got), len(want.States))
		}
		for i, x := range want.States {
			every, err := time.ParseDuration(x.Every)
			if err != nil {
				t.Fatal(err)
			}
			plan := plat.Plan{Depth: x.Depth, Scope: x.Scope, Schedule: plat.Schedule{Every: every}}
			if g := got[i]; g.URL != x.URL || !g.Due.Equal(x.Due) || !g.Settled.Equal(x.Settled) || g.Priority != x.Priority || g.Plan != plan || g.Visits != x.Visits || g.Head != x.Head {
				t.Errorf("%s: %+v, want %+v", when, g, x)
			}
			if one, err := s.State(t.Context(), x.URL); err != nil || one.Plan != plan {
				t.Errorf("%s: State of %s has the plan %+v, %v; want %+v", when, x.URL, one.Plan, err, plan)
			}
			sameLabels(t, s, x.URL, x.Head)
			for n := range x.Head {
				page, err := restore(x.URL, n+1)
				if key := x.URL + " " + string(rune('1'+n)); err != nil || plat.HashOf(page).String() != want.Pages[key] {
					t.Errorf("%s: version %s is %v, %v; want %s", when, key, plat.HashOf(page), err, want.Pages[key])
				}
			}
		}
		clean(t, s)
	}
	same("before any write")
	for _, x := range want.States { // merging known jobs changes nothing
		if !x.Due.IsZero() {
			enlist(t, s, plat.Job{URL: x.URL, Due: x.Due, Plan: plat.Plan{Depth: x.Depth}})
		}
	}
	same("after merging known jobs")

	first := want.States[len(want.States)-1] // a URL that is due and has versions
	for _, x := range want.States {
		if !x.Due.IsZero() && x.Head > 0 {
			first = x
		}
	}
	before, err := s.State(t.Context(), first.URL)
	if err != nil {
		t.Fatal(err)
	}
	c := NewPage(first.URL, 1).Next()
	c.Version.N, c.Visit.Version = first.Head+1, first.Head+1
	c.Version.Taken, c.Visit.Time = c.Version.Taken.Add(1000*time.Hour), c.Version.Taken.Add(1000*time.Hour)
	c.Visit.Settles, c.Visit.Next = before.Due, before.Due.Add(time.Hour)
	commit(t, s, c)
	enlist(t, s, plat.Job{URL: first.URL, Due: before.Due, Priority: 1, Plan: plat.Plan{Depth: 3}})
	after, err := s.State(t.Context(), first.URL)
	if err != nil || after.Head != first.Head+1 || !after.Settled.Equal(before.Due) || !after.Due.Equal(c.Visit.Next) || after.Priority != 1 || after.Plan != before.Plan {
		t.Errorf("after another visit: %+v, %v; before %+v", after, err, before)
	}
	clean(t, s)
}
