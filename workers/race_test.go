//go:build race

package workers_test

import "testing"

// slow skips a slow test that shares no memory between goroutines in a way of its own.
func slow(t *testing.T) { t.Skip("not under the race detector") }
