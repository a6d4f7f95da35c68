package noise_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

var seoul = time.FixedZone("KST", 9*3600)
var mumbai = time.FixedZone("IST", 5*3600+1800)
var launch = time.Date(2027, 3, 1, 12, 0, 0, 0, time.UTC)

// running are pages that show the time, as text at a time.
var running = []struct {
	name string
	show func(at time.Time, r *rand.Rand) []string
}{
	{"ISO", func(at time.Time, _ *rand.Rand) []string {
		return []string{"Server time: " + at.Format(time.RFC3339), still}
	}},
	{"ISO beside price", func(at time.Time, _ *rand.Rand) []string {
		return []string{"Ticket 14 euros at " + at.Format(time.RFC3339) + " of this harbour", still}
	}},
	{"ISO alone", func(at time.Time, _ *rand.Rand) []string { return []string{at.Format(time.RFC3339), still} }},
	{"ISO blank", func(at time.Time, _ *rand.Rand) []string { return []string{"Now: " + at.Format(time.DateTime), still} }},
	{"ISO zone", func(at time.Time, _ *rand.Rand) []string {
		return []string{"Now: " + at.In(mumbai).Format(time.RFC3339), still}
	}},
	{"ISO ms", func(at time.Time, _ *rand.Rand) []string {
		return []string{"Now: " + at.Format("2006-01-02T15:04:05.000Z07:00"), still}
	}},
	{"ISO us", func(at time.Time, _ *rand.Rand) []string {
		return []string{"Now: " + at.Format("2006-01-02T15:04:05.000000Z07:00"), still}
	}},
	{"ISO basic", func(at time.Time, _ *rand.Rand) []string {
		return []string{"Now: " + at.Format("20060102T150405Z"), still}
	}},
	{"digits", func(at time.Time, _ *rand.Rand) []string {
		return []string{"Build " + at.Format("20060102150405"), still}
	}},
	{"RFC1123", func(at time.Time, _ *rand.Rand) []string {
		return []string{"It is " + at.Format(time.RFC1123), still}
	}},
	{"RFC1123Z", func(at time.Time, _ *rand.Rand) []string {
		return []string{"It is " + at.In(seoul).Format(time.RFC1123Z), still}
	}},
	{"UnixDate", func(at time.Time, _ *rand.Rand) []string {
		return []string{"It is " + at.Format(time.UnixDate), still}
	}},
	{"apache", func(at time.Time, _ *rand.Rand) []string {
		return []string{"It is " + at.Format("02/Jan/2006:15:04:05 -0700"), still}
	}},
	{"HH:MM:SS", func(at time.Time, _ *rand.Rand) []string { return []string{"Clock " + at.Format("15:04:05"), still} }},
	{"HH:MM:SS.mmm", func(at time.Time, _ *rand.Rand) []string {
		return []string{"Clock " + at.Format("15:04:05.000"), still}
	}},
	{"12 h", func(at time.Time, _ *rand.Rand) []string {
		return []string{"Clock " + at.Format("Jan 2, 2006 3:04:05 PM"), still}
	}},
	{"12 h US slash", func(at time.Time, _ *rand.Rand) []string {
		return []string{"Clock " + at.Format("1/2/2006 3:04:05 PM"), still}
	}},
	{"Korean", func(at time.Time, _ *rand.Rand) []string {
		return []string{"현재 시각 " + at.In(seoul).Format("2006년 1월 2일 15시 04분 05초"), still}
	}},
	{"Korean pm", func(at time.Time, _ *rand.Rand) []string {
		at = at.In(seoul)
		half := "오전"
		if at.Hour() >= 12 {
			half = "오후"
		}
		return []string{"현재 시각 " + at.Format("2006. 1. 2. ") + half + at.Format(" 3:04:05"), still}
	}},
	{"Chinese", func(at time.Time, _ *rand.Rand) []string {
		return []string{"当前时间：" + at.In(seoul).Format("2006年1月2日 15时04分05秒"), still}
	}},
	{"German", func(at time.Time, _ *rand.Rand) []string {
		months := []string{"Januar", "Februar", "März", "April", "Mai", "Juni", "Juli", "August", "September", "Oktober", "November", "Dezember"}
		return []string{fmt.Sprintf("Stand: %d. %s %d, %s Uhr", at.Day(), months[at.Month()-1], at.Year(), at.Format("15:04:05")), still}
	}},
	{"German dots", func(at time.Time, _ *rand.Rand) []string {
		return []string{"Serverzeit " + at.Format("02.01.2006 15:04:05"), still}
	}},
	{"dots", func(at time.Time, _ *rand.Rand) []string {
		return []string{"Kello on " + at.Format("2.1.2006 15.04.05"), still}
	}},
	{"Unix", func(at time.Time, _ *rand.Rand) []string { return []string{fmt.Sprint("now=", at.Unix()), still} }},
	{"Unix ms", func(at time.Time, _ *rand.Rand) []string {
		return []string{fmt.Sprint("Timestamp ", at.UnixMilli()), still}
	}},
	{"countdown", func(at time.Time, _ *rand.Rand) []string {
		d := launch.Sub(at)
		return []string{fmt.Sprintf("%d days %02d hours %02d minutes %02d seconds to go", int(d.Hours())/24, int(d.Hours())%24, int(d.Minutes())%60, int(d.Seconds())%60), still}
	}},
	{"countdown short", func(at time.Time, _ *rand.Rand) []string {
		d := launch.Sub(at)
		return []string{fmt.Sprintf("%dd %dh %dm %ds", int(d.Hours())/24, int(d.Hours())%24, int(d.Minutes())%60, int(d.Seconds())%60), still}
	}},
	{"countdown lines", func(at time.Time, _ *rand.Rand) []string {
		d := launch.Sub(at)
		return []string{fmt.Sprintf("Launch in\n%d\nDays\n%02d\nHours\n%02d\nMinutes\n%02d\nSeconds", int(d.Hours())/24, int(d.Hours())%24, int(d.Minutes())%60, int(d.Seconds())%60), still}
	}},
	{"uptime", func(at time.Time, _ *rand.Rand) []string {
		d := at.Sub(launch.AddDate(-1, 0, 0))
		return []string{fmt.Sprintf("up %d days, %d:%02d:%02d", int(d.Hours())/24, int(d.Hours())%24, int(d.Minutes())%60, int(d.Seconds())%60), still}
	}},
	{"generated in at", func(at time.Time, r *rand.Rand) []string {
		return []string{fmt.Sprintf("Page generated in %.4f s at %s", .01+r.Float64()/10, at.Format(time.RFC3339)), still}
	}},
	{"Julian day", func(at time.Time, _ *rand.Rand) []string {
		return []string{fmt.Sprintf("JD %.5f", float64(at.Unix())/86400+2440587.5), still}
	}},
	{"sidereal", func(at time.Time, _ *rand.Rand) []string {
		return []string{time.Unix(int64(float64(at.Unix())*1.00273791), 0).UTC().Format("15:04:05") + " LMST", still}
	}},
	{"UT and local", func(at time.Time, _ *rand.Rand) []string {
		return []string{"Tokyo " + at.In(seoul).Format("15:04:05") + "\nMumbai " + at.In(mumbai).Format("15:04:05") + "\nLondon " + at.Format("15:04:05"), still}
	}},
	{"time element", func(at time.Time, _ *rand.Rand) []string {
		return []string{fmt.Sprintf("<p>It is <time datetime=%q>%s</time> here</p>", at.Format(time.RFC3339), at.Format("15:04:05")), still}
	}},
	{"data attribute", func(at time.Time, _ *rand.Rand) []string {
		return []string{fmt.Sprintf("<p data-now=\"%d\">The server keeps the time</p>", at.Unix()), still}
	}},
	{"Arabic digits", func(at time.Time, _ *rand.Rand) []string {
		return []string{"الوقت الآن " + arabic(at.Format("2006/01/02 15:04:05")), still}
	}},
	{"Thai era", func(at time.Time, _ *rand.Rand) []string {
		return []string{fmt.Sprintf("เวลา %d/%d/%d %s", at.Day(), at.Month(), at.Year()+543, at.Format("15:04:05")), still}
	}},
	{"Greek", func(at time.Time, _ *rand.Rand) []string {
		months := []string{"Ιανουαρίου", "Φεβρουαρίου", "Μαρτίου", "Απριλίου", "Μαΐου", "Ιουνίου", "Ιουλίου", "Αυγούστου", "Σεπτεμβρίου", "Οκτωβρίου", "Νοεμβρίου", "Δεκεμβρίου"}
		return []string{fmt.Sprintf("%d %s %d, %s", at.Day(), months[at.Month()-1], at.Year(), at.Format("15:04:05")), still}
	}},
	{"of summer time", func(at time.Time, _ *rand.Rand) []string {
		zone := time.FixedZone("CET", 3600)
		if at.After(time.Date(2026, 12, 10, 1, 0, 0, 0, time.UTC)) {
			zone = time.FixedZone("CEST", 7200)
		}
		return []string{"Now " + at.In(zone).Format("2006-01-02 15:04:05 -07:00 MST"), still}
	}},
	{"skewed by 7 min", func(at time.Time, _ *rand.Rand) []string {
		return []string{"Server time: " + at.Add(7*time.Minute+13*time.Second).Format(time.RFC3339), still}
	}},
}

