package terminal

import (
	"fmt"
	"time"

	"github.com/dustin/go-humanize"
)

// Size formats a number of bytes, in powers of 1000: "2.1 kB".
func Size(n int64) string { return humanize.Bytes(uint64(max(0, n))) }

// Count formats a number: "1,234".
func Count(n int64) string { return humanize.Comma(n) }

// Counted formats a number with its noun: "1 block", "2 blocks".
func Counted[N int | int32 | int64](n N, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return Count(int64(n)) + " " + noun
}

// Clock formats an instant for display, in UTC.
func Clock(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.UTC().Format("2006-01-02 15:04:05")
}

// Took formats a duration: "0.84s", "12.3s", "2m5s".
func Took(d time.Duration) string {
	switch {
	case d < 10*time.Second:
		return fmt.Sprintf("%.2fs", d.Seconds())
	case d < time.Minute:
		return fmt.Sprintf("%.1fs", d.Seconds())
	}
	return d.Round(time.Second).String()
}

// Ratio formats a ÷ b as "12.3×".
func Ratio(a, b int64) string {
	if b <= 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f×", float64(a)/float64(b))
}
