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
		return time.Time{}, fmt.Errorf("%q: write a date (2026-01-31), an instant (2026-01-31T12:00:00Z) or an age (36h, 7d)", s)
	}
	return now.UTC().Add(-d), nil
}

// Age reads a duration as Go writes it, or a number of days ("7d").
func Age(s string) (time.Duration, error) {
	if days, ok := strings.CutSuffix(s, "d"); ok {
		n, err := strconv.ParseFloat(days, 64)
		if err != nil || n < 0 || n > 36500 {
			return 0, fmt.Errorf("%q is no number of days", s)
		}
		return time.Duration(n * float64(24*time.Hour)), nil
	}
	d, err := time.ParseDuration(s)
	switch {
	case err != nil:
		return 0, fmt.Errorf("%q is no duration; write it as 36h or 7d", s)
	case d < 0:
		return d, fmt.Errorf("%q is below 0", s)
	}
	return d, nil
}
