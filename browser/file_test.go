package browser

import (
	"bufio"
	"compress/gzip"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"plat/browser/fileview/pdf/pdftest"
	"plat/plat"
)

const feedOfTwo = `<?xml version="1.0" encoding="utf-8"?><rss version="2.0"><channel><title>Häfen</title><item><title>A new baker moves in</title><link>/p/4</link></item></channel></rss>`

const sitemapHead = `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:news="http://www.google.com/schemas/sitemap-news/0.9">`

// Files that Chrome does not show, and feeds, are pages with the text and the links of the file, which is kept as it came.
func TestFilesBecomePages(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, path, kind, disposition, body string
		encode                              bool
		want                                string // in the text; empty: the file is shown as Chrome shows it
		requests                            int32
	}{
		{"a table", "/stock.csv", "text/csv", "", "Item,Number\nKite,9\n", false, "Kite", 1},
		{"a table without a name", "/stock", "text/csv", "", "Item,Number\nKite,9\n", false, "Kite", 2},
		{"a compressed table", "/stock.csv", "text/csv", "", "Item,Number\nKite,9\n", true, "Kite", 1},
		{"YAML", "/compose.yml", "application/yaml", "", "image: kites/web:4.1\n", false, "image: kites/web:4.1", 1},
		{"YAML as a download", "/c", "application/octet-stream", "attachment; filename=compose.yml", "image: kites/web:4.1\n", false, "image: kites/web:4.1", 2},
		{"TOML", "/t.toml", "application/toml", "", "größe = 4\n", false, "größe = 4", 1},
		{"a feed", "/feed.rss", "application/rss+xml", "", feedOfTwo, false, "A new baker moves in", 1},
		{"a feed without a name", "/news", "text/xml", "", feedOfTwo, false, "A new baker moves in", 2},
		{"a feed that is served as HTML", "/backend.php?all", "text/html", "", feedOfTwo, false, "A new baker moves in", 2},
		{"a feed of a script", "/f.php", "text/html", "", feedOfTwo, false, "A new baker moves in", 2},
		{"a busy page of a script", "/busy.php", "text/html", "", `<p>Open at six<script>setTimeout(() => { for (let i = 0; i < 3e9; i++); })</script>`, false, "", 1},
		{"one with a name", "/feed", "text/html", "", feedOfTwo, false, "A new baker moves in", 1},
		{"Atom that is served as HTML", "/log?type=atom", "text/html", "", `<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom"><title>Häfen</title><entry><title>A new baker moves in</title><id>1</id></entry></feed>`, false, "A new baker moves in", 2},
		{"a page of an element with a name of a feed", "/x?feed", "text/html", "", `<rss-reader><p>Open at six</p></rss-reader>`, false, "", 1},
		{"a page with a name of a feed", "/rss", "text/html", "", `<p>Open at six, on <code>&lt;rss&gt;</code></p>`, false, "", 1},
		{"a feed of JSON", "/news?json", "application/json", "", `{"version":"https://jsonfeed.org/version/1.1","title":"Häfen","items":[{"id":"1","url":"/p/4","title":"A new baker moves in"}]}`, false, "A new baker moves in", 2},
		{"a sitemap of news", "/news.php", "text/xml", "", sitemapHead + `<url><loc>/p/4</loc><news:news><news:title>A new baker moves in</news:title></news:news></url></urlset>`, false, "A new baker moves in", 2},
		{"a sitemap without news", "/pages.php", "text/xml", "", sitemapHead + `<url><loc>/Open at six</loc></url></urlset>`, false, "", 1},
		{"a file of XML", "/notes.xml", "text/xml", "", `<notes><note>Open at six</note></notes>`, false, "", 1},
		{"a file of JSON", "/notes.json", "application/json", "", `{"note":"Open at six"}`, false, "", 1},
		{"a PDF document", "/report.pdf", "application/pdf", "", string(pdftest.Document("Tides", "High water at six")), false, "High water at six", 1},
		{"an attached PDF document", "/get?report", "application/octet-stream", "attachment; filename=report.pdf", string(pdftest.Document("Tides", "High water at six")), true, "High water at six", 2},
		{"a picture", "/dot.svg", "image/svg+xml", "", `<svg xmlns="http://www.w3.org/2000/svg"><text y="20">High water</text></svg>`, false, "High water", 1},
		{"a picture without a name", "/dot", "image/svg+xml", "", `<svg xmlns="http://www.w3.org/2000/svg"><text y="20">High water</text></svg>`, true, "High water", 2},
		{"unknown bytes", "/data.bin", "application/x-data", "", "\x00\x01\x02", false, "3 bytes", 2},
		{"text with bytes of binary files", "/notes", "text/plain", "", "\x00\x01High water", false, "12 bytes", 2},
		{"the same with a name", "/notes.csv", "text/plain", "", "\x00\x01High water", false, "12 bytes", 2},
		{"a page for telephones", "/wap", "application/vnd.wap.xhtml+xml", "", `<html xmlns="http://www.w3.org/1999/xhtml"><body><p>Open at six</p></body></html>`, true, "Open at six", 2},
		{"a page with a name of a file", "/report.csv", "text/html", "", `<p>Open at six`, false, "", 1},
		{"XML with a name of a feed", "/notes.rss", "application/xml", "", `<notes><note>Open at six</note></notes>`, true, "", 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			var requests atomic.Int32
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/to" {
					http.Redirect(w, r, c.path, http.StatusFound)
					return
				}
				if r.URL.RequestURI() != c.path {
					http.NotFound(w, r)
					return
				}
				requests.Add(1)
				w.Header().Set("Content-Type", c.kind)
				w.Header().Set("X-Of", "the file")
				if c.disposition != "" {
					w.Header().Set("Content-Disposition", c.disposition)
				}
				if c.encode {
					w.Header().Set("Content-Encoding", "gzip")
					z := gzip.NewWriter(w)
					z.Write([]byte(c.body))
					z.Close()
					return
				}
				w.Write([]byte(c.body))
			}))
			t.Cleanup(srv.Close)
			p := poolWith(t, func(*Options) {})
			for _, way := range []string{c.path, "/to"} {
				requests.Store(0)
				s, err := p.Render(t.Context(), Request{URL: srv.URL + way})
				if err != nil {
					t.Fatal(err)
				}
				text, kind := seenText(s), c.kind
				if s.ContentType != kind || s.Status != 200 || s.FinalURL != srv.URL+c.path {
					t.Errorf("%s: type %s, status %d, at %s", way, s.ContentType, s.Status, s.FinalURL)
				}
				of := false
				for _, h := range s.Header {
					of = of || strings.EqualFold(h[0], "X-Of")
				}
				if !of {
					t.Errorf("%s: the header is %v, want that of the file", way, s.Header)
				}
				if way == c.path && requests.Load() != c.requests {
					t.Errorf("%d requests, want %d", requests.Load(), c.requests)
				}
				if c.want == "" {
					if len(s.Resources) > 0 || !strings.Contains(text, "Open at six") {
						t.Errorf("%s: the text is %q, with %d resources", way, text, len(s.Resources))
					}
					continue
				}
				if !strings.Contains(text, c.want) || strings.Contains(text, "<item>") {
					t.Errorf("%s: the text is %q, want %q in it", way, text, c.want)
				}
				if len(s.Resources) != 1 || s.Resources[0].URL != plat.FileURL || string(s.Resources[0].Data) != c.body || s.Resources[0].Type != kind {
					t.Errorf("%s: the resources are %+v, want the file", way, s.Resources)
				}
			}
		})
	}
}

