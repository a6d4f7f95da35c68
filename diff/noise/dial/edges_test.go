package dial

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestDatesBesideClocks(t *testing.T) {
	noon := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	for _, tc := range []struct {
		old, new string
		later    time.Duration
		want     string
	}{
		// Before the clock, in each form; the year only if it changes.
		{"30.11.2026 12:00:01", "1.12.2026 12:00:02", 24 * time.Hour, "[30.11.2026 12:00:01|1.12.2026 12:00:02]"},
		{"28.12.2026 12:00:01", "30.12.2026 12:00:02", 24 * time.Hour, "[01|02]"}, // not of these days
		{"2026/11/30 12:00:01", "2026/12/01 12:00:02", 24 * time.Hour, "[11/30 12:00:01|12/01 12:00:02]"},
		{"November 30 12:00:01", "December 1 12:00:02", 24 * time.Hour, "[November 30 12:00:01|December 1 12:00:02]"},
		{"November 29 12:00:01", "December 1 12:00:02", 24 * time.Hour, "[01|02]"},
		{"30/11 12:00:01", "1/12 12:00:02", 24 * time.Hour, "[30/11 12:00:01|1/12 12:00:02]"},
		{"334 12:00:01", "335 12:00:02", 24 * time.Hour, "[334 12:00:01|335 12:00:02]"}, // days, or the day of the year
		{"No. 334, 12:00:01", "No. 336, 12:00:02", 24 * time.Hour, "[01|02]"},
		{"2026-334 12:00:01", "2026-335 12:00:02", 24 * time.Hour, "[334 12:00:01|335 12:00:02]"},
		{"30/11/2569 12:00:01", "1/12/2569 12:00:02", 24 * time.Hour, "[30/11/2569 12:00:01|1/12/2569 12:00:02]"},
		{"115/11/30 12:00:01", "115/12/01 12:00:02", 24 * time.Hour, "[11/30 12:00:01|12/01 12:00:02]"},
		{"8/11/30 12:00:01", "8/12/01 12:00:02", 24 * time.Hour, "[11/30 12:00:01|12/01 12:00:02]"},
		// A date of a different calendar advances by as many days.
		{"1448/06/20 12:00:01", "1448/06/21 12:00:02", 24 * time.Hour, "[20 12:00:01|21 12:00:02]"},
		{"1448/06/20 12:00:01", "1448/06/22 12:00:02", 24 * time.Hour, "[01|02]"},
		{"1448/06/31 12:00:01", "1448/06/32 12:00:02", 24 * time.Hour, "[31 12:00:01|32 12:00:02]"},
		{"12:00:01 1448/06/20", "12:00:02 1448/06/21", 24 * time.Hour, "[01 1448/06/20|02 1448/06/21]"},
		{"12:00:01 1448/06/32", "12:00:02 1448/06/33", 24 * time.Hour, "[01|02]"},
		{"12:00:01 1448/06-20", "12:00:02 1448/06-21", 24 * time.Hour, "[01|02]"},
		{"12:00:01 1448/20", "12:00:02 1448/21", 24 * time.Hour, "[01|02]"},
		// After the clock.
		{"12:00:01 30.11.2026", "12:00:02 1.12.2026", 24 * time.Hour, "[01 30.11|02 1.12]"},
		{"12:00:01, Monday", "12:00:02, Tuesday", 24 * time.Hour, "[01, Monday|02, Tuesday]"},
		{"12:00:01, Monday", "12:00:02, Wednesday", 24 * time.Hour, "[01|02]"},
		{"12:00:01 on 30 November", "12:00:02 on 1 December", 24 * time.Hour, "[01 on 30 November|02 on 1 December]"},
		{"12:00:01 a b c 30.11.2026", "12:00:02 a b c 1.12.2026", 24 * time.Hour, "[01|02]"},
		// Weekdays and months as words before it.
		{"Monday 12:00:01", "Tuesday 12:00:02", 24 * time.Hour, "[Monday 12:00:01|Tuesday 12:00:02]"},
		{"Friday 12:00:01", "Tuesday 12:00:02", 24 * time.Hour, "[01|02]"},
		{"boat 12:00:01", "tram 12:00:02", 24 * time.Hour, "[01|02]"},
		// Halves of the day.
		{"11:59:59 am", "12:00:03 pm", 4 * time.Second, "[11:59:59 am|12:00:03 pm]"},
		{"am 11:59:59", "pm 12:00:03", 4 * time.Second, "[am 11:59:59|pm 12:00:03]"},
		{"12:59:59 PM", "1:00:03 PM", 4 * time.Second, "[12:59:59|1:00:03]"},
		{"11:00:01 am", "1:00:02 pm", 2 * time.Hour, "[11:00:01 am|1:00:02 pm]"},
		{"13:00:01", "1:00:02", 12 * time.Hour, "[13:00:01|1:00:02]"},
		// What is no clock.
		{"24:00:01", "1:00:02", time.Hour, ""}, {"23:00:01", "0:00:02", time.Hour, "[23:00:01|0:00:02]"}, {"12:60:01", "17:10:02", 250 * time.Minute, ""}, {"12:59:01", "13:59:02", time.Hour, "[12:59:01|13:59:02]"}, {"12:00:60", "13:00:00", time.Hour, ""}, {"12:00:59", "13:00:58", time.Hour, "[12:00:59|13:00:58]"}, {"23:59:58", "23:59:59", time.Second, "[58|59]"},
		{"012:00:01", "006:00:02", 18 * time.Hour, ""}, {"12:000:01", "06:000:02", 18 * time.Hour, ""}, {"12:00:001", "06:00:002", 18 * time.Hour, ""}, {"12:00:01", "06:00:02", 18 * time.Hour, "[12:00:01|06:00:02]"},
		{"12 of 00 of 01", "12 of 00 of 02", time.Second, "[01|02]"}, {"12 a b c 00 a b c 01", "12 a b c 00 a b c 02", time.Second, "[01|02]"}, {"12 a b c d 00 a b c d 01", "12 a b c d 00 a b c d 02", time.Second, ""},
		{"12:00 " + strings.Repeat(".", 49) + "01", "12:00 " + strings.Repeat(".", 49) + "02", time.Second, ""},
		// Summer time: an hour more or less, if at least an hour has passed.
		{"12:00:01", "14:00:02", time.Hour, "[12:00:01|14:00:02]"}, {"12:00:01", "12:00:02", time.Hour, "[01|02]"}, {"12:00:01", "13:30:02", 30 * time.Minute, "[00:01|30:02]"}, {"12:00:01", "15:00:02", time.Hour, ""},
		{"12:00:01 +01:00", "14:00:02 +02:00", time.Hour, "[12:00:01 +01:00|14:00:02 +02:00]"}, {"12:00:01 +0100", "14:00:02 +0200", time.Hour, "[12:00:01 +0100|14:00:02 +0200]"}, {"12:00:01 CET", "14:00:02 CEST", time.Hour, "[12:00:01 CET|14:00:02 CEST]"},
		{"12:00:01 -05:00", "14:00:02 -04:00", time.Hour, "[12:00:01 -05:00|14:00:02 -04:00]"}, {"12:00:01 -05:00", "14:00:02 -06:00", time.Hour, "[12:00:01|14:00:02]"}, {"12:00:01 +01:00", "13:00:02 +02:00", time.Hour, "[12:00:01|13:00:02]"},
		// Fractions of the second.
		{"12:00:01.250", "12:00:03.500", 2 * time.Second, "[01.250|03.500]"}, {"12:00:01,250", "12:00:03,500", 2 * time.Second, "[01,250|03,500]"}, {"12:00:01:250", "12:00:03:500", 2 * time.Second, "[01|03]"},
	} {
		got := spans(tc.old, tc.new, Ran(Parse(tc.old), noon, Parse(tc.new), noon.Add(tc.later)))
		if got != tc.want {
			t.Errorf("%q, %v later %q: %s, want %s", tc.old, tc.later, tc.new, got, tc.want)
		}
	}
}

