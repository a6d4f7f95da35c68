package times

import (
	"strings"
	"testing"
	"time"

	"plat/diff"
)

// instants returns the instants of a text, and what of it they are.
func instants(text string) (all []Value, said string) {
	for t := range Scan(text, diff.Split(text)) {
		if t.Kind == Instant {
			all = append(all, t.Value)
			said += text[t.From:t.To]
		}
	}
	return all, said
}

// TestRelativeTimesMoveOnInEveryLanguage takes the forms from the table itself: each must be read as a whole, and two of them that
// are seen at two visits must be the same instant.
func TestRelativeTimesMoveOnInEveryLanguage(t *testing.T) {
	now := time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)
	languages := map[string]bool{}
	for line := range strings.Lines(relative) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		line, _, _ = strings.Cut(strings.TrimSpace(line), "=")
		head, rest, _ := strings.Cut(line, "<")
		past, _, _ := strings.Cut(rest, ">")
		tag, name, _ := strings.Cut(strings.TrimSpace(head), " ")
		unit := unitNames[name]
		languages[tag] = true
		if name != "minute" && name != "hour" && name != "day" && name != "week" {
			continue
		}
		for i, form := range strings.Split(past, "|") {
			if !strings.Contains(form, "0") {
				continue
			}
			was, is := strings.ReplaceAll(form, "0", "3"), strings.ReplaceAll(form, "0", "5")
			a, said := instants("x · " + was + " · y")
			b, _ := instants("x · " + is + " · y")
			if len(a) != 1 || len(b) != 1 || said != was {
				t.Errorf("%s: %q is read as %q (%d)", tag, was, said, len(a))
				continue
			}
			if i == 0 && Same(&a[0], now, &b[0], now.Add(2*unit)) != Age {
				t.Errorf("%s: %q and %q are %v and %v of %v, want %v", tag, was, is, a[0].n, b[0].n, a[0].unit, unit)
			}
			if i == 0 && Same(&b[0], now, &a[0], now.Add(2*unit)) != "" {
				t.Errorf("%s: %q becomes younger", tag, is)
			}
		}
	}
	if len(languages) < 80 {
		t.Errorf("%d languages", len(languages))
	}
}

func TestRelativeTimesOfPages(t *testing.T) {
	now := time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)
	for _, tc := range []struct {
		was, is string
		passed  time.Duration
		same    bool
	}{
		{"hoje", "ontem", day, true},
		{"ma", "tegnap", day, true},
		{"tegnap", "tegnapelőtt", day, true},
		{"heute", "vorgestern", 2 * day, true},
		{"täna", "eile", day, true},
		{"今日", "一昨日", 2 * day, true},
		{"hôm nay", "hôm qua", day, true},
		{"hari ini", "kemarin", day, true},
		{"אתמול", "לפני יומיים", day, true},
		{"أمس", "قبل يومين", day, true},
		{"aujourd’hui", "hier", day, true},
		{"aujourd'hui", "avant-hier", 2 * day, true},
		{"2 napja", "3 napja", day, true},
		{"2日前", "3日前", day, true},
		{"2 日前", "3 日前", day, true},
		{"2일 전", "3일 전", day, true},
		{"2天前", "3天前", day, true},
		{"٢ أيام قبل", "x", day, false},
		{"قبل ٣ أيام", "قبل ٥ أيام", 2 * day, true},
		{"۲ روز پیش", "۳ روز پیش", day, true},
		{"২ দিন আগে", "৩ দিন আগে", day, true},
		{"२ दिन पहले", "३ दिन पहले", day, true},
		{"πριν από 2 ημέρες", "πριν από 3 ημέρες", day, true},
		{"acum 2 zile", "acum 3 zile", day, true},
		{"prije 2 dana", "prije 3 dana", day, true},
		{"pirms 2 dienām", "pirms 3 dienām", day, true},
		{"prieš 2 dienas", "prieš 3 dienas", day, true},
		{"2 päivää sitten", "3 päivää sitten", day, true},
		{"fyrir 2 dögum", "fyrir 3 dögum", day, true},
		{"2 วันที่ผ่านมา", "3 วันที่ผ่านมา", day, true},
		{"2 ngày trước", "3 ngày trước", day, true},
		{"2 hari yang lalu", "3 hari yang lalu", day, true},
		{"fa 2 dies", "fa 3 dies", day, true},
		{"2 дні тому", "5 днів тому", 3 * day, true},
		{"2 days ago", "5 days ago", day, false},
		{"3 napja", "2 napja", day, false},
		{"tegnap", "ma", day, false},
		{"5-2 h", "5-3 h", time.Hour, false},
	} {
		a, _ := instants(tc.was)
		b, _ := instants(tc.is)
		same := len(a) == 1 && len(b) == 1 && Same(&a[0], now, &b[0], now.Add(tc.passed)) == Age
		if same != tc.same {
			t.Errorf("%q and %q after %v: %v (%v, %v), want %v", tc.was, tc.is, tc.passed, same, a, b, tc.same)
		}
	}
}

