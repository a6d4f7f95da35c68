package browser

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/runtime"

	"plat/browser/devtools"
	"plat/browser/egress"
	"plat/fixtures"
	"plat/fixtures/history"
	"plat/fixtures/truth"
	"plat/plat"
	"plat/segment"
	"plat/segment/markup"
)

// exceptions are the pages of the data whose serialisation is not the browser's
// own, and why.
var exceptions = map[string]string{}

// restless are static pages of the data of which two renderings differ, and why.
var restless = map[string]string{}

// leavers are pages that redirect to a site that does not exist, the second only after a
// while: until then it is compared like the rest.
var leavers = map[string]bool{"/maincontent/traf-0973823e663c.html": true, "/maincontent/seab-686bb170effe.html": true}

// The serialiser writes the same HTML as the browser, for every page of the data (with
// PLAT_LONG=1), so that it loses nothing of the DOM. Each page is also cut, in both
// profiles, and restored byte for byte.
func TestThePagesOfTheDataAreSerialisedAsTheBrowserDoesAndRestored(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("skipped: dozens of pages are rendered, and this is a short run")
	}
	dir, ok := history.Dir()
	if !ok {
		if os.Getenv("PLAT_REQUIRE_DATA") != "" {
			t.Fatalf("there is no data at %s", dir)
		}
		t.Skipf("skipped: there is no data at %s (PLAT_DATA)", dir)
	}
	srv := httptest.NewServer(truth.Site(dir, "dev", nil))
	defer srv.Close()
	pages := dataPages(t, dir)
	guard, err := egress.New(egress.Options{AllowPrivate: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, Resolver: nowhere{}})
	if err != nil {
		t.Fatal(err)
	}
	defer guard.Close()
	pool, err := New(t.Context(), Options{Guard: guard, Tabs: 3, Width: 1366, Height: 900})
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()

	var mu sync.Mutex
	var equal, coverage = 0, 1.0
	todo := make(chan string)
	var work sync.WaitGroup
	for range 3 {
		work.Go(func() {
			for page := range todo {
				same, cover, err := check(t.Context(), pool, srv.URL+page)
				for tries := 0; err != nil && !leavers[page] && tries < 2; tries++ {
					// A page may move on between the two questions.
					same, cover, err = check(t.Context(), pool, srv.URL+page)
				}
				if err == nil && strings.HasPrefix(page, "/webseg/") { // static: their scripts were removed
					moved, err := moves(t.Context(), pool, srv.URL+page)
					if moved != "" {
						// On a busy machine the order in which style sheets and
						// images arrive may affect the layout: the width of www.cpsc.gov's select
						// depends on the font in which Chrome first laid out its options. A truly
						// unstable page differs again on a second attempt.
						moved, err = moves(t.Context(), pool, srv.URL+page)
					}
					if _, ok := restless[page]; err != nil || (moved != "") != ok {
						t.Errorf("%s: two renderings of a static page: %s (%v)", page, moved, err)
					}
				}
				mu.Lock()
				why, excepted := exceptions[page]
				switch {
				case err != nil && leavers[page]:
					cover = 1
				case err != nil:
					t.Errorf("%s: %v", page, err)
				case same == "" && excepted:
					t.Errorf("%s is listed as an exception (%s), but is equal", page, why)
				case same != "" && !excepted:
					t.Errorf("%s: %s", page, same)
				case same == "":
					equal++
				}
				if why, ok := covered[page]; !ok {
					coverage = min(coverage, cover)
				} else if cover >= 0.99 && !fading[page] {
					t.Errorf("%s is listed as a page with text in no block (%s), but its coverage is %.4f", page, why, cover)
				}
				mu.Unlock()
			}
		})
	}
	for i := 0; i < len(pages); i += fixtures.OneIn(24) {
		todo <- pages[i]
	}
	close(todo)
	work.Wait()
	t.Logf("%d of %d pages are serialised as the browser does; least coverage %.4f", equal, len(pages), coverage)
	if coverage < 0.99 {
		t.Errorf("coverage %.4f, want at least 0.99", coverage)
	}
}

// covered are pages with much text that Chrome lays out but does not show, because their style
// sheets or scripts are missing.
var covered = map[string]string{
	"/maincontent/seab-374ac9a59a85.html": "the footer lies over the end of the article",
	"/maincontent/seab-5fa5679de56c.html": "teasers wait, almost transparent, for a script; numbers are cut away",
	"/maincontent/traf-4560cb7a1ad8.html": "dialogs in white letters on white",
}

// fading are those of them whose text becomes visible by and by: it depends on the moment.
var fading = map[string]bool{"/maincontent/seab-5fa5679de56c.html": true}

