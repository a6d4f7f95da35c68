package saferegexp

import (
	"regexp/syntax"
	"testing"
)

func TestRangesOfExpressions(t *testing.T) {
	for text, want := range map[string]int{
		"": 0, "[a-z]": 0, "[a-zä-ü]": 2, "ä": 0, "ä-ü": 0, `\pL`: 1, `\PL[a-z]`: 2, `\x{e4}[a-z]`: 1, `\d[a-z]`: 0, `\ä[a-z]`: 1, `[ä\-ü]`: 0, `a\`: 0,
	} {
		if got := wideRanges(text); got != want {
			t.Errorf("%q has %d ranges, want %d", text, got, want)
		}
	}
	if Effort("abc") != 3 || Effort(`\pL`) != 3+wideEffort {
		t.Errorf("effort %d and %d", Effort("abc"), Effort(`\pL`))
	}
	for text, want := range map[string]int{"abc": 0, "[a-z]": 2, "[a-z0-9]": 4, "(?:[a-z]x[0-9])+": 4, "[a-z]{5}": 2} {
		re, err := syntax.Parse(text, syntax.Perl)
		if err != nil {
			t.Fatal(err)
		}
		if got := runesOf(re); got != want {
			t.Errorf("the classes of %q have %d bounds, want %d", text, got, want)
		}
	}
}
