package web

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	nethtml "golang.org/x/net/html"

	"plat/plat"
	"plat/storage/sqlite/sqlitetest"
	"plat/storage/storagetest"
)

func TestATokenIsRequiredExceptForHealth(t *testing.T) {
	s := New(Options{Store: made(t), Token: "a token of some length", Metrics: http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})})
	for path := range map[string]bool{
		"/": true, "/url?url=" + long: true, "/version?url=" + long: true, "/frame?url=" + long: true, "/api/v1/urls": true, "/feed/atom?url=" + long: true,
		"/web/20260101000000/" + long: true, "/timegate/" + long: true, "/timemap/link/" + long: true, "/metrics": true, "/mcp": true, "/nothing": true,
	} {
		w := get(s, "GET", path)
		if w.Code != 401 || w.Header().Get("WWW-Authenticate") == "" {
			t.Errorf("%s without a token: %d, %q", path, w.Code, w.Header())
		}
		for _, wrong := range []string{"Bearer a token of some lengt", "Bearer ", "Basic eDp5", "bearer"} {
			if w := get(s, "GET", path, "Authorization", wrong); w.Code != 401 {
				t.Errorf("%s with %q: %d", path, wrong, w.Code)
			}
		}
		if w := get(s, "GET", path, "Authorization", "Bearer a token of some length"); w.Code == 401 {
			t.Errorf("%s with the token: %d", path, w.Code)
		}
	}
	r := httptest.NewRequest("GET", "/", nil)
	r.SetBasicAuth("anybody", "a token of some length")
	w := httptest.NewRecorder()
	if s.ServeHTTP(w, r); w.Code != 200 {
		t.Errorf("with the token as password: %d", w.Code)
	}
	token := "&token=" + url.QueryEscape("a token of some length")
	if w := get(s, "GET", "/feed/atom?url="+long+token); w.Code != 200 {
		t.Errorf("a feed with the token in its address: %d", w.Code)
	}
	if w := get(s, "GET", "/url?url="+long+token); w.Code != 401 {
		t.Errorf("a page with the token in its address: %d", w.Code)
	}
	for _, path := range []string{"/healthz", "/readyz", "/static/plat.css"} {
		if w := get(s, "GET", path); w.Code != 200 {
			t.Errorf("%s without a token: %d", path, w.Code)
		}
	}
}

func TestClosedServersAnswerHealthOnly(t *testing.T) {
	s := New(Options{Store: made(t), Closed: true, Take: http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("a URL was taken") })})
	for _, path := range []string{"/", "/api/v1/urls", "/web/20260101000000/" + long, "/timemap/link/" + long, "/feed/atom?url=" + long} {
		// The mux may first redirect an unknown path to one without double
		// slashes.
		if w := get(s, "GET", path); w.Code != 404 && w.Code != 307 {
			t.Errorf("%s: %d", path, w.Code)
		}
	}
	if w := get(s, "POST", "/api/v1/urls"); w.Code != 404 {
		t.Errorf("POST: %d", w.Code)
	}
	if w := get(s, "GET", "/healthz"); w.Code != 200 {
		t.Errorf("/healthz: %d", w.Code)
	}
}

func TestUnknownHostsAreRejected(t *testing.T) {
	s := New(Options{Store: made(t), Names: LoopbackNames})
	for host, code := range map[string]int{
		"127.0.0.1:8632": 200, "localhost:8632": 200, "a.localhost": 200, "[::1]:8632": 200, "127.3.2.1": 200,
		"evil.test:8632": 421, "evil.test": 421, "localhost.evil.test": 421, "10.0.0.1": 421, "": 421,
		"LOCALHOST": 200, "localhost:": 200, "localhost:80:x": 421, "localhost:x": 421, "localhost:99999": 421, "localhost:+80": 421, ":80": 421,
		"[localhost": 421, "[localhost]": 421, "localhost]": 421, "[127.0.0.1]": 421, "[::1": 421, "[::1]x": 421, "[::1]:x": 421, "[::1%lo]": 421, "::1": 421,
	} {
		r := httptest.NewRequest("GET", "/", nil)
		r.Host = host
		w := httptest.NewRecorder()
		if s.ServeHTTP(w, r); w.Code != code {
			t.Errorf("as %q: %d, want %d", host, w.Code, code)
		}
	}
}

