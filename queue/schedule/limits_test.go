package schedule

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"plat/plat"
)

func TestDueTimesAreValid(t *testing.T) {
	at := time.Date(2026, 1, 31, 8, 0, 0, 0, time.UTC)
	hours := func(n int) time.Time { return at.Add(time.Duration(n) * time.Hour) }
	for name, tc := range map[string]struct {
		kind           plat.JobKind
		due, want, was time.Time // the visit is now, at 8 o'clock
	}{
		"later": {"", hours(3), hours(3), at}, "a part of a millisecond": {"", hours(3).Add(time.Millisecond + 999), hours(3).Add(time.Millisecond), at}, "in the past": {"", hours(-3), at.Add(time.Second), at}, "in a second": {"", at.Add(time.Second), at.Add(time.Second), at}, "sooner": {"", at.Add(999 * time.Millisecond), at.Add(time.Second), at},
		"a visit that was due later": {"", hours(3), hours(5).Add(time.Millisecond), hours(5)}, "due just after that": {"", hours(5).Add(time.Millisecond), hours(5).Add(time.Millisecond), hours(5)}, "in another zone": {"", hours(3).In(time.FixedZone("", 3600)), hours(3), at},
		"a list": {plat.FetchJob, hours(3), hours(24), at}, "a list in a day": {plat.FetchJob, hours(24), hours(24), at}, "a list later": {plat.FetchJob, hours(25), hours(25), at}, "a list that was due earlier": {plat.FetchJob, hours(3), hours(19), hours(-5)}, "never": {"", time.Time{}, time.Time{}, at},
	} {
		v := &Visit{State: plat.URLState{Plan: plat.Plan{Kind: tc.kind}}, Time: at, Due: tc.was}
		p := &Planner{Policy: func(*Visit) Next { return Next{Due: tc.due, Memory: "m"} }}
		if next, err := p.Next(v); err != nil || next.Due != tc.want || next.Memory != "m" {
			t.Errorf("%s: %v, %v; want %v", name, next.Due, err, tc.want)
		}
	}
}

func TestAPolicyThatFailsHasAFixedInterval(t *testing.T) {
	at := time.Date(2026, 1, 31, 8, 0, 0, 0, time.UTC)
	for name, tc := range map[string]struct {
		memory int
		every  time.Duration
		says   string
		wait   time.Duration
	}{
		"a memory at the limit": {plat.MaxPolicyMemory, time.Hour, "", 7 * time.Hour}, "a byte more": {plat.MaxPolicyMemory + 1, time.Hour, fmt.Sprintf(`policy "fresh": its memory has %d bytes; the limit is %d`, plat.MaxPolicyMemory+1, plat.MaxPolicyMemory), time.Hour}, "no interval": {plat.MaxPolicyMemory + 1, 0, "bytes", 24 * time.Hour}, "a panic": {-1, 2 * time.Hour, `policy "fresh": a bug in plat, please report it: `, 2 * time.Hour},
	} {
		v := &Visit{State: plat.URLState{Plan: plat.Plan{Schedule: plat.Schedule{Policy: "fresh", Every: tc.every}}}, Time: at, Due: at, Memory: "before"}
		p := &Planner{Policy: func(*Visit) Next { return Next{Due: at.Add(7 * time.Hour), Memory: strings.Repeat("x", tc.memory)} }}
		next, err := p.Next(v)
		if (err == nil) != (tc.says == "") || err != nil && (!strings.Contains(err.Error(), tc.says) || next.Memory != "before") || next.Due != at.Add(tc.wait) {
			t.Errorf("%s: %v, %v", name, next.Due, err)
		}
	}
	v := &Visit{State: plat.URLState{Plan: plat.Plan{Kind: plat.FetchJob, Schedule: plat.Schedule{Budget: "5/day", Policy: "news"}}}, Time: at, Due: at}
	if _, err := (&Planner{Day: time.Hour}).Next(v); err != nil || v.Day != time.Hour || v.State.Schedule != (plat.Schedule{Every: 24 * time.Hour}) {
		t.Errorf("a list with a budget: %+v, %v", v.State.Schedule, err)
	}
	for _, s := range []plat.Schedule{{Every: time.Hour}, {Every: time.Hour, Budget: "5/day"}, {}} {
		v.State.Schedule = s
		if (&Planner{}).Adapt(v); v.State.Schedule != s {
			t.Errorf("%+v is changed to %+v", s, v.State.Schedule)
		}
	}
}

