package article

import (
	"fmt"
	"strings"
	"testing"

	"plat/plat/calendar"
)

func TestLinesAtTheirEdges(t *testing.T) {
	const date = "3 May 2026"
	upper := func(n int) string { return strings.TrimSpace(strings.Repeat("Word ", n)) }
	for s, want := range map[string]bool{
		date: true, "": false, "Ann Rivers": false, "Ann, 5 min read": true, "Since " + date: false,
		"one two " + date: true, "one two three " + date: false, "posted one two three four five " + date: true, "posted one two three four five six " + date: false, "by one two three four five " + date: true, "by one two three four five six " + date: false, "posted one two three": false,
		upper(maxLine) + " " + date: false, upper(17) + " " + date: true, upper(17) + " | " + upper(maxLine-17) + " | " + date: true, upper(17) + " | " + upper(maxLine-16) + " | " + date: false, strings.Repeat("X", maxPart) + " " + date: true, strings.Repeat("X", maxPart+1) + " " + date: false, strings.Repeat("字", maxRun) + " | " + date: true, strings.Repeat("字", maxRun+1) + " | " + date: false,
		date + strings.Repeat(" |", (calendar.MaxText-len(date))/2): true, date + strings.Repeat(" |", (calendar.MaxText-len(date))/2+1): false,
	} {
		if _, about := readLine(s, calendar.Style{}); about != want {
			t.Errorf("%.60q (%d bytes) is a line about a text: %v", s, len(s), about)
		}
	}
	for s, want := range map[string]string{
		"Posted on 3 May 2026": "2026-05-03 posted", "Updated 3 May 2026": "2026-05-03 changed", "Published 3 May 2026, updated 4 May 2026": "2026-05-03 posted|2026-05-04 changed", "Since 3 May 2026 | Harbour Works of Quay | 4 May 2026": "2026-05-04", "updated by all of us on 3 May 2026": "2026-05-03", "updated by two of 3 May 2026": "2026-05-03 changed", "3 May 2026 updated": "2026-05-03",
	} {
		l, _ := readLine(s, calendar.Style{})
		var got []string
		for _, d := range l.dates {
			said := d.String()
			if d.posted {
				said += " posted"
			}
			if d.changed {
				said += " changed"
			}
			got = append(got, said)
		}
		if strings.Join(got, "|") != want {
			t.Errorf("%q has the days %q, want %q", s, got, want)
		}
	}
	for s, want := range map[string]string{
		"By Ann Rivers · July 10, 2015 · 4 min read": "By Ann Rivers", "Ann Rivers, 10:05 am PDT, 3 May 2026": "Ann Rivers", "News | Ann Rivers | 3 May 2026 | 12 comments": "News|Ann Rivers", "Sunday, 3 May 2026": "", "3 May 2026 at 18.30 Uhr in Quays": "Quays", "来源：新华社 记者：张三 2026年5月3日": "来源：新华社|记者：张三", "Ann // Bob 3 May 2026": "Ann|Bob", "Ann – Bob 3 May 2026": "Ann|Bob", "Ann-Bob 3 May 2026": "Ann-Bob", "Ann Photo: Bob 3 May 2026": "Ann|Photo: Bob",
	} {
		if l, _ := readLine(s, calendar.Style{}); strings.Join(l.parts, "|") != want {
			t.Errorf("%q has the parts %q, want %q", s, l.parts, want)
		}
	}
	for s, want := range map[string]bool{"Posted by Ann": true, "posted": true, "(Posted": true, "On 3 May": false, "With Ann": true, "May 3": false, "Sunday": false, "Ann": false, "Published: x": true, "": false, "The x": false, "Datum 3": true} {
		if saysPosted(s) != want {
			t.Errorf("%q says that a text was posted: %v", s, !want)
		}
	}
	many := strings.Repeat("x\n", maxLines-1)
	for _, tc := range []struct {
		s     string
		prose bool
		want  bool
	}{
		{date, false, true}, {date, true, false}, {"Posted " + date, true, true}, {"x\n" + date, true, true}, {many + date, true, true}, {"x\n" + many + date, false, false}, {"x\n5 min read", false, false}, {"5 min read\n" + date, false, true}, {"x", false, false},
	} {
		if l, about := readLines(tc.s, tc.prose, calendar.Style{}); about != tc.want || about != (len(l.dates) > 0) {
			t.Errorf("%.40q, prose %v, has a line about a text: %v", tc.s, tc.prose, about)
		}
	}
}

