package browser

import (
	"os"
	"path/filepath"
	"testing"
)

func TestANoteIsNewOnce(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state", "plat")
	for i, want := range []bool{false, true, true} {
		if got := noted(dir, "sandbox-off"); got != want {
			t.Errorf("time %d: %v", i, got)
		}
	}
	if noted(dir, "other") {
		t.Error("a different note is noted")
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"", filepath.Join(file, "below")} {
		for range 2 {
			if noted(dir, "x") {
				t.Errorf("%q: it cannot be noted, and is", dir)
			}
		}
	}
}
