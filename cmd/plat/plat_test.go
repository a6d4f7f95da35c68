package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"plat/browser/snapshotfile"
	"plat/cmd/plat/app"
	"plat/fixtures"
	"plat/plat"
	"plat/segment/article"
	"plat/segment/markup"
	"plat/storage"
	"plat/storage/sqlite"
	"plat/storage/sqlite/sqlitetest"
)

var update = flag.Bool("update", false, "rewrite the golden files in testdata")

// result is the output of a command, with its exit code.
type result struct {
	code     int
	out, err string
}

// plat runs a command with a clean environment.
func command(t *testing.T, args ...string) result {
	t.Helper()
	return commandIn(t, t.Context(), nil, "", args...)
}

func commandIn(t *testing.T, ctx context.Context, env []string, stdin string, args ...string) result {
	t.Helper()
	var out, err bytes.Buffer
	code := run(ctx, args, env, strings.NewReader(stdin), &out, &err)
	return result{code, out.String(), err.String()}
}

// must runs a command that has to succeed and returns its output.
func must(t *testing.T, args ...string) string {
	t.Helper()
	r := command(t, args...)
	if r.code != app.ExitOK || r.err != "" {
		t.Fatalf("plat %s: exit %d, stderr %q, stdout %q", strings.Join(args, " "), r.code, r.err, r.out)
	}
	return r.out
}

// jsonLines decodes every line of output, strictly, into T.
func jsonLines[T any](t *testing.T, out string) []T {
	t.Helper()
	var all []T
	for line := range strings.Lines(out) {
		var v T
		if err := json.Unmarshal([]byte(line), &v); err != nil {
			t.Fatalf("%q is no JSON: %v", line, err)
		}
		all = append(all, v)
	}
	return all
}

// golden compares output with testdata/name.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v; go test ./cmd/plat -update writes it", err)
	}
	if got != string(want) {
		t.Errorf("%s differs; if that is meant, run go test ./cmd/plat -update.\ngot:\n%s\nwant:\n%s", path, got, want)
	}
}

// leaf is a leaf block made up for a test.
func leaf(slot int32, lineage int32, html string, label plat.Label, topic string, y, h float32) plat.Block {
	c := []byte(html)
	text := markup.Text(c, nil)
	b := plat.Block{
		Path: []int32{0, 1, slot}, Run: 1, Parent: 0, Level: 1, Rule: 8, Tag: "div", Box: plat.Rect{X: 0, Y: y, W: 1280, H: h},
		Slot: slot, Hash: plat.HashOf(c), Content: c, Text: text, TextLen: int32(len([]rune(strings.Join(strings.Fields(text), "")))),
		Label: label, Confidence: 0.8, Explanation: "made up", Topic: topic, Lineage: lineage, Color: 0x000000ff, Background: 0xffffffff, FontSize: 16,
	}
	if b.Role, b.Holds = b.Implied(); label == plat.LabelHeader {
		b.Holds = plat.HoldsForm
	}
	return b
}

const (
	paperURL = "http://news.test/today"
	zhURL    = "http://zh.test:8080/@7" // ends as if it named a version
)

// pageURL is the URL of the stored snapshots.
const pageURL = "http://page.test/"

// madeUp commits versions that are not the result of segmentation: tests on them check the output
// only.
func madeUp(t *testing.T) (storeFlag string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "made up.db")
	s := sqlitetest.OpenAt(t, path, sqlite.Options{})
	defer s.Close()
	root := plat.Block{Parent: -1, Slot: -1, Run: 1, Tag: "#document", Box: plat.Rect{W: 1280, H: 1024}, Topic: "Daily News"}
	head := leaf(0, 1, "<div><h1>Daily News</h1></div>", plat.LabelHeader, "Daily News", 0, 80)
	main := leaf(1, 2, "<div><h2>River floods</h2><p>The river rose by two metres on Monday, and the people left.</p></div>", plat.LabelMain, "River floods", 80, 400)
	changed := leaf(1, 2, "<div><h2>River floods</h2><p>The river rose by three metres on Tuesday, and the people left.</p></div>", plat.LabelMain, "River floods", 80, 400)
	foot := leaf(2, 3, "<div>Imprint</div>", plat.LabelFooter, "Imprint", 480, 40)
	evil := leaf(2, 4, "<div>Red\x1b[31m alert\u202e</div>", plat.LabelOther, "Red\x1b[31m alert", 480, 40)
	zh := leaf(0, 1, "<div>上海新闻 今日天气</div>", plat.LabelMain, "上海新闻", 0, 100)
	day := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, v := range []struct {
		url     string
		n       int
		outcome plat.Outcome
		changes map[plat.Kind]int
		leaves  []plat.Block
	}{
		{paperURL, 1, plat.OutcomeNew, nil, []plat.Block{head, main, foot}},
		{paperURL, 2, plat.OutcomeChanged, map[plat.Kind]int{plat.Content: 1}, []plat.Block{head, changed, foot}},
		{paperURL, 3, plat.OutcomeChanged, map[plat.Kind]int{plat.Added: 1, plat.Removed: 1}, []plat.Block{head, changed, evil}},
		{zhURL, 1, plat.OutcomeNew, nil, []plat.Block{zh}},
	} {
		layout := plat.Layout{HTML: []byte("<html><body></body></html>")}
		for range v.leaves {
			layout.Slots = append(layout.Slots, int32(len("<html><body>")))
		}
		taken := day.Add(time.Duration(v.n) * 24 * time.Hour)
		c := &storage.Commit{
			Version: &plat.Version{
				URL: v.url, N: v.n, Taken: taken, Layout: layout.Sum(), Blocks: append([]plat.Block{root}, v.leaves...),
				Level: 3, Profile: "visual", Coverage: 1, Lineages: 4, Changes: v.changes, Meta: map[string]string{"publisher": "News Ltd"},
				Capture: plat.Capture{FinalURL: v.url, Status: 200, ContentType: "text/html", Title: "Daily\tNews", Browser: "Test/1", Width: 1280, Height: 1024, PageBytes: 12_345},
			},
			Layout: layout,
			Visit:  plat.Visit{URL: v.url, Time: taken, Outcome: v.outcome, Version: v.n, Status: 200, Bytes: 20_000},
		}
		if v.n > 1 { // the first are older than stored texts
			page := plat.Page{Layout: layout, Blocks: c.Version.Blocks}
			c.Version.Article = article.Article{Title: "River floods", Authors: []string{"Ann Rivers"}, Date: "2026-01-02", Text: strings.ReplaceAll(page.Blocks[2].Text, "\n", "\n\n")}.Keep(&page)
		}
		if _, err := s.Commit(t.Context(), c); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Record(t.Context(), plat.Visit{URL: "http://gone.test/", Time: day, Outcome: plat.OutcomeGone, Status: 410, Error: "gone"}, 0); err != nil {
		t.Fatal(err)
	}
	return "--store=sqlite:" + path
}

// snapshotFile writes one of the stored snapshots to a file, as one of pageURL.
func snapshotFile(t *testing.T, name string) (path string, snap *plat.Snapshot) {
	t.Helper()
	snap = fixtures.Snapshot(t, name)
	snap.URL = pageURL
	var b bytes.Buffer
	if err := snapshotfile.Write(&b, snap); err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(t.TempDir(), name+".snap")
	if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	return path, snap
}
