package noise

import (
	"slices"
	"testing"
)

func TestOf(t *testing.T) {
	for text, want := range map[string][]string{
		"One line: no list": {"One line: no list"},
		"One\nTwo / three":  {"One", "Two / three"},
		"Related: Boats / Cranes / Nets — all are here": {"Related", "Boats", "Cranes", "Nets", "all are here"},
		"Top\nBoats | Cranes | Nets\nand no more":       {"Top", "Boats", "Cranes", "Nets", "and no more"},
		"Open at 9. See also Boats · Cranes · Nets":     {"Open at 9", "See also Boats", "Cranes", "Nets"},
		"":       {""},
		" / / ":  {" / / "},
		" /  / ": {"", "", ""},
	} {
		if got := linesOf(text); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func FuzzEach(f *testing.F) {
	f.Add("Related: Boats / Cranes / Nets — all are here\nand · more · of · them")
	f.Fuzz(func(t *testing.T, text string) {
		last := -1
		for from, to := range eachLine(text) {
			if from <= last || to < from || to > len(text) {
				t.Fatalf("[%d, %d) of %d bytes, after %d", from, to, len(text), last)
			}
			last = to
		}
		if last != len(text) {
			t.Fatalf("the last line ends at %d of %d", last, len(text))
		}
	})
}
