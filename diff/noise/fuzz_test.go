package noise

import (
	"strings"
	"testing"
	"time"
)

// Edits are in order, within the texts, and cover every word that the other text lacks. Text that
// both renderings share never counts as varying.
func FuzzEdits(f *testing.F) {
	f.Add("Views 120, posted 5 minutes ago at 14:05", "Views 121, posted 6 minutes ago at 14:06", "Views 125", int64(60))
	f.Add("", "a", "b", int64(0))
	f.Add("12:00:00 2026年1月31日 vor einer Stunde", "12:00 昨天", "generated in 0.22 s", int64(-5))
	f.Fuzz(func(t *testing.T, old, new, again string, later int64) {
		if len(old)+len(new)+len(again) > 4000 {
			return
		}
		a, b := Text{old, then}, Text{new, then.Add(time.Duration(later) * time.Second)}
		edits := Edits(a, b)
		for _, all := range [][]Edit{edits, Confirm(edits, old, new, again)} {
			x, y := 0, 0
			for _, e := range all {
				if e.Old.From > e.Old.To || e.New.From > e.New.To || e.Old.To > len(old) || e.New.To > len(new) || e.Old.Empty() && e.New.Empty() {
					t.Fatalf("%+v of %q and %q", e, old, new)
				}
				x, y = x+e.Old.To-e.Old.From, y+e.New.To-e.New.From
			}
			if x > len(old) || y > len(new) {
				t.Fatalf("%d of %q and %d of %q differ", x, old, y, new)
			}
		}
		if same := strings.Join(strings.Fields(old), " ") == strings.Join(strings.Fields(new), " "); same && len(edits) > 0 && old == new {
			t.Fatalf("%q differs from itself: %+v", old, edits)
		}
		for _, e := range Confirm(edits, old, new, new) {
			if e.Why == TwoLook {
				t.Fatalf("%q varies between two equal looks: %+v", new, e)
			}
		}
		var m Mask
		m.learnWords(1, parse(new), parse(again))
		m.explain(1, parse(old), parse(new), edits)
		text := m.Encode()
		got, err := DecodeMask(text)
		if err != nil || got.Encode() != text || len(text) > MaxMask {
			t.Fatalf("%d bytes: %v", len(text), err)
		}
	})
}

// A damaged mask is an error, or a different valid mask.
func FuzzDecodeMask(f *testing.F) {
	m := Mask{spent: 40}
	m.learnWords(3, parse("Views 120 of all, and a quote by Ann"), parse("Views 121 of all, and other words by Bob"))
	m.meet(itemOf("an item"))
	m.learn(where{kind: ofGap, lineage: 7}, 5)
	m.learn(where{kind: ofMarkup}, 0)
	f.Add(m.Encode())
	f.Add("\x02\x00")
	f.Fuzz(func(t *testing.T, s string) {
		m, err := DecodeMask(s)
		if err != nil {
			return
		}
		if again, err := DecodeMask(m.Encode()); err != nil || len(again.places) > len(m.places) {
			t.Fatalf("%q: %v", s, err)
		}
	})
}