func TestWordsAroundNamesAreRemoved(t *testing.T) {
	for part, want := range map[string]string{
		"posted on": "", "Posted on Quays": "Quays", "Quays posted on": "Quays", "in Quays on Sunday": "Quays", "Sunday Times": "", "Sun Times": "Sun Times", "Sun, Quays": "Quays", "Quays, Sun": "Quays", "Quays Sun": "Quays Sun", "Sun": "", "Le Monde": "Le Monde", "le Monde": "Monde", "Quays le": "Quays", "Quays Le": "Quays Le", "by Ann": "by Ann", "posted by Ann": "posted by Ann", "10 GMT": "10", "Quays gmt": "Quays gmt", " - Quays - ": "Quays", "": "", "den 3": "3", "Den Haag": "Den Haag", "on: Quays": "Quays", "date：Quays": "Quays",
	} {
		if got := trimGlue(part); got != want && part != "Sunday Times" {
			t.Errorf("%q becomes %q, want %q", part, got, want)
		}
	}
	if got := trimGlue("Sunday Times"); got != "Times" {
		t.Errorf("Sunday Times becomes %q", got)
	}
	for _, tc := range []struct {
		before, after string
		want          bool
	}{{"By", "Ann", true}, {"by", "ann", true}, {"Ann", "Rivers", true}, {"Ann", "rivers", false}, {"Ann", "10", true}, {"A", "Rivers", false}, {"Ann", "R", false}, {"Ann,", "Rivers", false}, {"2015", "July", true}, {"é", "Rivers", false}, {"Ann", "É", false}, {"Ann", "Éa", true}, {"", "Ann", false}, {"x)", "Ann", false}} {
		if got := glued(tc.before, tc.after); got != tc.want {
			t.Errorf("%q and %q are two words: %v", tc.before, tc.after, got)
		}
	}
	for src, want := range map[string]string{
		`<b>By</b><i>Ann Rivers</i><u>May 3</u>`: "By Ann Rivers May 3", `<b>Ann</b>rivers`: "Annrivers", `<b>By</b> <i>Ann</i>`: "By Ann", `plain By Ann`: "plain By Ann", `<b>By</b><i>Ann</i> ` + worded(maxLine): "ByAnn " + worded(maxLine), `<b>O</b><i>Neill</i>`: "ONeill", `<b>Word</b><i>` + worded(maxLine-1) + `</i>`: "Word" + worded(maxLine-1),
	} {
		page := textOf(t, "<p>"+src+"</p>")
		if got := page.spaced(&page.all[0]); got != want {
			t.Errorf("%.60s: %q, want %q", src, got, want)
		}
	}
}

// A heading near the beginning of the text is the title if it agrees with a declared title.
func TestWhereATitleIsLookedFor(t *testing.T) {
	said := []declaredTitle{declare("The pier closes")}
	x := func(n int) string { return strings.Repeat("<p>x y</p>", n) }
	const shown = "<p>The pier closes</p>"
	for i, tc := range []struct {
		src   string
		begin int
		want  int // passage, -1 for none
	}{
		{x(3) + shown + x(3), 4, 3}, {x(6) + shown + x(3), 4, 6}, {x(7) + shown + x(3), 4, -1}, {shown + x(80), titleReach, 0}, {shown + x(80), titleReach + 1, -1}, {"<h1>The pier closes</h1>" + x(80), titleReach + 9, 0}, {"<h2>The pier closes</h2>" + x(80), titleReach + 9, -1},
		{shown + x(2) + shown + x(3), 4, 3}, {"<h1>The pier closes</h1>" + shown + x(3), 3, 0}, {"<p>The pier closes " + worded(maxTitle-3) + "</p>" + x(3), 3, -1}, {"<p>The pier closes or not</p>" + x(3), 3, 0},
	} {
		title, at := textOf(t, tc.src).title(said, "fallback", "", tc.begin)
		if at != tc.want || tc.want < 0 && title != "The pier closes" {
			t.Errorf("case %d: the title %q is passage %d, want %d", i, title, at, tc.want)
		}
	}
	for src, want := range map[string]string{"<h1>The pier</h1>" + x(2): "The pier", "<h2>The pier</h2>" + x(2): "fallback", "<p>The pier</p>" + x(2): "fallback", "<h1>x</h1>" + x(2): "fallback", "<h1>xy</h1>" + x(2): "xy"} {
		if title, _ := textOf(t, src).title(nil, "fallback", "", 2); title != want {
			t.Errorf("%.30s without a declared title: %q, want %q", src, title, want)
		}
	}
	for title, want := range map[string]string{
		"A new bridge | Quay": "A new bridge", "New bridge | Quay": "New bridge | Quay", "A new bridge | One two three four": "A new bridge", "A new bridge | One two three four five": "A new bridge | One two three four five", "Quay | A new bridge": "Quay | A new bridge", "A new bridge - x | Quay": "A new bridge - x", " | Quay": " | Quay",
	} {
		if got := withoutSite(title, "", true); got != want {
			t.Errorf("%q without a site is %q, want %q", title, got, want)
		}
	}
	for n, want := range map[int]string{1: "a", maxSites: "a", maxSites + 1: "a | Quay"} {
		if got := withoutSite("a"+strings.Repeat(" | Quay", n), "Quay", false); got != want {
			t.Errorf("with %d names of the site: %q, want %q", n, got, want)
		}
	}
	for s, want := range map[string]string{"abc": "abc", "abcd": "abc", "aé": "aé", "abé": "ab", "é": "é", "éa": "éa", "ééa": "é", "字a": "字", "ab字": "ab", "": ""} {
		if got := cut(s, 3); got != want {
			t.Errorf("%q cut to three bytes is %q, want %q", s, got, want)
		}
	}
	if got := fmt.Sprint(cut("字", 2) == "", cut("字", 0) == ""); got != "true true" {
		t.Errorf("a character is cut: %s", got)
	}
}
