package schedule

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

func TestNumbersInWords(t *testing.T) {
	for days, want := range map[float64]string{1.4 / 1440: "minute", 1.5 / 1440: "2 minutes", 1.9 / 24: "114 minutes", 100.45 / 1440: "100 minutes", 2.0 / 24: "2 hours", 1.99: "48 hours", 2: "2 days", 999.4: "999 days", 1000: "3 years"} {
		if got := About(days); got != want {
			t.Errorf("every %v days is every %s, want %s", days, got, want)
		}
	}
	for n, want := range map[float64]string{1.4: "one page", 1.5: "2 pages", 30: "30 pages"} {
		if got := pages(n); got != want {
			t.Errorf("%v pages are %s", n, got)
		}
	}
	for _, tc := range []struct {
		b    Belief
		want string
	}{
		{Belief{}, "too few visits to know how often it changes"}, {Belief{Visits: 1, Every: 3}, "one visit says that it changes every 3 days"}, {Belief{Visits: 2, Every: 3}, "2 visits say that it changes every 3 days"}, {Belief{Visits: 2, Every: 3, Turns: math.Ln2}, "2 visits say that 50 % of its lasting content changes a day"},
	} {
		if got := tc.b.seen(); got != tc.want {
			t.Errorf("%+v: %s", tc.b, got)
		}
	}
}

func TestBudgetsAreParsed(t *testing.T) {
	for text, want := range map[string]Budget{"5000/day": {Visits: 5000}, "2/minute": {Visits: 2880}, "1.5/hour": {Visits: 36}, "7/week": {Visits: 1}, "200/day/host": {Visits: 200, Host: true}, "0/day": {}, "1000000000/day": {Visits: 1e9}} {
		if got, err := ParseBudget(text); err != nil || math.Abs(got.Visits-want.Visits) > 1e-9 || got.Host != want.Host {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "day", "5", "5/month", "-1/day", "1000000001/day", "NaN/day", "5/day/hosts", "x/day"} {
		if _, err := ParseBudget(text); err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("%q: %v", text, err)
		}
	}
	for _, tc := range []struct {
		s    plat.Schedule
		want string
	}{
		{plat.Schedule{}, ""}, {plat.Schedule{Budget: "x"}, ""}, {plat.Schedule{Budget: "24/hour"}, "blocks 576/day"}, {plat.Schedule{Budget: "5/day/host", Policy: "fresh"}, "fresh 5/day a.test"}, {plat.Schedule{Budget: "5/day", Policy: "fresh"}, "fresh 5/day"},
	} {
		if got := Pool(tc.s, "a.test"); got != tc.want {
			t.Errorf("%+v: %q, want %q", tc.s, got, tc.want)
		}
	}
	for pages, want := range map[float64]float64{0: .5, 1: .5, 4: 2} {
		if got := (Budget{Visits: 2}).perPage(pages); got != want {
			t.Errorf("%v pages: every %v days", pages, got)
		}
	}
	if !math.IsInf(Budget{}.perPage(1), 1) {
		t.Error("without visits a page is visited")
	}
}

