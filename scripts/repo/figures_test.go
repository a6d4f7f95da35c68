package repo_test

import (
	"os/exec"
	"testing"
)

// The table in docs/figures.md is that of the data in docs/figures.
func TestTheTableOfFiguresIsThatOfTheData(t *testing.T) {
	atRoot(t)
	if out, err := exec.Command("go", "run", "./scripts/figures", "--check").CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}
