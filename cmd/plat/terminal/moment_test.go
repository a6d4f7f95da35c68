package terminal

import (
	"testing"
	"time"
)

func TestAge(t *testing.T) {
	const day = 24 * time.Hour
	for s, want := range map[string]time.Duration{"36h": 36 * time.Hour, "7d": 7 * day, "1.5d": 36 * time.Hour, "2w": 14 * day, "0w": 0, "90s": 90 * time.Second} {
		if got, err := Age(s); err != nil || got != want {
			t.Errorf("%q: %s, %v, want %s", s, got, err, want)
		}
	}
	for _, s := range []string{"", "w", "d", "-1w", "-1h", "NaNw", "Infd", "6000w", "40000d", "1y", "w2"} {
		if got, err := Age(s); err == nil {
			t.Errorf("%q: %s, want an error", s, got)
		}
	}
}
