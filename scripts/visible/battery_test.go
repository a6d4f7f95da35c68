package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"plat/diff"
	"plat/fixtures"
	"plat/plat"
	"plat/segment"
	"plat/segment/markup"
)

// Each word of a page in testdata/pages begins with its expected state:
// "shownapple", "foldedriver", "hiddenstone". Words that begin with "never"
// must not be kept as text at all.
var wordOf = regexp.MustCompile(`\b(shown|folded|hidden|never)[a-z]+`)

// altered is a page with one word replaced.
const altered = "anew"

// limits are words with known wrong states, and why; see docs/capture.md.
var limits = map[string]string{
	"clipped-below-box hiddenacorn":            "contain: paint is not looked at",
	"generated-markers shownpepper":            "markers of lists are left out: one number more changes all that follow",
	"generated-markers shownsaddle":            "markers of lists are left out",
	"mask-empty hiddenwagon":                   "mask is not looked at",
	"opacity-filter hiddenbamboo":              "filter is not looked at",
	"svg-unpainted-text hiddenlocket":          "fill is not looked at",
	"svg-use-symbol showndolphin":              "what <use> draws has no nodes of its own",
	"text-shadow-paints shownriver":            "text-stroke is not looked at",
	"white-over-shadow-and-border shownigloo":  "box-shadow is not looked at",
	"white-over-shadow-and-border shownjungle": "borders are not looked at",
	"white-with-blend-mode showninkwell":       "mix-blend-mode is not looked at",
}

func TestEveryTextIsInItsState(t *testing.T) {
	pages, err := filepath.Glob("testdata/pages/*.html")
	if err != nil || len(pages) < 120 {
		t.Fatalf("%d pages (%v)", len(pages), err)
	}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, err := os.ReadFile(filepath.Join("testdata/pages", filepath.Base(r.URL.Path)))
		if err != nil {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html") // pages declare their own encodings
		page := string(b)
		if word := r.URL.Query().Get("alter"); word != "" {
			page = regexp.MustCompile(`\b`+word+`\b`).ReplaceAllString(page, word+altered)
		}
		fmt.Fprint(w, page)
	}))
	defer srv.Close()
	plat, err := newSubject(t.Context(), os.Getenv("PLAT_CHROME"), 0)
	if err != nil {
		t.Fatal(err)
	}
	defer plat.close()

	cut := func(path string) (*segment.Cut, error) { return plat.cut(t.Context(), srv.URL+path) }
	var mu sync.Mutex
	right := 0
	var work sync.WaitGroup
	todo := make(chan string)
	for range 3 {
		work.Go(func() {
			for page := range todo {
				wrong := check(cut, page)
				mu.Lock()
				if len(wrong) == 0 {
					right++
				}
				for _, w := range wrong {
					t.Errorf("%s: %s", filepath.Base(page), w)
				}
				mu.Unlock()
			}
		})
	}
	for i := 0; i < len(pages); i += fixtures.OneIn(3) {
		todo <- pages[i]
	}
	close(todo)
	work.Wait()
	t.Logf("%d of %d pages are right", right, len(pages))
}

// check renders a page, and again per state with a word of that state
// replaced.
func check(cut func(path string) (*segment.Cut, error), page string) (wrong []string) {
	b, err := os.ReadFile(page)
	if err != nil {
		return []string{err.Error()}
	}
	path := "/" + filepath.Base(page)
	before, err := cut(path)
	if err != nil {
		return []string{err.Error()}
	}
	found := statesOf(before)
	tried := map[string]bool{}
	for _, m := range wordOf.FindAllStringSubmatch(string(b), -1) {
		word, want := m[0], m[1]
		_, limited := limits[strings.TrimSuffix(filepath.Base(page), ".html")+" "+word]
		switch is := found[word]; {
		case limited:
			if is == want {
				wrong = append(wrong, fmt.Sprintf("%s is %s, and still in the list of limits", word, is))
			}
			continue
		case want == "never":
			if is != "" {
				wrong = append(wrong, fmt.Sprintf("%s is kept as %s text", word, is))
			}
			continue
		case is != want:
			wrong = append(wrong, fmt.Sprintf("%s is %s", word, is))
			continue
		}
		if tried[want] {
			continue
		}
		tried[want] = true
		after, err := cut(path + "?alter=" + word)
		if err != nil {
			wrong = append(wrong, err.Error())
			continue
		}
		// A block may be too small for its old and new words to be matched.
		if is := changeOf(before, after); is != want && is != "added+removed" && is != "added+"+want {
			wrong = append(wrong, fmt.Sprintf("another word than %s is a change of kind %s", word, is))
		}
	}
	return wrong
}

// statesOf returns the state of each word.
func statesOf(c *segment.Cut) map[string]string {
	found := map[string]string{}
	put := func(state, text string) {
		for _, w := range wordOf.FindAllString(text, -1) {
			if found[w] == "" || state == "shown" {
				found[w] = state
			}
		}
	}
	for i := range c.Blocks {
		if b := &c.Blocks[i]; b.Leaf() {
			put("shown", b.Text)
			folded, hidden := markup.Unshown(b.Content, b.Hidden, b.Folded)
			put("folded", folded)
			put("hidden", hidden)
		}
	}
	put("hidden", markup.LayoutText(c.Layout.HTML))
	return found
}

// changeOf returns the state in which a change is reported: "shown" for a
// change of content.
func changeOf(before, after *segment.Cut) string {
	diff.First(before.Blocks)
	r := diff.Compare(diff.Side{Layout: &before.Layout, Blocks: before.Blocks, Coverage: before.Coverage},
		diff.Side{Layout: &after.Layout, Blocks: after.Blocks, Coverage: after.Coverage})
	var kinds []string
	add := func(k plat.Kind, folded bool) {
		name := string(k)
		switch {
		case k == plat.Same:
			return
		case k != plat.Content:
		case folded:
			name = "folded"
		default:
			name = "shown"
		}
		if !slices.Contains(kinds, name) {
			kinds = append(kinds, name)
		}
	}
	for i := range r.Blocks {
		add(r.Blocks[i].Kind, r.Blocks[i].Folded)
	}
	// A short page may be cut differently when a word gets shorter; content of a block may then be in the layout.
	if k := slices.Index(kinds, string(plat.Format)); k >= 0 && (len(kinds) > 1 || r.Layout == plat.Invisible) {
		kinds = slices.Delete(kinds, k, k+1)
	}
	if len(kinds) == 0 { // a word in a style sheet changes the style sheet, too
		add(r.Layout, false)
	}
	return strings.Join(kinds, "+")
}
