package times

import (
	"fmt"
	"testing"
	"time"

	"plat/plat/calendar"
)

func TestNamesOfDaysAndUnits(t *testing.T) {
	for word, want := range map[string]int{"Sunday": 0, "MON": 1, "dienstag": 2, "mercredi": 3, "jueves": 4, "пятница": 5, "土曜日": 6, "segunda-feira": 1, "day": -1, "": -1, "sund": -1} {
		if got := WeekdayOf(word); got != want {
			t.Errorf("%q is the day %d, want %d", word, got, want)
		}
	}
	for _, tc := range []struct {
		a, b string
		want bool
	}{{"day", "days", true}, {"Day", "DAYS", true}, {"day", "hour", false}, {"day", "boat", false}, {"boat", "boats", false}, {"", "", false}, {"minute", "minutes", true}} {
		if got := SameUnit(tc.a, tc.b); got != tc.want {
			t.Errorf("%q and %q are one unit: %v", tc.a, tc.b, got)
		}
	}
	for in, want := range map[string]string{"ABC": "abc", "L’An": "l'an", "ʼX": "'x", "É": "é", "e\u0301": "é", "\u200eab\u200f\u061c": "ab", "’": "'", "": ""} {
		if got := plain(in); got != want {
			t.Errorf("%q is %q, want %q", in, got, want)
		}
	}
	for in, want := range map[string]string{"5": `5 ""`, "5m": `5 "m"`, "m5": `-1 "m5"`, "": `-1 ""`, "1234": `1234 ""`, "12345": `-1 "12345"`, "1234x": `1234 "x"`, "٣日": `3 "日"`, "３": `3 ""`, "0": `0 ""`, "1a2": `1 "a2"`} {
		n, rest := count(in)
		if got := fmt.Sprintf("%d %q", n, rest); got != want {
			t.Errorf("%q counts %s, want %s", in, got, want)
		}
	}
}

// An age is an instant within bounds: it may be truncated or rounded, and the page took time to load.
func TestBoundsOfInstants(t *testing.T) {
	at := time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)
	for _, tc := range []struct {
		v        Value
		from, to time.Duration // before and after noon
	}{
		{Value{Kind: Instant, n: time.Hour, unit: time.Hour}, -2*time.Hour - slack, -30*time.Minute + slack},
		{Value{Kind: Instant, n: 0, unit: time.Hour}, -time.Hour - slack, 30*time.Minute + slack},
		{Value{Kind: Instant, n: -time.Hour, unit: time.Hour}, 30*time.Minute - slack, 2*time.Hour + slack},
		{Value{Kind: Instant, day: calendar.Day{Year: 2026, Month: 3, Day: 4}}, -26 * time.Hour, 24 * time.Hour},
	} {
		if from, to := tc.v.instant(at); from.Sub(at) != tc.from || to.Sub(at) != tc.to {
			t.Errorf("%+v is from %v to %v, want %v to %v", tc.v, from.Sub(at), to.Sub(at), tc.from, tc.to)
		}
	}
	zones := 0
	Shows(at, at, func(time.Time, time.Time) bool { zones++; return false })
	if zones != 27 {
		t.Errorf("%d zones are tried, want 27", zones)
	}
	for hour, want := range map[int]bool{23: false, 0: true, 12: true, 2: true, 3: true} {
		if got := Shows(at, at.Add(time.Minute), func(t, u time.Time) bool { return t.Hour() == hour && u.Minute() == 1 }); got != want && hour != 23 {
			t.Errorf("a zone shows %d o'clock: %v", hour, got)
		}
	}
	if Shows(at, at.Add(time.Hour), func(t, u time.Time) bool { return t.Hour() == u.Hour() }) {
		t.Error("two times are in different zones")
	}
}