func TestSlotsAreParsedWithinTheirBounds(t *testing.T) {
	for _, text := range []string{"1:0", "24:0,7,12", "1000:999", "24:0,7+600s", "24:23+1s"} {
		if p, err := ParseSlots(text); err != nil || p.String() != text {
			t.Errorf("%s is %s, %v", text, p, err)
		}
	}
	if p, err := ParseSlots("2:1+8760h"); err != nil || p.At != 365*24*time.Hour {
		t.Errorf("a year: %v, %v", p, err)
	}
	for _, text := range []string{"", "0:0", "1001:0", "24:24", "24:-1", "24:7,7", "24:7,3", "24:", "x:1", "24:1+x", "24:1+-1s", "24:1+8761h", "24:1,"} {
		if p, err := ParseSlots(text); err == nil || p.Of != 0 {
			t.Errorf("%q: %v", text, p)
		}
	}
	day := 24 * time.Hour
	at := func(days int, d time.Duration) time.Time { return week.AddDate(0, 0, days).Add(d) }
	for _, tc := range []struct{ t, want time.Time }{{at(0, 0), at(0, 0)}, {at(6, day-1), at(0, 0)}, {at(7, 0), at(7, 0)}, {at(-1, 0), at(-7, 0)}, {at(-7, 0), at(-7, 0)}} {
		if got := PeriodOf(tc.t, 7*day); !got.Equal(tc.want) {
			t.Errorf("the week of %v began at %v", tc.t, got)
		}
	}
	p := Slots{Of: 7, Chosen: []int{1, 4}, At: time.Hour}
	for _, tc := range []struct{ t, want time.Time }{{at(0, 0), at(1, time.Hour)}, {at(1, time.Hour), at(4, time.Hour)}, {at(1, time.Hour-1), at(1, time.Hour)}, {at(4, time.Hour), at(8, time.Hour)}, {at(7, 0), at(8, time.Hour)}} {
		if got := p.after(day, tc.t); !got.Equal(tc.want) {
			t.Errorf("after %v comes %v, want %v", tc.t, got, tc.want)
		}
	}
	late := Slots{Of: 1, Chosen: []int{0}, At: 30 * time.Hour} // in the next period
	if got := late.after(day, at(5, 0)); !got.Equal(at(5, 6*time.Hour)) {
		t.Errorf("a delay longer than a period: %v", got)
	}
	for _, tc := range []struct{ in, want plat.Schedule }{
		{plat.Schedule{Every: day}, plat.Schedule{Every: day}}, {plat.Schedule{Every: day, Policy: "plan", Slots: "7:1,4"}, plat.Schedule{Every: 84 * time.Hour}}, {plat.Schedule{Every: day, Slots: "x"}, plat.Schedule{Every: day, Slots: "x"}},
	} {
		if got := Inherited(tc.in); got != tc.want {
			t.Errorf("%+v gives its pages %+v", tc.in, got)
		}
	}
}

func TestSchedulesAreChecked(t *testing.T) {
	for _, tc := range []struct {
		s    plat.Schedule
		says string
	}{
		{plat.Schedule{}, ""}, {plat.Schedule{Every: time.Hour}, ""}, {plat.Schedule{Budget: "5/day"}, ""}, {plat.Schedule{Every: time.Hour, Policy: "fresh", Min: 1}, ""}, {plat.Schedule{Every: time.Hour, Policy: "plan", Slots: "24:1"}, ""}, {plat.Schedule{Every: time.Hour, Policy: "plan", Slots: "24:1+3599s"}, ""}, {plat.Schedule{Budget: "5/day", Max: time.Hour}, ""},
		{plat.Schedule{Policy: "x"}, `policy "x"`}, {plat.Schedule{Policy: "plan", Every: time.Hour}, "without slots"}, {plat.Schedule{Slots: "24:1", Every: time.Hour}, "need the policy"}, {plat.Schedule{Policy: "fixed", Budget: "5/day"}, "once per interval"}, {plat.Schedule{Budget: "5/day", Every: 1}, "one of both"}, {plat.Schedule{Budget: "5"}, "budget"}, {plat.Schedule{Policy: "fresh"}, "without an interval"},
		{plat.Schedule{Min: 1}, "bounds of a fixed"}, {plat.Schedule{Max: 1, Every: time.Hour}, "bounds of a fixed"}, {plat.Schedule{Every: time.Hour, Policy: "plan", Slots: "24:1+3600s"}, "not within a slot"}, {plat.Schedule{Every: time.Hour, Policy: "plan", Slots: "24"}, "slots"},
	} {
		if err := Check(tc.s); (err == nil) != (tc.says == "") || err != nil && !strings.Contains(err.Error(), tc.says) {
			t.Errorf("%+v: %v", tc.s, err)
		}
	}
	for _, tc := range []struct {
		s    plat.Schedule
		want string
	}{{plat.Schedule{}, "fixed"}, {plat.Schedule{Budget: "5/day"}, "blocks"}, {plat.Schedule{Policy: "news", Budget: "5/day"}, "news"}, {plat.Schedule{Policy: "newer", Budget: "5/day"}, "blocks"}, {plat.Schedule{Policy: "newer"}, "fixed"}} {
		if got := PolicyOf(tc.s); got != tc.want {
			t.Errorf("%+v: %s", tc.s, got)
		}
	}
}

