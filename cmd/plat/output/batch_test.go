package output

import (
	"strings"
	"testing"
	"time"

	"plat/cmd/plat/terminal"
	"plat/plat"
	"plat/workers/batch"
)

func TestTotalsCountEveryOutcomeAndNoRateOfNothing(t *testing.T) {
	s := batch.Totals{}
	for _, a := range []batch.Page{{Outcome: plat.OutcomeGone, Error: "the server says 404"}, {Outcome: plat.OutcomeError, Error: "bug"}} {
		s.Add(&a)
	}
	for _, spent := range []time.Duration{time.Millisecond, 4 * time.Second} {
		if got := Totals(&terminal.Screen{}, &s, spent); strings.Contains(got, "pages/s") || !strings.Contains(got, "2 failed") {
			t.Errorf("failures alone, in %v: %q", spent, got)
		}
	}
	for _, o := range []plat.Outcome{plat.OutcomeBlank, plat.OutcomeNew} {
		s.Add(&batch.Page{Outcome: o})
	}
	if got := Totals(&terminal.Screen{}, &s, time.Millisecond); strings.Contains(got, "pages/s") {
		t.Errorf("in a millisecond: %q", got)
	}
	if got := Totals(&terminal.Screen{}, &s, 4*time.Second); !strings.Contains(got, "4 pages in 4.00s, 1.0 pages/s: 1 new, 1 blank, 2 failed") {
		t.Errorf("in 4 seconds: %q", got)
	}
	blank := batch.Page{Outcome: plat.OutcomeBlank, Version: 3, Stored: true}
	if l := Page(&terminal.Screen{}, &blank); !strings.HasPrefix(l, "blank") || !strings.Contains(l, "v3") {
		t.Errorf("a blank page is printed as %q", l)
	}
}