func arabic(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return '٠' + r - '0'
		}
		return r
	}, s)
}

// odd calls f for visits that are minutes, hours or days apart.
func odd(s *site, r *rand.Rand, visits int, f func(v int)) {
	for v := range visits {
		most := []time.Duration{90 * time.Second, 3 * time.Hour, 70 * time.Hour}[r.IntN(3)]
		s.now = s.now.Add(5*time.Second + time.Duration(r.Float64()*float64(most)) - time.Hour) // visit adds an hour
		f(v)
	}
}

// at returns the time that a page shows at a rendering.
func (s *site) at(look int) time.Time {
	return s.now.Add(300*time.Millisecond + time.Duration(look)*time.Second)
}

// A time that runs is no news at any of 140 visits, and needs no version once a second rendering has
// proven that it runs.
func TestTimesThatRun(t *testing.T) {
	for _, c := range running {
		s, r, news := newSite(t), rand.New(rand.NewPCG(1, 2)), 0
		odd(s, r, 140, func(v int) {
			news += min(1, s.visit(func(i int) []string { return c.show(s.at(i), r) }))
		})
		t.Logf("%-15s %3d versions, %3d with news, %2d second renderings, a mask of %d bytes", c.name, s.versions, news, s.looks, len(s.mask.Encode()))
		if most := 3; news > 0 || s.looks > 6 || s.versions > most && c.name != "sidereal" {
			t.Errorf("%s: %d visits with news, %d versions, %d second renderings", c.name, news, s.versions, s.looks)
		}
	}
}