func TestCountsAreHalvedBeforeTheyAreTooGreat(t *testing.T) {
	h := Heard{Changes: 990, Right: [sources]float64{2, 4, 6}, Wrong: [sources]float64{1, 3, 4}}
	if h.visit(OfFeed, true); h.Changes != 991 || h.Right[1] != 5 {
		t.Errorf("%+v", h)
	}
	if h.visit(OfLink, false); h.Changes != 495.5 || h.Wrong != [sources]float64{.5, 1.5, 2.5} || h.Right != [sources]float64{1, 2.5, 3} {
		t.Errorf("halved: %+v", h)
	}
	h = Heard{Changes: 4, Right: [sources]float64{1}, Wrong: [sources]float64{3}}
	if h.Recall(OfSitemap) != .25 || h.False(OfSitemap) != .75 || h.Recall(OfLink) != 0 || h.False(OfLink) != 0 || (&Heard{}).Recall(OfFeed) != 0 {
		t.Errorf("parts %v and %v", h.Recall(OfSitemap), h.False(OfSitemap))
	}
	if h.visit(NoSource, false); h.Changes != 4 {
		t.Errorf("a visit without a change or a signal: %+v", h)
	}
	for s, want := range map[plat.Signal]Source{{}: OfSitemap, {Source: plat.SignalFeed}: OfFeed, {Source: "newer"}: NoSource} {
		if got := sourceOf(s); got != want {
			t.Errorf("%q is of source %d", s.Source, got)
		}
	}
	p := Turning{Turned: 10, Days: 20, Times: 9998}
	if p.add(.5, 3); p != (Turning{10.5, 23, 9999}) {
		t.Errorf("%+v", p)
	}
	if p.add(0, 1); p != (Turning{10.5, 24, 9999}) {
		t.Errorf("%+v", p)
	}
	if p.add(.5, 1); p != (Turning{5.5, 12.5, 5000}) {
		t.Errorf("halved: %+v", p)
	}
	l := lineage{7, 58, 30, 20}
	if l.seen(1); l != (lineage{7, 59, 31, 20}) {
		t.Errorf("%+v", l)
	}
	if l.seen(0); l != (lineage{7, 30, 15, 10}) {
		t.Errorf("halved: %+v", l)
	}
	x := Intervals{}
	for range 1002 {
		x.Add(1, true)
	}
	if len(x.changed) != 48 || x.visits[47] != 0 || x.visits[0] != 47 {
		t.Errorf("%d intervals, %v", len(x.changed), x.visits)
	}
	for range 1002 {
		x.Add(1, false)
	}
	if x.visits[0] != 1000 || math.Abs(x.unchanged-10) > 1e-6 {
		t.Errorf("visits %v, %v days", x.visits[0], x.unchanged)
	}
	was := x.unchanged
	for _, days := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		if x.Add(days, false); x.unchanged != was {
			t.Errorf("%v days are counted", days)
		}
	}
}

