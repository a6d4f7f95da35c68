package storage

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"plat/plat"
)

func TestBlocksAreFoundInAVersion(t *testing.T) {
	block := func(lineage int32, slot int32, text string) plat.Block {
		return plat.Block{Lineage: lineage, Slot: slot, Text: text, Hash: plat.HashOf([]byte(text))}
	}
	v := &plat.Version{URL: "https://a.test/", N: 3, Blocks: []plat.Block{block(1, -1, ""), block(2, 0, "a"), block(3, 0, "b"), block(2, 0, "a"), block(4, 0, "c")}}
	show := func(all []Found) string {
		var out []string
		for _, f := range all {
			out = append(out, fmt.Sprintf("%s@%d", f.Block.Text, f.N))
		}
		return strings.Join(out, " ")
	}
	since := []int32{1, 3, 2, 3, 3}
	if got := show((&BlockQuery{}).NewIn(v, since)); got != "a@3 c@3" {
		t.Errorf("new are %s", got)
	}
	taken := func(n int32) time.Time { return time.Unix(int64(n), 0) }
	all := (&BlockQuery{}).StandingIn(v, since, taken)
	if got := show(all); got != "a@3 a@3 c@3 b@2" || !all[3].Taken.Equal(taken(2)) {
		t.Errorf("there are %s", got)
	}
}

func TestAliasesLeadToTheirPage(t *testing.T) {
	now := time.Date(2026, 1, 31, 8, 0, 0, 1500, time.UTC)
	due := now.Add(-time.Hour)
	for name, tc := range map[string]struct {
		st      plat.URLState
		main    string
		changed bool
		settled time.Time
	}{
		"a page": {plat.URLState{URL: "a", Head: 1}, "b", false, time.Time{}}, "itself": {plat.URLState{URL: "a"}, "a", false, time.Time{}}, "a new URL": {plat.URLState{URL: "a"}, "b", true, now.Truncate(time.Millisecond)}, "a due seed": {plat.URLState{URL: "a", Due: due}, "b", false, time.Time{}}, "a settled seed": {plat.URLState{URL: "a", Settled: due}, "b", false, due}, "no more an alias": {plat.URLState{URL: "a", Main: "b", Settled: due}, "", true, due}, "no alias": {plat.URLState{URL: "a"}, "", false, time.Time{}}, "another page": {plat.URLState{URL: "a", Main: "c", Settled: due}, "b", true, due},
	} {
		st := tc.st
		if got := Alias(&st, tc.main, now); got != tc.changed || !st.Settled.Equal(tc.settled) || tc.changed && st.Main != tc.main {
			t.Errorf("%s: %v, %+v", name, got, st)
		}
	}
	st := plat.URLState{URL: "a", Due: due, NotBefore: due, Attempts: 2, Throttled: 3}
	st.Depth = 1
	if !Alias(&st, "b", now) || !st.Settled.Equal(due) || !st.Due.IsZero() || !st.NotBefore.IsZero() || st.Attempts != 0 || st.Throttled != 0 {
		t.Errorf("a link that was due: %+v", st)
	}
	chain := func(n int) func(context.Context, string) (plat.URLState, error) {
		return func(_ context.Context, url string) (plat.URLState, error) {
			if len(url) == n {
				return plat.URLState{URL: url}, nil
			}
			return plat.URLState{URL: url, Main: url + "x"}, nil
		}
	}
	for n, want := range map[int]string{1: "x", 16: strings.Repeat("x", 16)} {
		if st, err := MainOf(t.Context(), chain(n), "x"); err != nil || st.URL != want || st.Main != "" {
			t.Errorf("a chain of %d: %+v, %v", n, st, err)
		}
	}
	if st, err := MainOf(t.Context(), chain(17), "x"); err != nil || st.Main == "" {
		t.Errorf("a longer chain ends: %+v, %v", st, err)
	}
	broken := errors.New("broken")
	if _, err := MainOf(t.Context(), func(context.Context, string) (plat.URLState, error) { return plat.URLState{}, broken }, "x"); !errors.Is(err, broken) {
		t.Errorf("the error is %v", err)
	}
	visited := func(_ context.Context, url string) (plat.URLState, error) {
		return plat.URLState{URL: url, Head: 2, Main: "other"}, nil
	}
	if st, err := MainOf(t.Context(), visited, "x"); err != nil || st.URL != "x" {
		t.Errorf("a page of its own: %+v, %v", st, err)
	}
	for limit, want := range map[int][]string{9: {"b", "c", "d", "e"}, 3: {"b", "c", "d"}, 1: {"b"}, 0: nil} {
		if got, err := Others(t.Context(), aliases{of: map[string][]string{"a": {"c", "b"}, "b": {"d", "a"}, "c": {"b"}, "d": {"e"}}}, "a", limit); err != nil || !slices.Equal(got, want) && limit > 1 || len(got) != len(want) {
			t.Errorf("at most %d: %q, %v", limit, got, err)
		}
	}
}

// aliases are those of pages.
type aliases struct {
	Addresses // for its other methods
	of        map[string][]string
}

func (a aliases) Others(_ context.Context, main string, limit int) ([]string, error) {
	return a.of[main][:min(limit, len(a.of[main]))], nil
}