func TestDurationsAndCountsAtTheirEdges(t *testing.T) {
	noon := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	for _, tc := range []struct {
		old, new string
		later    time.Duration
		want     string
	}{
		{"59 minutes 59 seconds", "60 minutes 1 seconds", 2 * time.Second, "[59 minutes 59 seconds|60 minutes 1 seconds]"},
		{"1 minutes 60 seconds", "1 minutes 62 seconds", 2 * time.Second, ""},
		{"1 hours 60 minutes 1 seconds", "1 hours 60 minutes 3 seconds", 2 * time.Second, "[1 seconds|3 seconds]"},
		{"24 hours 0 minutes 1 seconds", "24 hours 0 minutes 3 seconds", 2 * time.Second, "[1 seconds|3 seconds]"},
		{"999999 minutes 1 seconds", "999999 minutes 3 seconds", 2 * time.Second, "[1 seconds|3 seconds]"},
		{"1000000 minutes 1 seconds", "1000000 minutes 3 seconds", 2 * time.Second, ""},
		{"1 minutes 1 seconds", "0 minutes 59 seconds", 2 * time.Second, "[1 minutes 1 seconds|0 minutes 59 seconds]"},
		{"1 minutes 1 seconds", "1 minutes 1 seconds", 2 * time.Second, ""},
		{"12 seconds", "14 seconds", 2 * time.Second, ""},
		{"1 minutes 9 seconds", "2 minutes 0 seconds", 50 * time.Second, "[1 minutes 9 seconds|2 minutes 0 seconds]"},
		{"1 minutes 0 seconds", "2 minutes 6 seconds", time.Minute, "[1 minutes 0 seconds|2 minutes 6 seconds]"},
		{"1 minutes 0 seconds", "2 minutes 7 seconds", time.Minute, ""},
		{"1 minutes 6 seconds", "2 minutes 0 seconds", time.Minute, "[1 minutes 6 seconds|2 minutes 0 seconds]"},
		{"1 minutes 7 seconds", "2 minutes 0 seconds", time.Minute, ""},
		// A clock that is wrong by one second in 20,000 runs, too, but not by more than a minute.
		{"100 hours 0 minutes 0 seconds", "200 hours 0 minutes 23 seconds", 100 * time.Hour, "[100 hours 0 minutes 0 seconds|200 hours 0 minutes 23 seconds]"},
		{"100 hours 0 minutes 0 seconds", "200 hours 0 minutes 25 seconds", 100 * time.Hour, ""},
		{"100 hours 0 minutes 0 seconds", "9100 hours 1 minutes 6 seconds", 9000 * time.Hour, "[100 hours 0 minutes 0 seconds|9100 hours 1 minutes 6 seconds]"},
		{"100 hours 0 minutes 0 seconds", "9100 hours 1 minutes 7 seconds", 9000 * time.Hour, ""},
		// Counts have eight digits at least.
		{"12345678", "12345680", 2 * time.Second, "[12345678|12345680]"}, {"1234567", "1234569", 2 * time.Second, ""}, {"12345678", "12349278", time.Hour, "[12345678|12349278]"}, {"99999999", "100000001", 2 * time.Second, ""},
		{"1796040000123456", "1796043600123456", time.Hour, "[1796040000123456|1796043600123456]"}, {"179604000012345678", "179604360012345678", time.Hour, ""},
		{"12345678.25", "12345680.50", 2 * time.Second, "[12345678.25|12345680.50]"},
		// Julian dates have five digits, and four behind the point.
		{"61375.0000", "61375.5000", 12 * time.Hour, "[61375.0000|61375.5000]"}, {"1375.0000", "1375.5000", 12 * time.Hour, ""}, {"61375.000", "61375.500", 12 * time.Hour, ""}, {"61375,0000", "61375,5000", 12 * time.Hour, "[61375,0000|61375,5000]"}, {"61375:0000", "61375:5000", 12 * time.Hour, ""}, {"61375.0000", "61376.5000", 12 * time.Hour, ""},
	} {
		got := spans(tc.old, tc.new, Ran(Parse(tc.old), noon, Parse(tc.new), noon.Add(tc.later)))
		if got != tc.want {
			t.Errorf("%q, %v later %q: %s, want %s", tc.old, tc.later, tc.new, got, tc.want)
		}
	}
	// Of many numbers none is read.
	for n, want := range map[int]int{mostNumbers - 3: 1, mostNumbers - 2: 0} {
		many := strings.Repeat("x 7 ", n)
		if got := Ran(Parse(many+"12:00:01"), noon, Parse(many+"12:00:02"), noon.Add(time.Second)); len(got) != want {
			t.Errorf("after %d numbers: %d runs, want %d", n, len(got), want)
		}
	}
}

