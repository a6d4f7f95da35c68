package article

import (
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"plat/fixtures/history"
)

// leastF1 is what the text must reach on pages that people marked; the best of
// the public measurements of this set are about 0.96.
const leastF1 = 0.965

// The pages of the data are laid out as if all style sheets were missing, which
// they are; scripts/eval renders the same pages in a browser.
func TestTheTextsOfMarkedPagesAreFound(t *testing.T) {
	dir, ok := history.Dir()
	if !ok {
		if os.Getenv("PLAT_REQUIRE_DATA") != "" {
			t.Fatalf("there is no data at %s", dir)
		}
		t.Skipf("skipped: there is no data at %s (PLAT_DATA)", dir)
	}
	dir = filepath.Join(dir, "maincontent", "dev")
	raw, err := os.ReadFile(filepath.Join(dir, "truth.json"))
	if err != nil {
		t.Fatal(err)
	}
	var truth struct {
		Pages map[string]struct {
			File string
			Text *string
		}
	}
	if err := json.Unmarshal(raw, &truth); err != nil {
		t.Fatal(err)
	}
	var precision, recall float64
	pages := 0
	for name, p := range truth.Pages {
		if p.Text == nil {
			continue
		}
		precise, complete := overlap(*p.Text, Extract(rendered(t, unzipped(t, filepath.Join(dir, p.File)))).Text)
		if precise+complete < 1 {
			t.Logf("%s: precision %.3f, recall %.3f", name, precise, complete)
		}
		precision, recall, pages = precision+precise, recall+complete, pages+1
	}
	if pages < 50 {
		t.Fatalf("only %d pages have a text", pages)
	}
	precision, recall = precision/float64(pages), recall/float64(pages)
	f1 := 2 * precision * recall / (precision + recall)
	t.Logf("%d pages: precision %.3f, recall %.3f, F1 %.3f", pages, precision, recall, f1)
	if f1 < leastF1 {
		t.Errorf("F1 is %.3f, less than %.3f", f1, leastF1)
	}
}

func unzipped(t *testing.T, file string) string {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return strings.ToValidUTF8(string(raw), "\uFFFD")
}

var word = regexp.MustCompile(`[\pL\pN_]+`)

// overlap compares as the set's own evaluator does: shingles of four words,
// counted as often as they occur.
func overlap(want, got string) (precision, recall float64) {
	a, b := shingles(want), shingles(got)
	both, n, m := 0, 0, 0
	for s, k := range a {
		both += min(k, b[s])
		n += k
	}
	for _, k := range b {
		m += k
	}
	if n == 0 || m == 0 {
		return 0, 0
	}
	return float64(both) / float64(m), float64(both) / float64(n)
}

func shingles(s string) map[string]int {
	m := map[string]int{}
	words := word.FindAllString(s, -1)
	if len(words) == 0 {
		return m
	}
	for i := range max(1, len(words)-3) {
		m[strings.Join(words[i:min(i+4, len(words))], " ")]++
	}
	return m
}
