package main

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"plat/plat"
	"plat/storage/sqlite"
	"plat/storage/sqlite/sqlitetest"
	"plat/storage/storagetest"
)

func TestTheProgramPrintsChangedWords(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.db")
	store := sqlitetest.OpenAt(t, file, sqlite.Options{})
	page := storagetest.NewPage("http://a.test/", 1)
	for range 3 {
		if _, err := store.Commit(t.Context(), page.Next()); err != nil {
			t.Fatal(err)
		}
	}
	store.Close()
	out := printed(t, func() error { return run(t.Context(), "sqlite:"+file, "HTTP://A.test:80/?utm_source=x") })
	if !strings.Contains(out, string(plat.Content)+", ") || !strings.Contains(out, "\tinsert ") || !strings.Contains(out, "\tdelete ") {
		t.Errorf("it prints\n%s", out)
	}
	if err := run(t.Context(), "sqlite:"+file, "http://none.test/"); err == nil || !strings.Contains(err.Error(), "none.test") {
		t.Errorf("a page that is not archived: %v", err)
	}
}

// A program in a module of its own uses packages as docs/go.md says.
func TestAModuleOfItsOwnIsBuilt(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	read := func(name string) string {
		b, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	_, ours, ok := strings.Cut(read("docs/go.md"), "```\nrequire plat")
	lines, _, _ := strings.Cut(ours, "```")
	_, required, _ := strings.Cut(read("go.mod"), "\n")
	if !ok || !strings.Contains(lines, "replace plat => ../plat ") {
		t.Fatalf("docs/go.md has no lines for go.mod: %s", lines)
	}
	dir := t.TempDir()
	// Their versions are those of plat: the test has no network to look for others.
	for name, text := range map[string]string{
		"go.mod": "module example.org/changes\n" + required + "\nrequire plat" + strings.ReplaceAll(lines, "../plat", root), "go.sum": read("go.sum"), "main.go": read("examples/changes/main.go"),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	build := exec.CommandContext(t.Context(), "go", "build", "-mod=mod", "-o", "changes", ".")
	build.Dir, build.Env = dir, append(os.Environ(), "GOPROXY=off", "GOWORK=off")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// printed returns the standard output of a function.
func printed(t *testing.T, f func() error) string {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	old := os.Stdout
	os.Stdout = w
	done := make(chan string)
	go func() {
		b, _ := io.ReadAll(r)
		done <- string(b)
	}()
	err = f()
	os.Stdout = old
	w.Close()
	if err != nil {
		t.Fatal(err)
	}
	return <-done
}
