package main

import (
	"fmt"
	"time"

	"github.com/dustin/go-humanize"
)

// size is a number of bytes for people, in powers of 1000: "2.1 kB".
func size(n int64) string { return humanize.Bytes(uint64(max(0, n))) }

func count(n int64) string { return humanize.Comma(n) }

// counted is a number with its noun: "1 block", "2 blocks".
func counted[N int | int32 | int64](n N, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return count(int64(n)) + " " + noun
}

// clock is an instant for people, in UTC.
func clock(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.UTC().Format("2006-01-02 15:04:05")
}

// took is a duration for people: "0.84s", "12.3s", "2m5s".
func took(d time.Duration) string {
	switch {
	case d < 10*time.Second:
		return fmt.Sprintf("%.2fs", d.Seconds())
	case d < time.Minute:
		return fmt.Sprintf("%.1fs", d.Seconds())
	}
	return d.Round(time.Second).String()
}

// ratio is a share as "12.3×", how many times a is of b.
func ratio(a, b int64) string {
	if b <= 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f×", float64(a)/float64(b))
}

// instant is a time in JSON, RFC 3339 in UTC.
func instant(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }
