package watch

import (
	"slices"
	"strings"
	"testing"
)

// TestAnEntryThatMovesUpAtTheEndIsNotNew: where a list of the latest entries loses one, an older one takes the last place. What is appended to a list that grows, or
// whose dates ascend, or has none, is new.
func TestAnEntryThatMovesUpAtTheEndIsNotNew(t *testing.T) {
	const link, plain = `<li><a href="/n/{0}">{1}</a> <span>{0}</span></li>`, `<li>{0}: {1}</li>`
	was := []string{"9 May 2026|The lock is shut", "8 May 2026|A barge has sunk", "6 May 2026|Eels are back", "5 May 2026|The pump runs", "4 May 2026|Reeds are cut"}
	up := slices.Clone(was)
	slices.Reverse(up)
	for _, tc := range []struct {
		name    string
		was, is []string
		want    string
		undated bool
	}{
		{"one is removed", was, append(slices.Delete(slices.Clone(was), 1, 2), "1 May 2026|The dredger leaves"), "", false},
		{"the first is removed", was, append(slices.Clone(was[1:]), "1 May 2026|The dredger leaves"), "", false},
		{"two are removed", was, append(slices.Delete(slices.Clone(was), 1, 3), "1 May 2026|The dredger leaves", "30 April 2026|Frost"), "", false},
		{"one is removed and a new one comes", was, append(append([]string{"10 May 2026|Mist"}, slices.Delete(slices.Clone(was), 1, 3)...), "1 May 2026|The dredger leaves"), "Mist", false},
		{"an archive grows", was, append(slices.Clone(was), "1 May 2026|The dredger leaves"), "The dredger leaves", false},
		{"of the day of the last", was, append(slices.Clone(was[1:]), "4 May 2026|The dredger leaves"), "The dredger leaves", false},
		{"dates to come", up, append(slices.Clone(up[1:]), "11 May 2026|The dredger leaves"), "The dredger leaves", false},
		{"no dates", []string{"x1|The lock", "x2|A barge sinks", "x3|Eels are back", "x4|The pump runs", "x5|Reeds are cut"}, []string{"x1|The lock", "x3|Eels are back", "x4|The pump runs", "x5|Reeds are cut", "x6|The dredger leaves"}, "The dredger leaves", true},
	} {
		for _, form := range []string{link, plain} {
			if tc.undated && form == plain {
				continue
			}
			m := New()
			before := around(t, "<ul>", form, "</ul>", tc.was)
			if _, broken := look(t, m, before); broken != "" {
				t.Fatal(broken)
			}
			told := newOf(t, m, before, around(t, "<ul>", form, "</ul>", tc.is))
			if got := strings.Join(told, ","); (got == "") != (tc.want == "") || !strings.Contains(got, tc.want) || len(told) > 1 {
				t.Errorf("%s: %s: told %q, want %q", tc.name, form, told, tc.want)
			}
		}
	}
}
