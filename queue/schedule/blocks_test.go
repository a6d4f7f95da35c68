package schedule

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"plat/plat"
)

// A block that changes at most visits is not lasting content; one that changes at some is.
func TestVolatileBlocksAreLeftOut(t *testing.T) {
	visit := func(i int, volatile, lasting bool) []Part {
		parts := []Part{{Lineage: 1, Weight: 700}, {Lineage: 2, Weight: 200}, {Lineage: 3, Weight: 100}}
		if volatile {
			parts[1].Change = PartOther
		}
		if lasting && i%5 == 4 {
			parts[2].Change = PartOther
		}
		return parts
	}
	of := func(volatile, lasting bool) *Blocks {
		b := &Blocks{Usual: &Turning{}}
		for i := range 100 {
			b.Visit(0.5, visit(i, volatile, lasting))
		}
		return b
	}
	still, volatile, lasting, both := of(false, false), of(true, false), of(false, true), of(true, true)
	if !both.Volatile(2) || both.Volatile(3) || both.Volatile(1) || both.Volatile(99) {
		t.Errorf("volatile: %+v", both.lineages)
	}
	if s, v := still.Rate(), volatile.Rate(); v > 1.5*s {
		t.Errorf("a volatile block turns a page at %v a day, a still page turns at %v", v, s)
	}
	// A tenth of the page changes at every fifth visit, which is an eighth of the page without the
	// volatile block.
	if got := lasting.Rate(); math.Abs(got-0.04) > 0.01 {
		t.Errorf("the lasting block turns %v a day", got)
	}
	if got := both.Rate(); math.Abs(got-0.05) > 0.012 {
		t.Errorf("beside a volatile block the lasting one turns %v a day", got)
	}
}

// A block that differs at each of some visits weeks apart may have lasted for days.
func TestRareVisitsFindNoVolatileBlocks(t *testing.T) {
	b := &Blocks{Usual: &Turning{}}
	for range 50 {
		b.Visit(3, []Part{{Lineage: 1, Weight: 1, Change: PartOther}, {Lineage: 2, Weight: 1}})
	}
	if b.Volatile(1) {
		t.Error("volatile")
	}
}

// An unknown page is expected to change as other pages do.
func TestUsual(t *testing.T) {
	usual := &Turning{}
	other := &Blocks{Usual: usual}
	for i := range 200 {
		p := Part{Lineage: 1, Weight: 1}
		if i%10 == 0 {
			p.Change = PartOther
		}
		other.Visit(1, []Part{p, {Lineage: 2, Weight: 1}})
	}
	if got := (&Blocks{Usual: usual}).Rate(); math.Abs(got-0.05) > 0.01 {
		t.Errorf("a new page turns %v a day, those known .05", got)
	}
}

// After visits of any kind, Blocks stays small, survives its encoding, and its worths grow with
// time.
func TestBlocksOfAllPages(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	pages := map[string]func(i int) (float64, []Part){
		"all blocks are others each time": func(i int) (float64, []Part) {
			parts := make([]Part, 300)
			for k := range parts {
				parts[k] = Part{Lineage: int32(300*i + k + 1), Weight: 5, Change: PartNew}
			}
			return 1, parts
		},
		"all blocks change": func(int) (float64, []Part) {
			parts := make([]Part, 300)
			for k := range parts {
				parts[k] = Part{Lineage: int32(k + 1), Weight: 5, Change: PartOther}
			}
			return 1, parts
		},
		"no blocks": func(int) (float64, []Part) { return 1, []Part{} },
		"nonsense": func(i int) (float64, []Part) {
			odd := []float64{math.NaN(), math.Inf(1), math.Inf(-1), -1, 0, 1e300, math.MaxFloat64}
			return odd[i%7], []Part{{Lineage: int32(i - 50), Weight: odd[i%5], Change: PartOther}, {Lineage: math.MaxInt32, Weight: odd[i%3], Change: PartOther}, {Lineage: math.MaxInt32, Weight: 1e308, Change: PartOther}}
		},
		"anything": func(int) (float64, []Part) {
			parts := make([]Part, r.IntN(50))
			for k := range parts {
				parts[k] = Part{Lineage: r.Int32N(200), Weight: 1000 * r.Float64(), Change: PartChange(r.IntN(3))}
			}
			return math.Exp(5 * r.NormFloat64()), parts
		},
	}
	for name, page := range pages {
		b := &Blocks{Usual: &Turning{}}
		for i := range 300 {
			b.Visit(page(i))
			text := b.Encode()
			if len(text) > MaxBlocks || len(text)+MaxModel > plat.MaxPolicyMemory {
				t.Fatalf("%s: %d bytes", name, len(text))
			}
			back, err := DecodeBlocks(text)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if again := back.Encode(); again != text {
				t.Fatalf("%s: another text: %q, %q", name, text, again)
			}
			last := 0.0
			for days := 1e-6; days < 1e5; days *= 3 {
				w := b.Worth(days)
				if math.IsNaN(w) || math.IsInf(w, 0) || w < last {
					t.Fatalf("%s: worth %v after %v days, %v before", name, w, days, last)
				}
				if other := back.Worth(days); !near(other, w) {
					t.Fatalf("%s: worth %v after %v days, %v when decoded", name, w, days, other)
				}
				last = w
			}
			for _, damaged := range []string{text[:len(text)-1], text + "x", "\x02" + text[1:]} {
				if _, err := DecodeBlocks(damaged); !errors.Is(err, plat.ErrCorrupt) {
					t.Fatalf("%q: %v", damaged, err)
				}
			}
		}
	}
	if b, err := DecodeBlocks(""); err != nil || b.Usual != nil || b.Encode() != "" {
		t.Error(b, err)
	}
}

