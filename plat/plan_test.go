package plat_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"plat/plat"
)

func TestPlanEncoding(t *testing.T) {
	full := plat.Plan{Kind: plat.FetchJob, Depth: 3, Scope: `host depth=4 exclude=<\.zip>$ 新闻`,
		Schedule: plat.Schedule{Policy: "fixed", Every: 36*time.Hour + 1500*time.Millisecond, Jitter: 0.25}}
	for _, tc := range []struct {
		plan plat.Plan
		text string
	}{
		{plat.Plan{}, ""},
		{plat.Plan{Depth: 2}, `{"v":1,"depth":2}`},
		{plat.Plan{Scope: "host"}, `{"v":1,"scope":"host"}`},
		{plat.Plan{Schedule: plat.Schedule{Every: 24 * time.Hour}}, `{"v":1,"schedule":{"every":"24h0m0s"}}`},
		{plat.Plan{Focus: "abc\nd-4_E"}, `{"v":1,"focus":"abc\nd-4_E"}`},
		{plat.Plan{Schedule: plat.Schedule{Every: time.Hour}, Watched: true, Crawled: plat.Schedule{Budget: "5/day"}}, `{"v":1,"schedule":{"every":"1h0m0s"},"watched":true,"crawled":{"budget":"5/day"}}`},
		{full, `{"v":1,"kind":"fetch","depth":3,"scope":"host depth=4 exclude=\u003c\\.zip\u003e$ 新闻","schedule":{"policy":"fixed","jitter":0.25,"every":"36h0m1.5s"}}`},
	} {
		if got := tc.plan.Encode(); got != tc.text {
			t.Errorf("Encode(%+v) = %s, want %s", tc.plan, got, tc.text)
		}
		if got, err := plat.DecodePlan(tc.text); err != nil || got != tc.plan {
			t.Errorf("DecodePlan(%s) = %+v, %v", tc.text, got, err)
		}
	}
	for text, want := range map[string]error{
		`{"v":2,"depth":1}`:                         plat.ErrNewer,
		`{"depth":1}`:                               plat.ErrCorrupt,
		`{"v":1,"depth":"two"}`:                     plat.ErrCorrupt,
		`{"v":1`:                                    plat.ErrCorrupt,
		`host depth=2`:                              plat.ErrCorrupt,
		`{"v":1,"schedule":{"every":"soon"}}`:       plat.ErrCorrupt,
		`{"v":1,"schedule":{"every":"-1h"}}`:        plat.ErrCorrupt,
		`{"v":1,"schedule":{"every":3600000000}}`:   plat.ErrCorrupt,
		`{"v":1,"depth":1,"of a later plat":[1,2]}`: nil,
	} {
		if _, err := plat.DecodePlan(text); !errors.Is(err, want) {
			t.Errorf("DecodePlan(%s): error = %v, want %v", text, err, want)
		}
	}
}

func TestPlanMerge(t *testing.T) {
	daily := plat.Schedule{Every: 24 * time.Hour, Jitter: 0.1}
	hourly := plat.Schedule{Policy: "fixed", Every: time.Hour}
	for _, tc := range []struct {
		name        string
		known, more plat.Plan
		want        plat.Plan
	}{
		{"the smaller depth wins", plat.Plan{Depth: 3}, plat.Plan{Depth: 1}, plat.Plan{Depth: 1}},
		{"the first scope wins", plat.Plan{Scope: "host"}, plat.Plan{Scope: "any"}, plat.Plan{Scope: "host"}},
		{"an empty scope is filled", plat.Plan{}, plat.Plan{Scope: "any"}, plat.Plan{Scope: "any"}},
		{"the first schedule wins as a whole", plat.Plan{Schedule: hourly}, plat.Plan{Schedule: daily}, plat.Plan{Schedule: hourly}},
		{"an empty schedule is filled", plat.Plan{}, plat.Plan{Schedule: daily}, plat.Plan{Schedule: daily}},
		{"a watched page is found by a crawl", plat.Plan{Schedule: hourly, Watched: true}, plat.Plan{Schedule: daily}, plat.Plan{Schedule: hourly, Watched: true, Crawled: daily}},
		{"a watched page of a crawl is found by another", plat.Plan{Schedule: hourly, Watched: true, Crawled: daily}, plat.Plan{Schedule: hourly}, plat.Plan{Schedule: hourly, Watched: true, Crawled: daily}},
		{"a fetch becomes a render", plat.Plan{Kind: plat.FetchJob}, plat.Plan{}, plat.Plan{}},
		{"a render stays a render", plat.Plan{}, plat.Plan{Kind: plat.FetchJob}, plat.Plan{}},
		{"focused crawls are filled", plat.Plan{}, plat.Plan{Focus: "a\nb"}, plat.Plan{Focus: "a\nb"}},
		{"focused crawls stay", plat.Plan{Focus: "a\nb"}, plat.Plan{}, plat.Plan{Focus: "a\nb"}},
		{"focused crawls are joined, each once", plat.Plan{Focus: "bc\na"}, plat.Plan{Focus: "a\nb\nbc\nc"}, plat.Plan{Focus: "bc\na\nb\nc"}},
		{"of more than 16 focused crawls the oldest go", plat.Plan{Focus: crawls(1, 15)}, plat.Plan{Focus: crawls(10, 20)}, plat.Plan{Focus: crawls(5, 20)}},
	} {
		got := tc.known
		got.Merge(tc.more)
		if got != tc.want {
			t.Errorf("%s: %+v, want %+v", tc.name, got, tc.want)
		}
		if got.Merge(tc.more); got != tc.want {
			t.Errorf("%s: merging twice gives %+v", tc.name, got)
		}
	}
}

