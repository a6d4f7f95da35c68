package calendar

import (
	_ "embed"
	"strings"
	"testing"
)

// written has dates as ICU, and so browsers, write them: see scripts/months/dates.mjs.
//
//go:embed testdata/intl.tsv
var written string

// unread are languages and styles whose dates could be something else, and are not read: 5.5.21 (a version), 15 08 2029 (three
// numbers), and months as Roman numerals.
var unread = map[string]bool{"sq short": true, "hsb short": true, "yo medium": true, "yo medium+time": true, "haw short": true}

func TestDatesAsBrowsersWriteThem(t *testing.T) {
	dates, others := 0, 0
	for line := range strings.Lines(written) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		language, style, want, text := f[0], f[2], f[3], f[4]
		got := ""
		if d, ok := Find(text, Style{Language: language, MonthFirst: MonthFirst(language)}); ok {
			got = d.String()
		}
		if got != want && (got != "" || !unread[language+" "+style]) {
			t.Errorf("%s: %q is %q, want %q", language, text, got, want)
		}
		if want != "" {
			dates++
		} else {
			others++
		}
	}
	if dates < 1500 || others < 600 {
		t.Errorf("%d dates and %d other texts", dates, others)
	}
}

func TestLanguagesThatWriteTheMonthFirst(t *testing.T) {
	for tag, want := range map[string]bool{"en": true, "en-US": true, "en_us": true, "en-PH": true, "en-GB": false, "en-AU": false, "de": false, "es": false, "es-PA": true,
		"fil-PH": true, "zu": true, "": false, "x": false} {
		if MonthFirst(tag) != want {
			t.Errorf("%s: %t, want %t", tag, !want, want)
		}
	}
}
