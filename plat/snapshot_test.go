package plat_test

import (
	"testing"
	"time"

	"plat/plat"
)

func TestFreshFor(t *testing.T) {
	now := time.Date(2026, 11, 25, 12, 0, 0, 0, time.UTC)
	for _, tc := range []struct {
		header [][2]string
		want   time.Duration
	}{
		{nil, 0},
		{[][2]string{{"cache-control", "public, Max-Age=600"}}, 10 * time.Minute},
		{[][2]string{{"Cache-Control", `max-age="600"`}, {"Age", "60"}}, 9 * time.Minute},
		{[][2]string{{"Cache-Control", "max-age=600"}, {"Cache-Control", "no-cache"}}, 0},
		{[][2]string{{"Cache-Control", "no-store, max-age=600"}}, 0},
		{[][2]string{{"Cache-Control", "max-age=0"}, {"Expires", "Wed, 25 Nov 2026 13:00:00 GMT"}}, 0},
		{[][2]string{{"Expires", "Wed, 25 Nov 2026 13:00:00 GMT"}}, time.Hour},
		{[][2]string{{"Expires", "Wed, 25 Nov 2026 13:00:00 GMT"}, {"Date", "Wed, 25 Nov 2026 12:30:00 GMT"}}, 30 * time.Minute},
		{[][2]string{{"Expires", "0"}}, 0},
		{[][2]string{{"Expires", "Thu, 25 Nov 2027 12:00:00 GMT"}}, 1 << 20 * time.Second},
		{[][2]string{{"Expires", "Wed, 25 Nov 2020 13:00:00 GMT"}}, 0},
		{[][2]string{{"Cache-Control", "max-age=99999999999999999999"}}, 0},
		{[][2]string{{"Cache-Control", "max-age=-5"}}, 0},
		{[][2]string{{"Cache-Control", "max-age=31536000"}}, 1 << 20 * time.Second},
		{[][2]string{{"Cache-Control", "max-age=60"}, {"Age", "90"}}, 0},
		{[][2]string{{"Cache-Control", "max-age=60"}, {"Age", "x"}}, time.Minute},
		{[][2]string{{"Cache-Control", "max-age=60"}, {"Age", "-5"}}, time.Minute},
		{[][2]string{{"Cache-Control", "max-age=60"}, {"Age", "1"}}, 59 * time.Second},
		{[][2]string{{"Cache-Control", "max-age=60"}, {"Age", "60"}}, 0},
		{[][2]string{{"Cache-Control", "max-age=60, max-age=30"}}, time.Minute},
		{[][2]string{{"Cache-Control", "max-age=x, max-age=30"}}, 30 * time.Second},
		{[][2]string{{"Cache-Control", "max-age=1500000"}, {"Age", "1500000"}}, 451424 * time.Second}, // of the age, 1<<20 count
		{[][2]string{{"Cache-Control", "max-age=60"}, {"Age", "30"}, {"Age", "20"}}, time.Minute},
	} {
		s := plat.Snapshot{Header: tc.header}
		if got := s.FreshFor(now); got != tc.want {
			t.Errorf("%v: %v, want %v", tc.header, got, tc.want)
		}
	}
}
