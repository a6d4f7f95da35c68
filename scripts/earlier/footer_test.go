package earlier

import (
	_ "embed"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"plat/fixtures"
)

//go:embed testdata/footer.txt
var footer []byte

// TestReadsOfANewFooterBefore logs what a visit of the earlier plat reads for a new footer on pages with many versions: all of
// them. What it reads today says
//
//	go test ./storage/mongo -run NewFooter -v
func TestReadsOfANewFooterBefore(t *testing.T) {
	if fixtures.OneIn(2) > 1 {
		t.Skip("skipped: it builds an earlier plat; PLAT_LONG=1 runs it")
	}
	folder := requireBefore(t)
	source := filepath.Join(folder, "source")
	if err := os.WriteFile(filepath.Join(source, "storage", "mongo", "footer_test.go"), footer, 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "go", "test", "./storage/mongo", "-run", "TestANewFooter", "-v", "-count", "1", "-timeout", "30m")
	cmd.Dir = source
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	lines := regexp.MustCompile(`a page of \d+ versions: .*`).FindAllString(string(out), -1)
	for _, l := range lines {
		t.Log(l)
	}
	if len(lines) != 6 || !regexp.MustCompile(`1000 versions: a visit examines 1000 versions`).MatchString(lines[5]) {
		t.Errorf("want three pages of 100 and of 1000 versions, all examined:\n%s", out)
	}
}