func TestBlocksThatChangeAreCounted(t *testing.T) {
	part := func(lineage int32, c PartChange) Part { return Part{lineage, 10, c} }
	var b Blocks
	show := func() string {
		var all []string
		for _, l := range b.lineages {
			all = append(all, fmt.Sprint(l.id, ":", l.visits, ",", l.page, ",", l.changes))
		}
		return fmt.Sprintf("%d visits, %d changes, first %d; %s", b.visits, b.changes, b.first, strings.Join(all, " "))
	}
	for i, tc := range []struct {
		parts []Part
		want  string
	}{
		{[]Part{part(1, PartSame), part(5, PartSame), part(9, PartNew)}, "1 visits, 1 changes, first 5; "}, {[]Part{part(1, PartSame), part(5, PartOther), part(9, PartOther), part(0, PartOther)}, "2 visits, 2 changes, first 5; 5:2,2,1 9:1,1,1"},
		{[]Part{}, "3 visits, 2 changes, first 5; 5:3,2,1 9:2,1,1"}, {[]Part{part(5, PartSame), part(9, PartNew), part(6, PartNew)}, "4 visits, 3 changes, first 5; 5:4,3,1 9:3,2,2"}, {[]Part{part(5, PartSame)}, "5 visits, 3 changes, first 5; 5:5,3,1 9:3,2,2"},
	} {
		if b.Visit(1, tc.parts); show() != tc.want {
			t.Errorf("visit %d: %s, want %s", i, show(), tc.want)
		}
	}
	was := show()
	for _, days := range []float64{0, -1, math.Inf(1), math.NaN()} {
		b.Visit(days, []Part{})
	}
	if b.Visit(1, nil); show() != was {
		t.Errorf("visits that tell nothing are counted: %s", show())
	}
	b.visits, b.changes = 58, 30
	if b.count([]Part{}); b.visits != 59 || b.changes != 30 {
		t.Errorf("%s", show())
	}
	if b.count([]Part{}); b.visits != 30 || b.changes != 15 {
		t.Errorf("halved: %s", show())
	}
	b = Blocks{}
	for i := range int32(65) {
		b.lineages = append(b.lineages, lineage{i + 1, 9, 9, uint8(5 - i%5)})
	}
	if b.forget(); len(b.lineages) != 64 || b.lineages[3].id != 4 || b.lineages[4].id != 6 {
		t.Errorf("%d lineages, %v", len(b.lineages), b.lineages[3:6])
	}
	if b.forget(); len(b.lineages) != 64 {
		t.Errorf("%d lineages", len(b.lineages))
	}
	for _, tc := range []struct {
		l            lineage
		days, weight float64
		want         bool
	}{{lineage{7, 10, 3, 3}, 2, 10, true}, {lineage{7, 10, 2, 2}, 1, 10, false}, {lineage{7, 10, 3, 3}, 3, 10, false}, {lineage{7, 10, 9, 3}, 2, 10, false}, {lineage{7, 10, 6, 6}, 5, 10, true}} {
		b := Blocks{lineages: []lineage{tc.l}, days: tc.days, weight: tc.weight}
		if got := b.Volatile(7); got != tc.want || b.Volatile(8) {
			t.Errorf("%+v in %v days of %v visits is volatile: %v", tc.l, tc.days, tc.weight, got)
		}
	}
	u := &Turning{}
	b = Blocks{Usual: u}
	b.Visit(2, []Part{{1, 30, PartOther}, {2, 10, PartSame}, {3, 0, PartOther}, {4, math.Inf(1), PartSame}})
	if math.Abs(b.turned-30/(40.0+math.MaxInt32)) > 1e-12 || b.days != 2 || b.weight != 1 || u.Days != 2 || u.Times != 1 {
		t.Errorf("%+v, %+v", b, u)
	}
	b.Visit(1, []Part{{1, 30, PartOther}})
	if math.Abs(b.turned-1) > 1e-7 || math.Abs(b.days-2.96) > 1e-12 || b.weight != 1.98 {
		t.Errorf("%+v", b)
	}
	if got := (&Blocks{}).Rate(); math.Abs(got-1./3) > 1e-12 { // (0+½·1)/(0+½/⅓)
		t.Errorf("the rate of an unknown page is %v", got)
	}
	b = Blocks{turned: 2, days: 3, Usual: &Turning{Turned: 1, Days: 7, Times: 3}}
	if got, want := b.Rate(), 2.25/(3+.25/.2); math.Abs(got-want) > 1e-12 {
		t.Errorf("the rate is %v, want %v", got, want)
	}
	blocks := []plat.Block{{Slot: -1}, {Lineage: 3, TextLen: 7}, {Lineage: 4, TextLen: 9, Label: plat.LabelFooter}, {Lineage: 5, TextLen: -2}}
	v := &Visit{Blocks: blocks, Old: blocks, Changes: plat.Changes{Blocks: []plat.Change{{Kind: plat.Content, New: 1}, {Kind: plat.Added, New: 2}, {Kind: plat.Removed, New: -1}}}}
	if got, want := Parts(v), []Part{{3, 7, PartOther}, {4, 0, PartNew}, {5, 0, PartSame}}; !slices.Equal(got, want) {
		t.Errorf("the parts are %v", got)
	}
	if v.Old = nil; Parts(v) != nil {
		t.Error("a first visit has parts")
	}
}

