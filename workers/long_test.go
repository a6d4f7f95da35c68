package workers

import (
	"slices"
	"strings"
	"testing"

	"plat/plat"
)

func TestWhatIsTooLongIsNotSearchedForNoise(t *testing.T) {
	text := func(s string) plat.Block { return plat.Block{Text: s} }
	for name, c := range map[string]struct {
		blocks []plat.Block
		want   bool
	}{
		"no block":            {nil, false},
		"a book":              {[]plat.Block{text(strings.Repeat("ordinary words ", 100_000))}, false},
		"words of one letter": {[]plat.Block{text(strings.Repeat("a ", 200_000)), text(strings.Repeat("b ", 200_000))}, true},
		"one long word":       {[]plat.Block{text(strings.Repeat("a", 4_000_000))}, false},
		"much markup":         {slices.Repeat([]plat.Block{{Content: make([]byte, mostOfBlock)}}, 9), true},
		"a long block":        {[]plat.Block{{Content: make([]byte, mostOfBlock+1)}}, true},
		"folded text":         {[]plat.Block{{Content: make([]byte, 1_000_000), Folded: []int32{0, 1_000_000}}}, true},
	} {
		if got := tooLong(c.blocks); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