func TestAForeignPageCannotPost(t *testing.T) {
	taken := 0
	s := New(Options{Store: made(t), Take: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { taken++ })})
	post := func(header ...string) int { return get(s, "POST", "/api/v1/urls", header...).Code }
	for _, foreign := range [][]string{
		{"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Site", "same-site"}, {"Origin", "http://evil.test"}, {"Origin", "null"},
	} {
		if code := post(foreign...); code != 403 {
			t.Errorf("%v: %d", foreign, code)
		}
	}
	if taken > 0 {
		t.Errorf("%d foreign posts were taken", taken)
	}
	for _, own := range [][]string{nil, {"Sec-Fetch-Site", "same-origin"}, {"Sec-Fetch-Site", "none"}} {
		if code := post(own...); code != 200 {
			t.Errorf("%v: %d", own, code)
		}
	}
}

func TestLargeBodiesAndSlowClientsAreEnded(t *testing.T) {
	server := Serve(New(Options{Store: made(t)}))
	if server.ReadHeaderTimeout <= 0 || server.ReadTimeout <= 0 || server.WriteTimeout <= 0 || server.IdleTimeout <= 0 {
		t.Errorf("a limit is missing: %v %v %v %v", server.ReadHeaderTimeout, server.ReadTimeout, server.WriteTimeout, server.IdleTimeout)
	}
	server.ReadHeaderTimeout, server.ReadTimeout = 200*time.Millisecond, 300*time.Millisecond // shorter, to keep the test fast
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go server.Serve(l)
	defer server.Close()
	for name, begin := range map[string]string{
		"a header that does not end": "GET / HTTP/1.1\r\nHost: a\r\nX-A: ",
		"a body that does not come":  "POST /api/v1/urls HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n",
		"nothing":                    "",
	} {
		c, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(c, begin)
		c.SetReadDeadline(time.Now().Add(5 * time.Second))
		if _, err := io.ReadAll(c); err != nil {
			t.Errorf("%s: the connection is still open after 5 s", name)
		}
		c.Close()
	}
	ended := make(chan struct{})
	large := httptest.NewUnstartedServer(nil)
	large.Config = Serve(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer close(ended)
		io.Copy(w, io.LimitReader(zeros{}, 1<<30))
	}))
	large.Config.WriteTimeout = 300 * time.Millisecond
	large.Start()
	defer large.Close()
	c, err := net.Dial("tcp", large.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	io.WriteString(c, "GET / HTTP/1.1\r\nHost: a\r\n\r\n") // its response is never read
	select {
	case <-ended:
	case <-time.After(5 * time.Second):
		t.Error("an unread response is still being written after 5 s")
	}
	r, err := http.Get("http://" + l.Addr().String() + "/?" + strings.Repeat("a", 1<<20))
	if err != nil || r.StatusCode != http.StatusRequestHeaderFieldsTooLarge {
		t.Errorf("a request line of a megabyte: %v, %v", r, err)
	}
	if r != nil {
		r.Body.Close()
	}
	read := int64(0)
	s := New(Options{Store: made(t)})
	s.mux.HandleFunc("POST /echo", func(w http.ResponseWriter, r *http.Request) {
		var err error
		if read, err = io.Copy(io.Discard, r.Body); err == nil {
			t.Error("all of an oversized body is read")
		}
	})
	s.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("POST", "/echo", io.LimitReader(zeros{}, 10<<20)))
	if read > maxBody {
		t.Errorf("%d bytes of a body are read", read)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return len(p), nil }

