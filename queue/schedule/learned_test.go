package schedule

import (
	"encoding/hex"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"plat/plat"
)

func TestParseBudget(t *testing.T) {
	for text, want := range map[string]Budget{
		"5000/day": {5000, false}, "10/hour": {240, false}, "1/minute/host": {1440, true}, "7/week": {1, false},
		"0/day": {}, "1e9/day": {1e9, false}, "2.5/day/host": {2.5, true},
	} {
		if got, err := ParseBudget(text); err != nil || math.Abs(got.Visits-want.Visits) > 1e-9 || got.Host != want.Host {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "5000", "/day", "-1/day", "NaN/day", "Inf/day", "2e9/day", "5/year", "5/day/site", "5/host", "5/day/"} {
		if got, err := ParseBudget(text); err == nil {
			t.Errorf("%q: %+v", text, got)
		}
	}
}

func TestPool(t *testing.T) {
	pools := map[string]bool{}
	for _, s := range []plat.Schedule{{Budget: "5/day"}, {Budget: "6/day"}, {Budget: "5/day", Policy: "archive"}, {Budget: "5/day/host"}} {
		pools[Pool(s, "a.test")], pools[Pool(s, "b.test")] = true, true
	}
	if len(pools) != 5 { // that of each host has two
		t.Errorf("%v", pools)
	}
	if p := Pool(plat.Schedule{Every: time.Hour}, "a.test"); p != "" {
		t.Errorf("%q without a budget", p)
	}
}

// town is pages that share a budget, and are visited as workers do it.
type town struct {
	policy  string
	budget  string
	rates   []float64 // changes a day; 0: never
	shared  Shared
	failing int // pages that always fail, the first ones
	visits  []int
	asked   int
}

// run visits for so many days. change reports whether a page has changed meanwhile.
func (o *town) run(t *testing.T, days float64, seed uint64) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 9))
	b, err := ParseBudget(o.budget)
	if err != nil {
		t.Fatal(err)
	}
	o.visits = make([]int, len(o.rates))
	states, last := make([]Visit, len(o.rates)), make([]time.Time, len(o.rates))
	for i := range states {
		states[i] = *visit(plat.Schedule{Policy: o.policy, Budget: o.budget}, day, day)
		states[i].Shared, states[i].Outcome = &o.shared, plat.OutcomeNew
		o.settle(t, &states[i])
		last[i] = day
	}
	step := 2 * time.Minute
	for now := day; now.Before(day.Add(time.Duration(days * 24 * float64(time.Hour)))); now = now.Add(step) {
		o.shared.Earned(b.Visits * step.Hours() / 24)
		for i := range states {
			v := &states[i]
			if v.Due.After(now) {
				continue
			}
			job := v.State.Settled // the due time of the job that is to be made
			v.Time, v.Due = now, job
			o.asked++
			if until := Wait(v); !until.IsZero() {
				if !until.After(now) {
					t.Fatalf("%s: at %v put off until %v", o.policy, now, until)
				}
				v.Due = until
				continue
			}
			v.Outcome, v.Changes = plat.OutcomeUnchanged, plat.Changes{}
			if gone := now.Sub(last[i]).Hours() / 24; r.Float64() < -math.Expm1(-o.rates[i]*gone) {
				v.Outcome, v.Changes = plat.OutcomeChanged, plat.Changes{Blocks: []plat.Change{{Kind: plat.Content}}}
			}
			if i < o.failing {
				v.Outcome, v.Changes = plat.OutcomeHTTPError, plat.Changes{}
			}
			last[i] = now
			o.visits[i]++
			o.settle(t, v)
		}
	}
}

// settle plans the next visit.
func (o *town) settle(t *testing.T, v *Visit) {
	t.Helper()
	next := Decide(v)
	if !next.Due.After(v.Time) || next.Due.After(v.Time.Add(mostInterval)) || len(next.Memory) > plat.MaxPolicyMemory {
		t.Fatalf("%s: at %v the next is due at %v, %d bytes", o.policy, v.Time, next.Due, len(next.Memory))
	}
	o.shared.Pages += next.Pages
	o.shared.Beyond += next.Visits
	site := o.shared.Site()
	for i, x := range next.Site {
		site[i] += x
	}
	o.shared.SetSite(site)
	v.Memory, v.Due, v.State.Settled, v.State.Last, v.State.Outcome = next.Memory, next.Due, next.Due, v.Time, v.Outcome
}

