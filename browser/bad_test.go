package browser

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"plat/fixtures/freeport"
	"plat/plat"
)

// endless sends until the other side has had enough.
func endless(w http.ResponseWriter, head, more string) {
	w.Header().Set("Content-Type", "text/html")
	fmt.Fprint(w, head)
	chunk := strings.Repeat(more, 1+(64<<10)/len(more))
	for {
		if _, err := fmt.Fprint(w, chunk); err != nil {
			return
		}
		w.(http.Flusher).Flush()
	}
}

// badSite serves pages and answers that a crawler must survive.
func badSite() http.Handler {
	mux := http.NewServeMux()
	html := func(path, body string) {
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, body)
		})
	}
	typed := func(path, contentType, body string, header ...string) {
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", contentType)
			for i := 0; i+1 < len(header); i += 2 {
				w.Header().Set(header[i], header[i+1])
			}
			fmt.Fprint(w, body)
		})
	}
	html("/ok", `<!doctype html><title>ok</title><p>fine`)
	html("/alert", `<p>before<script>alert(1); confirm(2); prompt(3)</script><p id=after>after`)
	html("/alerts", `<p>before<script>for (;;) alert(1)</script><p id=after>after`)
	html("/unload", `<p>text<script>onbeforeunload = () => 'stay'; onunload = () => { for (;;); }</script>`)
	html("/print", `<p>before<script>print()</script><p id=after>after`)
	html("/close", `<p>before<script>close()</script><p id=after>after`)
	html("/close-hard", `<p>before<iframe></iframe><script>frames[0].close.call(window)</script><p id=after>after`)
	html("/popups", `<p>before<script>for (let i = 0; i < 5; i++) open('/ok'); open('/ok', '', 'noopener')</script><p id=after>after`)
	html("/permissions", `<p id=state>?<script>
		const p = document.getElementById('state');
		p.textContent = 'asked';
		navigator.geolocation.getCurrentPosition(() => p.textContent = 'told', () => p.textContent = 'denied');
		Notification.requestPermission();
	</script>`)
	html("/hang", `<p>before<script>for (;;);</script>after`)
	html("/hang-later", `<p>before<script>onload = () => setTimeout(() => { for (;;); })</script>after`)
	html("/refresh", `<meta http-equiv=refresh content="0"><p>again`)
	html("/moves", `<script>location.replace('/moved')</script>`)
	html("/moved", `<title>moved</title><p>here`)
	const nodes = `<body>text<script>
		const f = document.createDocumentFragment();
		for (let i = 0; i < %d; i++) f.append(document.createElement('i'));
		document.body.append(f)</script>`
	html("/nodes", fmt.Sprintf(nodes, 30_000))
	html("/far-more-nodes", fmt.Sprintf(nodes, 200_000))
	html("/much-text", "<p>before<p id=p hidden>before<script>p.append('many words '.repeat(4e6))</script>")
	html("/far-more-text", "<p>before<p id=p hidden><script>p.append('many words '.repeat(1e7))</script>")
	html("/far-more-attributes", "<p id=p>before<script>p.title='many words '.repeat(1e7)</script>")
	html("/attributes", "<p id=p>before<script>const s='many words '.repeat(1e4);for(let i=0;i<1e4;i++){const b=document.createElement('b');b.title=s;p.append(b)}</script>")
	html("/restless", `<p id=p><script>setInterval(() => p.append(document.createElement('b')), 1)</script>`)
	html("/fetches", `<p id=p><script>setInterval(() => fetch('/ok'), 5)</script>`)
	html("/frame-bomb", `<p>text<iframe src="?a"></iframe><iframe src="?b"></iframe>`)
	typed("/pdf", "application/pdf", "%PDF-1.4\n%%EOF")
	typed("/zip", "application/zip", "PK\x03\x04")
	typed("/attached", "text/html", "<p>save me", "Content-Disposition", `attachment; filename="a.html"`)
	typed("/text", "text/plain; charset=utf-8", "plain <b>text</b>\n")
	typed("/json", "application/json", `{"a": 1}`)
	typed("/svg", "image/svg+xml", `<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"><rect width="10" height="10"/></svg>`)
	typed("/xhtml", "application/xhtml+xml", `<html xmlns="http://www.w3.org/1999/xhtml"><head><title>x</title></head><body><p>x</p></body></html>`)
	mux.HandleFunc("GET /png", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "image/png")
		w.Write([]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x06\x00\x00\x00\x1f\x15\xc4\x89\x00\x00\x00\rIDATx\x9cc\xf8\xff\xff?\x00\x05\xfe\x02\xfe\xa7\x9a\x9d\x0b\x00\x00\x00\x00IEND\xaeB`\x82"))
	})
	mux.HandleFunc("GET /status/{code}", func(w http.ResponseWriter, r *http.Request) {
		var code int
		fmt.Sscan(r.PathValue("code"), &code)
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(code)
		if code != 204 && code != 304 {
			fmt.Fprintf(w, "<title>status %d</title><p>page of %d", code, code)
		}
	})
	mux.HandleFunc("GET /loop", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/loop", http.StatusFound) })
	mux.HandleFunc("GET /hop", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/hop2", http.StatusMovedPermanently)
	})
	mux.HandleFunc("GET /hop2", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/ok", http.StatusFound) })
	mux.HandleFunc("GET /inside", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://169.254.169.254/latest/meta-data/", http.StatusFound)
	})
	mux.HandleFunc("GET /file", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "file:///etc/passwd", http.StatusFound)
	})
	mux.HandleFunc("GET /endless", func(w http.ResponseWriter, _ *http.Request) { endless(w, "<p>", "on and on ") })
	mux.HandleFunc("GET /silent", func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	mux.HandleFunc("GET /stalls", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, "<p id=after>some of it"+strings.Repeat(" ", 4096))
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	})
	mux.HandleFunc("GET /broken", func(w http.ResponseWriter, _ *http.Request) {
		c, _, err := w.(http.Hijacker).Hijack()
		if err == nil {
			c.Close()
		}
	})
	return mux
}

func TestNoPageStopsTheCrawler(t *testing.T) {
	t.Parallel()
	small := func(o *Options) { o.Tabs, o.MaxNodes, o.MaxBytes = 3, 20_000, 8<<20 }
	p := poolWith(t, func(o *Options) {
		small(o)
		o.CallTimeout, o.LoadTimeout, o.SettleTimeout = 4*time.Second, 4*time.Second, 3*time.Second
	})
	patient := poolWith(t, small) // Chrome itself is busy with a page that is too large
	srv := serve(t, badSite())
	closed := "http://" + freeport.Unused(t)
	after := func(t *testing.T, s *plat.Snapshot) {
		for i := range s.Nodes {
			if id, _ := s.Nodes[i].Attr("id"); id == "after" {
				return
			}
		}
		t.Error("what follows the script is not there")
	}
	early := func(t *testing.T, s *plat.Snapshot) {
		if !s.Settled.Short() {
			t.Errorf("the page counts as %s", s.Settled)
		}
	}
	moving := func(t *testing.T, s *plat.Snapshot) {
		if s.Settled != plat.SettledMoving && s.Settled != plat.SettledLimit {
			t.Errorf("the page counts as %s", s.Settled)
		}
	}
	typed := func(want string) func(*testing.T, *plat.Snapshot) {
		return func(t *testing.T, s *plat.Snapshot) {
			if s.ContentType != want {
				t.Errorf("content type %q, want %q", s.ContentType, want)
			}
		}
	}
	status := func(want int) func(*testing.T, *plat.Snapshot) {
		return func(t *testing.T, s *plat.Snapshot) {
			if s.Status != want || s.Title != fmt.Sprint("status ", want) {
				t.Errorf("status %d, title %q", s.Status, s.Title)
			}
		}
	}
	for _, tc := range []struct {
		name  string
		url   string       // path at the site, or a whole URL
		want  plat.Outcome // "" = a page
		retry bool
		check func(*testing.T, *plat.Snapshot)
	}{
		{name: "dialogs are dismissed", url: "/alert", check: after},
		{name: "a loop of dialogs ends", url: "/alerts", check: after},
		{name: "a page that wants to be kept is left", url: "/unload"},
		{name: "nothing is printed", url: "/print", check: after},
		{name: "a page cannot close its tab", url: "/close", check: after},
		{name: "a page cannot close its tab with a frame's help", url: "/close-hard", check: after},
		{name: "pop-ups do not open", url: "/popups", check: after},
		{name: "permissions are denied", url: "/permissions", check: func(t *testing.T, s *plat.Snapshot) {
			for i := range s.Nodes {
				if v := s.Nodes[i].Value; v == "told" || v == "asked" {
					t.Errorf("the page was %s", v)
				}
			}
		}},
		{name: "a script that never ends is a timeout", url: "/hang", want: plat.OutcomeTimeout, retry: true},
		{name: "a page that goes elsewhere is followed", url: "/moves", check: func(t *testing.T, s *plat.Snapshot) {
			if s.Title != "moved" || !strings.HasSuffix(s.FinalURL, "/moved") || len(s.Redirects) != 1 || s.Redirects[0] != (plat.Redirect{URL: srv.URL + "/moves"}) || s.Status != 200 {
				t.Errorf("title %q, final URL %q, redirects %v, status %d", s.Title, s.FinalURL, s.Redirects, s.Status)
			}
		}},
		{name: "too many nodes make a page coarse", url: "/nodes", check: func(t *testing.T, s *plat.Snapshot) {
			if s.Coarse < 30_000 || len(s.Nodes) > 20_000 || !strings.Contains(seenText(s), "text") {
				t.Errorf("it had %d nodes, and %d were taken", s.Coarse, len(s.Nodes))
			}
		}},
		{name: "too much text is too large", url: "/much-text", want: plat.OutcomeTooLarge},
		{name: "far too much text is too large", url: "/far-more-text", want: plat.OutcomeTooLarge},
		{name: "far too much in attributes is too large", url: "/far-more-attributes", want: plat.OutcomeTooLarge},
		{name: "the same attribute ten thousand times is too large", url: "/attributes", want: plat.OutcomeTooLarge},
		{name: "far more nodes are too large", url: "/far-more-nodes", want: plat.OutcomeTooLarge},
		{name: "a page that never rests is taken at the limit", url: "/restless", check: moving},
		{name: "a page that never stops fetching is taken at the limit", url: "/fetches", check: moving},
		{name: "frames in frames end", url: "/frame-bomb"},
		{name: "a PDF is a page", url: "/pdf", check: typed("application/pdf")},
		{name: "an archive is a page", url: "/zip", check: typed("application/zip")},
		{name: "an attachment is a download", url: "/attached", want: plat.OutcomeDownload, check: typed("text/html")},
		{name: "text is a page", url: "/text", check: typed("text/plain")},
		{name: "JSON is a page", url: "/json", check: typed("application/json")},
		{name: "an image is a page", url: "/png", check: typed("image/png")},
		{name: "SVG is a page", url: "/svg", check: typed("image/svg+xml")},
		{name: "XHTML is a page", url: "/xhtml", check: typed("application/xhtml+xml")},
		{name: "404 is a page", url: "/status/404", check: status(404)},
		{name: "500 is a page", url: "/status/500", check: status(500)},
		{name: "204 is no page", url: "/status/204", want: plat.OutcomeUnsupported},
		{name: "a redirect loop is named", url: "/loop", want: plat.OutcomeRedirects},
		{name: "redirects are recorded", url: "/hop", check: func(t *testing.T, s *plat.Snapshot) {
			want := []plat.Redirect{{URL: srv.URL + "/hop", Status: 301}, {URL: srv.URL + "/hop2", Status: 302}}
			if fmt.Sprint(s.Redirects) != fmt.Sprint(want) || s.FinalURL != srv.URL+"/ok" {
				t.Errorf("redirects %v to %q, want %v", s.Redirects, s.FinalURL, want)
			}
		}},
		{name: "a redirect inside is refused", url: "/inside", want: plat.OutcomeRefused},
		{name: "a redirect to a file is refused", url: "/file", want: plat.OutcomeRefused},
		{name: "an endless stream is too large", url: "/endless", want: plat.OutcomeTooLarge},
		{name: "a server that says nothing is a timeout", url: "/silent", want: plat.OutcomeTimeout, retry: true},
		{name: "a server that stops half-way leaves half a page", url: "/stalls", check: func(t *testing.T, s *plat.Snapshot) { after(t, s); early(t, s) }},
		{name: "a broken connection is unreachable", url: "/broken", want: plat.OutcomeUnreachable, retry: true},
		{name: "a port nobody listens on is unreachable", url: closed + "/", want: plat.OutcomeUnreachable, retry: true},
		{name: "a name nobody knows is unreachable", url: "http://no.such.host.test/", want: plat.OutcomeUnreachable, retry: true},
		{name: "https to a name nobody knows is unreachable", url: "https://no.such.host.test/", want: plat.OutcomeUnreachable, retry: true},
		{name: "private networks are refused", url: "http://10.0.0.1/", want: plat.OutcomeRefused},
		{name: "private networks are refused over https", url: "https://10.0.0.1/", want: plat.OutcomeRefused},
		{name: "files are refused", url: "file:///etc/passwd", want: plat.OutcomeBadURL},
		{name: "Chrome's own pages are refused", url: "chrome://version/", want: plat.OutcomeBadURL},
		{name: "FTP is refused", url: "ftp://127.0.0.1/", want: plat.OutcomeBadURL},
		{name: "data is refused", url: "data:text/html,x", want: plat.OutcomeBadURL},
		{name: "scripts are refused", url: "javascript:alert(1)", want: plat.OutcomeBadURL},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			url := tc.url
			if strings.HasPrefix(url, "/") {
				url = srv.URL + url
			}
			in := p
			if tc.want == plat.OutcomeTooLarge {
				in = patient
			}
			s, err := in.Render(t.Context(), Request{URL: url})
			var v *plat.VisitError
			switch {
			case tc.want == "" && err != nil:
				t.Fatal(err)
			case tc.want != "" && !errors.As(err, &v):
				t.Fatalf("error %v, want %s", err, tc.want)
			case tc.want != "" && (v.Outcome != tc.want || v.Retry != tc.retry):
				t.Fatalf("outcome %s, retry %t: %v; want %s, retry %t", v.Outcome, v.Retry, err, tc.want, tc.retry)
			}
			if tc.check != nil {
				tc.check(t, s)
			}
		})
	}
	t.Cleanup(func() { // after the parallel ones
		s, err := p.Render(context.Background(), Request{URL: srv.URL + "/ok"})
		if err != nil {
			t.Error(err)
		} else if s.Title != "ok" {
			t.Errorf("the page after all that has title %q", s.Title)
		}
	})
}

func TestAPageThatReloadsItselfForEverIsALoop(t *testing.T) {
	t.Parallel()
	// Under the limit for settling such a page is captured as it is, and on a busy machine each
	// round takes seconds.
	p := poolWith(t, func(o *Options) { o.SettleTimeout, o.RenderTimeout = 5*time.Minute, 6*time.Minute })
	srv := serve(t, badSite())
	_, err := p.Render(t.Context(), Request{URL: srv.URL + "/refresh"})
	var v *plat.VisitError
	if !errors.As(err, &v) || v.Outcome != plat.OutcomeRedirects || v.Retry {
		t.Errorf("error %v, want a redirect loop", err)
	}
}

func TestADeadBrowserIsReplaced(t *testing.T) {
	t.Parallel()
	p := poolWith(t, func(o *Options) {})
	mux := http.NewServeMux()
	mux.HandleFunc("GET /dies", func(w http.ResponseWriter, r *http.Request) {
		p.mu.Lock()
		group := p.current.PID()
		p.mu.Unlock()
		_ = syscall.Kill(-group, syscall.SIGKILL)
		<-r.Context().Done()
	})
	mux.HandleFunc("GET /ok", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "<title>ok</title>") })
	srv := serve(t, mux)
	_, err := p.Render(t.Context(), Request{URL: srv.URL + "/dies"})
	var v *plat.VisitError
	if !errors.As(err, &v) || v.Outcome != plat.OutcomeCrashed || !v.Retry {
		t.Errorf("error %v, want crashed, to be tried again", err)
	}
	if s := render(t, p, srv.URL+"/ok"); s.Status != 200 {
		t.Errorf("status %d after the crash", s.Status)
	}
}
