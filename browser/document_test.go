package browser

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"plat/plat"
	"plat/segment/markup"
)

// givenPage uses a style sheet, a script, a frame and an image, and a script of its own.
const givenPage = `<!doctype html><title>Given</title><link rel=stylesheet href=a.css><body>
<h1>Grüße</h1><p id=at></p><p id=made>not run</p><iframe src=frame.html></iframe><img src=/a.svg>
<script>at.textContent = 'at ' + location.href + ' as ' + document.characterSet + ', cookies ' + document.cookie</script><script src=a.js></script>`

// parts serves what givenPage uses, and notes the requests.
func (h *heard) parts(document string) http.Handler {
	bodies := map[string][2]string{
		"a.css":      {"text/css", "h1 { height: 77px; margin: 0 }"},
		"a.js":       {"text/javascript", "made.textContent = 'made by a script'"},
		"frame.html": {"text/html", "<p>words of the frame"},
		"a.svg":      {"image/svg+xml", `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>`},
		"":           {"text/html; charset=utf-8", document},
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.note(r)
		b := bodies[r.URL.Path[strings.LastIndexByte(r.URL.Path, '/')+1:]]
		w.Header().Set("Content-Type", b[0])
		fmt.Fprint(w, b[1])
	})
}

func renderGiven(t *testing.T, p *Pool, url string, d Document) *plat.Snapshot {
	t.Helper()
	s, err := p.Render(t.Context(), Request{URL: url, Document: &d})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func document(html string) Document {
	return Document{Type: "text/html; charset=utf-8", HTML: []byte(html)}
}

func TestAGivenDocumentLooksAsTheServedOne(t *testing.T) {
	t.Parallel()
	var h heard
	at := serve(t, h.parts(givenPage)).URL + "/dir/"
	served := render(t, pool(t), at)
	h.forget()
	given := renderGiven(t, pool(t), at, document(givenPage))
	if h.of(at) != nil {
		t.Error("the document is requested although it is given")
	}
	for _, part := range []string{"a.css", "a.js", "frame.html"} {
		if h.of(at+part) == nil {
			t.Errorf("%s is not requested", part)
		}
	}
	if given.Status != 200 || given.URL != at || given.FinalURL != at || given.ContentType != "text/html" || given.Title != "Given" || given.Settled.Short() {
		t.Errorf("status %d, URL %q and %q, type %q, title %q, settled %q", given.Status, given.URL, given.FinalURL, given.ContentType, given.Title, given.Settled)
	}
	if a, b := markup.Serialize(served), markup.Serialize(given); !bytes.Equal(a, b) {
		t.Errorf("given:\n%s\nserved:\n%s", b, a)
	}
	if len(given.Nodes) != len(served.Nodes) {
		t.Fatalf("%d nodes, and %d of the served page", len(given.Nodes), len(served.Nodes))
	}
	for i := range given.Nodes {
		if given.Nodes[i].Box != served.Nodes[i].Box {
			t.Errorf("<%s> is at %v, and at %v in the served page", given.Nodes[i].Name, given.Nodes[i].Box, served.Nodes[i].Box)
		}
	}
}

func TestAGivenDocumentNeedsNoServer(t *testing.T) {
	t.Parallel()
	for _, at := range []string{"http://nowhere.test/a/b?c", "https://nowhere.test/a/b?c", "https://www.google.com/a"} {
		s := renderGiven(t, pool(t), at, Document{Type: "text/html; charset=utf-8", HTML: []byte(givenPage), Offline: true})
		text := string(markup.Serialize(s))
		for _, want := range []string{"Grüße", "at " + at + " as UTF-8", "not run"} {
			if !strings.Contains(text, want) {
				t.Errorf("%s: no %q in\n%s", at, want, text)
			}
		}
		if s.FinalURL != at || s.Status != 200 {
			t.Errorf("%s: status %d at %q", at, s.Status, s.FinalURL)
		}
	}
}

func TestAnOfflineDocumentRequestsNothing(t *testing.T) {
	t.Parallel()
	var h heard
	at := serve(t, h.parts("")).URL + "/"
	s := renderGiven(t, pool(t), at, Document{Type: "text/html; charset=utf-8", HTML: []byte(givenPage + "<script>fetch('/x'); new WebSocket(location.href.replace('http', 'ws')); new EventSource('/y'); navigator.sendBeacon('/z')</script>"), Offline: true})
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.all) != 0 || s.Blocked < 4 {
		t.Errorf("requests %v arrived, %d were refused", h.all, s.Blocked)
	}
}

