package main

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"plat/browser/snapshotfile"
	"plat/cmd/plat/app"
	"plat/cmd/plat/output"
	"plat/export/atomicfile"
	"plat/fixtures"
	"plat/plat"
	"plat/segment"
	"plat/segment/markup"
	"plat/workers/batch"
)

func TestWhatTheReadingCommandsPrint(t *testing.T) {
	store := madeUp(t)
	for name, args := range map[string][]string{
		"versions.txt":             {"versions", paperURL},
		"versions.jsonl":           {"versions", paperURL, "--json"},
		"show.txt":                 {"show", paperURL},
		"show-text.txt":            {"show", paperURL + "@1", "--text"},
		"show.json":                {"show", paperURL + "@2", "--json", "--text"},
		"text.txt":                 {"text", paperURL},
		"text.jsonl":               {"text", paperURL + "@2", "--json"},
		"explain.txt":              {"explain", paperURL},
		"explain.jsonl":            {"explain", paperURL + "@1", "--json"},
		"diff.txt":                 {"diff", paperURL},
		"diff-words.txt":           {"diff", paperURL + "@2"},
		"diff-far.txt":             {"diff", paperURL + "@1", "@3"},
		"diff-back.txt":            {"diff", paperURL + "@3", "@1"},
		"diff.json":                {"diff", paperURL + "@1", "@2", "--json"},
		"blocks.txt":               {"blocks"},
		"blocks-label.txt":         {"blocks", "--label", "main", "--site", "news.test"},
		"blocks-topic.txt":         {"blocks", "--topic", "新闻", "--text"},
		"blocks-head.jsonl":        {"blocks", "--head", "--site", "http://news.test/", "--json"},
		"blocks-none.txt":          {"blocks", "--since", "2027-01-01"},
		"blocks-first.txt":         {"blocks", "--first=false"},
		"blocks-changed.txt":       {"blocks", "--changed"},
		"blocks-changed-text.txt":  {"blocks", "--changed", "--text", "--first", "--since", "2026-01-03"},
		"blocks-changed.jsonl":     {"blocks", "--changed", "--text", "--label", "main", "--json"},
		"blocks-kind.txt":          {"blocks", "--changed", "--kind", "removed,moved"},
		"blocks-changed.csv":       {"blocks", "--changed", "--text", "--format", "csv"},
		"versions-first.txt":       {"versions", paperURL, "--first=false"},
		"versions-first-alone.txt": {"versions", zhURL, "--first=false"},
		"versions.csv":             {"versions", paperURL, "--format", "csv"},
		"verify.txt":               {"verify"},
		"gc.txt":                   {"gc", "--older-than", "0s"},
		"gc-dry.txt":               {"gc", "--dry-run"},
	} {
		t.Run(name, func(t *testing.T) { golden(t, name, must(t, append(args, store)...)) })
	}
}

func TestTheVersionsOfADifferenceAreWrittenInManyWays(t *testing.T) {
	store := madeUp(t)
	want := must(t, "diff", paperURL+"@1", "@2", store)
	for _, args := range [][]string{{paperURL, "@1", "@2"}, {paperURL + "@1", paperURL + "@2"}, {paperURL, "@1", paperURL + "@2"}} {
		if got := must(t, append(append([]string{"diff"}, args...), store)...); got != want {
			t.Errorf("diff %q prints\n%s", args, got)
		}
	}
}

// A URL is looked up with https if it has no scheme; if the archive knows one that differs in the scheme, www. or a slash
// at the end, it is named.
func TestAURLThatIsNotInTheArchiveIsComparedWithThoseAlike(t *testing.T) {
	store := madeUp(t)
	for _, typed := range []string{"news.test/today", "https://news.test/today", "www.news.test/today/", "http://news.test/today/"} {
		r := command(t, "versions", typed, store)
		if r.code != app.ExitError || !strings.Contains(r.err, "not found in the archive; "+paperURL+" is\n") {
			t.Errorf("%s: exit %d, %q", typed, r.code, r.err)
		}
	}
	if r := command(t, "versions", "news.test/tomorrow", store); !strings.Contains(r.err, "plat: versions: https://news.test/tomorrow: ") || strings.Contains(r.err, paperURL) {
		t.Errorf("%q", r.err)
	}
}

