package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestHalvesDependOnNamesAlone(t *testing.T) {
	sizes := map[string]int{}
	for _, name := range []string{"anime", "codemirror", "echarts", "gridjs", "katex", "lit", "ol", "pdfjs-layer", "quill", "virtua"} {
		half := halfOf(recorded + "/s/" + name + ".html?d=100")
		sizes[half]++
		if other := halfOf("http://127.0.0.1:9/s/" + name + ".html"); other != half {
			t.Errorf("%s is in half %s, and at another address in half %s", name, half, other)
		}
	}
	if sizes["a"]+sizes["b"] != 10 || sizes["a"] == 0 || sizes["b"] == 0 {
		t.Errorf("the halves have %v", sizes)
	}
}

// Words that no reader sees are expected only if that is wanted.
func TestWordsThatAreClippedAwayAreLeftOut(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "results"), 0o755); err != nil {
		t.Fatal(err)
	}
	raw := filepath.Join(dir, "raw.jsonl")
	line := `{"url":"http://127.0.0.1:8/s/a.html","words":"one slide slide at http 127 0 0 1 8","said":"\"slide, beside\"  live 0"}` + "\n"
	if err := os.WriteFile(raw, []byte(line), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := convertTruth(raw, filepath.Join(dir, "results", "truth.jsonl"), "http://127.0.0.1:8"); err != nil {
		t.Fatal(err)
	}
	all := func(string) bool { return true }
	for _, tc := range []struct {
		clipped bool
		want    string
	}{{false, "one slide at http 127 0 0 1 7"}, {true, "one slide slide at http 127 0 0 1 7"}} {
		pages, err := truth(dir, "http://127.0.0.1:7", all, tc.clipped)
		if err != nil || len(pages) != 1 || !equal(pages[0].Truth, words(tc.want)) || pages[0].Name != "a" {
			t.Errorf("with clipped %v: %+v, %v", tc.clipped, pages, err)
		}
	}
}

func TestAPageThatChromeDidNotShowEndsTheBuild(t *testing.T) {
	dir := t.TempDir()
	raw := filepath.Join(dir, "raw.jsonl")
	if err := os.WriteFile(raw, []byte(`{"url":"u","err":"net::ERR"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := convertTruth(raw, filepath.Join(dir, "truth.jsonl"), "http://127.0.0.1:8"); err == nil || !strings.Contains(err.Error(), "net::ERR") {
		t.Errorf("error %v", err)
	}
}