// Each number is cut out of its text. Dates and times without marks are cut into their parts.
func TestNumbersAreCutIntoParts(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "x": "", "7": "7", "a7b": "7", "20261130": "2026 11 30", "19700101": "1970 1 1", "19691231": "19691231", "21001231": "2100 12 31", "21010101": "21010101", "20260030": "20260030", "20261330": "20261330", "20261200": "20261200", "20261232": "20261232", "20261231": "2026 12 31", "20260101": "2026 1 1",
		"202611301205": "2026 11 30 12 5", "20261130120501": "2026 11 30 12 5 1", "20261130120501123": "2026 11 30 12 5 1 123", "2026113012": "2026113012", "196911301205": "196911301205",
		"20261130T120501": "2026 11 30 12 5 1", "20261130120501 120501": "2026 11 30 12 5 1 120501", "20261130  120501": "2026 11 30 120501", "120501": "120501", "1 2 3 120501": "1 2 3 120501", "20261130-120501": "2026 11 30 12 5 1", "26 11 30 120501": "26 11 30 12 5 1", "２０２６１１３０": "20261130",
		"123456789012345678": "123456789012345678", "1234567890123456789": "123456789012345678 9",
	} {
		var got []string
		p := Parse(text)
		for i, n := range p.numbers {
			got = append(got, fmt.Sprint(n.value))
			if i > 0 && n.from < p.numbers[i-1].to || n.to <= n.from || n.digits > n.to-n.from {
				t.Errorf("%q: %+v", text, p.numbers)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q: %v, want %s", text, got, want)
		}
		if len(p.shapes) != len(p.numbers)+1 || len(p.keys) != len(p.numbers) {
			t.Errorf("%q: %d numbers, %d shapes, %d keys", text, len(p.numbers), len(p.shapes), len(p.keys))
		}
	}
	for gap, want := range map[string]string{
		"": "", " ": "", "-": "-", "abc": "a", "ab cd": "aa", "a, b": "a,a", "a b c": "aaa", "a b c d": apart, strings.Repeat(".", mostBetween): strings.Repeat(".", mostBetween), strings.Repeat(".", mostBetween+1): apart, "é": "a", "a-b": "a-a", "T": "a",
	} {
		if got := shapeOf(gap); got != want {
			t.Errorf("%q has the shape %q, want %q", gap, got, want)
		}
	}
	if got := fmt.Sprint(Parse("at x.y-7, of 8 z").keys); got != "[a-0,a ,a0a]" {
		t.Errorf("the keys are %s", got)
	}
	for d, want := range map[time.Duration]time.Duration{0: 0, 6 * time.Hour: 6 * time.Hour, 12 * time.Hour: 12 * time.Hour, 13 * time.Hour: -11 * time.Hour, -6 * time.Hour: -6 * time.Hour, -12 * time.Hour: 12 * time.Hour, 24 * time.Hour: 0, 49 * time.Hour: time.Hour, -25 * time.Hour: -time.Hour} {
		if got := wrap(d, day); got != want {
			t.Errorf("%v is wrapped to %v, want %v", d, got, want)
		}
	}
	x := &Text{text: "ab, c  dé"}
	var got []string
	for _, s := range x.wordsOf(0, len(x.text)) {
		got = append(got, x.in(s))
	}
	for _, s := range x.wordsOf(1, 5) {
		got = append(got, x.in(s))
	}
	if strings.Join(got, "|") != "ab|c|dé|b|c" || x.wordsOf(2, 4) != nil {
		t.Errorf("the words are %q", got)
	}
}