func TestStatsAddUp(t *testing.T) {
	type row struct {
		Host                  string
		Total                 bool
		URLs, Visits          int
		Versions              int
		PageBytes             int64    `json:"page_bytes"`
		StoredBytes           int64    `json:"stored_bytes"`
		Ratio                 *float64 `json:"ratio"`
		DiskBytes             *int64   `json:"disk_bytes"`
		Unknown, Undocumented *int
	}
	rows := jsonLines[row](t, must(t, "stats", "--json", madeUp(t)))
	if len(rows) != 4 {
		t.Fatalf("%d rows, want three sites and a total", len(rows))
	}
	sum, total := row{}, rows[3]
	for _, r := range rows[:3] {
		sum.URLs += r.URLs
		sum.Visits += r.Visits
		sum.Versions += r.Versions
		sum.PageBytes += r.PageBytes
		sum.StoredBytes += r.StoredBytes
	}
	if !total.Total || total.URLs != 3 || total.Visits != 5 || total.Versions != 4 || total.DiskBytes == nil || *total.DiskBytes <= 0 ||
		sum.URLs != total.URLs || sum.Visits != total.Visits || sum.PageBytes != total.PageBytes || sum.StoredBytes != total.StoredBytes {
		t.Errorf("sites %+v do not add up to %+v", sum, total)
	}
	if rows[0].Host != "gone.test" || rows[0].Ratio != nil {
		t.Errorf("a site without a version has ratio %v, want none: %+v", rows[0].Ratio, rows[0])
	}
}

func TestStatsOfASiteWithoutAVersionHaveNoFigures(t *testing.T) {
	out := must(t, "stats", madeUp(t))
	for line := range strings.Lines(out) {
		if strings.HasPrefix(line, "gone.test") && strings.Count(line, "–") != 6 {
			t.Errorf("it is listed as %q", line)
		}
	}
	if !strings.Contains(out, "gone.test") || !strings.HasSuffix(out, " in use on disk\n") {
		t.Errorf("stats prints\n%s", out)
	}
}

func TestNothingFromAPageReachesTheTerminalRaw(t *testing.T) {
	store := madeUp(t)
	for _, args := range [][]string{{"show", paperURL, "--text"}, {"diff", paperURL}, {"blocks"}, {"blocks", "--text"}, {"blocks", "--changed", "--text"}, {"blocks", "--format", "csv", "--text"}} {
		out := must(t, append(args, store)...)
		if strings.ContainsAny(out, "\x1b\u202e") || !strings.Contains(out, "Red[31m alert") {
			t.Errorf("plat %s prints %q", strings.Join(args, " "), out)
		}
	}
}

func TestASnapshotIsArchivedAndComesBackByteForByte(t *testing.T) {
	store := "--store=sqlite:" + filepath.Join(t.TempDir(), "a.db")
	first, snap := snapshotFile(t, "site-1")
	second, next := snapshotFile(t, "site-2")
	want := []plat.Outcome{plat.OutcomeNew, plat.OutcomeUnchanged, plat.OutcomeChanged}
	lines := jsonLines[batch.Page](t, must(t, "snapshot", "load", "--json", store, first, first, second))
	for i, l := range lines {
		if l.Outcome != want[i] || l.Stored != (want[i] != plat.OutcomeUnchanged) || l.Blocks < 3 || l.PageBytes == 0 || l.Error != "" {
			t.Errorf("visit %d: %+v, want %s", i, l, want[i])
		}
	}
	if n := lines[2].Changes; len(n) == 0 {
		t.Error("the second version shows no kind of change")
	}
	for ref, s := range map[string]*plat.Snapshot{snap.URL + "@1": snap, snap.URL + "@2": next, snap.URL: next} {
		if got := must(t, "restore", "--raw", ref, store); got != string(markup.Serialize(s)) {
			t.Errorf("restore %s gives %d bytes, want %d", ref, len(got), len(markup.Serialize(s)))
		}
	}
	file := filepath.Join(t.TempDir(), "page.html")
	must(t, "restore", "--raw", snap.URL, "-o", file, store)
	if b, err := os.ReadFile(file); err != nil || string(b) != string(markup.Serialize(next)) {
		t.Errorf("restore -o wrote %d bytes, %v", len(b), err)
	}
	left, err := os.ReadDir(filepath.Dir(file))
	if err != nil || len(left) != 1 {
		t.Errorf("restore -o left %v, %v beside its file", left, err)
	}
}

