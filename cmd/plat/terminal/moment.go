package terminal

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Moment reads a date, an instant or an age; empty is the zero time.
func Moment(s string, now time.Time) (time.Time, error) {
	if s == "" {
		return time.Time{}, nil
	}
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02T15:04", "2006-01-02 15:04", "2006-01-02"} {
		if t, err := time.Parse(layout, s); err == nil {
			return t.UTC(), nil
		}
	}
	d, err := Age(s)
	if err != nil {
		return time.Time{}, fmt.Errorf("%q: write a date (2026-01-31), an instant (2026-01-31T12:00:00Z) or an age (36h, 7d, 2w)", s)
	}
	return now.UTC().Add(-d), nil
}

// units are those of an age that Go's durations lack.
var units = []struct {
	suffix, name string
	length       time.Duration
}{{"d", "days", 24 * time.Hour}, {"w", "weeks", 7 * 24 * time.Hour}}

// Age reads a duration as Go writes it, or a number of days ("7d") or weeks ("2w").
func Age(s string) (time.Duration, error) {
	for _, u := range units {
		if number, ok := strings.CutSuffix(s, u.suffix); ok {
			n, err := strconv.ParseFloat(number, 64)
			if err != nil || !(n >= 0 && n*float64(u.length) <= 36500*24*float64(time.Hour)) {
				return 0, fmt.Errorf("%q is no number of %s", s, u.name)
			}
			return time.Duration(n * float64(u.length)), nil
		}
	}
	d, err := time.ParseDuration(s)
	switch {
	case err != nil:
		return 0, fmt.Errorf("%q is no duration; write it as 36h, 7d or 2w", s)
	case d < 0:
		return d, fmt.Errorf("%q is below 0", s)
	}
	return d, nil
}
