package warc

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net/textproto"
	"slices"
	"strings"
	"testing"
	"time"
)

var taken = time.Date(2026, 3, 1, 9, 0, 0, 5e6, time.UTC)

func info() *Record {
	return &Record{Type: Info, ID: NewID(), Date: taken, ContentType: "application/warc-fields", Block: []byte("software: test\r\n"), Filename: "a.warc.gz"}
}

func resource(uri, text string) *Record {
	return &Record{Type: Resource, ID: NewID(), URI: uri, Date: taken, ContentType: "text/plain; charset=utf-8", Block: []byte(text)}
}

// read returns the head and block of the record at an entry.
func read(t testing.TB, file []byte, e Entry) (textproto.MIMEHeader, string) {
	t.Helper()
	member := file[e.Offset : e.Offset+e.Length]
	if Digest(member) != e.Digest {
		t.Errorf("the member at %d does not have the digest of its entry", e.Offset)
	}
	gz, err := gzip.NewReader(bytes.NewReader(member))
	if err != nil {
		t.Fatal(err)
	}
	in := bufio.NewReader(gz)
	if line, err := in.ReadString('\n'); err != nil || line != "WARC/1.1\r\n" {
		t.Fatalf("a record begins with %q, %v", line, err)
	}
	head, err := textproto.NewReader(in).ReadMIMEHeader()
	if err != nil {
		t.Fatal(err)
	}
	rest, err := io.ReadAll(in)
	if err != nil {
		t.Fatal(err)
	}
	block, ok := strings.CutSuffix(string(rest), "\r\n\r\n")
	if !ok || head.Get("Content-Length") != fmt.Sprint(len(block)) {
		t.Fatalf("a block of %s bytes is followed by %q", head.Get("Content-Length"), rest)
	}
	return head, block
}

func TestARecordIsReadByItsOffsetAlone(t *testing.T) {
	var file bytes.Buffer
	w := NewWriter(&file)
	first := info()
	page := resource("https://a.test/", "hello\r\n\r\nWARC/1.1\r\n")
	page.Fields = []Field{{"Plat-Content", "page für Leser"}}
	page.Concurrent = first.ID
	again := &Record{
		Type: Revisit, ID: NewID(), URI: "https://b.test/", Date: taken.Add(time.Hour),
		RefersTo: &Reference{URI: page.URI, Date: page.Date, Digest: page.Digest()},
	}
	var entries []Entry
	for _, r := range []*Record{first, page, again} {
		e, err := w.Write(r)
		if err != nil {
			t.Fatal(err)
		}
		entries = append(entries, e)
	}
	if w.Size() != int64(file.Len()) || entries[2].Offset+entries[2].Length != w.Size() {
		t.Errorf("the size is %d of %d, the last record %+v", w.Size(), file.Len(), entries[2])
	}
	for i, want := range []map[string]string{
		{"Warc-Type": "warcinfo", "Warc-Date": "2026-03-01T09:00:00.005Z", "Warc-Filename": "a.warc.gz", "Warc-Warcinfo-Id": "", "Warc-Payload-Digest": ""},
		{"Warc-Type": "resource", "Warc-Target-Uri": "https://a.test/", "Plat-Content": "page für Leser", "Warc-Payload-Digest": Digest(page.Block), "Warc-Block-Digest": Digest(page.Block), "Warc-Concurrent-To": "<" + first.ID + ">", "Warc-Warcinfo-Id": "<" + first.ID + ">"},
		{"Warc-Type": "revisit", "Warc-Profile": revisitProfile, "Warc-Refers-To-Target-Uri": page.URI, "Warc-Refers-To-Date": "2026-03-01T09:00:00.005Z", "Warc-Payload-Digest": Digest(page.Block), "Warc-Block-Digest": Digest(nil), "Content-Type": "", "Content-Length": "0"},
	} {
		head, block := read(t, file.Bytes(), entries[i])
		for name, value := range want {
			if head.Get(name) != value {
				t.Errorf("record %d has %s: %q, want %q", i, name, head.Get(name), value)
			}
		}
		if i == 1 && block != string(page.Block) {
			t.Errorf("the block is %q", block)
		}
	}
}

