package dial

import (
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// spans returns the runs of two texts, each as its part of both.
func spans(old, new string, runs []Run) string {
	var all []string
	for _, r := range runs {
		all = append(all, fmt.Sprintf("[%s|%s]", old[r.Old[0]:r.Old[1]], new[r.New[0]:r.New[1]]))
	}
	return strings.Join(all, " ")
}

func TestRunsBetweenTwoTexts(t *testing.T) {
	noon := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	for _, tc := range []struct {
		old, new string
		later    time.Duration
		want     string
	}{
		// Clocks, with their dates.
		{"at 12:00:01 here", "at 12:10:03 here", 10 * time.Minute, "[00:01|10:03]"},
		{"at 12:00:01", "at 12:00:09", 10 * time.Minute, ""},
		{"at 12:00:01", "at 12:00:01", 10 * time.Minute, ""},
		{"at 12:00:01", "at 12:00:03", time.Second, "[01|03]"},
		{"at 12:00:03", "at 12:00:01", time.Second, "[03|01]"}, // backwards, to a deadline
		{"at 12:00:01", "at 12:11:03", 10 * time.Minute, ""},
		{"2026-11-30T12:00:01Z", "2026-12-01T13:00:02Z", 25 * time.Hour, "[11-30T12:00:01|12-01T13:00:02]"},
		{"2026-11-30T12:00:01Z", "2026-12-02T13:00:02Z", 25 * time.Hour, "[12:00:01|13:00:02]"}, // not that date
		{"30 Nov 2026 23:59:59", "1 Dec 2026 00:59:59", time.Hour, "[30 Nov 2026 23:59:59|1 Dec 2026 00:59:59]"},
		{"Mon 30 Nov 12:00:01", "Tue 1 Dec 12:00:03", 24 * time.Hour, "[Mon 30 Nov 12:00:01|Tue 1 Dec 12:00:03]"},
		{"Nov 30, 11:00:01 AM", "Nov 30, 12:00:01 PM", time.Hour, "[11:00:01 AM|12:00:01 PM]"},
		{"20261130120001", "20261201120002", 24 * time.Hour, "[1130120001|1201120002]"},
		{"20261130T120001Z", "20261130T130001Z", time.Hour, "[120001|130001]"},
		{"11:00:01 UTC 30.11.2026", "11:00:01 UTC 1.12.2026", 24 * time.Hour, ""}, // to the second: it may not run
		{"11:00:01 UTC 30.11.2026", "11:00:02 UTC 1.12.2026", 24 * time.Hour, "[01 UTC 30.11|02 UTC 1.12]"},
		{"+01:00", "+02:00", time.Hour, ""},
		{"Ticket 29 at 12:00:01", "Ticket 30 at 12:00:02", 24 * time.Hour, "[01|02]"}, // no date
		{"12:00:01 here. Build 20261115", "12:00:02 here. Build 20261201", 24 * time.Hour, "[01|02]"},
		// Durations.
		{"3 days 4 hours 5 minutes 6 seconds", "3 days 3 hours 5 minutes 5 seconds", time.Hour, "[4 hours 5 minutes 6 seconds|3 hours 5 minutes 5 seconds]"},
		{"1 day 0 hours 0 minutes 9 seconds", "2 days 1 hours 0 minutes 9 seconds", 25 * time.Hour, "[1 day 0 hours 0 minutes 9 seconds|2 days 1 hours 0 minutes 9 seconds]"},
		{"2w 6d 23h 59m 59s", "3w 0d 0h 0m 9s", 10 * time.Second, "[2w 6d 23h 59m 59s|3w 0d 0h 0m 9s]"},
		{"1 day 0 hours 0 minutes 9 seconds", "2 days 3 hours 0 minutes 9 seconds", 25 * time.Hour, ""},
		{"up 3 days, 23:59:59", "up 4 days, 0:00:01", 2 * time.Second, "[3 days, 23:59:59|4 days, 0:00:01]"},
		{"3:23:59:59", "4:00:00:01", 2 * time.Second, "[3:23:59:59|4:00:00:01]"},
		{"3 dienas 23 stundas 59 minūtes 59 s", "4 dienas 0 stundas 0 minūtes 1 s", 2 * time.Second, "[3 dienas 23 stundas 59 minūtes 59 s|4 dienas 0 stundas 0 minūtes 1 s]"},
		{"3 boats 23:59:59", "4 boats 0:00:01", 2 * time.Second, "[23:59:59|0:00:01]"},
		{"1:23:45", "1:23:59", time.Hour, ""},
		// Counts.
		{"now 1796040000", "now 1796043601", time.Hour, "[1796040000|1796043601]"},
		{"now 1796040000123", "now 1796043601456", time.Hour, "[1796040000123|1796043601456]"},
		{"now 1796040000", "now 1796050000", time.Hour, ""},
		{"JD 2461375.00000", "JD 2461375.50001", 12 * time.Hour, "[2461375.00000|2461375.50001]"},
		{"views 1200", "views 4800", time.Hour, ""},
		{"", "at 12:00:01", time.Hour, ""},
	} {
		got := spans(tc.old, tc.new, Ran(Parse(tc.old), noon, Parse(tc.new), noon.Add(tc.later)))
		if got != tc.want {
			t.Errorf("%q, %v later %q: %s, want %s", tc.old, tc.later, tc.new, got, tc.want)
		}
	}
}

func TestClocksOfZones(t *testing.T) {
	at := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	for text, want := range map[string]bool{"17:30:02": true, "12:00:02": true, "11:59:57": true, "12:07:02": false, "12:00:20": false} {
		d, err := time.Parse(time.TimeOnly, text)
		if err != nil {
			t.Fatal(err)
		}
		later := d.Add(37*time.Minute + time.Second).Format(time.TimeOnly)
		runs := Ran(Parse(text), at, Parse(later), at.Add(37*time.Minute))
		if len(runs) != 1 || runs[0].OfAnyClock != want {
			t.Errorf("%s, later %s: %+v, want of any clock %v", text, later, runs, want)
		}
	}
}

func TestNumbersOfAllScripts(t *testing.T) {
	for text, want := range map[string]int64{"17": 17, "١٧": 17, "۱۷": 17, "१७": 17, "๑๗": 17, "１７": 17, "𝟏𝟕": 17, "𝟗𝟕": 97, "𝟘𝟙": 1} {
		if n := Parse(text).numbers; len(n) != 1 || n[0].value != want || n[0].digits != 2 {
			t.Errorf("%s: %+v, want %d", text, n, want)
		}
	}
}

// Two runs do not overlap, and their ranges are whole characters of the texts.
func FuzzRan(f *testing.F) {
	f.Add("at 2026-11-30T12:00:01Z, 3 days 4:05:06", "at 2026-11-30T12:00:03Z, 3 days 4:05:08", 2)
	f.Add("الآن ٢٠٢٦/١١/٣٠ ١٢:٠٠:٠١", "الآن ٢٠٢٦/١١/٣٠ ١٣:٠٠:٠١", 3600)
	f.Add("20261130120001 1796040000 2461375.00000", "20261201120001 1796126400 2461376.00000", 86400)
	f.Add("𝟗𝟎:\xff12:00:01", "𝟗𝟎:\xff12:00:02", 1)
	f.Fuzz(func(t *testing.T, old, new string, seconds int) {
		at := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
		seconds %= 1e9
		a, b := 0, 0
		for _, r := range Ran(Parse(old), at, Parse(new), at.Add(time.Duration(seconds)*time.Second)) {
			if r.Old[0] < a || r.New[0] < b || r.Old[1] <= r.Old[0] || r.New[1] <= r.New[0] || r.Old[1] > len(old) || r.New[1] > len(new) {
				t.Fatalf("%q, %q: %+v after %d, %d", old, new, r, a, b)
			}
			if utf8.ValidString(new) && !utf8.ValidString(new[r.New[0]:r.New[1]]) {
				t.Fatalf("%q: %+v cuts a character", new, r)
			}
			a, b = r.Old[1], r.New[1]
		}
	})
}