func TestQuietPrintsOfArchivedPagesOnlyFailures(t *testing.T) {
	good, _ := snapshotFile(t, "site-1")
	snap := fixtures.Snapshot(t, "site-1")
	snap.URL, snap.Status = "http://broken.test/", 503
	bad := filepath.Join(t.TempDir(), "bad.snap")
	if err := atomicfile.Write(bad, func(w io.Writer) error { return snapshotfile.Write(w, snap) }); err != nil {
		t.Fatal(err)
	}
	store := "--store=sqlite:" + filepath.Join(t.TempDir(), "a.db")
	for _, form := range []string{"--json=false", "--json"} {
		r := command(t, "snapshot", "load", "-q", form, store, good, bad)
		if r.code != app.ExitPartly || r.err != "" || strings.Contains(r.out, pageURL) || !strings.Contains(r.out, snap.URL) || !strings.Contains(r.out, "http-error") || strings.Contains(r.out, "http-error: ") {
			t.Errorf("%s: exit %d, %q, stderr %q", form, r.code, r.out, r.err)
		}
	}
}

func TestExplainNamesARuleForEveryBlock(t *testing.T) {
	file, snap := snapshotFile(t, "paper-1")
	type decision struct {
		Node, Depth, Level int32
		Path               []int32
		Rule               plat.Rule
		Block, Kept        bool
		Why                string
	}
	blocks := jsonLines[decision](t, must(t, "explain", file, "--profile", "paper", "--only", "blocks", "--json"))
	cut, err := segment.Segment(snap, segment.Params{Profile: segment.Paper})
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range cut.Blocks[1:] {
		if b.Rule >= plat.RuleSeparator {
			continue
		}
		if !slices.ContainsFunc(blocks, func(d decision) bool { return slices.Equal(d.Path, b.Path) && d.Rule == b.Rule && d.Why != "" }) {
			t.Errorf("nothing says why %s at %v is a block", b.Tag, b.Path)
		}
	}
	for _, d := range blocks {
		if !d.Block || !d.Kept || !slices.ContainsFunc(cut.Blocks, func(b plat.Block) bool { return slices.Equal(d.Path, b.Path) }) {
			t.Errorf("--only blocks prints %+v, which is none", d)
		}
	}
	all := must(t, "explain", file, "--profile", "paper")
	short := must(t, "explain", file, "--profile", "paper", "--depth", "3")
	if !strings.Contains(all, "BLOCK") || !strings.Contains(all, "no block") || len(short) >= len(all) {
		t.Errorf("explain prints %d bytes, with --depth 3 %d:\n%s", len(all), len(short), short)
	}
}

func TestMetaTestPrintsWhatTheRulesGive(t *testing.T) {
	file, snap := snapshotFile(t, "site-1")
	rules := filepath.Join(t.TempDir(), "rules.yaml")
	if err := os.WriteFile(rules, []byte("rules:\n  - set:\n      publisher: Us\n      host: {url: '^https?://([^/]+)'}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	got := jsonLines[struct {
		URL  string
		Meta map[string]string
	}](t, must(t, "meta", "test", file, "--rules", rules, "--json"))
	if len(got) != 1 || got[0].URL != snap.URL || got[0].Meta["publisher"] != "Us" || got[0].Meta["host"] != "page.test" {
		t.Errorf("meta test gives %+v", got)
	}
}

func TestSnapshotShowReadsWhatIsInTheFile(t *testing.T) {
	file, snap := snapshotFile(t, "site-1")
	got := jsonLines[output.SnapshotInfo](t, must(t, "snapshot", "show", file, "--json"))
	if len(got) != 1 || got[0].URL != snap.URL || got[0].Nodes != len(snap.Nodes) || got[0].FileBytes == 0 {
		t.Errorf("snapshot show gives %+v", got)
	}
}
