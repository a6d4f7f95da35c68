package main

import (
	"strings"
	"testing"
	"time"

	"plat"
	"plat/term"
)

func TestTotalsCountEveryOutcomeAndNoRateOfNothing(t *testing.T) {
	s := sums{}
	for _, a := range []archived{{Outcome: plat.OutcomeGone, Error: "the server says 404"}, {Outcome: plat.OutcomeError, Error: "bug"}} {
		s.add(&a)
	}
	for _, spent := range []time.Duration{time.Millisecond, 4 * time.Second} {
		if got := s.total(&term.Screen{}, spent); strings.Contains(got, "pages/s") || !strings.Contains(got, "2 failed") {
			t.Errorf("failures alone, in %v: %q", spent, got)
		}
	}
	for _, o := range []plat.Outcome{plat.OutcomeBlank, plat.OutcomeNew} {
		s.add(&archived{Outcome: o})
	}
	if got := s.total(&term.Screen{}, time.Millisecond); strings.Contains(got, "pages/s") {
		t.Errorf("in a millisecond: %q", got)
	}
	if got := s.total(&term.Screen{}, 4*time.Second); !strings.Contains(got, "4 pages in 4.00s, 1.0 pages/s: 1 new, 1 blank, 2 failed") {
		t.Errorf("in 4 seconds: %q", got)
	}
	blank := archived{Outcome: plat.OutcomeBlank, Version: 3, Stored: true}
	if l := blank.line(&term.Screen{}); !strings.HasPrefix(l, "blank") || !strings.Contains(l, "v3") {
		t.Errorf("a blank page is printed as %q", l)
	}
}