// TestAssetsAreSignedAndHarmless requests resources of all kinds. Only the
// signature of their manifest gives access.
func TestAssetsAreSignedAndHarmless(t *testing.T) {
	store := made(t)
	p := storagetest.NewPage("http://signed.test/", 9)
	c := p.Next()
	kinds := []string{"text/html", "text/javascript", "application/xhtml+xml", "image/svg+xml", "text/css", "font/woff2", "image/png", "application/pdf", ""}
	for i, kind := range kinds {
		data := fmt.Appendf(nil, "resource %d", i)
		c.Resources = append(c.Resources, plat.Resource{URL: fmt.Sprintf("http://signed.test/%d", i), Type: kind, Size: int64(len(data)), Hash: plat.HashOf(data), Data: data})
	}
	c.Resources = append(c.Resources, plat.Resource{URL: "http://signed.test/9", Type: "image/png", Left: plat.OmitGone})
	m := plat.ManifestOf(c.Resources)
	c.Version.Resources = m.Sum()
	if _, err := store.Commit(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	const token = "a token of some length"
	s := New(Options{Store: store, Token: token})
	path := func(key string, entry int) string { return fmt.Sprintf("%s%s/%s/%d", assetPrefix, key, m.Sum(), entry) }
	key := s.key().Sign(m.Sum())
	for i, kind := range kinds {
		w := get(s, "GET", path(key, i))
		want := map[string]string{"image/svg+xml": kind, "text/css": "text/css; charset=utf-8", "font/woff2": kind, "image/png": kind}[kind]
		if want == "" {
			want = "application/octet-stream"
		}
		if got := w.Header().Get("Content-Type"); w.Code != 200 || got != want {
			t.Errorf("%q is served as %q, %d; want %q", kind, got, w.Code, want)
		}
		if h := w.Header(); h.Get("Content-Security-Policy") != replayPolicy || h.Get("X-Content-Type-Options") != "nosniff" || w.Body.String() != fmt.Sprintf("resource %d", i) {
			t.Errorf("%q: %q, %q", kind, h, w.Body)
		}
	}
	other := New(Options{Store: store, Token: token + "!"})
	for name, code := range map[string]int{
		path(key, 9):                                404, // it was not stored
		path(key, 10):                               404,
		path(key[1:]+"A", 0):                        404,
		path(s.key().Sign(plat.HashOf(nil)), 0):     404,
		path(other.key().Sign(m.Sum()), 0):          404,
		path(New(Options{}).key().Sign(m.Sum()), 0): 404,
		path("", 0):                                 404,
	} {
		if w := get(s, "GET", name, "Authorization", "Bearer "+token); w.Code != code && w.Code != 307 {
			t.Errorf("%s: %d, want %d", name, w.Code, code)
		}
	}
	if again := New(Options{Store: store, Token: token}); again.key().Sign(m.Sum()) != key {
		t.Error("another server with the same token makes different signatures")
	}
}

func TestPathTraversalIsRejected(t *testing.T) {
	s := New(Options{Store: made(t)})
	for _, path := range []string{
		"/static/../web.go", "/static/..%2fweb.go", "/static/%2e%2e/%2e%2e/etc/passwd", "/static/", "/static/plat.css/", "/static//etc/passwd",
		"/picture/../../etc/passwd", "/picture/" + strings.Repeat("0", 64), "/picture/..%2f", "/asset/x/" + strings.Repeat("0", 64) + "/0", "/asset/x/y/z",
		"/asset/" + s.key().Sign(plat.Hash{}) + "/" + strings.Repeat("0", 64) + "/-1", "/url?url=file:///etc/passwd", "/frame?url=javascript:alert(1)", "/web/20260101000000/file:///etc/passwd",
		"/version?url=" + long + "&version=99999999999999999999", "/version?url=" + long + "&version=-1", "/diff?url=" + long + "&old=0&new=1", "/block?url=" + long + "&lineage=99999",
	} {
		r := &http.Request{Method: "GET", URL: &url.URL{}, Header: http.Header{}, Host: "a.test", RequestURI: path}
		if u, err := url.ParseRequestURI(path); err == nil {
			r.URL = u
		}
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r.WithContext(t.Context()))
		body := w.Body.String()
		if w.Code < 300 || w.Code >= 500 || strings.Contains(body, "root:") || strings.Contains(body, "package web") {
			t.Errorf("%s: %d, %.200s", path, w.Code, body)
		}
	}
}

