package schedule

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"plat/plat"
)

// slotted visits a URL in chosen slots of a period, as a plan of package slots says, each time so
// long after the slot has begun. Missed slots are skipped.
type slotted struct{}

func (slotted) Next(v *Visit) Next {
	p, err := ParseSlots(v.State.Schedule.Slots)
	if slot := v.State.Schedule.Every; err == nil && slot > 0 {
		next := Next{Due: p.after(slot, plat.Later(v.Time, v.Due))}
		next.Memory = remembered(v, next.Due)
		return next
	}
	return fixed{}.Next(v) // of a newer version
}

// week is the reference for the start of periods: a Monday, in UTC.
var week = time.Date(1970, 1, 5, 0, 0, 0, 0, time.UTC)

// PeriodOf returns when the period of a time began.
func PeriodOf(t time.Time, period time.Duration) time.Time {
	return t.Add(-((t.Sub(week)%period + period) % period))
}

// Slots are the slots of a period in which a URL is visited.
type Slots struct {
	Of     int           // slots of the period
	Chosen []int         // ascending, from 0
	At     time.Duration // of a slot's beginning: when the visit comes

	// Zone is the time zone by whose clock periods begin; empty: UTC. A schedule that a user has set by a
	// time of day has one, a planned one has not.
	Zone string
}

// after returns the first visit after a time.
func (p *Slots) after(slot time.Duration, t time.Time) time.Time {
	zone := time.UTC
	if z := zoneOf(p.Zone); z != nil {
		zone = z
	}
	period := time.Duration(p.Of) * slot
	for start := PeriodOf(wall(t, zone), period).Add(-period); ; start = start.Add(period) {
		for _, k := range p.Chosen {
			if at := instant(start.Add(time.Duration(k)*slot+p.At), zone); at.After(t) {
				return at
			}
		}
	}
}

// MaxSlots is the most slots that a period may have.
const MaxSlots = 1000

// ParseSlots parses the output of String: "24:0,7,12+600s" is ten minutes after the beginning of
// slots 0, 7 and 12 of 24; "1:0+27000s@Europe/Berlin" is half past seven there. The error gives the
// syntax.
func ParseSlots(text string) (p Slots, err error) {
	bad := fmt.Errorf("slots %q: write the number of slots in a period, at most %d, the chosen ones, ascending from 0, and the delay after their start: 24:0,7,12+600s", text, MaxSlots)
	text, zone, some := strings.Cut(text, "@")
	if p.Zone = zone; some && zone == "" {
		return Slots{}, bad
	}
	of, list, _ := strings.Cut(text, ":")
	list, at, some := strings.Cut(list, "+")
	if p.Of, err = strconv.Atoi(of); err != nil || p.Of < 1 || p.Of > MaxSlots {
		return Slots{}, bad
	}
	if some {
		if p.At, err = time.ParseDuration(at); err != nil || p.At < 0 || p.At > 365*24*time.Hour {
			return Slots{}, bad
		}
	}
	for part := range strings.SplitSeq(list, ",") {
		k, err := strconv.Atoi(part)
		if err != nil || k < 0 || k >= p.Of || len(p.Chosen) > 0 && k <= p.Chosen[len(p.Chosen)-1] {
			return Slots{}, bad
		}
		p.Chosen = append(p.Chosen, k)
	}
	return p, nil
}

// String returns the input of ParseSlots.
func (p Slots) String() string {
	words := make([]string, len(p.Chosen))
	for i, k := range p.Chosen {
		words[i] = strconv.Itoa(k)
	}
	text := fmt.Sprintf("%d:%s", p.Of, strings.Join(words, ","))
	if p.At > 0 {
		text += fmt.Sprintf("+%ds", int(p.At.Seconds()))
	}
	if p.Zone != "" {
		text += "@" + p.Zone
	}
	return text
}

// Inherited returns the schedule of the pages that a scheduled page links to: the same, but
// without planned slots, which fit only the one page. Such pages are visited as often.
func Inherited(s plat.Schedule) plat.Schedule {
	p, err := ParseSlots(s.Slots)
	if s.Slots == "" || err != nil || p.Zone != "" {
		return s
	}
	return plat.Schedule{Every: time.Duration(p.Of) * s.Every / time.Duration(len(p.Chosen))}
}
