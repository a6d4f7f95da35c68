package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"plat/cmd/plat/app"
)

// warcRecord is a record of a WARC file that is not plat's.
type warcRecord struct {
	kind, uri, date string
	fields          string // further ones, each with a line end
	block           string
}

// bytes returns the record in a gzip member of its own.
func (r warcRecord) bytes(t *testing.T) []byte {
	t.Helper()
	kind := "application/http"
	if r.kind == "warcinfo" {
		kind = "application/warc-fields"
	}
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	fmt.Fprintf(z, "WARC/1.0\r\nWARC-Type: %s\r\nWARC-Target-URI: %s\r\nWARC-Date: %s\r\nWARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-000000000000>\r\n%sContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n",
		r.kind, r.uri, r.date, r.fields, kind, len(r.block), r.block)
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// answer is the block of a response.
func answer(kind, body string, fields ...string) string {
	return "HTTP/1.1 200 OK\r\nContent-Type: " + kind + "\r\nContent-Length: " + fmt.Sprint(len(body)) + "\r\n" + strings.Join(fields, "") + "\r\n" + body
}

// asked is the block of a request from the browser for a purpose.
func asked(path, dest string) string {
	return "GET " + path + " HTTP/1.1\r\nHost: x\r\nSec-Fetch-Dest: " + dest + "\r\n\r\n"
}

const recordedPage = `<!doctype html><title>News</title><link rel="stylesheet" href="/s.css?_=1709287200123"><h1>Daily</h1>
<p id="day"></p><p id="story">…</p><iframe src="/frame.html"></iframe><img src="https://cdn.test/gone.png" alt="gone">
<ul><li><a href="/1">First story of the paper</a></li><li><a href="/2">Second story of the paper</a></li></ul>
<script>
document.getElementById('day').textContent = 'printed on ' + new Date().toISOString().slice(0, 10);
fetch('/story.json').then((r) => r.json()).then((s) => { document.getElementById('story').textContent = s.text });
</script>`

// recordedSite is a site over https, at three days, with what crawlers record beside its page.
func recordedSite(t *testing.T) string {
	t.Helper()
	gz := func(s string) string {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		z.Write([]byte(s))
		z.Close()
		return b.String()
	}
	const one, two, three = "2024-03-01T10:00:00Z", "2024-03-02T10:00:00Z", "2024-03-03T10:00:00.500Z"
	const digest = "WARC-Payload-Digest: sha1:AAAA\r\n"
	page := answer("text/html; charset=utf-8", recordedPage)
	story := func(text string) string { return answer("application/json", `{"text": "`+text+`"}`) }
	records := []warcRecord{
		{kind: "warcinfo", date: one, block: "software: crawler/1\r\n"},
		{"request", "https://news.test/", one, "", asked("/", "document")},
		{"response", "https://news.test/", one, digest, page},
		{"response", "https://news.test/s.css?_=1709287200999", one, "", answer("text/css", "h1 { color: rgb(0, 128, 0) }")},
		{"response", "https://news.test/story.json", one, "", story("The mayor opens a bridge over the river today.")},
		{"request", "https://news.test/frame.html", one, "", asked("/frame.html", "iframe")},
		{"response", "https://news.test/frame.html", one, "", answer("text/html", "<p>Words in a frame of the page.</p>")},
		{"response", "https://news.test/old", one, "", "HTTP/1.1 301 Moved\r\nLocation: /\r\nContent-Type: text/html\r\n\r\n<p>moved</p>"},
		{"response", "https://news.test/none", one, "", "HTTP/1.1 404 Not Found\r\nContent-Type: text/html\r\n\r\n<p>none</p>"},
		{"request", "https://news.test/search", one, "", "POST /search HTTP/1.1\r\nHost: x\r\n\r\nq=1"},
		{"response", "https://news.test/search", one, "", answer("text/html", "<p>found</p>")},
		{"revisit", "https://news.test/", two, digest, "HTTP/1.1 200 OK\r\n\r\n"},
		{"response", "https://news.test/", three, "", page},
		{"response", "https://news.test/story.json", three, "", story("The bridge is closed again after one single day.")},
		{"response", "http://plain.test/a b?x=%zz", two, "", answer("text/html", "25\r\n"+gz("<p>Plain words.</p>")+"\r\n0\r\n\r\n", "Transfer-Encoding: chunked\r\nContent-Encoding: gzip\r\n")},
	}
	plain := &records[len(records)-1]
	body := gz("<title>Plain</title><p>Plain words, in chunks and compressed.</p>")
	plain.block = "HTTP/1.1 200\nContent-Type: text/html\nTransfer-Encoding: chunked\nContent-Encoding: gzip\n\n" + fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", len(body), body)
	again := *plain // as programs record it that decode and keep the header
	again.date, again.block = three, answer("text/html", "<title>Plain</title><p>Plain words, in chunks and compressed.</p>", "Content-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n")
	records = append(records, again)
	var all []byte
	for _, r := range records {
		all = append(all, r.bytes(t)...)
	}
	file := filepath.Join(t.TempDir(), "site.warc.gz")
	if err := os.WriteFile(file, all, 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

// importedLine is a line that import prints with --json, as far as tests read it.
type importedLine struct {
	At, URL, Outcome, Error string
	Version                 int
	There, Late             bool
	Failed                  []struct{ URL, Error string }
	Import                  *struct {
		Captures, Versions, URLs, Records int
		New, Changed, Unchanged, Failed   int
		There, Late                       int
		Left                              map[string]int
		Damaged                           []string
		Files                             int
	}
}

func TestImportRendersPagesOfTheirTime(t *testing.T) {
	needChrome(t)
	file := recordedSite(t)
	store := "--store=sqlite:" + filepath.Join(t.TempDir(), "archive.db")
	common := []string{store, "--log-level=error"}
	dry := jsonLines[importedLine](t, must(t, append([]string{"import", "--dry-run", "--json", file}, common...)...))[0].Import
	if dry.Captures != 5 || dry.URLs != 2 || dry.Left["a redirect"] != 1 || dry.Left["status 404"] != 1 || dry.Left["the answer to a form or a script (POST)"] != 1 {
		t.Errorf("dry run: %+v", dry)
	}
	lines := jsonLines[importedLine](t, must(t, append([]string{"import", "--json", file}, common...)...))
	end := lines[len(lines)-1].Import
	if end == nil || end.New != 2 || end.Unchanged != 1 || end.Changed != 2 || end.Failed != 0 {
		t.Fatalf("import: %+v", lines)
	}
	var got []string
	for _, l := range lines[:len(lines)-1] {
		if l.URL == "https://news.test/" {
			got = append(got, l.At+" "+l.Outcome)
			if len(l.Failed) != 1 || l.Failed[0].URL != "https://cdn.test/gone.png" || !strings.Contains(l.Failed[0].Error, "recording") {
				t.Errorf("failed requests: %v, want that of the other host", l.Failed)
			}
		}
	}
	// The page prints the day of its clock, which is a change of each day.
	if want := []string{"2024-03-01T10:00:00Z new", "2024-03-02T10:00:00Z changed", "2024-03-03T10:00:00.5Z changed"}; !slices.Equal(got, want) {
		t.Errorf("captures %q, want %q", got, want)
	}
	first := must(t, append([]string{"show", "https://news.test/@1", "--text"}, common...)...)
	for _, want := range []string{"printed on 2024-03-01", "The mayor opens a bridge", "Words in a frame"} {
		if !strings.Contains(first, want) {
			t.Errorf("version 1 lacks %q:\n%s", want, first)
		}
	}
	last := must(t, append([]string{"show", "https://news.test/", "--text"}, common...)...)
	if !strings.Contains(last, "printed on 2024-03-03") || !strings.Contains(last, "The bridge is closed again") {
		t.Errorf("last version:\n%s", last)
	}
	if text := must(t, append([]string{"show", "http://plain.test/a%20b?x=%25zz", "--text"}, common...)...); !strings.Contains(text, "Plain words, in chunks and compressed.") {
		t.Errorf("plain: %s", text)
	}
	again := jsonLines[importedLine](t, must(t, append([]string{"import", "--json", file}, common...)...))
	if end := again[len(again)-1].Import; end.There != 5 || end.New+end.Changed+end.Unchanged+end.Late > 0 {
		t.Errorf("again: %+v", end)
	}
}

// An import stores a page whose text is all new without a second visit. The next import repeats the captures that failed.
func TestImportNeedsNoConfirmation(t *testing.T) {
	needChrome(t)
	page := func(title, text string) string {
		return answer("text/html", "<title>"+title+"</title><h1>"+title+"</h1><p>"+strings.Repeat(text+" ", 60)+"</p>")
	}
	var all []byte
	for _, r := range []warcRecord{
		{"response", "http://a.test/", "2022-01-01T00:00:00Z", "", page("Harbour", "Boats and tides of the harbour, as they come and go.")},
		{"response", "http://a.test/", "2022-06-01T00:00:00Z", "", page("Quite different", "Nothing of this was ever there, neither sooner nor later.")},
		{"response", "http://a.test/loop", "2022-06-01T00:00:00Z", "", "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: br\r\n\r\nnot brotli at all"},
	} {
		all = append(all, r.bytes(t)...)
	}
	file := filepath.Join(t.TempDir(), "a.warc.gz")
	if err := os.WriteFile(file, all, 0o644); err != nil {
		t.Fatal(err)
	}
	store := "--store=sqlite:" + filepath.Join(t.TempDir(), "archive.db")
	for _, changed := range []int{1, 0} {
		r := command(t, "import", "--json", "--log-level=error", file, store)
		lines := jsonLines[importedLine](t, r.out)
		if end := lines[len(lines)-1].Import; r.code != app.ExitPartly || end.Changed != changed || end.Failed != 1 || end.There != 2-2*changed {
			t.Errorf("import: exit %d, %+v", r.code, lines)
		}
	}
	if v := must(t, "versions", "--json", "http://a.test/", store); !strings.Contains(v, `"taken":"2022-06-01T00:00:00Z"`) {
		t.Errorf("versions: %s", v)
	}
}

func TestImportStoresVersionsOfPlatAsTheyWere(t *testing.T) {
	from := madeUp(t)
	to := "--store=sqlite:" + filepath.Join(t.TempDir(), "archive.db")
	file := filepath.Join(t.TempDir(), "site.wacz")
	must(t, "export", "-o", file, from)
	lines := jsonLines[importedLine](t, must(t, "import", "--json", file, to))
	if end := lines[len(lines)-1].Import; end.Versions != 4 || end.Failed != 0 {
		t.Fatalf("import: %+v", lines)
	}
	for _, args := range [][]string{{"export", "--format=jsonl"}, {"blocks", "--json"}, {"versions", "--json", paperURL}} {
		if was, is := must(t, append(args, from)...), must(t, append(args, to)...); was != is {
			t.Errorf("%v:\n%s\nimported:\n%s", args, was, is)
		}
	}
	for _, ref := range []string{paperURL + "@1", paperURL + "@3", zhURL + "@1"} {
		if was, is := must(t, "restore", "--raw", ref, from), must(t, "restore", "--raw", ref, to); was != is {
			t.Errorf("%s is restored differently", ref)
		}
	}
	must(t, "verify", to)
	again := jsonLines[importedLine](t, must(t, "import", "--json", file, to))
	if end := again[len(again)-1].Import; end.There < 4 || end.New+end.Changed+end.Unchanged > 0 {
		t.Errorf("again: %+v", end)
	}
}

func TestImportOfAFolderNamesItsScheme(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a.test")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "index.html"), []byte("<p>words"), 0o644); err != nil {
		t.Fatal(err)
	}
	if r := command(t, "import", "--dry-run", dir); r.code != app.ExitOK || !strings.Contains(r.err, "--url http://") {
		t.Errorf("%+v", r)
	}
	if r := command(t, "import", "--dry-run", "--url", "http://a.test/", dir); r.code != app.ExitOK || r.err != "" {
		t.Errorf("with --url: %+v", r)
	}
}

func TestImportSaysWhatItCannotRead(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return file
	}
	store := "--store=sqlite:" + filepath.Join(dir, "archive.db")
	for _, tc := range []struct{ file, want string }{
		{write("a.txt", "words"), "neither WARC"},
		{write("a.json", `{"a": 1}`), "no log of requests"},
		{write("a.html", "<p>words"), "--url"},
		{filepath.Join(dir, "none.warc"), "no such file"},
		{write("a.warc.gz", "\x1f\x8b\x08 damaged"), "a.warc.gz"},
		{write("a.warc.zst", "\x28\xb5\x2f\xfd"), "zstd -d"},
	} {
		if r := command(t, "import", tc.file, store); r.code != app.ExitUsage || !strings.Contains(r.err, tc.want) {
			t.Errorf("%s: exit code %d, %s, want %q", tc.file, r.code, r.err, tc.want)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "archive.db")); err == nil {
		t.Error("an archive was made")
	}
}
