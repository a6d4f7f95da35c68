package excerpt

import "testing"

func TestCellsAreNoFormulas(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "a": "a", "a=1": "a=1", "=1": "'=1", "+1": "'+1", "-1": "'-1", "@a": "'@a", "'=1": "''=1", "＝1": "'＝1", "－1": "'－1",
		"\t=1": "'\t=1", "\n=1": "'\n=1", "\x1b=1": "'=1", "\u202e=1": "'=1", "\r=1": "'=1", "新=1": "新=1", "\xff=1": "\uFFFD=1", "– 1": "– 1",
	} {
		if got := Cell(text); got != want {
			t.Errorf("the cell of %q is %q, want %q", text, got, want)
		}
	}
}
