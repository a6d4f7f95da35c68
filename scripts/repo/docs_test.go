package repo_test

import (
	"go/build"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func textOf(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// documents returns the Markdown files for people.
func documents(t *testing.T) []string {
	t.Helper()
	var all []string
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/design/*.md", "scripts/*.md"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, found...)
	}
	return all
}

func TestLinksBetweenDocumentsLeadToFiles(t *testing.T) {
	atRoot(t)
	link := regexp.MustCompile(`\]\(([^)#\s]+)(?:#[^)]*)?\)`)
	fence := regexp.MustCompile("(?s)```.*?```|`[^`\n]*`")
	found := 0
	for _, name := range documents(t) {
		for _, m := range link.FindAllStringSubmatch(fence.ReplaceAllString(textOf(t, name), ""), -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			if found++; !exists(filepath.Join(filepath.Dir(name), m[1])) {
				t.Errorf("%s links to %s, which does not exist", name, m[1])
			}
		}
	}
	if found < 100 {
		t.Errorf("only %d links were found", found)
	}
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

func TestTheMapOfDocumentsIsComplete(t *testing.T) {
	atRoot(t)
	found, err := filepath.Glob("docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	text := textOf(t, "docs/README.md")
	for _, name := range found {
		if base := filepath.Base(name); base != "README.md" && !strings.Contains(text, "("+base+")") {
			t.Errorf("docs/README.md does not list %s", name)
		}
	}
}

func TestTheTableOfScriptsIsComplete(t *testing.T) {
	atRoot(t)
	found, err := os.ReadDir("scripts")
	if err != nil {
		t.Fatal(err)
	}
	table := firstCells(textOf(t, "scripts/README.md"))
	for _, e := range found {
		if n := count(table, e.Name()); n != 1 && e.Name() != "README.md" {
			t.Errorf("scripts/README.md lists %s %d times, want once", e.Name(), n)
		}
	}
}

// CONTRIBUTING.md lists each package once, by its folder; those of scripts are in a table of their own.
func TestContributingListsEachPackageOnce(t *testing.T) {
	atRoot(t)
	text := textOf(t, "CONTRIBUTING.md")
	_, text, _ = strings.Cut(text, "## Where things are")
	text, _, _ = strings.Cut(text, "\n## ")
	table := firstCells(text)
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		if strings.HasPrefix(d.Name(), ".") && path != "." || d.Name() == "testdata" || path == "scripts" || otherModule(path) {
			return fs.SkipDir
		}
		if p, err := build.ImportDir(path, 0); err != nil || len(p.GoFiles) == 0 {
			return nil
		}
		if n := count(table, filepath.ToSlash(path)); n != 1 {
			t.Errorf("the tables of CONTRIBUTING.md list the package %s %d times, want once", path, n)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range table {
		if name != "scripts/…" && !exists(name) {
			t.Errorf("CONTRIBUTING.md lists %s, which does not exist", name)
		}
	}
}

// firstCells returns the code spans in the first cells of the rows of a document's tables.
func firstCells(text string) []string {
	var all []string
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "| `") {
			continue
		}
		cell, _, _ := strings.Cut(line[2:], " | ")
		for _, m := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(cell, -1) {
			all = append(all, m[1])
		}
	}
	return all
}

func count(all []string, name string) int {
	n := 0
	for range all {
		i := slices.Index(all, name)
		if i < 0 {
			break
		}
		n, all = n+1, all[i+1:]
	}
	return n
}