// FuzzPages puts untrusted text into every field that a page shows: title, URL,
// topic, label, headers. It must stay text in HTML, attributes and links.
func FuzzPages(f *testing.F) {
	f.Add(`<script>alert(1)</script>`, "a", "b")
	f.Add(`" onmouseover="alert(1)`, `' onfocus='x`, "javascript:alert(1)")
	f.Add(`</title><img src=x onerror=alert(1)>`, "\x00\xff\u2028", "{{.Page}}")
	f.Add(`--><svg/onload=alert(1)>`, `\"-alert(1)-\"`, "&lt;script&gt;")
	f.Fuzz(func(t *testing.T, title, topic, word string) {
		store := sqlitetest.Open(t)
		u := "http://fuzz.test/?" + url.QueryEscape(word)
		if err := commitPage(t.Context(), store, u, "<p>"+topic+"</p>", title); err != nil {
			t.Fatal(err)
		}
		s := New(Options{Store: store})
		q := url.QueryEscape(u)
		for _, path := range []string{"/url?url=" + q, "/version?url=" + q, "/version?plan=1&url=" + q, "/block?lineage=1&url=" + q, "/replay?url=" + q,
			"/search?q=" + url.QueryEscape(word) + "&site=" + url.QueryEscape(title), "/urls?prefix=" + url.QueryEscape(title), "/nothing?" + url.QueryEscape(title)} {
			w := get(s, "GET", path, "Accept", "text/html")
			if w.Code >= 500 {
				t.Fatalf("%s: %d", path, w.Code)
			}
			for where, bad := range unsafe(w.Body.String()) {
				t.Fatalf("%s has %s: %.200s", path, where, bad)
			}
			for name, values := range w.Header() {
				if strings.ContainsAny(strings.Join(values, ""), "\r\n") {
					t.Fatalf("%s: the header %s has a line break", path, name)
				}
			}
		}
	})
}

// unsafe finds content that our pages never have: foreign scripts, event handlers, inline styles,
// links to anything but pages.
func unsafe(page string) map[string]string {
	found := map[string]string{}
	z := nethtml.NewTokenizer(strings.NewReader(page))
	for {
		kind := z.Next()
		if kind == nethtml.ErrorToken {
			return found
		}
		if kind != nethtml.StartTagToken && kind != nethtml.SelfClosingTagToken {
			continue
		}
		tok := z.Token()
		src := ""
		if i := slices.IndexFunc(tok.Attr, func(a nethtml.Attribute) bool { return a.Key == "src" }); i >= 0 {
			src = tok.Attr[i].Val
		}
		if tok.Data == "script" && src != "/static/plat.js" || tok.Data == "base" || tok.Data == "object" || tok.Data == "style" || tok.Data == "img" {
			found["an element of a stranger"] = tok.String()
		}
		for _, a := range tok.Attr {
			scheme, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(a.Val)), ":")
			switch {
			case strings.HasPrefix(a.Key, "on"), a.Key == "style", a.Key == "srcdoc":
				found["an attribute of a stranger"] = tok.String()
			case (a.Key == "href" || a.Key == "src" || a.Key == "action") && (scheme == "javascript" || scheme == "data" || scheme == "vbscript"):
				found["a link that acts"] = fmt.Sprint(a)
			}
		}
	}
}
