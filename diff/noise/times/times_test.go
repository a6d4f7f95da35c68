package times

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"plat/diff"
)

// values returns the values in a text, each as its words and what they mean.
func values(text string) string {
	var all []string
	for t := range Scan(text, diff.Split(text)) {
		v := t.Value
		switch v.Kind {
		case Clock:
			half := ""
			if v.half {
				half = "?"
			}
			all = append(all, fmt.Sprintf("[%s]=%v/%v%s", text[t.From:t.To], v.n, v.unit, half))
		case Instant:
			if v.unit == 0 {
				all = append(all, fmt.Sprintf("[%s]=%s", text[t.From:t.To], v.day))
			} else {
				all = append(all, fmt.Sprintf("[%s]=%v/%v", text[t.From:t.To], v.n, v.unit))
			}
		case Weekday:
			all = append(all, fmt.Sprintf("[%s]=day %d", text[t.From:t.To], v.day.Day))
		}
	}
	return strings.Join(all, " ")
}

func TestValuesOfTexts(t *testing.T) {
	for text, want := range map[string]string{
		"at 14:05 or so":            "[14:05]=14h5m0s/1m0s",
		"14:05:09":                  "[14:05:09]=14h5m9s/1s",
		"2:05 pm":                   "[2:05 pm]=14h5m0s/1m0s",
		"2:05 p.m. sharp":           "[2:05 p.m.]=14h5m0s/1m0s",
		"12:05 AM":                  "[12:05 AM]=5m0s/1m0s",
		"12:05 pm":                  "[12:05 pm]=12h5m0s/1m0s",
		"12:05":                     "[12:05]=12h5m0s/1m0s?",
		"13:05":                     "[13:05]=13h5m0s/1m0s",
		"0:59":                      "[0:59]=59m0s/1m0s?",
		"123:45":                    "[123:45]=123h45m0s/1m0s",
		"14h05":                     "[14h05]=14h5m0s/1m0s",
		"23h59":                     "[23h59]=23h59m0s/1m0s",
		"14 Uhr 05":                 "[14 Uhr 05]=14h5m0s/1m0s",
		"14時05分":                    "[14時05分]=14h5m0s/1m0s",
		"14时05分09秒":                 "[14时05分09秒]=14h5m9s/1s",
		"14点05分":                    "[14点05分]=14h5m0s/1m0s",
		"14點05分":                    "[14點05分]=14h5m0s/1m0s",
		"14시05분":                    "[14시05분]=14h5m0s/1m0s",
		"14시05분09초":                 "[14시05분09초]=14h5m9s/1s",
		"오후 2시 05분":                 "[2시 05분]=2h5m0s/1m0s?",
		"14시 05분 09초 전송":            "[14시 05분 09초]=14h5m9s/1s",
		"14 시 05 분":                 "[14 시 05]=14h5m0s/1m0s",
		"24시05분":                    "",
		"14시60분":                    "",
		"14시05분60초":                 "",
		"12시5분":                     "[12시5분]=12h5m0s/1m0s?",
		"13시59분59초":                 "[13시59분59초]=13h59m59s/1s",
		"14:60":                     "",
		"14:5":                      "",
		"14: 05":                    "",
		"14 :05":                    "",
		"24h05":                     "",
		"14h60":                     "",
		"14h5":                      "",
		"1:2:3:4":                   "",
		"14:05:09:11":               "",
		"1234:05":                   "",
		"5 minutes ago":             "[5 minutes ago]=5m0s/1m0s",
		"vor einer Stunde":          "[vor einer Stunde]=1h0m0s/1h0m0s",
		"il y a 3 jours":            "[il y a 3 jours]=72h0m0s/24h0m0s",
		"in 5 minutes":              "[in 5 minutes]=-5m0s/1m0s",
		"5 minutes left":            "[5 minutes left]=-5m0s/1m0s",
		"in 5 minutes ago":          "[in 5 minutes ago]=5m0s/1m0s",
		"1 hour and 5 minutes ago":  "[1 hour and 5 minutes ago]=1h5m0s/1m0s",
		"2 hours, 5 minutes ago":    "[2 hours, 5 minutes ago]=2h5m0s/1m0s",
		"1 day 2 hours 3 min ago":   "[1 day 2 hours 3 min ago]=26h3m0s/1m0s",
		"5m ago":                    "[5m ago]=5m0s/1m0s",
		"5分钟前":                      "[5分钟前]=5m0s/1m0s",
		"3 weeks ago":               "[3 weeks ago]=504h0m0s/168h0m0s",
		"a month ago":               "[a month ago]=720h0m0s/720h0m0s",
		"2 years ago":               "[2 years ago]=17520h0m0s/8760h0m0s",
		"9999 seconds ago":          "[9999 seconds ago]=2h46m39s/1s",
		"10000 seconds ago":         "",
		"5 minutes":                 "",
		"5 apples ago":              "",
		"5 minutes 2 hours ago":     "[2 hours ago]=2h0m0s/1h0m0s", // smaller units follow larger ones
		"just now":                  "[just now]=0s/1m0s",
		"yesterday":                 "[yesterday]=24h0m0s/24h0m0s",
		"Aujourd'hui":               "[Aujourd'hui]=0s/24h0m0s",
		"a moment ago":              "[a moment ago]=0s/1m0s",
		"24 November 2026":          "[24 November 2026]=2026-11-24",
		"2026-11-24":                "[2026-11-24]=2026-11-24",
		"see you Monday or Sunday":  "[Monday]=day 1 [Sunday]=day 0",
		"Open 9:00 and 2026-11-24.": "[9:00]=9h0m0s/1m0s? [2026-11-24]=2026-11-24",
		"14 s at sea":               "",
		"segunda-feira, 月曜日":        "[segunda-feira]=day 1 [月曜日]=day 1",
		"nothing here":              "",
		"":                          "",
	} {
		if got := values(text); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

// Two values are of texts that are seen at noon and some time later.
func TestValuesThatDenoteTheSame(t *testing.T) {
	noon := time.Date(2026, 11, 24, 12, 0, 0, 0, time.UTC) // a Tuesday
	for _, tc := range []struct {
		old, new string
		later    time.Duration
		want     What
	}{
		// Clocks.
		{"12:00:03", "12:10:04", 10 * time.Minute, Going},
		{"12:01", "12:11", 10 * time.Minute, Going},
		{"13:01", "13:11", 10 * time.Minute, Going}, // in another zone
		{"23:45:03", "00:05:03", 20 * time.Minute, Going},
		{"12:01", "12:30", 10 * time.Minute, ""},
		{"12:00", "12:15", 15 * time.Minute, ""}, // opening hours
		{"12:07", "12:17", 10 * time.Minute, ""}, // no zone has that time
		{"12:01", "1:01", time.Hour, Going},      // with twelve hours
		{"0:05:00", "0:15:00", 10 * time.Minute, Going},
		{"3:07:20", "3:17:20", 10 * time.Minute, Going}, // a stopwatch
		{"3:17:20", "3:07:20", 10 * time.Minute, Going}, // until a deadline
		{"3:17:20", "3:07:40", 10 * time.Minute, ""},
		{"3:07:20", "3:17:26", 10 * time.Minute, Going}, // within the slack
		{"3:07:20", "3:17:27", 10 * time.Minute, ""},
		{"3:07:20", "3:17:14", 10 * time.Minute, Going},
		{"3:07:20", "3:17:13", 10 * time.Minute, ""},
		// Ages.
		{"5 minutes ago", "15 minutes ago", 10 * time.Minute, Age},
		{"5 minutes ago", "16 minutes ago", 10 * time.Minute, Age},
		{"5 minutes ago", "5 minutes ago", 10 * time.Minute, ""},
		{"5 minutes ago", "4 minutes ago", 10 * time.Second, ""},
		{"5 minutes ago", "30 minutes ago", 10 * time.Minute, ""},
		{"55 minutes ago", "1 hour ago", 10 * time.Minute, Age},
		{"23 hours ago", "yesterday", 2 * time.Hour, Age},
		{"in 15 minutes", "in 5 minutes", 10 * time.Minute, Age},
		{"in 5 minutes", "in 15 minutes", 10 * time.Minute, ""},
		{"in 30 minutes", "in 5 minutes", 10 * time.Minute, ""},
		{"2 days ago", "22 November 2026", 24 * time.Hour, Age},
		{"2 days ago", "15 November 2026", 24 * time.Hour, ""},
		{"22 November 2026", "3 days ago", 24 * time.Hour, Age},
		// Dates.
		{"24 November 2026", "25 November 2026", 24 * time.Hour, Date},
		{"24 November 2026", "26 November 2026", 24 * time.Hour, ""},
		{"23 November 2026", "24 November 2026", 24 * time.Hour, ""},
		{"25 November 2026", "26 November 2026", 24 * time.Hour, Date}, // in the far east
		{"Tuesday", "Wednesday", 24 * time.Hour, Date},
		{"Tuesday", "Thursday", 24 * time.Hour, ""},
		{"Saturday", "Sunday", 24 * time.Hour, ""},
		{"word", "word", 24 * time.Hour, ""},
	} {
		first := func(text string) *Value {
			for tok := range Scan(text, diff.Split(text)) {
				return &tok.Value
			}
			return &Value{}
		}
		a, b := first(tc.old), first(tc.new)
		if a.Kind != b.Kind {
			t.Fatalf("%q and %q are of different kinds", tc.old, tc.new)
		}
		if got := Same(a, noon, b, noon.Add(tc.later)); got != tc.want {
			t.Errorf("%q and %v later %q: %q, want %q", tc.old, tc.later, tc.new, got, tc.want)
		}
	}
}

func TestTimesThatPagesTook(t *testing.T) {
	for _, tc := range []struct {
		before, word, next string
		want               bool
	}{
		{"Page generated in ", "0.217", "seconds", true},
		{"Page generated in ", "3", "seconds", true},
		{"Generated in ", "0.217", "s", true},
		{"Generated in ", "0,217s", "", true},
		{"Generated in ", "3", "seconds", false},
		{"Generated in ", "312", "ms", true},
		{"Rendering time: ", "312ms", "", true},
		{"This page was loaded in ", "1.5", "sec", true},
		{"Generated in ", "3.5", "minutes", false},
		{"An order is processed in ", "3.5", "seconds", false},
		{"An order. Generated in ", "3.5", "seconds", true},
		{"Our site | page created in ", "2", "seconds", true},
		{"本页面生成用时", "0.2", "秒", true},
		{"Generated in ", "about", "seconds", false},
		{"Erstellt in ", "0,5", "Sekunden", true},
		{"", "0.5", "seconds", false},
		{"GENERATED IN ", "312MS", "", true},
		{"GENERATED IN ", "312", "MS", true},
		{"", "PAGE GENERATED IN 3S", "", true},
		{"", "Order processed in 3s", "", false},
	} {
		if got := MadeIn(tc.before, tc.word, tc.next); got != tc.want {
			t.Errorf("%s%s %s: %v", tc.before, tc.word, tc.next, got)
		}
	}
	if MadeIn("Generated "+strings.Repeat(" ", reach)+"in ", "0.5", "s") {
		t.Error("words far before are read")
	}
}

func TestNumeralsOfAnyScript(t *testing.T) {
	for _, r := range "07٣Ⅷ〇零五亿" {
		if !IsNumeral(r) {
			t.Errorf("%c is no numeral", r)
		}
	}
	for _, r := range "aд日/" {
		if IsNumeral(r) {
			t.Errorf("%c is a numeral", r)
		}
	}
}
