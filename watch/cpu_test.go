//go:build !linux

package watch

import (
	"testing"
	"time"
)

// timed is how long f takes.
func timed(_ testing.TB, f func()) time.Duration {
	began := time.Now()
	f()
	return time.Since(began)
}
