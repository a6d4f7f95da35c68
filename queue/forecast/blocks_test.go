package forecast

import (
	"context"
	"errors"
	"iter"
	"strings"
	"testing"
	"time"

	"plat/plat"
)

// cabinet is an archive of visits and versions.
type cabinet struct {
	states []plat.URLState
	visits map[string][]plat.Visit // latest first
	trees  []*plat.Version
	read   int // visits
	err    error
}

func (s *cabinet) States(_ context.Context, prefix, _ string) iter.Seq2[plat.URLState, error] {
	return func(yield func(plat.URLState, error) bool) {
		for _, st := range s.states {
			if strings.HasPrefix(st.URL, prefix) && !yield(st, nil) {
				return
			}
		}
	}
}

func (s *cabinet) Visits(_ context.Context, url string, _ int) iter.Seq2[plat.Visit, error] {
	return func(yield func(plat.Visit, error) bool) {
		for _, v := range s.visits[url] {
			if s.read++; !yield(v, s.err) {
				return
			}
		}
	}
}

func (s *cabinet) Trees(_ context.Context, _ string, from, to int) iter.Seq2[*plat.Version, error] {
	return func(yield func(*plat.Version, error) bool) {
		for _, v := range s.trees {
			if v.N >= from && v.N <= to && !yield(v, s.err) {
				return
			}
		}
	}
}

var midday = time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)

// daily are visits one day apart, the last one at midday, given latest first.
func daily(outcomes ...plat.Outcome) (all []plat.Visit) {
	for i, o := range outcomes {
		all = append(all, plat.Visit{Time: midday.AddDate(0, 0, -i), Outcome: o})
	}
	return all
}

func TestSpentOn(t *testing.T) {
	s := &cabinet{visits: map[string][]plat.Visit{
		"http://a.test/":   daily(plat.OutcomeUnchanged, plat.OutcomeChanged, plat.OutcomeTimeout, plat.OutcomeNew),
		"https://a.test/x": daily(plat.OutcomeGone, plat.OutcomeNew),
	}}
	s.states = append(s.states, []plat.URLState{
		{URL: "http://a.test/", Visits: 4, Last: midday},
		{URL: "http://a.test/old", Visits: 9, Last: midday.AddDate(0, 0, -3)},
		{URL: "http://a.test/sitemap.xml", Visits: 9, Last: midday, Plan: plat.Plan{Kind: plat.FetchJob}},
		{URL: "http://a.test/waits"},
		{URL: "http://a.test.evil/", Visits: 1, Last: midday},
		{URL: "https://a.test/x", Visits: 2, Last: midday},
	}...)
	got, err := SpentOn(t.Context(), s, "a.test", midday.AddDate(0, 0, -2), 10)
	want := Spent{URLs: 2, Counts: Counts{Visits: 5, First: 1, News: 2, Nothing: 1, Failed: 1}}
	if err != nil || got != want {
		t.Errorf("%+v, %v; want %+v", got, err, want)
	}
	want = Spent{URLs: 1, Counts: Counts{Visits: 3, News: 1, Nothing: 1, Failed: 1}, Partial: true}
	if got, err := SpentOn(t.Context(), s, "a.test", midday.AddDate(0, 0, -2), 1); err != nil || got != want {
		t.Errorf("at most one URL: %+v, %v; want %+v", got, err, want)
	}
	s.err = errors.New("away")
	if _, err := SpentOn(t.Context(), s, "a.test", midday, 10); !errors.Is(err, s.err) {
		t.Error(err)
	}
}

func TestBlocks(t *testing.T) {
	s := &cabinet{trees: []*plat.Version{
		version(1, 1, 1, 1, 0, 1),
		version(2, 1, 2, 2, 1, 2),
		version(3, 2, 3, 0, 2, 1),
		version(4, 2, 4, 3, 2, 2),
		version(5, 2, 5, 3, 2, 1),
	}}
	for _, v := range s.trees[1:] {
		v.SelfChanges = []plat.SelfChange{{Lineage: 5, Kind: plat.Content, Why: "variant"}}
	}
	got, err := Blocks(t.Context(), s, "u", 5, 10)
	if err != nil || len(got) != 3 {
		t.Fatalf("%+v, %v", got, err)
	}
	// B changes daily, D has done so once since it came, and A once. C has not changed since it
	// came back, and E has self-changes only.
	for i, want := range []Block{
		{Lineage: 2, Topic: "B", Changed: 4, Of: 4, Every: 1},
		{Lineage: 4, Topic: "D", Changed: 1, Of: 3, Every: 3},
		{Lineage: 1, Topic: "A", Changed: 1, Of: 4, Every: 4},
	} {
		if got[i] != want {
			t.Errorf("%+v, want %+v", got[i], want)
		}
	}
	if got[1].Share() != 33 {
		t.Errorf("%d %%", got[1].Share())
	}
	if got, err := Blocks(t.Context(), s, "u", 5, 1); err != nil || len(got) != 1 || got[0].Lineage != 2 {
		t.Errorf("at most one: %+v, %v", got, err)
	}
	if got, err := Blocks(t.Context(), s, "u", 1, 10); err != nil || len(got) != 0 {
		t.Errorf("of one version: %+v, %v", got, err)
	}
	s.err = errors.New("away")
	if _, err := Blocks(t.Context(), s, "u", 5, 10); !errors.Is(err, s.err) {
		t.Error(err)
	}
}

func TestBlocksOfALongHistory(t *testing.T) {
	s := &cabinet{}
	for n := range 3 * MaxVersions {
		s.trees = append(s.trees, version(n+1, byte(n)|1))
	}
	got, err := Blocks(t.Context(), s, "u", len(s.trees), 10)
	if err != nil || len(got) != 1 || got[0].Of != MaxVersions || got[0].Changed != MaxVersions/2 {
		t.Errorf("%+v, %v", got, err)
	}
}

// version has leaves of lineages 1, 2, …, with a content each; 0: no such leaf.
func version(n int, contents ...byte) *plat.Version {
	v := &plat.Version{N: n, Taken: midday.AddDate(0, 0, n)}
	v.Blocks = append(v.Blocks, plat.Block{Parent: -1, Slot: -1})
	for i, c := range contents {
		if c != 0 {
			v.Blocks = append(v.Blocks, plat.Block{Lineage: int32(i + 1), Hash: plat.Hash{c}, Topic: string(rune('A' + i))})
		}
	}
	return v
}