func TestSlotsWithoutALengthAreIgnored(t *testing.T) {
	at := time.Date(2026, 1, 31, 8, 20, 0, 0, time.UTC)
	for _, tc := range []struct {
		s    plat.Schedule
		want time.Time
	}{
		{plat.Schedule{Policy: "plan", Every: time.Hour, Slots: "24:9+60s"}, at.Add(41 * time.Minute)}, {plat.Schedule{Policy: "plan", Slots: "24:9"}, time.Time{}}, {plat.Schedule{Policy: "plan", Every: -1, Slots: "24:9"}, time.Time{}},
	} {
		v := &Visit{State: plat.URLState{Plan: plat.Plan{Schedule: tc.s}}, Time: at, Due: at}
		if got := Decide(v).Due; got != tc.want {
			t.Errorf("%+v: %v, want %v", tc.s, got, tc.want)
		}
	}
}

func TestOnlyURLsWithABudgetShare(t *testing.T) {
	at := time.Date(2026, 1, 31, 8, 0, 0, 0, time.UTC)
	var got []Learned
	p := &Planner{Share: func(_ context.Context, _ *Visit, l Learned) (*Shared, error) {
		got = append(got, l)
		return &Shared{Epoch: 7}, errors.New("in part")
	}}
	page := func(s plat.Schedule) *Visit {
		return &Visit{State: plat.URLState{Plan: plat.Plan{Schedule: s}}, Time: at, Due: at}
	}
	with := page(plat.Schedule{Budget: "5/day"})
	if shared, until, err := p.Early(t.Context(), with); err == nil || shared != with.Shared || shared.Epoch != 7 || !until.IsZero() || len(got) != 1 || got[0] != (Learned{}) {
		t.Errorf("%+v until %v, %v", shared, until, err)
	}
	if err := p.Teach(t.Context(), with, Learned{Visits: 3}); err == nil || len(got) != 2 || got[1].Visits != 3 {
		t.Errorf("%v, %+v", err, got)
	}
	if shared, until, err := p.Early(t.Context(), page(plat.Schedule{Every: time.Hour})); err != nil || shared != nil || !until.IsZero() || len(got) != 2 {
		t.Errorf("without a budget: %+v until %v, %v", shared, until, err)
	}
	if err := (&Planner{}).Teach(t.Context(), with, Learned{}); err != nil {
		t.Error(err)
	}
	for _, tc := range []struct {
		visits int
		doubt  string
		want   bool
	}{{0, "", false}, {1, "", true}, {1, "x", false}} {
		if got := Asked(&plat.URLState{Visits: tc.visits}, &plat.Memory{Doubt: tc.doubt}); got != tc.want {
			t.Errorf("%+v: %v", tc, got)
		}
	}
	damaged := &plat.URLState{Visits: 1, Memory: (&plat.Memory{Policy: "x"}).Encode()[:2], Plan: with.State.Plan}
	if waits, err := p.Waits(t.Context(), at, []*plat.URLState{damaged, damaged}); err != nil || len(waits) != 2 || !waits[0].IsZero() || len(got) != 2 {
		t.Errorf("with damaged memories: %v, %v", waits, err)
	}
}

func TestWhyAVisitIsDue(t *testing.T) {
	at := time.Date(2026, 1, 31, 8, 0, 0, 0, time.UTC)
	for want, tc := range map[string]struct {
		s    plat.Schedule
		next time.Time // of a page that was never visited, it is the time when it is due
	}{
		"it is visited every 60 minutes":           {plat.Schedule{Every: time.Hour}, at},
		"it is visited in chosen slots of 2 hours": {plat.Schedule{Every: 2 * time.Hour, Policy: "plan", Slots: "24:1"}, at},
		"too few visits to know how often it changes; an unknown page would be visited every 3 hours":                                         {plat.Schedule{Every: 3 * time.Hour, Policy: "fresh"}, at},
		"too few visits to know how often it changes; with 1/day for one page it is visited every 24 hours, when a visit is worth it":         {plat.Schedule{Budget: "1/day", Policy: "uniform"}, at},
		"too few visits to know how often it changes; with 1/day for one page it is visited every 2 days, the minimum set by --min":           {plat.Schedule{Budget: "1/day", Policy: "uniform", Min: 48 * time.Hour}, at},
		"too few visits to know how often it changes; with 1/day for one page it is visited every 6 hours, the maximum set by --max":          {plat.Schedule{Budget: "1/day", Policy: "uniform", Max: 6 * time.Hour}, at},
		"too few visits to know how often it changes; with 24/day/host for one page it is visited every 60 minutes, when a visit is worth it": {plat.Schedule{Budget: "24/day/host", Policy: "uniform"}, at},
	} {
		v := &Visit{State: plat.URLState{Due: at, Plan: plat.Plan{Schedule: tc.s}}, Due: at, Time: at}
		if b := Believe(v); b.Decides != want || b.Next != tc.next || b.Visits != 0 || b.Every != 0 || b.Chance != 0 {
			t.Errorf("%+v: %s, at %v", tc.s, b.Decides, b.Next)
		}
	}
	// A page that was visited is due so long after its last visit, even one that failed, but not before now.
	v := &Visit{State: plat.URLState{Due: at, Last: at, Plan: plat.Plan{Schedule: plat.Schedule{Budget: "1/day", Policy: "uniform"}}}, Due: at, Time: at, Outcome: plat.OutcomeNew}
	v.Memory = Decide(v).Memory
	later := *v
	later.Time = at.Add(time.Hour)
	if chance, known := Changed(&later); chance <= 0 || known {
		t.Errorf("after one visit the chance of a change is %v, known: %v", chance, known)
	}
	for _, tc := range []struct{ last, now, want int }{{0, 1, 24}, {6, 7, 30}, {0, 40, 40}} {
		v.State.Last, v.Time = at.Add(time.Duration(tc.last)*time.Hour), at.Add(time.Duration(tc.now)*time.Hour)
		if b := Believe(v); math.Abs(b.Next.Sub(at).Hours()-float64(tc.want)) > 1e-6 || b.Last != at {
			t.Errorf("%+v: after %v", tc, b.Next.Sub(at))
		}
	}
}

