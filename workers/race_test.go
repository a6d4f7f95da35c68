//go:build race

package workers_test

import "testing"

// slow skips what takes long, and has nothing of its own to show to the race detector.
func slow(t *testing.T) { t.Skip("not under the race detector") }