func TestEncodedBlocksAreChecked(t *testing.T) {
	b := &Blocks{Usual: &Turning{1, 2, 3}, visits: 9, changes: 4, first: 300, turned: .5, days: 7, weight: 1.5, lineages: []lineage{{5, 9, 4, 2}, {700, 59, 59, 59}}}
	text := b.Encode()
	got, err := DecodeBlocks(text)
	if err != nil || got.Encode() != text || *got.Usual != *b.Usual || !slices.Equal(got.lineages, b.lineages) || got.first != 300 || got.visits != 9 || got.changes != 4 || got.days != 7 {
		t.Errorf("%+v, %v", got, err)
	}
	for name, change := range map[string]func(b *Blocks){
		"too many visits": func(b *Blocks) { b.visits = 60 }, "more changes than visits": func(b *Blocks) { b.changes = 10 }, "a lineage twice": func(b *Blocks) { b.lineages[1].id = 5 }, "a lineage of too many visits": func(b *Blocks) { b.lineages[0].visits = 60 }, "more changes of the page": func(b *Blocks) { b.lineages[0].page = 10 }, "more changes of the block": func(b *Blocks) { b.lineages[0].changes = 5 },
		"too many lineages": func(b *Blocks) {
			b.lineages = nil
			for i := range int32(65) {
				b.lineages = append(b.lineages, lineage{i + 1, 1, 1, 1})
			}
		},
	} {
		bad := *b
		bad.lineages = slices.Clone(b.lineages)
		change(&bad)
		if _, err := DecodeBlocks(bad.Encode()); !errors.Is(err, plat.ErrCorrupt) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, s := range []string{"\x02" + text[1:], text + "x"} {
		if _, err := DecodeBlocks(s); !errors.Is(err, plat.ErrCorrupt) {
			t.Errorf("%q: %v", s[:4], err)
		}
	}
	most := &Blocks{Usual: &Turning{}, visits: 59, changes: 59, first: math.MaxInt32, turned: math.MaxFloat64}
	for i := range int32(64) {
		most.lineages = append(most.lineages, lineage{math.MaxInt32 - 63 + i, 59, 59, 59})
	}
	if s := most.Encode(); len(s) > MaxBlocks {
		t.Errorf("%d bytes, at most %d", len(s), MaxBlocks)
	} else if _, err := DecodeBlocks(s); err != nil {
		t.Error(err)
	}
	m := &Model{Burst: &Burst{}}
	for range 50 {
		m.Visit(1e300, true)
		m.Visit(1, true)
	}
	if _, err := DecodeModel("\x02\x05" + strings.Repeat("\x00", 4*(7+Features)) + "\x31" + strings.Repeat("\x00", 6*49)); !errors.Is(err, plat.ErrCorrupt) {
		t.Errorf("too many intervals: %v", err)
	}
	if m, err := DecodeModel("\x02\x05" + strings.Repeat("\x00", 4*(7+Features)) + "\x01\x00\x00\x00\x00\x03\xe8"); err != nil || m.visits[0] != 1000 || m.Visits != 5 {
		t.Errorf("%+v, %v", m, err)
	}
	if _, err := DecodeModel("\x02\x05" + strings.Repeat("\x00", 4*(7+Features)) + "\x01\x00\x00\x00\x00\x03\xe9"); !errors.Is(err, plat.ErrCorrupt) {
		t.Errorf("a visit too long ago: %v", err)
	}
}

func TestBoundsAndGroupsOfVisits(t *testing.T) {
	minute, hour, day := time.Minute, time.Hour, 24*time.Hour
	for _, tc := range []struct{ min, max, day, low, high time.Duration }{
		{0, 0, 0, 10 * minute, 30 * day}, {hour, 2 * hour, 0, hour, 2 * hour}, {0, 5 * minute, 0, 5 * minute, 5 * minute}, {40 * day, 0, 0, 40 * day, 40 * day}, {0, 0, day / 2, 5 * minute, 15 * day}, {1, 0, 0, 1, 30 * day}, {0, 1, 0, 1, 1}, {-1, -1, 0, 10 * minute, 30 * day},
	} {
		v := &Visit{State: plat.URLState{Plan: plat.Plan{Schedule: plat.Schedule{Min: tc.min, Max: tc.max}}}, Day: tc.day}
		if low, high := v.bounds(); low != tc.low || high != tc.high {
			t.Errorf("%+v: %v to %v", tc, low, high)
		}
	}
	last := time.Date(2026, 1, 31, 8, 0, 30, 0, time.UTC)
	v := &Visit{State: plat.URLState{URL: "https://a.test/x", Plan: plat.Plan{Schedule: plat.Schedule{Budget: "5/day"}}}}
	for wait, every := range map[time.Duration]time.Duration{15 * minute: 0, 16 * minute: minute, 31 * minute: minute, 32 * minute: 2 * minute, day: 64 * minute, 30 * day: 2048 * minute} {
		at := v.grouped(last, wait, 99*day)
		if every == 0 {
			if !at.Equal(last.Add(wait)) {
				t.Errorf("a short wait of %v ends at %v", wait, at)
			}
			continue
		}
		if late := at.Sub(last.Add(wait)); late < 0 || late >= every || at.UnixMilli()%minute.Milliseconds() != 0 {
			t.Errorf("a wait of %v ends %v late, at %v", wait, late, at)
		}
		other := v.grouped(last.Add(every/3), wait, 99*day)
		if d := other.Sub(at); d != 0 && d != every {
			t.Errorf("two waits of %v end %v apart", wait, d)
		}
		if got := v.grouped(last, wait, wait); !got.Equal(last.Add(wait)) {
			t.Errorf("at most %v: %v", wait, got)
		}
	}
	if got := v.grouped(last, day, 99*day); got != time.Date(2026, 2, 1, 8, 14, 0, 0, time.UTC) {
		t.Errorf("the offset of a site is another: %v", got)
	}
	if v.State.Schedule.Budget = ""; !v.grouped(last, day, 2*day).Equal(last.Add(day)) {
		t.Error("without a budget times are grouped")
	}
	settled := time.Date(2026, 1, 31, 8, 0, 0, 0, time.UTC)
	for after, want := range map[time.Duration]bool{0: true, time.Millisecond: true, 2 * time.Millisecond: false} {
		if got := requested(&Visit{State: plat.URLState{Settled: settled}, Due: settled.Add(after)}); got != want {
			t.Errorf("%v after it was settled a visit is requested: %v", after, got)
		}
	}
	if requested(&Visit{Due: settled}) {
		t.Error("a URL that was never settled is requested")
	}
}

func TestAURLTakesItsMemoryToTheSameBudgetOnly(t *testing.T) {
	at := time.Date(2026, 1, 31, 8, 0, 0, 0, time.UTC)
	for name, tc := range map[string]struct {
		pool  uint32
		pages float64
		at    time.Time
		to    string
		moved bool
		left  float64
	}{
		"the same": {poolNumber("a"), 5, at, "a", false, 5}, "another": {poolNumber("b"), 5, at, "a", true, 0}, "a new URL": {0, 0, time.Time{}, "a", false, 0}, "one of the first format": {0, 0, at, "a", true, 0}, "the same without a budget": {0, 0, at, "", false, 0}, "one of a budget": {0, 5, at, "a", false, 5},
	} {
		k := &memory{pool: tc.pool, at: tc.at, Steering: Steering{Pages: tc.pages}}
		if k.move(tc.to); k.moved != tc.moved || k.Pages != tc.left || k.pool != poolNumber(tc.to) {
			t.Errorf("%s: %+v", name, k)
		}
	}
	visit := func(o plat.Outcome) *Visit {
		return &Visit{Time: at.Add(48 * time.Hour), Outcome: o, Changes: plat.Changes{Layout: plat.Same}}
	}
	for name, tc := range map[string]struct {
		at       time.Time
		moved    bool
		o        plat.Outcome
		want     string // pages, visits, days of the site
		learned  bool
		advanced bool
	}{
		"the first": {time.Time{}, false, plat.OutcomeNew, "1 0 0", false, true}, "another budget": {at, true, plat.OutcomeUnchanged, "1 1 2", true, true}, "a later one": {at, false, plat.OutcomeUnchanged, "0 1 2", true, true}, "a failure": {at, false, plat.OutcomeTimeout, "0 1 0", false, false}, "gone": {at, false, plat.OutcomeGone, "0 1 2", true, true}, "the first that was read": {at, false, plat.OutcomeNew, "0 1 0", false, true},
	} {
		k := decode("")
		k.at, k.moved = tc.at, tc.moved
		v := visit(tc.o)
		l := k.note(v)
		if got := fmt.Sprint(l.Pages, " ", l.Visits, " ", l.Site[SiteDays]); got != tc.want || (k.Visits == 1) != tc.learned || k.at.Equal(v.Time) != tc.advanced {
			t.Errorf("%s: %s, %d visits, at %v", name, got, k.Visits, k.at)
		}
	}
}
