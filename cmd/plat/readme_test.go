package main

import (
	"context"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"plat/fixtures"
)

// The commands of README.md and of docs/using.md (blocks marked "sh") run in their order against the
// sample site. Only the site's address differs.
func TestTheCommandsOfTheReadmeRun(t *testing.T) {
	needChrome(t)
	for _, document := range []struct {
		name   string
		least  int // lines that call plat
		prints []string
	}{
		{"README.md", 8, []string{"Seals on the breakwater", "{+three+} weeks"}},
		{"docs/using.md", 25, []string{"Seals on the breakwater", "{+three+} weeks", "周五增开晚班渡轮"}},
	} {
		t.Run(filepath.Base(document.name), func(t *testing.T) {
			dir := runCommandsOf(t, document.name, document.least, document.prints)
			if page, err := os.ReadFile(filepath.Join(dir, "page.html")); err != nil || !strings.Contains(string(page), "for two weeks") {
				t.Errorf("the restored page is not the first issue: %v", err)
			}
		})
	}
}

func TestTheCommandsOfTheCrawlRecipeRun(t *testing.T) {
	needChrome(t)
	dir := runCommandsOf(t, "docs/recipes/crawl.md", 5, []string{"new          3", "gone        14", `"changed":`, "{+three+} weeks", "beyond the limit of 2 pages"})
	if st, err := os.Stat(filepath.Join(dir, "site.wacz")); err != nil || st.Size() == 0 {
		t.Errorf("the export: %v", err)
	}
}

// runCommandsOf runs the commands of a document in a folder, which it returns. It fails unless the
// commands, at least that many of plat, succeed and print all of prints.
func runCommandsOf(t *testing.T, name string, least int, prints []string) (dir string) {
	t.Helper()
	document, err := os.ReadFile(filepath.Join("..", "..", name))
	if err != nil {
		t.Fatal(err)
	}
	site, err := fixtures.NewSite("site")
	if err != nil {
		t.Fatal(err)
	}
	site.Set(1)
	srv := httptest.NewServer(fixtures.Clock(site))
	defer srv.Close()

	var script strings.Builder
	blocks := 0
	for part := range strings.SplitSeq(string(document), "```sh\n") {
		code, _, ok := strings.Cut(part, "\n```")
		if blocks++; blocks == 1 || !ok {
			continue // the text before the first block
		}
		script.WriteString(code + "\n")
	}
	if n := strings.Count(script.String(), "plat "); n < least {
		t.Fatalf("only %d commands found in %s", n, name)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir = t.TempDir()
	if err := os.Symlink(self, filepath.Join(dir, "plat")); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	run := exec.CommandContext(ctx, "bash", "-euxo", "pipefail", "-c", strings.ReplaceAll(script.String(), "http://127.0.0.1:8080", srv.URL))
	run.Dir = dir
	run.Env = append(os.Environ(), asPlat+"=1", "PATH="+dir+":"+os.Getenv("PATH"))
	out, err := run.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, want := range prints {
		if !strings.Contains(string(out), want) {
			t.Errorf("the commands do not print %q\n%s", want, out)
		}
	}
	return dir
}