// With every policy the visits are those of the budget, and no page is left out.
func TestBudget(t *testing.T) {
	rates := make([]float64, 60)
	for i := range rates {
		rates[i] = 0.02 * math.Pow(200, float64(i)/60)
	}
	for _, policy := range Worths() {
		for _, budget := range []string{"40/day", "300/day"} {
			o := &town{policy: policy, budget: budget, rates: rates}
			o.run(t, 40, 3)
			made := 0
			for _, n := range o.visits {
				made += n
			}
			b, _ := ParseBudget(budget)
			if want := 40 * b.Visits; math.Abs(float64(made)/want-1) > 0.05 {
				t.Errorf("%s, %s: %d visits, not %v", policy, budget, made, want)
			}
			if slices.Min(o.visits) == 0 {
				t.Errorf("%s, %s: a page is left out: %v", policy, budget, o.visits)
			}
			t.Logf("%-12s %s: %d visits, %.1f asked for each", policy, budget, made, float64(o.asked)/float64(made))
		}
	}
}

// Pages that change more are visited more, also with an interval instead of a budget.
func TestInterval(t *testing.T) {
	for _, rate := range []float64{0, 0.05, 3} {
		v := visit(plat.Schedule{Policy: "harmonic", Every: 24 * time.Hour}, day, day)
		r := rand.New(rand.NewPCG(1, 1))
		var waited []float64
		for range 60 {
			next := Decide(v)
			days := next.Due.Sub(v.Time).Hours() / 24
			waited = append(waited, days)
			v.Memory, v.Time, v.Due = next.Memory, next.Due, next.Due
			v.Outcome, v.Changes = plat.OutcomeUnchanged, plat.Changes{}
			if r.Float64() < -math.Expm1(-rate*days) {
				v.Changes.Blocks = []plat.Change{{Kind: plat.Added}}
			}
		}
		if math.Abs(waited[0]-1) > 0.01 {
			t.Errorf("the first interval is %v days", waited[0])
		}
		switch last := waited[len(waited)-1]; {
		case rate == 3 && last > 1, rate < 3 && last < 1.2:
			t.Errorf("rate %v: the last interval is %v days", rate, last)
		}
	}
}

// Whatever comes, the next visit is due in the future, and within the bounds.
func TestBadInput(t *testing.T) {
	times := map[string]func(i int) time.Duration{
		"in order":           func(i int) time.Duration { return time.Duration(i) * time.Hour },
		"at once":            func(i int) time.Duration { return 0 },
		"backwards":          func(i int) time.Duration { return -time.Duration(i) * time.Hour },
		"jumps":              func(i int) time.Duration { return time.Duration(i%5-2) * 400 * 24 * time.Hour },
		"in the wrong order": func(i int) time.Duration { return time.Duration(i^1) * time.Hour },
		"ages apart":         func(i int) time.Duration { return time.Duration(i) * 2 * 365 * 24 * time.Hour },
	}
	outcomes := map[string]func(v *Visit, i int){
		"changes at every visit": func(v *Visit, i int) { v.Changes.Blocks = []plat.Change{{Kind: plat.Content}} },
		"never changes":          func(v *Visit, i int) {},
		"dead":                   func(v *Visit, i int) { v.Outcome = plat.OutcomeGone },
		"dead after a while":     func(v *Visit, i int) { v.Outcome = []plat.Outcome{plat.OutcomeChanged, plat.OutcomeGone}[min(1, i/10)] },
		"unreachable":            func(v *Visit, i int) { v.Outcome = plat.OutcomeUnreachable },
		"forgets":                func(v *Visit, i int) { v.Memory = "" },
		"damaged":                func(v *Visit, i int) { v.Memory = v.Memory[:len(v.Memory)*(i%7)/7] },
	}
	schedules := []plat.Schedule{{Every: time.Second}, {Every: 1e6 * time.Hour}}
	for _, budget := range []string{"0/day", "1/week", "50/day/host", "1e9/day"} {
		schedules = append(schedules, plat.Schedule{Budget: budget}, plat.Schedule{Budget: budget, Min: time.Minute, Max: time.Hour})
	}
	for _, policy := range Worths() {
		for _, s := range schedules {
			for name, at := range times {
				for what, happens := range outcomes {
					s.Policy = policy
					if err := badInput(s, at, happens); err != nil {
						t.Fatalf("%s, %+v, %s, %s: %v", policy, s, name, what, err)
					}
				}
			}
		}
	}
}

