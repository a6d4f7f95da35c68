package main

import (
	"context"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"plat/fixtures"
	"plat/fixtures/freeport"
)

// The commands of README.md and of docs/using.md (blocks marked "sh") run in their order against the
// sample site. Only the site's address differs.
func TestTheCommandsOfTheReadmeRun(t *testing.T) {
	t.Parallel()
	needChrome(t)
	for _, document := range []struct {
		name   string
		least  int // lines that call plat
		prints []string
	}{
		{"README.md", 10, []string{"Seals on the breakwater", "{+three+} weeks"}},
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
	t.Parallel()
	needChrome(t)
	dir := runCommandsOf(t, "docs/recipes/crawl.md", 5, []string{"new          3", "gone        14", `"changed":`, "{+three+} weeks", "beyond the limit of 2 pages"})
	if st, err := os.Stat(filepath.Join(dir, "site.wacz")); err != nil || st.Size() == 0 {
		t.Errorf("the export: %v", err)
	}
}

func TestTheCommandsOfTheSegmentRecipeRun(t *testing.T) {
	t.Parallel()
	needChrome(t)
	prints := []string{"1 request of the page refused: it has no --base", `["main","content",{"x":32,"y":197,`, "<!-- ", "## North pier closes for repairs", "[3: ", "The Harbour Notice", "港口"}
	dir := runCommandsOf(t, "docs/recipes/segment.md", 8, prints)
	if rows, err := os.ReadFile(filepath.Join(dir, "blocks.csv")); err != nil || !strings.HasPrefix(string(rows), "source,index,") || strings.Count(string(rows), "\n-,") < 10 {
		t.Errorf("the CSV: %v\n%s", err, rows)
	}
	if _, err := os.Stat(filepath.Join(dir, "plat.db")); err == nil {
		t.Error("there is an archive")
	}
}

func TestTheCommandsOfTheAssistantRecipeRun(t *testing.T) {
	needChrome(t)
	runCommandsOf(t, "docs/recipes/assistant.md", 2, []string{`{"pages":[{"url":"http://127.0.0.1:`, `"quote":"`, "pier"})
}

func TestTheCommandsOfTheImportRecipeRun(t *testing.T) {
	t.Parallel()
	needChrome(t)
	prints := []string{"captures of pages       6", "status 404", "3 new, 2 changed, 1 unchanged", "{+three+} weeks", "3 captures there already", "no errors found"}
	dir := runCommandsOf(t, "docs/recipes/import.md", 7, prints)
	if st, err := os.Stat(filepath.Join(dir, "copy.db")); err != nil || st.Size() == 0 {
		t.Errorf("the copy: %v", err)
	}
}

// codeBlock is a block of commands or of Python in a document.
var codeBlock = regexp.MustCompile("(?s)```(sh|python)\n(.*?)```\n")

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
	script.WriteString("trap 'kill $(jobs -p) 2>&- || true' EXIT\n")
	_, noPython := exec.LookPath("python3")
	for _, block := range codeBlock.FindAllStringSubmatch(string(document), -1) {
		switch {
		case block[1] == "sh":
			script.WriteString(block[2])
		case noPython == nil:
			script.WriteString("python3 - <<'END'\n" + block[2] + "END\n")
		}
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
	port, err := freeport.Port()
	if err != nil {
		t.Fatal(err)
	}
	here := strings.NewReplacer("http://127.0.0.1:8080", srv.URL, "127.0.0.1:8633", fmt.Sprintf("127.0.0.1:%d", port))
	run := exec.CommandContext(ctx, "bash", "-euxo", "pipefail", "-c", here.Replace(script.String()))
	run.Dir = dir
	client, err := filepath.Abs(filepath.Join("..", "..", "clients", "python", "src"))
	if err != nil {
		t.Fatal(err)
	}
	run.Env = append(os.Environ(), asPlat+"=1", "PATH="+dir+":"+os.Getenv("PATH"), "PYTHONPATH="+client, "PYTHONDONTWRITEBYTECODE=1")
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