func TestAPageStaysAtItsGivenDocument(t *testing.T) {
	t.Parallel()
	var h heard
	at := serve(t, h.parts("<p>elsewhere")).URL + "/"
	for name, leave := range map[string]string{
		"script":  `<script>location.href = '/other/'</script>`,
		"late":    `<script>setTimeout(() => location.replace('/other/'), 500)</script>`,
		"refresh": `<meta http-equiv=refresh content="0; url=/other/">`,
		"form":    `<form id=f method=post action=/></form><script>f.submit()</script>`,
		"window":  `<script>open('/other/', '_self'); document.documentElement.onclick = () => { top.location = '/other/' }; document.documentElement.click()</script>`,
		"reload":  `<script>if (!sessionStorage.again) { sessionStorage.again = 1; location.reload() }</script>`,
	} {
		s := renderGiven(t, pool(t), at, document("<!doctype html><body><p>given words"+leave+"<p>words after it"))
		if text := string(markup.Serialize(s)); !strings.Contains(text, "given words") || !strings.Contains(text, "words after it") || s.FinalURL != at || s.Settled.Short() {
			t.Errorf("%s: the page is at %s, %s:\n%s", name, s.FinalURL, s.Settled, text)
		}
	}
	if h.of(at+"other/") != nil || h.of(at) != nil {
		t.Error("a document was requested")
	}
}

// A tab with a given document serves no other page: neither page sees the other's storage, and the next page of the
// origin is requested.
func TestTabsWithGivenDocumentsAreNotReused(t *testing.T) {
	t.Parallel()
	const page = `<!doctype html><p id=p></p><script>p.textContent = 'found ' + (localStorage.a || 'nothing') + document.cookie; localStorage.a = document.cookie = 'traces=1'</script>`
	var h heard
	at := serve(t, h.parts(page)).URL + "/"
	p := poolWith(t, func(o *Options) { o.Tabs = 1 })
	for i := range 12 {
		var s *plat.Snapshot
		if i%3 == 0 {
			s = renderGiven(t, p, at, document(page+"<p>given"))
		} else {
			s = render(t, p, at)
		}
		if text := string(markup.Serialize(s)); !strings.Contains(text, "found nothing") || strings.Contains(text, "given") != (i%3 == 0) {
			t.Errorf("page %d:\n%s", i, text)
		}
	}
}

func TestDocumentsOfAnySizeHaveALimit(t *testing.T) {
	t.Parallel()
	large := "<!doctype html><p>begin " + strings.Repeat("<!--"+strings.Repeat("x", 1<<20)+"-->", 15) + "end"
	if s := renderGiven(t, pool(t), "https://large.test/", Document{Type: "text/html", HTML: []byte(large), Offline: true}); !bytes.Contains(markup.Serialize(s), []byte("end</p>")) {
		t.Error("15 MiB are cut off")
	}
	_, err := pool(t).Render(t.Context(), Request{URL: "https://large.test/", Document: &Document{Type: "text/html", HTML: make([]byte, MaxDocument+1)}})
	if failed, ok := errors.AsType[*plat.VisitError](err); !ok || failed.Outcome != plat.OutcomeTooLarge {
		t.Errorf("one byte too many: %v", err)
	}
}
