package times

import (
	"fmt"
	"strconv"
	"testing"
	"time"

	"plat/diff"
)

// TestNumbersAreDigitsOnly compares with package strconv.
func TestNumbersAreDigitsOnly(t *testing.T) {
	for _, s := range []string{"", "0", "7", "07", "59", "123", "1234", "12345", "/", ":", "1a", "a1", "-1", "+1", " 1", "１"} {
		for figures := range 5 {
			n, err := strconv.ParseUint(s, 10, 31)
			ok := err == nil && len(s) <= figures
			if !ok {
				n = 0
			}
			if got, is := number(s, figures); is != ok || ok && got != int(n) {
				t.Errorf("%q of %d figures is %d, %v", s, figures, got, is)
			}
		}
	}
}

// TestClocksAreFoundWithTheirParts makes texts of hours, minutes and seconds of one to three figures, with a half of
// the day and a full stop after it, and compares with what the parts say.
func TestClocksAreFoundWithTheirParts(t *testing.T) {
	for _, hour := range []int{0, 1, 9, 11, 12, 13, 23} {
		for _, minute := range []int{0, 5, 59, 60} {
			for _, half := range []string{"", " am", " pm", " a.m.", " p.m."} {
				text := fmt.Sprintf("%d:%02d%s", hour, minute, half)
				want := ""
				if minute < 60 {
					d, mark := time.Duration(hour)*time.Hour+time.Duration(minute)*time.Minute, ""
					if half == "" && hour <= 12 {
						mark = "?"
					} else if half != "" {
						d %= 12 * time.Hour
						if half[1] == 'p' {
							d += 12 * time.Hour
						}
					}
					want = fmt.Sprintf("[%s]=%v/1m0s%s", text, d, mark)
				}
				if half != "" && minute == 60 {
					continue
				}
				if got := values("at " + text + " or so"); got != want {
					t.Errorf("%s: %s, want %s", text, got, want)
				}
			}
		}
	}
	for text, want := range map[string]string{
		"14:05:099":     "", // no second has three figures
		"14:5":          "", // nor a minute one
		"1:05 pm. Then": "[1:05 pm]=13h5m0s/1m0s",
		"1:05 p.m..":    "[1:05 p.m.]=13h5m0s/1m0s",
	} {
		if got := values(text); want != "" && got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

// TestNothingIsFoundInWordsWithoutTimes: texts without a value have none, and the length of what is found is never
// greater than zero.
func TestNothingIsFoundInWordsWithoutTimes(t *testing.T) {
	for _, text := range []string{"", "news", "the 5 of us", "5 apples", "h05", "ago", "in the house", "room 5 b", "a.m.", "x monday-like"[:1]} {
		if got := values(text); got != "" {
			t.Errorf("%q: %s", text, got)
		}
		n := 0
		for range Scan(text, diff.Split(text)) {
			n++
		}
		if want := len(diff.Split(text)); n != want {
			t.Errorf("%q: %d tokens, %d words", text, n, want)
		}
	}
}