// Without files, only text becomes a page.
func TestNoFiles(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/r.pdf":
			w.Header().Set("Content-Type", "application/pdf")
			w.Write(pdftest.Document("", "High water"))
		case "/a.csv":
			w.Header().Set("Content-Type", "text/csv")
			w.Write([]byte("a,b\n1,2\n"))
		default:
			w.Header().Set("Content-Type", "image/svg+xml")
			w.Write([]byte(`<svg xmlns="http://www.w3.org/2000/svg"/>`))
		}
	}))
	t.Cleanup(srv.Close)
	p := poolWith(t, func(o *Options) { o.NoFiles = true })
	_, err := p.Render(t.Context(), Request{URL: srv.URL + "/r.pdf"})
	var failed *plat.VisitError
	if !errors.As(err, &failed) || failed.Outcome != plat.OutcomeUnsupported {
		t.Errorf("a PDF document ended with %v", err)
	}
	if s := render(t, p, srv.URL+"/a.csv"); len(s.Resources) != 1 {
		t.Errorf("a table has %d resources, want the file", len(s.Resources))
	}
	for _, picture := range []string{"/p.svg", "/p"} {
		if s := render(t, p, srv.URL+picture); len(s.Resources) != 0 {
			t.Errorf("a picture has %d resources, want none", len(s.Resources))
		}
	}
}

// After a file, its tab shows other pages as they are, and a file that is gone is no page of plat.
func TestOnlyFilesAreHeld(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/a.csv":
			w.Header().Set("Content-Type", "text/csv")
			w.Write([]byte("a,b\n1,2\n"))
		case "/page":
			w.Header().Set("Content-Type", "text/html")
			w.Write([]byte("<h1>A page</h1><iframe src=/frame></iframe>"))
		case "/frame":
			w.Header().Set("Content-Type", "text/html")
			w.Write([]byte("In a frame"))
		case "/long.csv":
			w.Header().Set("Content-Type", "text/csv")
			for range 1 << 10 {
				if _, err := w.Write(make([]byte, 1<<10)); err != nil {
					return
				}
			}
		default:
			w.Header().Set("Content-Type", "text/csv")
			w.WriteHeader(http.StatusNotFound)
		}
	}))
	t.Cleanup(srv.Close)
	p := poolWith(t, func(o *Options) { o.MaxBytes = 100 << 10 })
	for range 2 {
		if s := render(t, p, srv.URL+"/a.csv"); !strings.Contains(seenText(s), "2") {
			t.Errorf("the text is %q", seenText(s))
		}
		if text := seenText(render(t, p, srv.URL+"/page")); !strings.Contains(text, "A page") || !strings.Contains(text, "In a frame") {
			t.Errorf("the text of the page is %q", text)
		}
	}
	if s := render(t, p, srv.URL+"/gone.csv"); s.Status != 404 {
		t.Errorf("the status is %d, want 404", s.Status)
	}
	_, err := p.Render(t.Context(), Request{URL: srv.URL + "/long.csv"})
	var failed *plat.VisitError
	if !errors.As(err, &failed) || failed.Outcome != plat.OutcomeTooLarge {
		t.Errorf("a file over the limit ended with %v", err)
	}
}

// Pages are visited under addresses that package net/url rejects. Neither does its server read them.
func TestAStrayPercentSignIsVisited(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	asked := make(chan string, 10)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			line, _ := bufio.NewReader(c).ReadString('\n')
			asked <- line
			io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n\r\nHalf")
			c.Close()
		}
	}()
	s := render(t, poolWith(t, func(*Options) {}), "http://"+l.Addr().String()+"/50%+/[a]~%7E")
	if !strings.Contains(seenText(s), "Half") {
		t.Errorf("the text is %q", seenText(s))
	}
	if got := <-asked; got != "GET /50%+/[a]~%7E HTTP/1.1\r\n" {
		t.Errorf("the request is %q", got)
	}
}
