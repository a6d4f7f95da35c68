package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"plat/browser"
)

// The program is built and run as a reader would.
func TestTheProgramPrintsTheBlocks(t *testing.T) {
	if _, err := browser.Find(""); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip("skipped, it needs a browser: ", err)
	}
	dir := t.TempDir()
	file, program := filepath.Join(dir, "page.html"), filepath.Join(dir, "segment")
	if err := os.WriteFile(file, []byte(`<header style="background:#223;padding:20px"><h1>Daily News</h1></header><main><h2>River floods</h2><p>The river rose by two metres on Monday night. <a href=more>More</a></main>`), 0o644); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, err := exec.CommandContext(t.Context(), program, file, "https://nowhere.test/news/").Output()
	for _, want := range []string{"header, Daily News at 8,8 1264×120:", "## River floods\n\nThe river rose by two metres on Monday night. [More](https://nowhere.test/news/more)"} {
		if err != nil || !strings.Contains(string(out), want) {
			t.Errorf("no %q in\n%s%v", want, out, err)
		}
	}
}