// documentElement returns the part of a snapshot that document.documentElement.outerHTML has: no
// shadow roots, no documents of frames, no generated text.
func documentElement(s *plat.Snapshot) *plat.Snapshot {
	part := &plat.Snapshot{Nodes: []plat.Node{{Kind: plat.DocumentNode, Parent: -1}}}
	at := map[int32]int32{0: 0} // in part, by the place in s
	copied := func(i int32) {
		n := s.Nodes[i]
		at[i], n.Parent, n.End = int32(len(part.Nodes)), at[n.Parent], 0
		part.Nodes = append(part.Nodes, n)
	}
	for i := int32(1); i < int32(len(s.Nodes)); i = s.Nodes[i].End {
		if s.Nodes[i].Kind != plat.ElementNode {
			continue
		}
		copied(i)
		for j := i + 1; j < s.Nodes[i].End; {
			if n := &s.Nodes[j]; n.Kind == plat.ShadowNode || n.Kind == plat.DocumentNode {
				j = n.End
				continue
			}
			copied(j)
			j++
		}
		break
	}
	for i := len(part.Nodes) - 1; i >= 0; i-- {
		n := &part.Nodes[i]
		n.End = max(n.End, int32(i)+1)
		if n.Parent >= 0 {
			part.Nodes[n.Parent].End = max(part.Nodes[n.Parent].End, n.End)
		}
	}
	return part
}

// check renders a page, and describes how the serialisation differs.
func check(ctx context.Context, pool *Pool, url string) (differs string, coverage float64, err error) {
	var s *plat.Snapshot
	var outer, got string
	_, err = pool.Render(ctx, Request{URL: url, inspect: func(ctx context.Context, v *visit, first *plat.Snapshot) error {
		s = first
		// Scripts may run between the two queries: repeat until the page is stable.
		for tries := 0; ; tries++ {
			r, err := devtools.Call(ctx, v.Session, runtime.Evaluate, runtime.EvaluateParams{Expression: "document.documentElement.outerHTML", ReturnByValue: new(true)})
			if err != nil {
				return err
			}
			if err := json.Unmarshal(r.Result.Value, &outer); err != nil {
				return err
			}
			if got = string(markup.Serialize(documentElement(s))); got == outer || tries == 4 {
				return nil
			}
			if s, err = v.capture(ctx); err != nil {
				return err
			}
		}
	}})
	if err != nil {
		return "", 0, err
	}
	if got != outer {
		i := 0
		for i < min(len(got), len(outer)) && got[i] == outer[i] {
			i++
		}
		from := max(0, i-60)
		differs = fmt.Sprintf("at byte %d:\n…%.140q\nthe browser has\n…%.140q", i, got[from:], outer[from:])
	}
	coverage = 1
	for _, profile := range []segment.Profile{segment.Visual, segment.Paper} {
		c, err := segment.Segment(s, segment.Params{Profile: profile})
		if err != nil {
			return differs, 0, err
		}
		page, err := markup.Restore(&c.Layout, c.Blocks)
		if err != nil {
			return differs, 0, err
		}
		if !bytes.Equal(page, markup.Serialize(s)) {
			return differs, 0, fmt.Errorf("profile %s: restored to other bytes", profile)
		}
		coverage = min(coverage, c.Coverage)
	}
	return differs, coverage, nil
}

// moves renders a page twice and describes the blocks that differ.
func moves(ctx context.Context, pool *Pool, url string) (string, error) {
	var first []plat.Block
	for range 2 {
		s, err := pool.Render(ctx, Request{URL: url})
		if err != nil {
			return "", err
		}
		c, err := segment.Segment(s, segment.Params{})
		if err != nil {
			return "", err
		}
		if first == nil {
			first = c.Blocks
			continue
		}
		if len(first) != len(c.Blocks) {
			return fmt.Sprintf("%d blocks, then %d", len(first), len(c.Blocks)), nil
		}
		for i := range first {
			if first[i].Hash != c.Blocks[i].Hash || !slices.Equal(first[i].Hidden, c.Blocks[i].Hidden) || !near(first[i].Box, c.Blocks[i].Box) {
				return fmt.Sprintf("block %d: %v %.60q, then %v %.60q", i, first[i].Box, first[i].Text, c.Blocks[i].Box, c.Blocks[i].Text), nil
			}
		}
	}
	return "", nil
}

// near reports whether two boxes are equal within a few pixels. On one page,
// random-www.greencove.fr, the columns of a table differ by 2 px in one of some hundred renderings
// on a busy machine: Chrome repeats the layout as each image arrives, and the order matters.
func near(a, b plat.Rect) bool {
	const slack = 4
	for _, d := range []float32{a.X - b.X, a.Y - b.Y, a.W - b.W, a.H - b.H} {
		if d < -slack || d > slack {
			return false
		}
	}
	return true
}

// nowhere resolves no names: the pages' third parties are unreachable.
type nowhere struct{}

func (nowhere) LookupNetIP(context.Context, string, string) ([]netip.Addr, error) {
	return nil, nil
}

func dataPages(t *testing.T, dir string) []string {
	var pages []string
	seg, err := fs.Glob(os.DirFS(filepath.Join(dir, "webseg", "dev", "pages")), "*/index.html")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range seg {
		pages = append(pages, "/webseg/"+strings.TrimSuffix(p, "index.html"))
	}
	main, err := fs.Glob(os.DirFS(filepath.Join(dir, "maincontent", "dev", "pages")), "*.html.gz")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range main {
		pages = append(pages, "/maincontent/"+strings.TrimSuffix(p, ".gz"))
	}
	sort.Strings(pages)
	if len(pages) < 100 {
		t.Fatalf("only %d pages in %s", len(pages), dir)
	}
	return pages
}
