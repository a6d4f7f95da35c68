package excerpt

import (
	"testing"
	"time"
)

func TestIntervalsAreShortAndExact(t *testing.T) {
	for want, d := range map[string]time.Duration{
		"17h": 17 * time.Hour, "24h": 24 * time.Hour, "1h30m": 90 * time.Minute, "10m": 10 * time.Minute, "1m30s": 90 * time.Second,
		"1h0m5s": time.Hour + 5*time.Second, "10h": 10 * time.Hour, "100ms": 100 * time.Millisecond, "0s": 0,
	} {
		got := Interval(d.String())
		if back, err := time.ParseDuration(got); got != want || err != nil || back != d {
			t.Errorf("%v: %q, want %q, %v", d, got, want, err)
		}
	}
}
