package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"plat/browser/fileview/pdf/pdftest"
	"plat/cmd/plat/app"
	"plat/export/warc/warctest"
	"plat/workers/batch"
)

// shelf serves files whose content may change.
type shelf struct {
	mu    sync.Mutex
	files map[string][2]string // media type and content, by path
}

func (s *shelf) put(path, kind, content string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.files[path] = [2]string{kind, content}
}

func (s *shelf) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	f, ok := s.files[r.URL.Path]
	s.mu.Unlock()
	if !ok {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", f[0])
	w.Write([]byte(f[1]))
}

// dot returns a picture of one pixel.
func dot(c color.Color) string {
	p := image.NewGray(image.Rect(0, 0, 1, 1))
	p.Set(0, 0, c)
	var b bytes.Buffer
	png.Encode(&b, p)
	return b.String()
}

// Files are archived as pages are: compared, searched, restored, exported and forgotten.
func TestFilesAreArchived(t *testing.T) {
	t.Parallel()
	needChrome(t)
	s := &shelf{files: map[string][2]string{}}
	srv := httptest.NewServer(s)
	t.Cleanup(srv.Close)
	db := "--store=sqlite:" + filepath.Join(t.TempDir(), "a.db")
	visit := func(path, want string) {
		t.Helper()
		var p batch.Page
		out := must(t, "archive", "--json", "--allow-private=127.0.0.0/8", "--log-level=error", db, srv.URL+path)
		if err := json.Unmarshal([]byte(out), &p); err != nil {
			t.Fatalf("%q: %v", out, err)
		}
		if string(p.Outcome) != want {
			t.Errorf("%s is %s, want %s", path, p.Outcome, want)
		}
	}
	report := string(pdftest.Document("Tides", "High water comes at six", "Low water comes at noon"))
	table := "Item,Number\nBoat,4\n" + strings.Repeat("Net,12\n", 8)
	feed := `<rss version="2.0"><channel><title>Port</title><item><title>A baker moves in</title><link>/p/4</link></item></channel></rss>`
	for _, c := range []struct{ path, kind, first, second, has, gains string }{
		{"/report.pdf", "application/pdf", report, string(pdftest.Document("Tides", "High water comes at seven", "Low water comes at noon")), "High water comes at six", "seven"},
		{"/stock", "text/csv", table + "Kite,17\n", table + "Kite,9\n", "Boat\t4\n", "9"},
		{"/c.yml", "application/octet-stream", "image: kites:1\nport: 8080\n", "image: kites:2\nport: 8080\n", "port: 8080", "kites:2"},
		{"/feed", "application/rss+xml", feed, strings.Replace(feed, "A baker", "A miller", 1), "A baker moves in", "miller"},
		{"/dot.png", "image/png", dot(color.White), dot(color.Black), "", ""},
		{"/lines.csv", "text/csv", table, strings.ReplaceAll(table, "\n", "\r\n"), "Boat\t4\n", ""},
		{"/dot.svg", "image/svg+xml", `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9" fill="red"/></svg>`,
			`<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9" fill="blue"/></svg>`, "", ""},
	} {
		t.Run(c.path[1:], func(t *testing.T) {
			s.put(c.path, c.kind, c.first)
			visit(c.path, "new")
			visit(c.path, "unchanged")
			if text := must(t, "text", db, srv.URL+c.path); !strings.Contains(text, c.has) {
				t.Errorf("the text is %q, want %q in it", text, c.has)
			}
			s.put(c.path, c.kind, c.second)
			visit(c.path, "changed")
			visit(c.path, "unchanged")
			if d := must(t, "diff", db, srv.URL+c.path+"@1", "@2"); !strings.Contains(d, c.gains) || strings.Contains(d, "Boat") {
				t.Errorf("the difference is\n%s", d)
			}
			for n, want := range []string{c.first, c.second} {
				if got := must(t, "restore", db, srv.URL+c.path+"@"+string(rune('1'+n))); got != want {
					t.Errorf("version %d is restored as %q, want %q", n+1, got, want)
				}
			}
			if page := must(t, "restore", "--page", db, srv.URL+c.path); !strings.Contains(page, c.gains) {
				t.Errorf("its page is %q", page)
			}
		})
	}
	if found := must(t, "search", db, "noon"); !strings.Contains(found, "/report.pdf") {
		t.Errorf("search found\n%s", found)
	}
	out := filepath.Join(t.TempDir(), "a.warc.gz")
	must(t, "export", "--format", "warc", "-o", out, db)
	files := map[string]string{} // by URL
	for _, r := range warctest.Records(t, out) {
		if uri := r.Head.Get("WARC-Target-URI"); r.Head.Get("WARC-Type") == "resource" && strings.HasPrefix(uri, srv.URL) {
			files[strings.TrimPrefix(uri, srv.URL)+" "+r.Head.Get("Content-Type")] = string(r.Block)
		}
	}
	for _, name := range []string{"/report.pdf application/pdf", "/stock text/csv", "/feed application/rss+xml", "/dot.png image/png"} {
		s.mu.Lock()
		want := s.files[strings.Fields(name)[0]][1]
		s.mu.Unlock()
		if files[name] != want {
			t.Errorf("the export has %q as %s, want %q", files[name], name, want)
		}
	}
	must(t, "verify", db)
	must(t, "forget", "--yes", db, srv.URL+"/report.pdf")
	if r := command(t, "restore", db, srv.URL+"/report.pdf"); r.code == app.ExitOK {
		t.Error("a forgotten file is restored")
	}
	must(t, "verify", db)

	s.put("/b.pdf", "application/pdf", report)
	r := command(t, "archive", "--files=none", "--json", "--allow-private=127.0.0.0/8", "--log-level=error", db, srv.URL+"/b.pdf")
	if r.code == app.ExitOK || !strings.Contains(r.out, `"unsupported"`) {
		t.Errorf("without files: %+v", r)
	}
}

