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

// Required results on annotated pages. The best published results for texts are
// about 0.96.
const (
	leastF1       = 0.98 // of the words of texts
	leastSegments = 0.93 // F1 of segments: 2PR ÷ (P + R)
	leastTitles   = 100  // number of pages with the right title; authors and dates below
	leastAuthors  = 98
	leastDates    = 110
	marked        = 118
)

// truth is the annotation of a page: its text, or segments of it and the rest.
type truth struct {
	File          string
	Text          *string
	Title, Date   string
	Author        []string
	With, Without []string
}

// annotated returns the annotated pages and the folder that contains them. It skips the test if there
// is no data.
func annotated(t *testing.T) (dir string, pages map[string]truth) {
	t.Helper()
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
	var all struct{ Pages map[string]truth }
	if err := json.Unmarshal(raw, &all); err != nil {
		t.Fatal(err)
	}
	return dir, all.Pages
}

// The pages of the data are laid out without style sheets, which the data
// lacks; scripts/eval renders the same pages in a browser.
func TestTextsOfAnnotatedPagesAreFound(t *testing.T) {
	dir, all := annotated(t)
	var precision, recall float64
	var right, missed, wrong int // pieces of text
	pages, titles, authors, dates, named := 0, 0, 0, 0, 0
	for name, p := range all {
		got := Extract(rendered(t, unzipped(t, filepath.Join(dir, p.File))))
		if p.Text != nil {
			precise, complete := overlap(*p.Text, got.Text)
			if precise+complete < 1 {
				t.Logf("%s: precision %.3f, recall %.3f", name, precise, complete)
			}
			precision, recall, pages = precision+precise, recall+complete, pages+1
			continue
		}
		found := count(got.Text, p.With)
		right, missed, wrong = right+found, missed+len(p.With)-found, wrong+count(got.Text, p.Without)
		named++
		titles += is(plain(got.Title) == plain(p.Title))
		authors += is(count(plain(strings.Join(got.Authors, "; ")), plainly(p.Author)) == len(p.Author))
		dates += is(got.Date == p.Date)
	}
	if pages < 50 || named != marked {
		t.Fatalf("only %d pages have a text, and %d a title", pages, named)
	}
	precision, recall = precision/float64(pages), recall/float64(pages)
	f1 := 2 * precision * recall / (precision + recall)
	t.Logf("%d pages: precision %.3f, recall %.3f, F1 %.3f", pages, precision, recall, f1)
	if f1 < leastF1 {
		t.Errorf("F1 is %.3f, less than %.3f", f1, leastF1)
	}
	segments := 2 * float64(right) / float64(2*right+missed+wrong)
	t.Logf("%d pages: segments %.3f, titles %d, authors %d, dates %d", named, segments, titles, authors, dates)
	if segments < leastSegments || titles < leastTitles || authors < leastAuthors || dates < leastDates {
		t.Errorf("segments %.3f, titles %d, authors %d, dates %d; at least %.3f, %d, %d, %d are asked for",
			segments, titles, authors, dates, leastSegments, leastTitles, leastAuthors, leastDates)
	}
}

// count returns the number of pieces contained in s, ignoring differences of white space.
func count(s string, pieces []string) (n int) {
	s = squeeze(s)
	for _, p := range pieces {
		n += is(strings.Contains(s, squeeze(p)))
	}
	return n
}

func is(b bool) int {
	if b {
		return 1
	}
	return 0
}

func plain(s string) string { return strings.ToLower(squeeze(s)) }

func plainly(all []string) (plains []string) {
	for _, s := range all {
		plains = append(plains, plain(s))
	}
	return plains
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

// overlap compares like the data set's own evaluator: shingles of four words,
// counted with multiplicity.
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
