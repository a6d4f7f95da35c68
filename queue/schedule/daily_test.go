package schedule

import (
	"strings"
	"testing"
	"time"

	"plat/plat"
)

func TestATimeOfDayIsThatOfItsZoneInSummerAndWinter(t *testing.T) {
	for _, x := range []struct{ text, from, want string }{
		{"07:30 Europe/Berlin", "2026-03-27T06:30:00Z", "2026-03-28T06:30:00Z"}, // a visit in time: the next day
		{"07:30 Europe/Berlin", "2026-03-28T06:29:59Z", "2026-03-28T06:30:00Z"},
		{"07:30 Europe/Berlin", "2026-03-28T06:31:00Z", "2026-03-29T05:30:00Z"},      // summer begins
		{"07:30 Europe/Berlin", "2026-10-24T06:00:00Z", "2026-10-25T06:30:00Z"},      // and ends
		{"daily 2:30 Europe/Berlin", "2026-03-28T12:00:00Z", "2026-03-29T01:30:00Z"}, // a time that there is not, that day: 03:30
		{"23:59 America/New_York", "2026-07-01T00:00:00Z", "2026-07-01T03:59:00Z"},
		{"00:00 UTC", "2026-07-01T00:00:00Z", "2026-07-02T00:00:00Z"},
	} {
		s, is, err := Daily(x.text)
		if err != nil || !is {
			t.Fatalf("%q: %v, %v", x.text, is, err)
		}
		if err := Check(s); err != nil {
			t.Errorf("%q: %v", x.text, err)
		}
		from, _ := time.Parse(time.RFC3339, x.from)
		next := Decide(&Visit{State: plat.URLState{Plan: plat.Plan{Schedule: s}}, Due: from.Add(-time.Hour), Time: from})
		if got := next.Due.Format(time.RFC3339); got != x.want {
			t.Errorf("%q after %s: %s, want %s", x.text, x.from, got, x.want)
		}
		again, _, err := Daily(DailyOf(s))
		if err != nil || again != s {
			t.Errorf("%q is %q, which is %+v, %v", x.text, DailyOf(s), again, err)
		}
		if got := Inherited(s); got != s {
			t.Errorf("links of the page have %+v", got)
		}
	}
}

func TestATimeOfDayWithoutAZoneIsThatOfTheMachine(t *testing.T) {
	was := time.Local
	defer func() { time.Local = was }()
	time.Local, _ = time.LoadLocation("Asia/Shanghai")
	s, is, err := Daily("07:30")
	if err != nil || !is || DailyOf(s) != "07:30 Asia/Shanghai" {
		t.Errorf("%+v, %v, %v", s, is, err)
	}
}

func TestWhatIsNoTimeOfDay(t *testing.T) {
	for text, want := range map[string]string{"24h": "", "": "", "daily": "", "7d": "", "24:00": "23:59", "07:60": "23:59", "07:30 Mars/X": "Europe/Berlin", "07:30 Local": "Europe/Berlin"} {
		_, is, err := Daily(text)
		if is != (want != "") || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: %v, %v", text, is, err)
		}
	}
	for _, s := range []plat.Schedule{{}, {Every: time.Hour}, {Every: 24 * time.Hour, Policy: "plan", Slots: "1:0+60s"}, {Every: time.Hour, Policy: "plan", Slots: "24:3@UTC"}} {
		if got := DailyOf(s); got != "" {
			t.Errorf("%+v is %q", s, got)
		}
	}
}
