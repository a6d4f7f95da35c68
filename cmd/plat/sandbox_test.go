package main

import (
	"os"
	"strings"
	"testing"
)

// The warning that root's browser has no sandbox is printed by a user's first command, and not by the next.
func TestTheSandboxIsMissedOnce(t *testing.T) {
	needChrome(t)
	if os.Getuid() != 0 {
		t.Skip("skipped, it needs root")
	}
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	for i, want := range []int{1, 0} {
		r := commandIn(t, t.Context(), nil, "<h1>A</h1>", "segment", "-")
		if r.code != 0 || strings.Count(r.err, "sandbox is off") != want {
			t.Errorf("command %d: exit %d, %s", i, r.code, r.err)
		}
	}
}