func FuzzDecodeBlocks(f *testing.F) {
	b := &Blocks{Usual: &Turning{}}
	for i := range 60 {
		b.Visit(1, []Part{{Lineage: int32(i/3 + 1), Weight: 1, Change: PartOther}, {Lineage: 1000, Weight: 2}})
	}
	f.Add(b.Encode())
	f.Fuzz(func(t *testing.T, text string) {
		b, err := DecodeBlocks(text)
		if err != nil {
			return
		}
		if back, err := DecodeBlocks(b.Encode()); err != nil || b.Usual != nil && !near(back.Rate(), b.Rate()) {
			t.Fatal(back, err)
		}
		b.Visit(1, []Part{{Lineage: 1, Weight: 1, Change: PartOther}})
		if w := b.Worth(3); w != w {
			t.Fatalf("worth %v", w)
		}
	})
}

// The words of leaves count; advertisements and page frames do not.
func TestParts(t *testing.T) {
	leaf := func(lineage int32, label plat.Label) plat.Block {
		return plat.Block{Lineage: lineage, Label: label, TextLen: 10}
	}
	v := &Visit{
		Blocks: []plat.Block{{Slot: -1, Lineage: 9}, leaf(1, plat.LabelMain), leaf(2, plat.LabelAdvertisement), leaf(3, plat.LabelNavigation), leaf(4, plat.LabelOther), leaf(5, plat.LabelMain)},
		Changes: plat.Changes{Blocks: []plat.Change{{Kind: plat.Content, New: 1}, {Kind: plat.Advertisement, New: 2}, {Kind: plat.Added, New: 4},
			{Kind: plat.Format, New: 5}, {Kind: plat.Removed, Old: 7, New: -1}}},
	}
	if got := Parts(v); got != nil {
		t.Errorf("a first visit shows %+v", got)
	}
	v.Old = v.Blocks
	want := []Part{{1, 10, PartOther}, {2, 0, PartSame}, {3, 0, PartSame}, {4, 10, PartNew}, {5, 10, PartSame}}
	got := Parts(v)
	if len(got) != len(want) {
		t.Fatalf("%+v", got)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("%+v, want %+v", got[i], want[i])
		}
	}
}

// The policy remembers blocks: a page whose text changes is visited sooner than one whose menu
// changes.
func TestBlocksAreRemembered(t *testing.T) {
	next := func(changed int32) time.Duration {
		page := []plat.Block{{Lineage: 1, TextLen: 500, Label: plat.LabelMain}, {Lineage: 2, TextLen: 500, Label: plat.LabelNavigation}}
		v := Visit{Time: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), Outcome: plat.OutcomeNew, Blocks: page}
		v.State.Schedule = plat.Schedule{Policy: "blocks", Every: 24 * time.Hour}
		for i := range 20 {
			n := Decide(&v)
			if len(n.Memory) > plat.MaxPolicyMemory {
				t.Fatalf("%d bytes", len(n.Memory))
			}
			if i == 19 {
				return n.Due.Sub(v.Time)
			}
			v.Memory, v.Time, v.Old, v.Outcome = n.Memory, v.Time.Add(24*time.Hour), page, plat.OutcomeChanged
			v.Changes = plat.Changes{Blocks: []plat.Change{{Kind: plat.Content, Old: changed, New: changed}}}
		}
		return 0
	}
	if text, menu := next(0), next(1); text <= 0 || 2*menu < 3*text {
		t.Errorf("after other text again in %v, after another menu in %v", text, menu)
	}
}

// A visit without rendering counts like a rendered visit that finds all blocks unchanged.
func TestBlocksOfAVisitThatIsNotRendered(t *testing.T) {
	same := []Part{{Lineage: 1, Weight: 900}, {Lineage: 2, Weight: 100}}
	rendered, skipped := Blocks{Usual: &Turning{}}, Blocks{Usual: &Turning{}}
	for i := range 200 {
		parts, none := slices.Clone(same), []Part{}
		if i%10 == 9 { // every 2.5 days
			parts[0].Change = PartOther
			none = parts
		}
		rendered.Visit(0.25, parts)
		skipped.Visit(0.25, none)
	}
	if rendered.Volatile(1) || skipped.Volatile(1) {
		t.Errorf("volatile: rendered %v, not rendered %v", rendered.Volatile(1), skipped.Volatile(1))
	}
	if a, b := rendered.Rate(), skipped.Rate(); math.Abs(a/b-1) > 0.01 {
		t.Errorf("rates %v, not rendered %v", a, b)
	}
}
