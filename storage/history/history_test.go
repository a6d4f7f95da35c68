package history_test

import (
	"bytes"
	"testing"
	"time"

	"plat/plat"
	"plat/storage/history"
	"plat/storage/sqlite"
	"plat/storage/sqlite/sqlitetest"
	"plat/storage/storagetest"
)

// kept returns an archive of one synthetic page with n versions.
func kept(t *testing.T, n int) (*sqlite.Store, string, []*plat.Version) {
	t.Helper()
	store := sqlitetest.Open(t)
	const u = "http://a.test/"
	p := storagetest.NewPage(u, 7)
	var all []*plat.Version
	for range n {
		c := p.Next()
		if _, err := store.Commit(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		all = append(all, c.Version)
	}
	return store, u, all
}

func TestSinceWhenABlockVaries(t *testing.T) {
	store := sqlitetest.Open(t)
	p := storagetest.NewPage("http://a.test/", 7)
	for n := 1; n <= 6; n++ {
		c := p.Next()
		c.Version.SelfChanges = nil
		if n != 1 && n != 4 {
			c.Version.SelfChanges = []plat.SelfChange{{Lineage: 2, Kind: plat.Content, Why: "learned"}}
		}
		if _, err := store.Commit(t.Context(), c); err != nil {
			t.Fatal(err)
		}
	}
	for n, want := range map[int]string{
		3: "it has varied there before (in 2 versions since version 2)",
		2: "it has varied there before",
		6: "it has varied there before (in 4 versions since version 2)",
		4: "",
	} {
		c, err := history.Explained(t.Context(), store, "http://a.test/", n-1, n)
		if err != nil {
			t.Fatal(err)
		}
		if got := c.Why(&plat.Change{Lineage: 2}); got != want {
			t.Errorf("version %d: %q, want %q", n, got, want)
		}
	}
}

// A self-change in a single version is not a habit.
func TestOnceIsNoHabit(t *testing.T) {
	store := sqlitetest.Open(t)
	p := storagetest.NewPage("http://a.test/", 7)
	for n := 1; n <= 4; n++ {
		c := p.Next()
		c.Version.SelfChanges = nil
		for l := int32(1); n > 1 && l <= c.Version.Lineages; l++ {
			c.Version.SelfChanges = append(c.Version.SelfChanges, plat.SelfChange{Lineage: l, Kind: plat.Content, Why: "two-look"})
		}
		if _, err := store.Commit(t.Context(), c); err != nil {
			t.Fatal(err)
		}
	}
	for n := 2; n <= 4; n++ {
		c, err := history.Explained(t.Context(), store, "http://a.test/", n-1, n)
		if err != nil {
			t.Fatal(err)
		}
		said := 0
		for _, ch := range c.Info().Changes {
			if ch.SelfChange == "" {
				t.Errorf("version %d: a change of block #%d is news", n, ch.Lineage)
			}
			if h := ch.Varied; h != nil {
				if said++; h.Times < 2 || h.Since+h.Times != n+1 {
					t.Errorf("version %d: block #%d has varied %d times since version %d", n, ch.Lineage, h.Times, h.Since)
				}
			}
		}
		if said > 0 != (n > 2) {
			t.Errorf("version %d: %d of %d blocks are said to vary", n, said, len(c.Info().Changes))
		}
	}
}

func TestSpansMatchTheVersions(t *testing.T) {
	store, u, versions := kept(t, 30)
	spans, err := history.Spans(t.Context(), store, u, 0)
	if err != nil {
		t.Fatal(err)
	}
	type key struct {
		lineage int32
		hash    plat.Hash
	}
	has := func(n int, k key) bool {
		for i := range versions[n-1].Blocks {
			if b := &versions[n-1].Blocks[i]; b.Leaf() && b.Lineage == k.lineage && b.Hash == k.hash {
				return true
			}
		}
		return false
	}
	covered := map[int]map[key]bool{}
	for _, sp := range spans {
		k := key{sp.Lineage, sp.Hash}
		for n := sp.First; n <= sp.Last; n++ {
			if !has(n, k) {
				t.Errorf("the span of lineage %d includes version %d, which does not have it", sp.Lineage, n)
			}
			if covered[n] == nil {
				covered[n] = map[key]bool{}
			}
			covered[n][k] = true
		}
		if sp.First > 1 && has(sp.First-1, k) {
			t.Errorf("lineage %d existed before version %d", sp.Lineage, sp.First)
		}
		if (sp.Gone == 0) != (sp.Last == len(versions)) || sp.Gone > 0 && sp.Gone != sp.Last+1 {
			t.Errorf("lineage %d: last %d, gone %d of %d", sp.Lineage, sp.Last, sp.Gone, len(versions))
		}
	}
	for n := 1; n <= len(versions); n++ {
		for i := range versions[n-1].Blocks {
			b := &versions[n-1].Blocks[i]
			if b.Leaf() && !covered[n][key{b.Lineage, b.Hash}] {
				t.Errorf("lineage %d of version %d is in no span", b.Lineage, n)
			}
		}
	}
	one, err := history.Spans(t.Context(), store, u, spans[0].Lineage)
	if err != nil || len(one) == 0 {
		t.Fatal(one, err)
	}
	for _, sp := range one {
		if sp.Lineage != spans[0].Lineage {
			t.Errorf("asked for lineage %d, got %d", spans[0].Lineage, sp.Lineage)
		}
	}
}

func TestSeenIsTheLastVisitThatFoundAVersion(t *testing.T) {
	store, u, versions := kept(t, 3)
	later := versions[1].Taken.Add(time.Hour)
	for _, at := range []time.Time{later.Add(-time.Minute), later} {
		if err := store.Record(t.Context(), plat.Visit{URL: u, Time: at, Outcome: plat.OutcomeUnchanged, Version: 2}, 1); err != nil {
			t.Fatal(err)
		}
	}
	// An unsuccessful visit has not seen the version.
	if err := store.Record(t.Context(), plat.Visit{URL: u, Time: later.Add(time.Hour), Outcome: plat.OutcomeTimeout}, 0); err != nil {
		t.Fatal(err)
	}
	seen, err := history.Seen(t.Context(), store, u)
	if err != nil {
		t.Fatal(err)
	}
	if len(seen) != 3 || !seen[1].Equal(later) || seen[0].Before(versions[0].Taken) || !seen[0].Before(versions[1].Taken) {
		t.Errorf("Seen = %v, want version 2 at %v", seen, later)
	}
}

func TestBetweenUsesTheStoredLineages(t *testing.T) {
	store, u, versions := kept(t, 12)
	changes := 0
	for n := 2; n <= len(versions); n++ {
		c, err := history.Between(t.Context(), store, u, n-1, n)
		if err != nil {
			t.Fatal(err)
		}
		for _, ch := range c.Info().Changes {
			changes++
			if ch.New >= 0 && versions[n-1].Blocks[ch.New].Lineage != ch.Lineage {
				t.Errorf("version %d: the change of block %d has lineage %d, want %d", n, ch.New, ch.Lineage, versions[n-1].Blocks[ch.New].Lineage)
			}
			if ch.Kind == plat.Added && (len(ch.Words) != 1 || ch.Words[0].Op != "insert") {
				t.Errorf("version %d: an added block has the word diff %v", n, ch.Words)
			}
		}
	}
	if changes == 0 {
		t.Error("nothing changed: the test is void")
	}
}

func TestRestore(t *testing.T) {
	store, u, versions := kept(t, 5)
	for _, v := range versions {
		page, err := history.Restore(t.Context(), store, u, v.N)
		if err != nil {
			t.Fatal(err)
		}
		for i := range v.Blocks {
			if b := &v.Blocks[i]; b.Leaf() && !bytes.Contains(page, b.Content) {
				t.Errorf("block %d is not in version %d", i, v.N)
			}
		}
	}
}
