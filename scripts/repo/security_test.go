package repo_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Each test that docs/security.md names exists in the package that it names.
func TestTheTestsOfPromisesExist(t *testing.T) {
	atRoot(t)
	b, err := os.ReadFile("docs/security.md")
	if err != nil {
		t.Fatal(err)
	}
	named := regexp.MustCompile("`([^`]+)`")
	found := 0
	for line := range strings.Lines(string(b)) {
		if !strings.HasPrefix(line, "|") {
			continue
		}
		source := "" // of the tests of the package that was named last
		for _, m := range named.FindAllStringSubmatch(line, -1) {
			name := m[1]
			if !strings.HasPrefix(name, "Test") && !strings.HasPrefix(name, "Fuzz") {
				source = ""
				files, _ := filepath.Glob(filepath.Join(name, "*_test.go"))
				for _, f := range files {
					b, err := os.ReadFile(f)
					if err != nil {
						t.Fatal(err)
					}
					source += string(b)
				}
				continue
			}
			if found++; !strings.Contains(source, "\nfunc "+name+"(") {
				t.Errorf("there is no %s in the package for which docs/security.md names it", name)
			}
		}
	}
	if found < 50 {
		t.Errorf("%d tests are named", found)
	}
}
