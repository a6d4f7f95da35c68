package sqlite

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"plat/fixtures"
	"plat/plat"
	"plat/storage"
	"plat/storage/storagetest"
)

// dataDir returns the folder of the shared data, or skips the test.
func dataDir(t testing.TB) string {
	t.Helper()
	dir := os.Getenv("PLAT_DATA")
	if dir == "" {
		at, _ := os.Getwd()
		for {
			if _, err := os.Stat(filepath.Join(at, "go.mod")); err == nil || at == filepath.Dir(at) {
				break
			}
			at = filepath.Dir(at)
		}
		dir = filepath.Join(at, "..", "shared", "data")
	}
	if _, err := os.Stat(filepath.Join(dir, "history")); err != nil {
		if os.Getenv("PLAT_REQUIRE_DATA") == "1" {
			t.Fatalf("PLAT_REQUIRE_DATA=1, but there are no histories: %v", err)
		}
		t.Skipf("no histories (%v); set PLAT_DATA to the folder of the shared data", err)
	}
	return dir
}

// pageHistory is a recorded page with its versions.
type pageHistory struct {
	URL      string `json:"orig_url"`
	Versions []struct {
		Time time.Time `json:"time"`
		SHA1 string    `json:"sha1"`
	} `json:"versions"`
}

func loadHistory(t testing.TB, set string) (pages []pageHistory, read func(sha1 string) []byte) {
	t.Helper()
	dir := filepath.Join(dataDir(t), "history", set, "dev")
	b, err := os.ReadFile(filepath.Join(dir, "urls.json"))
	if err != nil {
		t.Fatal(err)
	}
	var u struct{ Pages []pageHistory }
	if err := json.Unmarshal(b, &u); err != nil {
		t.Fatal(err)
	}
	return u.Pages, func(sha1 string) []byte {
		b, err := os.ReadFile(filepath.Join(dir, "blobs", sha1[:2], sha1))
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
}

// blockTag matches the places where the cutter may cut.
var blockTag = regexp.MustCompile(`(?i)<(?:div|p|ul|ol|li|table|tr|section|article|header|footer|nav|h[1-6]|form|pre|blockquote|dl)[ >]`)

var anyTag = regexp.MustCompile(`(?s)<[^>]*>`)

// cutter makes versions of HTML without a browser. It approximates segmentation in number, size
// and stability of blocks, with synthetic boxes that move as the text above grows.
type cutter struct {
	url      string
	last     *plat.Version
	layout   plat.Hash
	lineages int32
}

func (c *cutter) next(html []byte, taken time.Time) *storage.Commit {
	start, end := bytes.Index(html, []byte("<body")), bytes.LastIndex(html, []byte("</body"))
	if start < 0 || end < start {
		start, end = 0, len(html)
	}
	var parts [][]byte
	at := start
	for _, m := range blockTag.FindAllIndex(html[start:end], -1) {
		if i := start + m[0]; i-at > 700 {
			parts = append(parts, html[at:i])
			at = i
		}
	}
	parts = append(parts, html[at:end])
	layout := plat.Layout{HTML: slices.Concat(html[:start], html[end:]), Slots: []int32{int32(start)}}
	n := 1
	if c.last != nil {
		n = c.last.N + 1
	}
	v := &plat.Version{URL: c.url, N: n, Taken: taken, Layout: layout.Sum(), Level: 3, Profile: "visual", Coverage: 1, Capture: plat.Capture{
		FinalURL: c.url, Status: 200, ContentType: "text/html; charset=utf-8", Title: "Title of " + c.url, Language: "en", Browser: "HeadlessChrome/131.0.6778.85",
		Width: 1366, Height: 900, PageBytes: int64(len(html)), WireBytes: int64(len(html)) / 4, Duration: time.Duration(len(html)%977) * time.Millisecond,
		Header: [][2]string{{"Content-Type", "text/html; charset=utf-8"}, {"Date", taken.Format(time.RFC1123)}, {"Etag", fmt.Sprintf("%q", layout.Sum().Short())}, {"Last-Modified", taken.Add(-time.Hour).Format(time.RFC1123)}, {"Server", "Apache"}},
	}, Meta: map[string]string{"language": "en"}}
	if n > 1 {
		v.Changes = map[plat.Kind]int{plat.Content: 2}
	}
	v.Blocks = append(v.Blocks, plat.Block{Run: 1, Parent: -1, Tag: "html", Slot: -1})
	y := float32(8)
	for i, p := range parts {
		if i%12 == 0 {
			v.Blocks = append(v.Blocks, plat.Block{Path: []int32{0, 1, int32(i / 12)}, Run: 1, Parent: 0, Level: 1, Rule: 9, Tag: "div", Slot: -1, Box: plat.Rect{X: 8, Y: y, W: 1350}})
		}
		parent := int32(len(v.Blocks) - 1 - i%12)
		words := strings.Fields(anyTag.ReplaceAllString(string(p), " "))
		text := strings.Join(words, "")
		links := bytes.Count(p, []byte("<a "))
		h := float32(20+len(text)/130*18) + 0.59375
		b := plat.Block{
			Path: []int32{0, 1, int32(i / 12), int32(i % 12)}, Run: 1, Parent: parent, Level: 2, Rule: plat.Rule(1 + links%11), Tag: "div",
			Box: plat.Rect{X: 23, Y: y, W: 1320.328125, H: h}, Pos: int32(i), Hash: plat.HashOf(p), Content: p, TextLen: int32(len(text)),
			LinkShare: float32(links*12) / float32(len(text)+links*12+1), Background: 0xffffffff, Color: 0x333333ff, FontSize: 16,
			Topic: strings.Join(words[:min(8, len(words))], " "), Label: plat.LabelMain, Confidence: 0.7,
			Explanation: fmt.Sprintf("links %.2f, %d words", float64(links*12)/float64(len(text)+links*12+1), len(words)),
		}
		if links > 8 {
			b.Label = plat.LabelNavigation
		}
		v.Blocks = append(v.Blocks, b)
		v.Blocks[parent].Box.H += h
		y += h
	}
	v.Blocks[0].Box = plat.Rect{W: 1366, H: y}
	c.align(v)
	v.Lineages = c.lineages
	out := &storage.Commit{Version: v, Layout: layout, LayoutBase: c.layout, Visit: plat.Visit{URL: c.url, Time: taken, Outcome: plat.OutcomeChanged,
		Version: n, Status: 200, Duration: v.Capture.Duration, Bytes: v.Capture.WireBytes}}
	c.last, c.layout = v, v.Layout
	return out
}

// align gives blocks of equal content the lineage of the previous block; blocks
// between two such pairs are matched in order.
func (c *cutter) align(v *plat.Version) {
	fresh := func(b *plat.Block) { c.lineages++; b.Lineage = c.lineages }
	if c.last == nil {
		for i := range v.Blocks {
			if v.Blocks[i].Leaf() {
				fresh(&v.Blocks[i])
			}
		}
		return
	}
	var old, cur []*plat.Block
	for i := range c.last.Blocks {
		if c.last.Blocks[i].Leaf() {
			old = append(old, &c.last.Blocks[i])
		}
	}
	for i := range v.Blocks {
		if v.Blocks[i].Leaf() {
			cur = append(cur, &v.Blocks[i])
		}
	}
	take := func(b, o *plat.Block) {
		b.Lineage = o.Lineage
		if b.Hash != o.Hash {
			b.Base = o.Hash
		}
	}
	o := 0
	var open []*plat.Block
	flush := func(to int) {
		for _, b := range open {
			if o < to {
				take(b, old[o])
				o++
			} else {
				fresh(b)
			}
		}
		open, o = nil, to
	}
	for _, b := range cur {
		k := slices.IndexFunc(old[o:], func(x *plat.Block) bool { return x.Hash == b.Hash })
		if k < 0 {
			open = append(open, b)
			continue
		}
		flush(o + k)
		take(b, old[o])
		o++
	}
	flush(len(old))
}

// TestHistoriesCompressWell archives years of real pages and requires the whole
// file, trees and indexes included, to stay below 0.35 of the size of all changed
// pages compressed with gzip. Then it reads every version back, and
// indexes all.
func TestHistoriesCompressWell(t *testing.T) {
	for _, tc := range []struct {
		set    string
		visits int
		most   int64
	}{
		{"news", 1421, 1_410_000},
		{"docs", 2008, 1_950_000},
	} {
		if fixtures.OneIn(2) > 1 && tc.set != "news" {
			continue
		}
		t.Run(tc.set, func(t *testing.T) {
			pages, read := loadHistory(t, tc.set)
			path := filepath.Join(t.TempDir(), "archive.plat")
			s := openAt(t, path, Options{})
			versions, blocks := 0, 0
			began := time.Now()
			var spent time.Duration
			idle := tc.visits
			for _, p := range pages {
				idle -= len(p.Versions)
			}
			total := tc.visits - idle
			done := 0
			for _, p := range pages {
				c := &cutter{url: p.URL}
				last := ""
				for _, ver := range p.Versions {
					visit := plat.Visit{URL: p.URL, Time: ver.Time, Outcome: plat.OutcomeUnchanged, Status: 200, Duration: 321 * time.Millisecond, Bytes: 12345}
					// Unchanged visits, spread evenly.
					for done++; idle*done/total > idle*(done-1)/total+0 && c.last != nil; {
						visit.Time, visit.Version = ver.Time.Add(-30*time.Minute), c.last.N
						if err := s.Record(t.Context(), visit, 20_000); err != nil {
							t.Fatal(err)
						}
						break
					}
					if ver.SHA1 == last {
						continue
					}
					last = ver.SHA1
					commit := c.next(read(ver.SHA1), ver.Time)
					at := time.Now()
					w, err := s.Commit(t.Context(), commit)
					if err != nil {
						t.Fatal(err)
					}
					spent += time.Since(at)
					versions++
					blocks += w.Blocks
				}
			}
			size, err := s.Size(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%d versions, %d blocks, %d bytes: %d a version; %v a commit, %v in all", versions, blocks, size, size/int64(versions),
				spent/time.Duration(versions), time.Since(began).Round(time.Millisecond))
			logTables(t, s)
			if size > tc.most {
				t.Errorf("the store takes %d bytes, want at most %d", size, tc.most)
			}
			restoreAll(t, s, pages, read)
			readAlone(t, s)
			indexAll(t, s, versions)
		})
	}
}

// readAlone reads blocks one by one and logs the duration.
func readAlone(t *testing.T, s *Store) {
	var took []time.Duration
	for st, err := range s.States(t.Context(), "", "") {
		if err != nil {
			t.Fatal(err)
		}
		for n := 1; n <= st.Head; n += 7 {
			v, err := s.Version(t.Context(), st.URL, n)
			if err != nil {
				t.Fatal(err)
			}
			b := v.Blocks[len(v.Blocks)-1]
			best := time.Hour
			for range 3 {
				at := time.Now()
				if _, err := s.Contents(t.Context(), []plat.Hash{b.Hash}); err != nil {
					t.Fatal(err)
				}
				best = min(best, time.Since(at))
			}
			took = append(took, best)
		}
	}
	slices.Sort(took)
	t.Logf("one block alone: median %v, 95%% at most %v, slowest %v", took[len(took)/2], took[len(took)*95/100], took[len(took)-1])
}

// logTables logs the size of each table and index.
func logTables(t *testing.T, s *Store) {
	err := rows(t.Context(), s.read, func(scan func(...any) error) error {
		var name string
		var pages, used, unused int64
		err := scan(&name, &pages, &used, &unused)
		t.Logf("%-28s %8d bytes, %8d of them data", name, pages, used)
		return err
	}, "SELECT name, sum(pgsize), sum(payload), sum(unused) FROM dbstat GROUP BY name ORDER BY 2 DESC")
	if err != nil {
		t.Logf("no dbstat: %v", err)
	}
}

// restoreAll restores every version and compares its bytes.
func restoreAll(t *testing.T, s *Store, pages []pageHistory, read func(string) []byte) {
	for _, p := range pages {
		n, last := 0, ""
		for _, ver := range p.Versions {
			if ver.SHA1 == last {
				continue
			}
			n, last = n+1, ver.SHA1
			v, err := s.Version(t.Context(), p.URL, n)
			if err != nil {
				t.Fatal(err)
			}
			layout, err := s.Layout(t.Context(), v.Layout)
			if err != nil {
				t.Fatal(err)
			}
			contents := storagetest.Leaves(t, s, v)
			at := layout.Slots[0]
			got := slices.Concat(layout.HTML[:at], bytes.Join(contents, nil), layout.HTML[at:])
			if !bytes.Equal(got, read(ver.SHA1)) {
				t.Fatalf("version %d of %s is not what was stored", n, p.URL)
			}
		}
	}
}