// The schedule of a subscription is not passed on to linked pages, and the one before it is restored.
func TestPlansOfWatchedPages(t *testing.T) {
	daily, hourly, often := plat.Schedule{Every: 24 * time.Hour}, plat.Schedule{Every: time.Hour}, plat.Schedule{Every: time.Minute}
	p := plat.Plan{Schedule: daily}
	for _, step := range []struct {
		schedule          plat.Schedule
		watched           bool
		crawled, inherits plat.Schedule
	}{{hourly, true, daily, daily}, {often, true, daily, daily}, {daily, false, plat.Schedule{}, daily}, {plat.Schedule{}, false, plat.Schedule{}, plat.Schedule{}}, {hourly, true, plat.Schedule{}, plat.Schedule{}}} {
		p.Choose(step.schedule, step.watched)
		if p.Schedule != step.schedule || p.Watched != step.watched || p.Crawled != step.crawled || p.Inherited() != step.inherits {
			t.Errorf("%+v: %+v, which passes on %+v", step, p, p.Inherited())
		}
	}
}

func TestPlanCheck(t *testing.T) {
	for _, p := range []plat.Plan{
		{Kind: "look"},
		{Depth: -1},
		{Schedule: plat.Schedule{Every: -time.Hour}},
		{Schedule: plat.Schedule{Every: time.Hour, Jitter: 1.5}},
		{Schedule: plat.Schedule{Every: time.Hour, Jitter: -0.5}},
		{Schedule: plat.Schedule{Jitter: 0.5}},
		{Signal: plat.Signal{Priority: math.NaN()}},
		{Signal: plat.Signal{Priority: 1.5}},
		{Focus: "a b"},
		{Focus: "a\n"},
		{Focus: "a\n\nb"},
		{Focus: "ä"},
		{Focus: strings.Repeat("a", 65)},
		{Focus: crawls(1, 17)},
		{Signal: plat.Signal{Modified: time.Date(10_000, 1, 1, 0, 0, 0, 0, time.UTC)}},
	} {
		if p.Check() == nil {
			t.Errorf("Check(%+v) = nil, want an error", p)
		}
	}
	p := plat.Plan{Focus: crawls(1, 16) + strings.Repeat("x", 60)}
	if err := p.Check(); err != nil {
		t.Errorf("Check(%+v) = %v", p, err)
	}
}

// crawls returns IDs of focused crawls, one per line.
func crawls(from, to int) string {
	var ids []string
	for n := from; n <= to; n++ {
		ids = append(ids, fmt.Sprint("c-", n))
	}
	return strings.Join(ids, "\n")
}

func TestAPlanNamesItsFocusedCrawls(t *testing.T) {
	for focus, want := range map[string][]string{"": nil, "abc": {"abc"}, "abc\nab\nd": {"abc", "ab", "d"}} {
		p := plat.Plan{Focus: focus}
		if got := slices.Collect(p.Focuses()); !slices.Equal(got, want) {
			t.Errorf("Focuses of %q yields %q", focus, got)
		}
		for _, id := range []string{"abc", "ab", "d", "b", "bc", "", "c\na"} {
			if got := p.HasFocus(id); got != slices.Contains(want, id) {
				t.Errorf("HasFocus(%q) of %q = %v", id, focus, got)
			}
		}
	}
}

func TestMemoryEncoding(t *testing.T) {
	for _, m := range []plat.Memory{
		{},
		{Skip: "\x01 of \xff before"},
		{Policy: strings.Repeat("x", plat.MaxPolicyMemory)},
		{Skip: strings.Repeat("y", 2048), Policy: "\x00"},
		{Noise: "n"},
		{Doubt: "login 1795000000"},
		{Skip: strings.Repeat("y", 2048), Policy: strings.Repeat("x", plat.MaxPolicyMemory), Noise: strings.Repeat("z", 960), Doubt: "maintenance 1795000000"},
		{Skip: strings.Repeat("y", 1500), Policy: "p", Noise: strings.Repeat("z", 1024)},
	} {
		text := m.Encode()
		if got, err := plat.DecodeMemory(text); err != nil || got != m || len(text) > plat.MaxMemory {
			t.Errorf("%d bytes decode to %+v, %v", len(text), got, err)
		}
		for cut := 1; cut < len(text); cut++ {
			if got, err := plat.DecodeMemory(text[:cut]); !errors.Is(err, plat.ErrCorrupt) && got != (plat.Memory{Skip: m.Skip, Policy: m.Policy}) && got != (plat.Memory{Skip: m.Skip, Policy: m.Policy, Noise: m.Noise}) {
				t.Fatalf("cut off after %d of %d bytes: %v", cut, len(text), err)
			}
		}
		if m.Doubt == "" {
			continue
		}
		if got, err := plat.DecodeMemory(text + "\x02of a later plat"); err != nil || got != m {
			t.Errorf("with an additional part: %+v, %v", got, err)
		}
	}
	// The format before policies existed.
	if got, err := plat.DecodeMemory("\x01abc"); err != nil || got != (plat.Memory{Skip: "\x01abc"}) {
		t.Errorf("%+v, %v", got, err)
	}
}

func FuzzDecodePlan(f *testing.F) {
	f.Add(`{"v":1,"depth":2,"scope":"host","schedule":{"every":"24h0m0s","jitter":0.5}}`)
	f.Add(`{"v":1,"schedule":{"every":"1ns"}}`)
	f.Fuzz(func(t *testing.T, text string) {
		p, err := plat.DecodePlan(text)
		if err != nil {
			return
		}
		again, err := plat.DecodePlan(p.Encode())
		if err != nil || again != p {
			t.Errorf("%q decodes to %+v, after a round trip %+v, %v", text, p, again, err)
		}
	})
}
