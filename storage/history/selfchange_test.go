package history

import (
	"strings"
	"testing"

	"plat/diff"
	"plat/plat"
)

func TestWordsThatVaryByThemselvesStandApart(t *testing.T) {
	for _, x := range []struct {
		old, new string
		own      *plat.SelfChange
		want     string
	}{
		{"Read 12 times. Price 5 €", "Read 15 times. Price 6 €", nil, "Read[- 12][+ 15] times. Price[- 5][+ 6] €"},
		{"Read 12 times. Price 5 €", "Read 15 times. Price 6 €", own("Read 12 times. Price 5 €", "12", "Read 15 times. Price 6 €", "15"), "Read(- )(-12)(+ )(+15) times. Price[- 5][+ 6] €"},
		{"a  b\tc 1 x", "a b c 2 y", own("a  b\tc 1 x", "1", "a b c 2 y", "2"), "a b c(- )(-1)[- x](+ )(+2)[+ y]"},
		{"Up to 20 %, as said", "Only 30 (all)", &plat.SelfChange{Old: []plat.Range{{From: 0, To: 2}, {From: 6, To: 8}}, New: []plat.Range{{From: 0, To: 4}, {From: 9, To: 12}}}, "(-Up)[- to ](-20)[- %, as said](+Only)[+ 30 (](+all)[+)]"},
		// Stored ranges that no longer match the division of the text.
		{"one", "two", &plat.SelfChange{Old: []plat.Range{{From: 90, To: 99}, {From: 5, To: 1}}, New: []plat.Range{{From: -5, To: -1}, {From: 2, To: 99}}}, "[-one][+tw](+o)"},
	} {
		var b strings.Builder
		for _, w := range marked(diff.Words(x.old, x.new), x.old, x.own) {
			sign := map[string]string{"delete": "-", "insert": "+"}[w.Op]
			switch {
			case sign == "":
				b.WriteString(w.Text)
			case w.SelfChange:
				b.WriteString("(" + sign + w.Text + ")")
			default:
				b.WriteString("[" + sign + w.Text + "]")
			}
		}
		if got := b.String(); got != x.want {
			t.Errorf("%q and %q: %s, want %s", x.old, x.new, got, x.want)
		}
	}
}

// own returns the ranges of a word in two texts.
func own(old, word, new, now string) *plat.SelfChange {
	i, j := strings.Index(old, word), strings.Index(new, now)
	return &plat.SelfChange{Old: []plat.Range{{From: i, To: i + len(word)}}, New: []plat.Range{{From: j, To: j + len(now)}}}
}
