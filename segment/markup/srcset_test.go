package markup

import (
	"fmt"
	"testing"
)

func TestCandidates(t *testing.T) {
	for set, want := range map[string]string{
		"":                            "[]",
		"a.png":                       "[{a.png }]",
		"a.png 1x,b.png 2x":           "[{a.png 1x} {b.png 2x}]",
		" a.png, b.png 2x , c.png ":   "[{a.png } {b.png 2x} {c.png }]",
		"a,b.png 100w, c.png 200w":    "[{a,b.png 100w} {c.png 200w}]",
		"data:image/png;base64,AA 1x": "[{data:image/png;base64,AA 1x}]",
	} {
		if got := fmt.Sprint(Candidates(set)); got != want {
			t.Errorf("%q: %s, want %s", set, got, want)
		}
	}
}