func TestADueVisitWaitsUntilItIsWorthIt(t *testing.T) {
	p, _ := LearningPolicy("uniform")
	s, budget := &Steering{Pages: 10}, Budget{Visits: 1} // one visit each ten days
	for days, want := range map[float64]float64{10: 0, 11: 0, 9.9: 9.9 * 1.2, 8: 8 * 1.2, 4: 4 * math.Pow(.4, -.25), 2: 2 * math.Pow(.2, -.25), 1: 1.5, .001: .0015} {
		if got := p.Wait(&Model{}, days, s, budget); math.Abs(got-want) > 1e-12 {
			t.Errorf("after %v days it waits until day %v, want %v", days, got, want)
		}
	}
	if got := p.After(&Model{}, s, budget); math.Abs(got-1) > 1e-6 {
		t.Errorf("it is due after %v days", got)
	}
	at := time.Date(2026, 1, 31, 8, 0, 0, 0, time.UTC)
	const hour = time.Hour
	for name, tc := range map[string]struct {
		now      time.Duration // since the visit
		min, max time.Duration
		last     time.Duration // the last visit, which failed
		asked    bool
		want     time.Duration // 0: now
	}{
		"too early": {12 * hour, 0, 0, 0, false, 14*hour + 24*time.Minute}, "worth it": {24 * hour, 0, 0, 0, false, 0}, "not before the minimum": {24 * hour, 30 * hour, 0, 0, false, 30 * hour}, "at the minimum": {30 * hour, 30 * hour, 0, 0, false, 0}, "at the maximum": {12 * hour, 0, 12 * hour, 0, false, 0}, "the maximum is near": {12 * hour, 0, 13 * hour, 0, false, 13 * hour}, "a wait below the minimum": {12 * hour, 15 * hour, 0, 0, false, 15 * hour},
		"one that failed counts": {24 * hour, 0, 0, 12 * hour, false, 26*hour + 24*time.Minute}, "asked for": {12 * hour, 0, 0, 0, true, 0}, "no time has passed": {0, 0, 0, 0, false, 0},
	} {
		v := &Visit{State: plat.URLState{URL: "http://a.test/", Plan: plat.Plan{Schedule: plat.Schedule{Budget: "1/day", Policy: "uniform", Min: tc.min, Max: tc.max}}}, Due: at, Time: at, Outcome: plat.OutcomeNew}
		v.Memory = Decide(v).Memory
		v.Time, v.Due, v.State.Last = at.Add(tc.now), at.Add(tc.now), at.Add(tc.last)
		if tc.asked {
			v.State.Settled = v.Due.Add(-time.Millisecond)
		}
		// Waits end together with those of the site, a sixteenth later at most.
		got := Wait(v)
		if late := got.Sub(at.Add(tc.want)); got.IsZero() != (tc.want == 0) || tc.want != 0 && (late < 0 || late > tc.want/16 || tc.max != 0 && late != 0) {
			t.Errorf("%s: until %v", name, got)
		}
	}
}

