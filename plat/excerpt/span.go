package excerpt

import (
	"fmt"
	"strings"
	"time"
)

// Span formats a duration for people, in one unit: "40 minutes", "14 hours", "3 days".
func Span(d time.Duration) string {
	for _, u := range []struct {
		noun string
		one  time.Duration
		upTo time.Duration
	}{{"second", time.Second, 2 * time.Minute}, {"minute", time.Minute, 2 * time.Hour}, {"hour", time.Hour, 48 * time.Hour}, {"day", 24 * time.Hour, 1000 * 24 * time.Hour}} {
		if d < u.upTo {
			return counted((max(0, d)+u.one/2)/u.one, u.noun)
		}
	}
	return counted(d/(365*24*time.Hour), "year")
}

// Interval shortens a duration as Go prints it, without loss: "17h0m0s" becomes "17h".
func Interval(text string) string {
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

func counted[N ~int64](n N, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}