func badInput(s plat.Schedule, at func(int) time.Duration, happens func(*Visit, int)) error {
	v := visit(s, day, day)
	shared := &Shared{}
	low, high := v.bounds()
	for i := range 30 {
		v.Time, v.Outcome, v.Changes = day.Add(at(i)), plat.OutcomeUnchanged, plat.Changes{}
		if v.Shared = shared; i%3 == 0 {
			v.Shared = nil // Redis is away
		}
		happens(v, i)
		next := Decide(v)
		if next.Due.Before(v.Time.Add(low)) || next.Due.After(v.Time.Add(high)) || len(next.Memory) > plat.MaxPolicyMemory {
			return fmt.Errorf("visit %d at %v: due at %v, %d bytes", i, v.Time, next.Due, len(next.Memory))
		}
		for _, w := range next.Site {
			if w != w {
				return fmt.Errorf("visit %d: learned %v", i, next.Learned)
			}
		}
		shared.Pages, shared.Beyond = shared.Pages+next.Pages, shared.Beyond+next.Visits*1e6
		v.Memory, v.Due, v.State.Outcome = next.Memory, next.Due, v.Outcome
		if until := Wait(v); !until.IsZero() && (!until.After(v.Time) || until.After(v.Time.Add(high))) {
			return fmt.Errorf("visit %d at %v is put off until %v", i, v.Time, until)
		}
	}
	return nil
}

// A requested visit happens regardless of signals and due time; a later visit does not count as
// requested.
func TestAskedFor(t *testing.T) {
	v := visit(plat.Schedule{Budget: "1/week"}, day, day)
	v.Outcome, v.Shared = plat.OutcomeNew, &Shared{Steering: Steering{Pages: 1000, Beyond: 1000}}
	next := Decide(v)
	v.Memory, v.Time = next.Memory, day.Add(time.Hour)
	v.State.Settled = day
	for _, signal := range []plat.Signal{{}, {Modified: v.Time.Add(-time.Minute)}} {
		v.State.Signal = signal
		if v.Due = day.Add(time.Millisecond); !Wait(v).IsZero() {
			t.Error("a visit that was asked for is put off")
		}
		if v.Due = v.Time; Wait(v).IsZero() {
			t.Error("a visit beyond the budget is not put off")
		}
	}
	v.State.Signal = plat.Signal{}
	if v.Time, v.Due = next.Due.Add(-time.Hour), next.Due; Wait(v).IsZero() {
		t.Error("a visit beyond the budget is not put off")
	}
}

func FuzzMemory(f *testing.F) {
	v := visit(plat.Schedule{Budget: "5/day"}, day, day)
	for range 4 {
		v.Memory = Decide(v).Memory
		v.Time = v.Time.Add(time.Hour)
		f.Add(v.Memory)
	}
	f.Fuzz(func(t *testing.T, text string) {
		v := visit(plat.Schedule{Budget: "5/day"}, day, day)
		v.Memory = text
		if next := Decide(v); next.Due.Before(day.Add(leastInterval)) || next.Due.After(day.Add(mostInterval)) {
			t.Errorf("due at %v", next.Due)
		}
	})
}