func TestFactorsStayWithinTheirBounds(t *testing.T) {
	for _, tc := range []struct {
		s      Steering
		earned float64
		want   Steering
		factor float64
	}{
		{Steering{}, 0, Steering{}, 1}, {Steering{Beyond: 2}, 0, Steering{Beyond: 2}, math.E}, {Steering{Pages: 10, Beyond: 4}, 0, Steering{Pages: 10, Beyond: 4}, math.E}, {Steering{Pages: 10, Beyond: 4, Offset: 1}, 4, Steering{Pages: 10, Beyond: 0, Offset: 1}, math.E}, {Steering{Pages: 10, Beyond: 8, Offset: 1}, 4, Steering{Pages: 10, Beyond: 4, Offset: 1.2}, math.Exp(2.2)},
		{Steering{Pages: 10, Beyond: 28}, 20, Steering{Pages: 10, Beyond: 8, Offset: 1}, math.Exp(3)}, {Steering{Pages: 10}, 99, Steering{Pages: 10, Beyond: -12, Offset: -1.5}, math.Exp(-4.5)}, {Steering{}, 99, Steering{Beyond: -6}, math.Exp(-3)}, {Steering{Pages: -5, Beyond: 2}, 0, Steering{Pages: -5, Beyond: 2}, math.E}, {Steering{Beyond: 99}, 0, Steering{Beyond: 99}, math.Exp(20)},
		{Steering{Pages: 10, Offset: -19.5}, 99, Steering{Pages: 10, Beyond: -12, Offset: -20}, math.Exp(-23)}, {Steering{Pages: 10, Beyond: 50, Offset: 19.5}, 10, Steering{Pages: 10, Beyond: 40, Offset: 20}, math.Exp(30)}, {Steering{Beyond: 2}, -1, Steering{Beyond: 2}, math.E}, {Steering{Beyond: 2}, math.NaN(), Steering{Beyond: 2}, math.E},
	} {
		s := tc.s
		if s.Earned(tc.earned); math.Abs(s.Offset-tc.want.Offset) > 1e-12 || s.Beyond != tc.want.Beyond || s.Pages != tc.want.Pages || math.Abs(s.Factor()/tc.factor-1) > 1e-9 {
			t.Errorf("%+v earns %v: %+v, factor %v", tc.s, tc.earned, s, s.Factor())
		}
	}
}

func TestTheChanceOfAChangeIsLearned(t *testing.T) {
	k := &Known{Visits: 1, Age: 3, rate: .5}
	b := &Burst{}
	for days, want := range map[float64]float64{0: 0, -1: 0, 2: 1 - math.Exp(-1), 1000: 1} {
		if got := b.Changed(k, days); math.Abs(got-want) > 1e-6 {
			t.Errorf("after %v days %v, want %v", days, got, want)
		}
	}
	if f := b.of(k, 2); f[0] != 1 || math.Abs(f[1]-math.Log(math.E-1)) > 1e-6 || math.Abs(f[2]-math.Log(2.001)) > 1e-9 || math.Abs(f[3]-math.Log(5.001)) > 1e-9 || f[4] != 0 || f[4+OfFeed] != 0 {
		t.Errorf("the features %v", f)
	}
	k.Age, k.Signal = 0, OfFeed
	if f := b.of(k, 2); f[4] != 2 || f[4+OfFeed] != 2 || f[4+OfLink] != 0 {
		t.Errorf("after a change the features %v", f)
	}
	if f := b.of(&Known{rate: .5}, 2); f[4] != 0 {
		t.Errorf("without visits the features %v", f)
	}
	if f := b.of(k, 100); math.Abs(f[1]-30) > 1e-6 {
		t.Errorf("after a long time the features %v", f)
	}
	k = &Known{Visits: 1, Age: 3, rate: .5}
	chance := 1 - math.Exp(-1)
	b.Learn(k, 2, true)
	if want := .0125 * (1 - chance); math.Abs(float64(b.Off[0])-want) > 1e-8 || math.Abs(float64(b.Off[2])-want*math.Log(2.001)) > 1e-8 || b.Off[4] != 0 {
		t.Errorf("a change: %v", b.Off)
	}
	b = &Burst{}
	b.Learn(k, 2, false)
	if want := -.0125 * chance; math.Abs(float64(b.Off[0])-want) > 1e-8 {
		t.Errorf("none: %v", b.Off)
	}
	b = &Burst{}
	b.Learn(k, 1e9, false) // log(1e9) is more than 8
	if math.Abs(float64(b.Off[2]/b.Off[0])-8) > 1e-6 {
		t.Errorf("after a long time: %v", b.Off)
	}
	b = &Burst{}
	b.Learn(k, 1e-9, true) // log(1e-9) is less than −8, but that of 1e-3 is not
	if math.Abs(float64(b.Off[1]/b.Off[0])+8) > 1e-6 || math.Abs(float64(b.Off[2]/b.Off[0])-math.Log(1e-3)) > 1e-5 {
		t.Errorf("after no time: %v", b.Off)
	}
	was := b.Off
	for _, days := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		if b.Learn(k, days, true); b.Off != was {
			t.Errorf("%v days teach %v", days, b.Off)
		}
	}
	if got, want := (&Burst{}).HarmonicWorth(k, 2), HarmonicWorth(.5, 2); math.Abs(got-want) > .002 {
		t.Errorf("the worth is %v, want %v", got, want)
	}
}