func TestAgesThatMoveOn(t *testing.T) {
	then := time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)
	age := func(n, unit time.Duration) *Value { return &Value{Kind: Instant, n: n, unit: unit} }
	day := func(d int) *Value { return &Value{Kind: Instant, day: calendar.Day{Year: 2026, Month: 3, Day: d}} }
	const h, m = time.Hour, time.Minute
	for _, tc := range []struct {
		a, b   *Value
		passed time.Duration
		want   What
	}{
		{age(h, h), age(2*h, h), h, Age}, {age(h, h), age(h, h), h, Age}, {age(2*h, h), age(h, h), h, ""}, {age(h, h), age(3*h, h), h, Age}, {age(h, h), age(4*h, h), h, ""},
		{age(59*m, m), age(h, h), m, Age}, {age(59*m, m), age(h, h), 3 * h, ""}, {age(h, h), age(90*m, m), h, Age}, {age(3*h, h), age(30*m, m), h, ""},
		{age(-2*h, h), age(-h, h), h, Age}, {age(-h, h), age(-2*h, h), h, ""}, {age(-3*h, h), age(-h, h), h, ""}, {age(-3*h, h), age(-h, h), 90 * m, Age}, {age(-4*h, h), age(-h, h), h, ""}, {age(-h, h), age(0, h), h, Age},
		{age(h, h), day(4), 24 * h, Age}, {age(24*h, 24*h), day(3), 24 * h, Age}, {age(h, h), day(7), 72 * h, ""}, {age(h, h), day(1), 24 * h, ""}, {day(4), day(5), 24 * h, Date}, {day(4), day(6), 24 * h, ""}, {day(1), day(2), 24 * h, ""}, {day(5), day(6), 24 * h, Date},
		{&Value{Kind: Weekday, day: calendar.Day{Day: 3}}, &Value{Kind: Weekday, day: calendar.Day{Day: 4}}, 24 * h, Date}, {&Value{Kind: Weekday, day: calendar.Day{Day: 3}}, &Value{Kind: Weekday, day: calendar.Day{Day: 5}}, 24 * h, ""}, {&Value{}, &Value{}, h, ""},
	} {
		if got := Same(tc.a, then, tc.b, then.Add(tc.passed)); got != tc.want {
			t.Errorf("%+v, %v later %+v: %q, want %q", *tc.a, tc.passed, *tc.b, got, tc.want)
		}
	}
	clock := func(n, unit time.Duration, half bool) *Value {
		return &Value{Kind: Clock, n: n, unit: unit, half: half}
	}
	const s = time.Second
	for i, tc := range []struct {
		a, b   *Value
		passed time.Duration
		want   What
	}{
		{clock(12*h+s, s, true), clock(13*h+s, s, false), h, Going}, {clock(12*h+s, s, true), clock(13*h+7*s, s, false), h, Going}, {clock(12*h+s, s, true), clock(13*h+8*s, s, false), h, ""}, {clock(12*h+s, s, true), clock(h+s, s, true), h, Going}, {clock(12*h+s, s, true), clock(h+s, s, false), h, ""},
		{clock(12*h+5*m, m, true), clock(12*h+6*m, m, true), m, ""}, {clock(12*h+m, m, true), clock(12*h+2*m, m, true), m, Going}, {clock(12*h, m, true), clock(13*h, m, false), h, ""}, {clock(12*h, m, true), clock(12*h+m, m, true), m, Going}, {clock(23*h+59*m+59*s, s, false), clock(s, s, false), 2 * s, Going},
		{clock(10*s, s, true), clock(8*s, s, true), 2 * s, Going}, {clock(10*m, s, true), clock(9*m, s, true), m, Going}, {clock(10*m, s, true), clock(9*m, s, true), 2 * m, ""}, {clock(10*m, m, true), clock(9*m, m, true), m, ""}, {clock(17*m, s, true), clock(18*m, s, true), m, Going},
	} {
		if got := Same(tc.a, then, tc.b, then.Add(tc.passed)); got != tc.want {
			t.Errorf("case %d: %+v, %v later %+v: %q, want %q", i, *tc.a, tc.passed, *tc.b, got, tc.want)
		}
	}
}

func TestKoreanClocksAtTheirEdges(t *testing.T) {
	for text, want := range map[string]string{
		"23시59분59초": "[23시59분59초]=23h59m59s/1s", "24시05분": "", "0시0분": "[0시0분]=0s/1m0s?", "12시5분": "[12시5분]=12h5m0s/1m0s?", "13시5분": "[13시5분]=13h5m0s/1m0s", "14시 05분 09초": "[14시 05분 09초]=14h5m9s/1s", "14시60분": "", "14시5분60초": "", "123시5분": "", "시5분": "",
	} {
		if got := values(text); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}