// A page that always fails gets no more visits than its fair part.
func TestAFailingPageTakesItsPart(t *testing.T) {
	for _, policy := range Worths() {
		o := &town{policy: policy, budget: "20/day", rates: slices.Repeat([]float64{0.3}, 20), failing: 1}
		o.run(t, 40, 4)
		fair := 40
		if policy == "abc" { // it lengthens an interval by half of the first alone, until there is a change
			fair *= 4
		}
		if o.visits[0] > 2*fair {
			t.Errorf("%s: %d visits of the failing page, others %v", policy, o.visits[0], o.visits[1:])
		}
	}
}

// After failures, the first version of a page does not count as a visit without a change.
func TestFirstSightAfterAFailure(t *testing.T) {
	v := visit(plat.Schedule{Policy: "harmonic", Budget: "5/day"}, day, day)
	v.Outcome = plat.OutcomeTimeout
	next := Decide(v)
	v.Memory, v.Time, v.Outcome = next.Memory, day.Add(48*time.Hour), plat.OutcomeNew
	next = Decide(v)
	if k := decode(next.Memory); k.Known.Visits != 0 || !k.at.Equal(v.Time) || next.Site != (Learned{}).Site || next.Visits != 1 {
		t.Errorf("%+v, %+v", k, next)
	}
}

// A page that moves to a different budget counts there once, and ignores the remembered state of
// its previous budget. Its policy checks whether a visit is worth it, unless a user requested the
// visit.
func TestAnotherBudget(t *testing.T) {
	v := visit(plat.Schedule{Budget: "10/day"}, day, day)
	v.Outcome, v.Shared = plat.OutcomeNew, &Shared{Steering: Steering{Pages: 500, Offset: 2}}
	next := Decide(v)
	v.Memory = next.Memory
	old := Pool(v.State.Schedule, "a.test")
	if s := Remembered(v.Memory, old); s.Pages != 500 || s.Offset != 2 {
		t.Fatalf("%+v", s)
	}
	v.State.Settled, v.State.Last, v.Shared = day, day, nil
	bounds := *v // the same budget, with different bounds: checked too
	bounds.State.Schedule.Max = 7 * 24 * time.Hour
	bounds.Time = day.Add(time.Hour)
	bounds.Due = bounds.Time
	if until := Wait(&bounds); !until.After(bounds.Time) {
		t.Errorf("with other bounds visited though it is not worth it: %v", until)
	}
	v.State.Schedule.Budget = "11/day"
	v.Time = day.Add(time.Hour)
	v.Due = v.Time // the budget has changed since
	if s := Remembered(v.Memory, Pool(v.State.Schedule, "a.test")); s.Steering != (Steering{}) {
		t.Errorf("the other budget has %+v", s)
	}
	shared := &Shared{Steering: Steering{Pages: 1000}}
	v.Shared = shared
	if until := Wait(v); !until.After(v.Time) {
		t.Errorf("visited though it is not worth it: %v", until)
	}
	asked := *v
	asked.Due = day.Add(time.Millisecond)
	if until := Wait(&asked); !until.IsZero() {
		t.Errorf("asked for, and put off until %v", until)
	}
	v.Outcome = plat.OutcomeUnchanged
	for i, pages := range []float64{1, 0, 0} {
		next := Decide(v)
		if next.Pages != pages || next.Visits != 1 {
			t.Errorf("visit %d: %+v", i, next.Learned)
		}
		v.Memory, v.Time = next.Memory, v.Time.Add(time.Hour)
	}
	if s := Remembered(v.Memory, Pool(v.State.Schedule, "a.test")); s.Pages != 1000 {
		t.Errorf("%+v", s)
	}
}

