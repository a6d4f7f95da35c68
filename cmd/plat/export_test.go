package main

import (
	"archive/zip"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"plat/cmd/plat/app"
	"plat/export"
	"plat/export/warc"
	"plat/export/warc/warctest"
)

// indexOf is the index of a WACZ, as text.
// exported is the JSON that export prints.
type exported struct {
	export.Summary
	MS int64 `json:"ms"`
}

func indexOf(t *testing.T, wacz string) string {
	t.Helper()
	z, err := zip.OpenReader(wacz)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	f, err := z.Open("indexes/index.cdx.gz")
	if err != nil {
		t.Fatal(err)
	}
	gz, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(gz)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestLinesHoldVersionsWithTreeAndTexts(t *testing.T) {
	golden(t, "export.jsonl", must(t, "export", "--format", "jsonl", madeUp(t)))
}

func TestExportTakesWhatIsAskedFor(t *testing.T) {
	store := madeUp(t)
	one, two, three, zh := paperURL+"@1", paperURL+"@2", paperURL+"@3", zhURL+"@1"
	for _, tc := range []struct {
		args []string
		want []string
	}{
		{nil, []string{one, two, three, zh}},
		{[]string{paperURL}, []string{one, two, three}},
		{[]string{paperURL + "@2"}, []string{two}},
		{[]string{paperURL + "@0"}, []string{three}},
		{[]string{paperURL + "@1", paperURL + "@3"}, []string{one, three}},
		{[]string{paperURL, paperURL + "@3", "http://news.test/*"}, []string{one, two, three}},
		{[]string{paperURL + "@0", paperURL}, []string{three, one, two}},
		{[]string{"http://*"}, []string{one, two, three, zh}},
		{[]string{"--site", "zh.test:8080"}, []string{zh}},
		{[]string{"--site", "http://news.test/"}, []string{one, two, three}},
		{[]string{"http://*", "--site", "NEWS.test", "--since", "2026-01-04"}, []string{two, three}},
		{[]string{"--until", "2026-01-04"}, []string{one, zh}},
		{[]string{"--since", "2026-01-04", "--until", "2026-01-05"}, []string{two}},
	} {
		var got []string
		for _, v := range jsonLines[struct {
			URL     string
			Version int
		}](t, must(t, append([]string{"export", "--format", "jsonl", store}, tc.args...)...)) {
			got = append(got, fmt.Sprintf("%s@%d", v.URL, v.Version))
		}
		if !slices.Equal(got, tc.want) {
			t.Errorf("export %v takes %v, want %v", tc.args, got, tc.want)
		}
	}
}

func TestAURLNamedTwiceCountsOnce(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.jsonl")
	sum := jsonLines[exported](t, must(t, "export", paperURL+"@1", paperURL, "-o", file, "--json", madeUp(t)))[0]
	if sum.URLs != 1 || sum.Versions != 3 || sum.Format != export.Lines {
		t.Errorf("export says %+v", sum)
	}
}

func TestExportThatCannotBeSaysWhy(t *testing.T) {
	store := madeUp(t)
	file := filepath.Join(t.TempDir(), "a.wacz")
	for _, tc := range []struct {
		name string
		args []string
		code int
		says string
	}{
		{"no format", nil, app.ExitUsage, "--format warc, wacz, jsonl, html"},
		{"unknown format", []string{"--format", "pdf"}, app.ExitUsage, `"pdf"`},
		{"a file whose name says nothing", []string{"-o", file + ".txt"}, app.ExitUsage, "does not say its format; end it with .warc.gz"},
		{"a web archive to a terminal", []string{"--format", "wacz"}, app.ExitUsage, "-o FILE"},
		{"JSON to nowhere", []string{"--format", "jsonl", "--json"}, app.ExitUsage, "-o FILE"},
		{"a report of all", []string{"--format", "html"}, app.ExitUsage, "one URL"},
		{"a report of a version", []string{"--format", "html", paperURL + "@1"}, app.ExitUsage, "one URL"},
		{"a time that is none", []string{"-o", file, "--since", "soon"}, app.ExitUsage, "2026-01-31"},
		{"nothing in that time", []string{"-o", file, "--since", "2027-01-01"}, app.ExitError, "no version matches"},
		{"a URL that is not there", []string{"-o", file, "http://other.test/"}, app.ExitError, "archive it first"},
		{"a version that is not there", []string{"-o", file, paperURL + "@9"}, app.ExitError, "plat versions"},
		{"a picture of no kind", nil, app.ExitUsage, ".png or .svg"},
		{"a picture by nothing known", nil, app.ExitUsage, "label, age, change"},
	} {
		args := append([]string{"export", store}, tc.args...)
		switch tc.name {
		case "a picture of no kind":
			args = []string{"show", paperURL, "--picture", "a.gif", store}
		case "a picture by nothing known":
			args = []string{"show", paperURL, "--picture", "a.png", "--by", "size", store}
		}
		if r := command(t, args...); r.code != tc.code || !strings.Contains(r.err, tc.says) {
			t.Errorf("%s: exit %d, want %d; stderr %q, want %q in it", tc.name, r.code, tc.code, r.err, tc.says)
		}
	}
	if _, err := os.Stat(file); err == nil {
		t.Error("an export that failed left a file")
	}
}

func TestAPageComesOutOfAWARCByteForByte(t *testing.T) {
	store, dir := madeUp(t), t.TempDir()
	file := filepath.Join(dir, "a.warc.gz")
	sum := jsonLines[exported](t, must(t, "export", store, "-o", file, "--json"))[0]
	st, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	all := warctest.Records(t, file)
	if sum.URLs != 2 || sum.Versions != 4 || sum.Records != len(all)-1 || sum.Bytes != st.Size() || !slices.Equal(sum.Files, []string{file}) {
		t.Errorf("export says %+v of %d records in %d bytes", sum, len(all), st.Size())
	}
	for n := 1; n <= 3; n++ {
		page := must(t, "restore", "--raw", fmt.Sprintf("%s@%d", paperURL, n), store)
		found := slices.IndexFunc(all, func(r warctest.Record) bool {
			return r.Head.Get("WARC-Target-URI") == export.CaptureURN+paperURL && r.Head.Get("Plat-Version") == fmt.Sprint(n) && r.Head.Get("WARC-Payload-Digest") == warc.Digest([]byte(page))
		})
		// Where it needed nothing done to be played, it refers to the page.
		whole := slices.ContainsFunc(all, func(r warctest.Record) bool { return string(r.Block) == page })
		if found < 0 || !whole {
			t.Errorf("version %d is not in the file as captured", n)
		} else if want := time.Date(2026, 1, 2+n, 3, 4, 5, 0, time.UTC).Format(time.RFC3339); all[found].Head.Get("WARC-Date") != want {
			t.Errorf("version %d is of %s, want %s", n, all[found].Head.Get("WARC-Date"), want)
		}
	}
	for _, r := range all {
		if r.Head.Get("WARC-Target-URI") != export.BlocksURN+paperURL {
			continue
		}
		var d export.Document
		if err := json.Unmarshal(r.Block, &d); err != nil || d.URL != paperURL || len(d.Tree) != 4 {
			t.Errorf("the block tree is %+v, %v", d, err)
		}
	}
}