// A large file is kept whole, where its size is allowed, and one without end ends the visit.
func TestLargeFiles(t *testing.T) {
	needChrome(t)
	size := 20 << 20
	if os.Getenv("PLAT_LONG") != "" {
		size = 200 << 20
	}
	large := make([]byte, size)
	rand.NewChaCha8([32]byte{7}).Read(large)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/zip")
		if r.URL.Path == "/large.zip" {
			w.Header().Set("Content-Length", fmt.Sprint(size))
			w.Write(large)
			return
		}
		for r.Context().Err() == nil {
			if _, err := w.Write(large[:1<<16]); err != nil {
				return
			}
		}
	}))
	t.Cleanup(srv.Close)
	db := "--store=sqlite:" + filepath.Join(t.TempDir(), "a.db")
	visit := func(path string, most int) (p batch.Page) {
		t.Helper()
		r := command(t, "archive", "--json", "--retries=0", "--allow-private=127.0.0.0/8", "--log-level=error", fmt.Sprint("--max-bytes=", most), db, srv.URL+path)
		if err := json.Unmarshal([]byte(r.out), &p); err != nil {
			t.Fatalf("%+v: %v", r, err)
		}
		return p
	}
	if p := visit("/large.zip", size+1<<20); p.Outcome != "new" || p.Resources < int64(size) {
		t.Errorf("the large file: %+v", p)
	}
	if got := must(t, "restore", db, srv.URL+"/large.zip"); got != string(large) {
		t.Errorf("%d bytes are restored, not the %d of the file", len(got), size)
	}
	if p := visit("/large.zip", size+1<<20); p.Outcome != "unchanged" || p.StoredBytes+p.Resources > 0 {
		t.Errorf("the large file again: %+v", p)
	}
	for _, path := range []string{"/large.zip", "/endless.zip"} {
		began := time.Now()
		if p := visit(path, 2<<20); p.Outcome != "too-large" || time.Since(began) > 30*time.Second {
			t.Errorf("%s with a limit of 2 MiB: %+v after %v", path, p, time.Since(began))
		}
	}
	must(t, "verify", db)
}