// TestAgesInATextMayBeLeadTimes: a number of units ahead may be one, as of a service, but a word for a day may not.
func TestAgesInATextMayBeLeadTimes(t *testing.T) {
	for text, want := range map[string]string{
		"Posted 2 hours ago": "2 hours ago", "Posted yesterday by Ann": "yesterday", "Sent in 3 days": "in 3 days, ahead", "We open tomorrow": "tomorrow",
		"Vor 2 Tagen gelesen": "Vor 2 Tagen", "In 2 Tagen fertig": "In 2 Tagen, ahead", "It was 0 minutes ago": "0 minutes ago", "in 0 days": "in 0 days",
		"2 hours ago, and in 3 days": "2 hours ago; in 3 days, ahead", "On 3 May 2026 at 12:00": "", "2 hours": "", "": "",
	} {
		got := ""
		for _, a := range Ages(text) {
			if got != "" {
				got += "; "
			}
			if got += text[a.From:a.To]; a.Lead {
				got += ", ahead"
			}
		}
		if got != want {
			t.Errorf("%q has %q, want %q", text, got, want)
		}
	}
}

// TestFormsUpToAFewWordsAreKept: of two for the same words, the first one.
func TestFormsUpToAFewWordsAreKept(t *testing.T) {
	words := func(n int) []string { return strings.Fields(strings.Repeat("w ", n)) }
	day, hour := form{unit: 24 * time.Hour}, form{unit: time.Hour}
	for _, tc := range []struct{ before, after, kept int }{{0, 0, 0}, {1, 0, 1}, {0, 1, 1}, {maxForm, 0, 1}, {0, maxForm, 1}, {maxForm, maxForm, 1}, {maxForm + 1, 0, 0}, {0, maxForm + 1, 0}, {1, maxForm + 1, 0}, {maxForm + 1, 1, 0}} {
		k := forms{before: map[string]bool{}, around: map[string]form{}}
		k.form(words(tc.before), words(tc.after), day)
		k.form(words(tc.before), words(tc.after), hour)
		begins := tc.kept * tc.before // the words before the number, up to each of them
		if len(k.around) != tc.kept || len(k.before) != begins {
			t.Errorf("%d words before the number and %d after it: %d forms, %d begin so", tc.before, tc.after, len(k.around), len(k.before))
		}
		for _, f := range k.around {
			if f != day {
				t.Errorf("the form is %v", f)
			}
		}
	}
	for n, kept := range map[int]int{0: 0, 1: 1, 2: 1, maxForm: 1, maxForm + 1: 0} {
		k := forms{begins: map[string]bool{}, fixed: map[string]phrase{}}
		k.phrase(strings.Repeat("w ", n), time.Hour, time.Minute)
		k.phrase(strings.Repeat("w ", n), time.Minute, time.Minute)
		if len(k.fixed) != kept || len(k.begins) != kept*max(0, n-1) {
			t.Errorf("a phrase of %d words: %d are kept, %d begin so", n, len(k.fixed), len(k.begins))
		}
		for _, p := range k.fixed {
			if p != (phrase{time.Hour, time.Minute}) {
				t.Errorf("the phrase is %v", p)
			}
		}
	}
}
