package storage_test

import (
	"fmt"
	"testing"
	"time"

	"plat/plat"
	"plat/storage"
)

// page returns a version whose leaves have the given contents, in lineages 1, 2, …;
// "" omits a lineage.
func page(n int, contents ...string) *plat.Version {
	v := &plat.Version{URL: "http://a.test/", N: n, Taken: time.Unix(int64(n), 0).UTC(), Blocks: []plat.Block{{Parent: -1, Slot: -1}}}
	for i, c := range contents {
		if c != "" {
			v.Blocks = append(v.Blocks, plat.Block{Slot: 0, Pos: int32(i), Lineage: int32(i + 1), Hash: plat.HashOf([]byte(c))})
		}
	}
	return v
}

func ExampleSpans() {
	s := storage.NewSpans("http://a.test/", nil)
	for n, contents := range [][]string{{"a", "b"}, {"a", "c"}, {"a", "b"}} {
		opened, closed := s.Add(page(n+1, contents...))
		for _, sp := range opened {
			fmt.Printf("version %d: lineage %d has new content\n", sp.First, sp.Lineage)
		}
		for _, sp := range closed {
			fmt.Printf("version %d: content of version %d to %d is gone\n", sp.Gone, sp.First, sp.Last)
		}
	}
	// Output:
	// version 1: lineage 1 has new content
	// version 1: lineage 2 has new content
	// version 2: lineage 2 has new content
	// version 2: content of version 1 to 1 is gone
	// version 3: lineage 2 has new content
	// version 3: content of version 2 to 2 is gone
}

func TestSpansCanBeContinued(t *testing.T) {
	versions := [][]string{{"a", "b", ""}, {"a", "c", "d"}, {"x", "c", "d"}, {"a", "", "d"}, {"a", "c", "e"}}
	tell := func(opened, closed []*storage.Span) (all map[string]bool) {
		all = map[string]bool{}
		for _, sp := range opened {
			all[fmt.Sprint("+", sp.Lineage, sp.Hash, sp.First)] = true
		}
		for _, sp := range closed {
			all[fmt.Sprint("-", sp.Lineage, sp.Hash, sp.First, sp.Last, sp.Gone, sp.Until)] = true
		}
		return all
	}
	whole := storage.NewSpans("http://a.test/", nil)
	resumed := whole
	for i, contents := range versions {
		v := page(i+1, contents...)
		want := tell(whole.Add(v))
		if i > 0 {
			if got := tell(resumed.Add(v)); fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("version %d: continued %v, in one pass %v", v.N, got, want)
			}
		}
		var open []*storage.Span
		for _, sp := range whole.Open() {
			c := *sp
			open = append(open, &c)
		}
		resumed = storage.NewSpans("http://a.test/", open)
	}
}