func TestInvalidRecordsAreNotWritten(t *testing.T) {
	for name, spoil := range map[string]func(r *Record){
		"a URI of two lines":           func(r *Record) { r.URI = "https://a.test/\r\nWARC-Type: response" },
		"a URI with a blank":           func(r *Record) { r.URI = "https://a.test/a b" },
		"a URI without a scheme":       func(r *Record) { r.URI = "a.test" },
		"no URI":                       func(r *Record) { r.URI = "" },
		"no ID":                        func(r *Record) { r.ID = "" },
		"an ID of two lines":           func(r *Record) { r.ID += "\n" },
		"no content type":              func(r *Record) { r.ContentType = "" },
		"a content type of two lines":  func(r *Record) { r.ContentType = "text/html\r\nX: y" },
		"a field of two lines":         func(r *Record) { r.Fields = []Field{{"X", "a\nb"}} },
		"a field that is no text":      func(r *Record) { r.Fields = []Field{{"X", "\xff"}} },
		"a field name with a colon":    func(r *Record) { r.Fields = []Field{{"X: y", "a"}} },
		"a field of the standard":      func(r *Record) { r.Fields = []Field{{"content-length", "0"}} },
		"the warcinfo of another file": func(r *Record) { r.Fields = []Field{{"WARC-Warcinfo-ID", "<urn:x>"}} },
		"a concurrent of two lines":    func(r *Record) { r.Concurrent = "a\r\nb" },
		"a response":                   func(r *Record) { r.Type = "response" },
		"a revisit of nothing":         func(r *Record) { r.Type = Revisit },
		"a revisit with a block":       func(r *Record) { r.Type, r.ContentType, r.RefersTo = Revisit, "", &Reference{URI: "a:", Digest: "x"} },
		"a resource that refers":       func(r *Record) { r.RefersTo = &Reference{URI: "a:"} },
		"a second warcinfo":            func(r *Record) { *r = *info() },
		"a year of five digits":        func(r *Record) { r.Date = time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC) },
	} {
		var file bytes.Buffer
		w := NewWriter(&file)
		if _, err := w.Write(info()); err != nil {
			t.Fatal(err)
		}
		before := file.Len()
		r := resource("https://a.test/", "hello")
		spoil(r)
		if _, err := w.Write(r); !errors.Is(err, ErrBadRecord) || file.Len() != before {
			t.Errorf("%s: %v, and %d bytes were written", name, err, file.Len()-before)
		}
	}
	if _, err := NewWriter(io.Discard).Write(resource("https://a.test/", "hello")); !errors.Is(err, ErrBadRecord) {
		t.Errorf("a file without a warcinfo: %v", err)
	}
}

func TestKeysMatchThoseOfPlayers(t *testing.T) {
	for uri, want := range map[string]string{
		"https://example.com/":                   "com,example)/",
		"https://www.Example.com":                "com,example)/",
		"http://www2.a.example.com/B?z=1&A=2":    "com,example,a)/b?a=2&z=1",
		"http://wwwa.test/":                      "test,wwwa)/",
		"http://a.test:8080/%C3%A4":              "test,a:8080)/%c3%a4",
		"https://a.test:443/x":                   "test,a)/x",
		"http://127.0.0.1:9/":                    "1,0,0,127:9)/",
		"urn:view:https://a.test/":               "urn:view:https://a.test/",
		"https://a.test/a?url=http://b.test/?q=": "test,a)/a?url=http://b.test/?q=",
	} {
		if got := SURT(uri); got != want {
			t.Errorf("SURT(%q) = %q, want %q", uri, got, want)
		}
	}
}

