package main

import (
	"os"
	"os/exec"
	"testing"

	"plat/fixtures/history"
)

// Checks the README's claims about blocks and labels. Rendering may differ
// slightly between machines; slack allows for that.
func TestBlocksAndLabelsReachTheDocumentedFigures(t *testing.T) {
	const slack = 0.01
	if testing.Short() {
		t.Skip("skipped: some seventy pages are rendered, and this is a short run")
	}
	dir, ok := history.Dir()
	if !ok {
		if os.Getenv("PLAT_REQUIRE_DATA") != "" {
			t.Fatalf("no data at %s", dir)
		}
		t.Skipf("skipped: there is no data at %s (PLAT_DATA)", dir)
	}
	if _, err := exec.LookPath("python3"); err != nil {
		t.Fatal("the data's evaluator is written in Python: install python3")
	}
	e := eval{data: dir, split: "dev", work: t.TempDir()}
	_, columns, err := e.measure(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range measures {
		if got := columns["visual"][m.key]; got < m.want-slack {
			t.Errorf("%s: %.3f, want %.3f", m.name, got, m.want)
		}
	}
}