// A memory in the first format can be read: the page keeps its budget.
func TestMemoryOfTheFirstFormat(t *testing.T) {
	old, err := hex.DecodeString("0180f5d5ea9f348085d1bea93443fa00004000000021010301013f7ae1483f5b8cc4403c2f84000000003e9555550000000001010301010103003e9555553f07258c4020000040500000400000003fc8b4393f900000bac3a4f83b43732b3af064733af06473bb43a4f8bb43a4f800000000013e9555550001")
	if err != nil {
		t.Fatal(err)
	}
	k := decode(string(old))
	if k.at.Unix() != 63930848400-62135596800 || k.Pages != 500 || k.Offset != 2 || k.Visits != 3 || k.Burst.Off[5] != -0.0029852968 || k.Burst.Off[6] != 0 || len(k.Blocks.lineages) != 1 {
		t.Errorf("%+v, %+v", k, k.Burst)
	}
	v := visit(plat.Schedule{Budget: "10/day"}, k.due, k.due)
	v.Memory, v.Outcome = string(old), plat.OutcomeUnchanged
	next := Decide(v)
	if next.Pages != 0 || next.Visits != 1 {
		t.Errorf("%+v", next.Learned)
	}
	if now := decode(next.Memory); now.Visits != 4 || now.Pages != 500 {
		t.Errorf("%+v", now)
	}
	// Without a budget no pages were remembered: now it has one, and is counted.
	k.pool, k.epoch, k.Pages = 0, 0, 0
	if v.Memory = k.encode(); recall(v).moved != true {
		t.Errorf("%+v is not counted", recall(v))
	}
}

// Heard counts the changes that each source signalled and the signals that were wrong. A source
// that is right makes a page worth a visit, and one that is always wrong does not.
func TestSourcesOfSignals(t *testing.T) {
	v := visit(plat.Schedule{Budget: "10/day", Policy: "harmonic"}, day, day)
	v.Outcome, v.Shared = plat.OutcomeNew, &Shared{Steering: Steering{Pages: 20}}
	settle := func() {
		next := Decide(v)
		v.Memory = next.Memory
		site := v.Shared.Site()
		for i, x := range next.Site {
			site[i] += x
		}
		v.Shared.SetSite(site)
	}
	settle()
	for i := range 300 {
		v.Time = v.Time.Add(12 * time.Hour)
		v.State.Signal, v.Changes, v.Outcome = plat.Signal{}, plat.Changes{}, plat.OutcomeUnchanged
		says := func(source string) { v.State.Signal = plat.Signal{Modified: v.Time.Add(-time.Hour), Source: source} }
		changes := i%3 == 0
		switch {
		case i%2 == 0 && changes:
			says(plat.SignalFeed)
		case i%2 == 0:
			says(plat.SignalSitemap)
		case i%5 == 0:
			says(plat.SignalLink)
		}
		if changes {
			v.Outcome, v.Changes.Blocks = plat.OutcomeChanged, []plat.Change{{Kind: plat.Content}}
		}
		settle()
	}
	h := &v.Shared.Heard
	if h.Changes != 100 || h.Recall(OfFeed) != .5 || h.False(OfFeed) != 0 || h.Recall(OfSitemap) != 0 || h.False(OfSitemap) != 1 || h.Recall(OfLink) != .1 || h.False(OfLink) < .6 || h.False(OfLink) > .7 {
		t.Errorf("%+v", h)
	}
	if r := Remembered(v.Memory, Pool(v.State.Schedule, "a.test")).Heard; math.Abs(r.Changes-h.Changes) > 1 || r.Right[OfFeed-1] < 49 {
		t.Errorf("remembered %+v, shared %+v", r, h)
	}
	chance := func(source string) float64 {
		ask := *v
		ask.Time = v.Time.Add(12 * time.Hour)
		ask.State.Signal = plat.Signal{}
		if source != "" {
			ask.State.Signal = plat.Signal{Modified: v.Time.Add(time.Hour), Source: source}
		}
		p, known := Changed(&ask)
		if !known {
			t.Fatal("nothing is known")
		}
		return p
	}
	none, feed, sitemap := chance(""), chance(plat.SignalFeed), chance(plat.SignalSitemap)
	if !(feed > 1.3*none && sitemap < .8*none) {
		t.Errorf("changed with chance %v; after a signal of the feed %v, of the sitemap %v", none, feed, sitemap)
	}
	if unnamed := chance("of a newer plat"); unnamed != none {
		t.Errorf("of a source that is not known: %v, not %v", unnamed, none)
	}
}
