package notify

import (
	"fmt"
	"testing"
	"time"
)

func TestNext(t *testing.T) {
	for i, want := range delays {
		at, again := Next("id", i+1, made, 0)
		if d := at.Sub(made); !again || d < want || d > want+want/10 {
			t.Errorf("attempt %d is followed after %v, want %v and up to a tenth more", i+1, d, want)
		}
		if twice, _ := Next("id", i+1, made, 0); !twice.Equal(at) {
			t.Errorf("attempt %d is followed at two times", i+1)
		}
	}
	if _, again := Next("id", len(delays)+1, made, time.Hour); again {
		t.Error("never given up")
	}
	if at, again := Next("id", 0, made, time.Hour); !again || !at.Equal(made) {
		t.Error("the first attempt is not at once")
	}
	for _, tc := range []struct{ wait, min, max time.Duration }{
		{time.Second, 5 * time.Second, 5500 * time.Millisecond},
		{time.Hour, time.Hour, 66 * time.Minute},
		{1000 * time.Hour, 24 * time.Hour, 26*time.Hour + 24*time.Minute},
	} {
		if at, _ := Next("id", 1, made, tc.wait); at.Sub(made) < tc.min || at.Sub(made) > tc.max {
			t.Errorf("asked for %v: %v", tc.wait, at.Sub(made))
		}
	}
}

func TestAllAttemptsTakeAboutFiveDays(t *testing.T) {
	at, attempts := made, 0
	for again := true; again; {
		attempts++
		var next time.Time
		if next, again = Next("id", attempts, at, 0); again {
			at = next
		}
	}
	if took := at.Sub(made); attempts != 12 || took < 5*24*time.Hour || took > 6*24*time.Hour {
		t.Errorf("%d attempts in %v", attempts, took)
	}
}

func TestJitterSpreads(t *testing.T) {
	var tenths [10]int
	for i := range 10000 {
		at, _ := Next(fmt.Sprintf("msg_%05d", i), 9, made, 0)
		tenths[min(9, int(10*(at.Sub(made)-24*time.Hour)/(144*time.Minute)))]++
	}
	for i, n := range tenths {
		if n < 850 || n > 1150 {
			t.Errorf("%d of 10000 in tenth %d: %v", n, i, tenths)
		}
	}
}