// Any record is either rejected or read back unchanged.
func FuzzRecord(f *testing.F) {
	f.Add("https://a.test/", "text/html", "page", []byte("hello"))
	f.Add("https://a.test/\r\nX: y", "text/html\n", "\x00", []byte("\r\n\r\nWARC/1.1\r\n"))
	f.Add("a b", " ", "ü ", []byte{})
	f.Fuzz(func(t *testing.T, uri, kind, value string, block []byte) {
		var file bytes.Buffer
		w := NewWriter(&file)
		if _, err := w.Write(info()); err != nil {
			t.Fatal(err)
		}
		r := &Record{Type: Resource, ID: NewID(), URI: EscapeURI("x:" + uri), Date: taken, ContentType: kind, Block: block, Fields: []Field{{"X-Value", value}}}
		e, err := w.Write(r)
		if errors.Is(err, ErrBadRecord) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		head, got := read(t, file.Bytes(), e)
		// Blanks around a value are not part of it.
		if got != string(block) || head.Get("WARC-Target-URI") != r.URI || head.Get("X-Value") != strings.Trim(value, " \t") || len(head) != 10 {
			t.Errorf("%q comes back as %q with %q", block, got, head)
		}
		for _, values := range head {
			if len(values) != 1 {
				t.Errorf("a field stands twice: %q", head)
			}
		}
		if line := CDXJ(r, e, "a"); strings.Count(line, "\n") != 1 || strings.Count(line[:strings.Index(line, " {")], " ") != 1 {
			t.Errorf("the line of the index is %q", line)
		}
	})
}

func TestAnIndexBeyondMemoryIsSorted(t *testing.T) {
	var x Index
	defer x.Close()
	n := 0
	pad := strings.Repeat("x", 200)
	for i := 0; len(x.runs) < 3; i++ {
		if err := x.Add(fmt.Sprintf("key%06d 20260301090000 {\"url\":%q}\n", i*7919%1_000_003, pad)); err != nil {
			t.Fatal(err)
		}
		n++
	}
	var cdx, idx bytes.Buffer
	if err := x.Write(&cdx, &idx, "index.cdx.gz"); err != nil {
		t.Fatal(err)
	}
	gz, err := gzip.NewReader(bytes.NewReader(cdx.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for in := bufio.NewScanner(gz); in.Scan(); {
		lines = append(lines, in.Text())
	}
	if len(lines) != n || !slices.IsSorted(lines) {
		t.Errorf("%d lines of %d, sorted: %v", len(lines), n, slices.IsSorted(lines))
	}
	blocks := strings.Split(strings.TrimSpace(idx.String()), "\n")[1:]
	if want := (n + blockLines - 1) / blockLines; len(blocks) != want {
		t.Fatalf("%d blocks, want %d", len(blocks), want)
	}
	for i, b := range blocks {
		if !strings.HasPrefix(lines[i*blockLines], b[:strings.Index(b, " {")]) {
			t.Errorf("block %d begins with %q, not %q", i, lines[i*blockLines][:30], b)
		}
	}
}

// Players compare the URL of a line with that of a request: it is written as it is.
func TestALineOfTheIndexHasTheURLAsItIs(t *testing.T) {
	r := &Record{Type: Resource, URI: "https://a.test/?a=1&b=<2>", ContentType: "text/html; charset=utf-8", Date: time.Date(2026, 3, 1, 2, 3, 4, 0, time.UTC)}
	line := CDXJ(r, Entry{Offset: 5, Length: 7, Digest: "d"}, "f.warc.gz")
	for _, want := range []string{`"url":"https://a.test/?a=1&b=<2>"`, `"mime":"text/html"`, `"offset":5`, `"length":7`, `"filename":"f.warc.gz"`, " 20260301020304 {"} {
		if !strings.Contains(line, want) {
			t.Errorf("the line %q lacks %s", line, want)
		}
	}
}