// An author writes a time or a text. Its change is news, also if a clock runs beside it.
func TestTimesThatSomebodyWrites(t *testing.T) {
	for _, c := range [][2]string{
		{"Published 2026-11-24T09:00:00Z by the harbour", "Published 2026-11-25T09:00:00Z by the harbour"},
		{"Updated 2026-11-24 09:13:27", "Updated 2026-12-02 17:45:51"},
		{"Opens at 09:00:00", "Opens at 10:00:00"},
		{"Ferry 06:15:00\nFerry 09:45:00\nFerry 14:05:00", "Ferry 06:15:00\nFerry 10:45:00\nFerry 14:05:00"},
		{"1. Lee 1:23:45.6\n2. Kim 1:24:01.9", "1. Lee 1:23:45.6\n2. Kim 1:23:59.2"},
		{"Build 20261124091327", "Build 20261202174551"},
		{"Release of 1790000000", "Release of 1790086400"},
		{"Track of 3 minutes 12 seconds", "Track of 3 minutes 15 seconds"},
		{"Ticket 14 euros", "Ticket 15 euros"},
		{"Gate 24", "Gate 25"},
	} {
		for _, clock := range []string{"", time.RFC3339, "2 Jan 2006 15:04:05", "3:04:05 PM"} {
			for _, first := range []bool{true, false} {
				s, r := newSite(t), rand.New(rand.NewPCG(3, 4))
				text, when := c[0], 9+r.IntN(30)
				odd(s, r, 60, func(v int) {
					if v == when {
						text = c[1]
					}
					news := s.visit(func(i int) []string {
						all := text
						switch {
						case clock != "" && first:
							all = "It is " + s.at(i).Format(clock) + " here. " + text
						case clock != "":
							all = text + " at " + s.at(i).Format(clock)
						}
						return []string{all, still}
					})
					if want := v == when; (news > 0) != want {
						t.Errorf("%q beside %q (%v), visit %d: %d blocks are news, want %v", c, clock, first, v, news, want)
					}
				})
			}
		}
	}
}

// A clock that stops, or counts to a different deadline is news.
func TestTimesThatNoLongerRun(t *testing.T) {
	for name, show := range map[string]func(at time.Time, other bool) string{
		"stops": func(at time.Time, other bool) string {
			if other {
				return "Server time 2026-12-24T09:13:27Z"
			}
			return "Server time " + at.Format(time.RFC3339)
		},
		"deadline": func(at time.Time, other bool) string {
			d := launch.Sub(at)
			if other {
				d += 7*24*time.Hour + 3*time.Hour
			}
			return fmt.Sprintf("%d days %d h %d min %d s until the start", int(d.Hours())/24, int(d.Hours())%24, int(d.Minutes())%60, int(d.Seconds())%60)
		},
		"word": func(at time.Time, other bool) string {
			return map[bool]string{false: "Open ", true: "Closed "}[other] + at.Format("2 January 2006 15:04:05")
		},
	} {
		s, r := newSite(t), rand.New(rand.NewPCG(5, 6))
		odd(s, r, 40, func(v int) {
			if news := s.visit(func(i int) []string { return []string{show(s.at(i), v == 21), still} }); v == 21 && news == 0 || v < 21 && news > 0 {
				t.Errorf("%s: visit %d: %d blocks are news", name, v, news)
			}
		})
	}
}
