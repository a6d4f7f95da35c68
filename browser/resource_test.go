package browser

import (
	_ "embed"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"plat/browser/resources"
	"plat/plat"
)

const dot = "GIF89a\x01\x00\x01\x00\x80\x00\x00\xff\xff\xff\x00\x00\x00!\xf9\x04\x01\x00\x00\x00\x00,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;"

// box is a font in which every letter is a box; it was made for this test.
//
//go:embed testdata/box.ttf
var box string

// styled serves a page that uses every kind of resource that affects its appearance, and
// counts the requests for each path.
type styled struct {
	files map[string]string // by path; a missing path is an image
	mu    sync.Mutex
	hits  map[string]int // guarded by mu
}

func (s *styled) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.hits[r.URL.Path]++
	s.mu.Unlock()
	body, ok := s.files[r.URL.Path]
	h := w.Header()
	switch {
	case strings.HasSuffix(r.URL.Path, ".css"):
		h.Set("Content-Type", "text/css")
		if !ok {
			body = "/* " + r.URL.Path + " */ u { color: green }"
		}
	case strings.HasSuffix(r.URL.Path, ".ttf"):
		h.Set("Content-Type", "font/ttf")
		body = box
	case strings.HasSuffix(r.URL.Path, ".gif"):
		h.Set("Content-Type", "image/gif")
		if !ok {
			body = dot + r.URL.Path
		}
	default:
		h.Set("Content-Type", "text/html; charset=utf-8")
	}
	switch r.URL.Path {
	case "/nostore.css":
		h.Set("Cache-Control", "no-store")
	case "/gbk.css":
		h.Set("Content-Type", "text/css; charset=gbk")
	case "/moved.css":
		http.Redirect(w, r, "/there.css", http.StatusFound)
		return
	case "/404.gif":
		w.WriteHeader(http.StatusNotFound)
	case "/cut.gif":
		h.Set("Content-Length", "1000")
	}
	fmt.Fprint(w, body)
}

// requests returns the number of requests for each path, and resets the counts.
func (s *styled) requests() map[string]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	was := s.hits
	s.hits = map[string]int{}
	return was
}

var styledPage = map[string]string{
	"/": `<!doctype html><html><head><link rel=stylesheet href=/a.css><link rel=stylesheet href=/nostore.css><link rel=stylesheet href=/gbk.css>
<link rel=stylesheet href=/moved.css><link rel=stylesheet href=/empty.css><style id=plain>@import url(/inline.css); b { color: red }</style><style id=dynamic></style>
<style id=changed>i { color: red }</style><style id=off>s { color: red }</style></head><body>
<p>text <b>bold</b></p><img src=/i.gif><img src=/i.gif?again#part><img srcset="/one.gif 1x, /two.gif 2x"><picture><source srcset=/source.gif><img src=/fallback.gif></picture>
<img src=/404.gif><img src=/cut.gif><img src="data:image/gif;base64,R0lGODlhAQABAIAAAP///wAAACH5BAEAAAAALAAAAAABAAEAAAICRAEAOw==">
<div style="height:9000px"></div><img loading=lazy src=/lazy.gif>
<iframe src=/frame.html></iframe><iframe srcdoc="<style>@import '/srcdoc.css';</style><style id=inframe></style><p>x</p><script>document.querySelector('#inframe').sheet.insertRule('p { color: red; }')</script>"></iframe>
<form name=styleSheets><input name=parentNode></form><img name=adoptedStyleSheets src=/i.gif><img name=defaultView src=/i.gif>
<div><span></span><div id=host></div></div>
<script>
dynamic.sheet.insertRule('p { color: blue; }');
changed.sheet.cssRules[0].style.color = 'lime';
off.sheet.disabled = true;
const sheets = ['p { margin: 3px; }', 'p { padding: 1px; }'].map((text, i) => {
  const sheet = new CSSStyleSheet(i ? { media: 'print' } : {});
  sheet.replaceSync(text);
  return sheet;
});
Object.getOwnPropertyDescriptor(Document.prototype, 'adoptedStyleSheets').set.call(document, sheets);
const shadow = host.attachShadow({ mode: 'open' });
shadow.innerHTML = '<i>x</i><link rel=stylesheet href=/shadow.css><style></style>';
shadow.adoptedStyleSheets = sheets.slice(0, 1);
shadow.querySelector('style').sheet.insertRule('i { color: red; }');
</script>`,
	"/a.css":      `@import "/import.css"; body { background: url(/background.gif) } @font-face { font-family: F; src: url(/font.ttf) } p { font-family: F }`,
	"/empty.css":  "",
	"/gbk.css":    "b::after { content: '\xc4\xe3' }",
	"/frame.html": `<link rel=stylesheet href=/frame.css><img src=/frame.gif>`,
}

// evidenceInTime returns the first of up to ten renderings without late resources: a busy machine
// may miss the limit.
func evidenceInTime(t testing.TB, p *Pool, url string, want plat.ResourceSet) (s *plat.Snapshot, m plat.Manifest) {
	t.Helper()
	for range 10 {
		s, m = evidence(t, p, url, want)
		if !slices.ContainsFunc(m, func(r plat.Resource) bool { return r.Left == plat.OmitLate }) {
			break
		}
	}
	return s, m
}

// evidence renders a page with its resources.
func evidence(t testing.TB, p *Pool, url string, want plat.ResourceSet) (*plat.Snapshot, plat.Manifest) {
	t.Helper()
	s, err := p.Render(t.Context(), Request{URL: url, Resources: want})
	if err != nil {
		t.Fatal(err)
	}
	for i := range s.Resources {
		r := &s.Resources[i]
		if kept := r.Left == ""; kept != (r.Data != nil) || kept && (plat.HashOf(r.Data) != r.Hash || int64(len(r.Data)) != r.Size) || !kept && (r.Size != 0 || !r.Hash.IsZero()) {
			t.Errorf("%s contradicts itself: %d bytes, size %d, hash %s, left %q", r.URL, len(r.Data), r.Size, r.Hash.Short(), r.Left)
		}
	}
	m := plat.ManifestOf(s.Resources)
	for i := range m {
		if i > 0 && m[i].URL == m[i-1].URL {
			t.Errorf("%s is listed twice", m[i].URL)
		}
	}
	return s, m
}

func dataOf(s *plat.Snapshot, url string) string {
	for i := range s.Resources {
		if s.Resources[i].URL == url {
			return string(s.Resources[i].Data)
		}
	}
	return ""
}

func TestWhatAPageLoadedToLookAsItDoesIsTaken(t *testing.T) {
	t.Parallel()
	h := &styled{files: styledPage, hits: map[string]int{}}
	srv := serve(t, h)
	p := poolWith(t, func(o *Options) { o.NoReuse = true })
	if s := render(t, p, srv.URL+"/"); s.Resources != nil {
		t.Errorf("%d resources were taken though none was asked for", len(s.Resources))
	}
	plain := h.requests()
	s, m := evidence(t, p, srv.URL+"/", plat.AllResources)
	if got := h.requests(); !maps.Equal(got, plain) {
		t.Errorf("with resources the page asks for %v, without for %v", got, plain)
	}
	for path, body := range map[string]string{
		"/a.css": styledPage["/a.css"], "/import.css": "", "/empty.css": "", "/nostore.css": "", "/inline.css": "", "/frame.css": "", "/srcdoc.css": "", "/shadow.css": "",
		"/gbk.css": "b::after { content: '你' }", "/moved.css": "/* /there.css */ u { color: green }", "/font.ttf": box,
		"/i.gif": "", "/i.gif?again": dot + "/i.gif", "/one.gif": "", "/source.gif": "", "/404.gif": "", "/lazy.gif": "", "/background.gif": "", "/frame.gif": "",
	} {
		typ := "image/gif"
		switch {
		case strings.HasSuffix(path, ".css"):
			typ = "text/css"
			if body == "" && path != "/empty.css" {
				body = "/* " + path + " */ u { color: green }"
			}
		case strings.HasSuffix(path, ".ttf"):
			typ = "font/ttf"
		case body == "":
			body = dot + path
		}
		r, ok := m.Find(srv.URL + path)
		if !ok || r.Type != typ || r.Left != "" || dataOf(s, srv.URL+path) != body {
			t.Errorf("%s is %+v, %.60q; want %.60q", path, r, dataOf(s, srv.URL+path), body)
			continue
		}
		if want := map[string]int{"/404.gif": 404}[path]; want != 0 && r.Status != want || want == 0 && r.Status != 200 && !strings.HasPrefix(path, "/frame") {
			t.Errorf("%s has the status %d", path, r.Status)
		}
	}
	if r, ok := m.Find(srv.URL + "/cut.gif"); !ok || r.Left != plat.OmitFailed {
		t.Errorf("an image that broke off is %+v", r)
	}
	for _, path := range []string{"/two.gif", "/fallback.gif", "/frame.html", "/"} {
		if r, ok := m.Find(srv.URL + path); ok {
			t.Errorf("%s, which no look needs, is %+v", path, r)
		}
	}
	_, css := evidence(t, p, srv.URL+"/", plat.StyleResources)
	for i := range css {
		if strings.HasPrefix(css[i].Type, "image/") {
			t.Errorf("%s was taken, which is no style", css[i].URL)
		}
	}
	if n := slices.IndexFunc(m, func(r plat.Resource) bool { return r.Type == "image/gif" }); n < 0 || len(css) >= len(m) {
		t.Errorf("%d resources with images, %d without", len(m), len(css))
	}
}

// elementAt follows a path as plat.Block.Path describes it.
func elementAt(s *plat.Snapshot, path []int32) *plat.Node {
	at := int32(0)
	for _, step := range path {
		rank, next := int32(0), int32(-1)
		for c := at + 1; c < s.Nodes[at].End && next < 0; c = s.Nodes[c].End {
			switch element := s.Nodes[c].Kind == plat.ElementNode; {
			case step < 0 && !element && rank == ^step, step >= 0 && element && rank == step:
				next = c
			case element:
				rank++
			}
		}
		if next < 0 {
			return nil
		}
		at = next
	}
	return &s.Nodes[at]
}

func TestRulesThatScriptsPutInAreTakenWithTheirPlace(t *testing.T) {
	t.Parallel()
	srv := serve(t, &styled{files: styledPage, hits: map[string]int{}})
	s, m := evidence(t, pool(t), srv.URL+"/", plat.StyleResources)
	got := map[string]string{}
	for i := range m {
		place, ok := plat.ParseStylePlace(m[i].URL)
		if !ok {
			continue
		}
		n := elementAt(s, place.Path)
		if n == nil {
			t.Errorf("%s leads nowhere", m[i].URL)
			continue
		}
		name := n.Name
		if id, ok := n.Attr("id"); ok {
			name = id
		}
		switch n.Kind {
		case plat.DocumentNode:
			name = "document"
		case plat.ShadowNode:
			name = "shadow"
		}
		got[fmt.Sprint(name, place.Adopted)] = dataOf(s, m[i].URL)
	}
	want := map[string]string{
		"dynamic0":  "p { color: blue; }\n",
		"changed0":  "i { color: lime; }\n",
		"off0":      "",
		"document1": "p { margin: 3px; }\n",
		"document2": "@media print {\np { padding: 1px; }\n}\n",
		"shadow1":   "p { margin: 3px; }\n",
		"style0":    "i { color: red; }\n",
		"inframe0":  "p { color: red; }\n",
	}
	if !maps.Equal(got, want) {
		t.Errorf("rules by place:\n%q, want\n%q", got, want)
	}
}

func TestAHostilePageTakesNoMoreThanTheLimits(t *testing.T) {
	t.Parallel()
	big := dot + strings.Repeat("x", resources.MaxBytes-len(dot))
	files := map[string]string{"/larger.gif": big + "x"}
	var page strings.Builder
	page.WriteString(`<!doctype html><style></style><script>
const sheet = document.styleSheets[0];
for (let i = 0; i < 6000; i++) sheet.insertRule('p' + i + ' { color: red; background: url(//127.0.0.1:1/' + 'x'.repeat(1000) + ') }');
</script><img src=/larger.gif>`)
	for i := range 7 {
		path := fmt.Sprintf("/big%d.gif", i)
		files[path] = big
		fmt.Fprintf(&page, "<img src=%s>", path)
	}
	fmt.Fprintf(&page, "<img src=/%s.gif>", strings.Repeat("long", plat.MaxResourceURL/4))
	for i := range plat.MaxResources + 500 {
		fmt.Fprintf(&page, "<img src=http://127.0.0.1:1/%d.gif>", i)
	}
	files["/"] = page.String()
	srv := serve(t, &styled{files: files, hits: map[string]int{}})
	began := time.Now()
	s, m := evidenceInTime(t, pool(t), srv.URL+"/", plat.AllResources)
	n, size := m.Kept()
	left := map[plat.OmitReason]int{}
	for i := range m {
		left[m[i].Left]++
	}
	t.Logf("%v: %d kept, %d bytes, left out: %v", time.Since(began).Round(time.Millisecond), n, size, left)
	if len(m) != plat.MaxResources || size > resources.MaxTotal || size < resources.MaxTotal-resources.MaxBytes {
		t.Errorf("%d resources are listed, %d bytes kept; want %d, at most %d", len(m), size, plat.MaxResources, resources.MaxTotal)
	}
	if r, ok := m.Find(srv.URL + "/larger.gif"); !ok || r.Left != plat.OmitLarge {
		t.Errorf("an image over the limit is %+v", r)
	}
	if r, ok := m.Find(plat.StylePlace{Path: []int32{0, 0, 0}}.URL()); !ok || r.Left != plat.OmitLarge {
		t.Errorf("rules over the limit are %+v", r)
	}
	if left[plat.OmitFull] == 0 || left[plat.OmitFailed] == 0 {
		t.Errorf("left out: %v", left)
	}
	if len(s.Nodes) < plat.MaxResources+500 {
		t.Errorf("the page has %d nodes", len(s.Nodes))
	}
}

// A visit without changes must cost the browser no more than one without attachments.
func TestOthersRenderWhileItIsDecidedWhatToTake(t *testing.T) {
	t.Parallel()
	srv := serve(t, &styled{files: map[string]string{"/": "<p>first", "/second": "<p>second"}, hits: map[string]int{}})
	p := poolWith(t, func(o *Options) { o.Tabs = 1 })
	s, err := p.Render(t.Context(), Request{URL: srv.URL + "/", Decide: func(*plat.Snapshot) plat.Attachments {
		render(t, p, srv.URL+"/second")
		return plat.Attachments{Resources: plat.AllResources, Picture: true}
	}})
	if err != nil || s.Picture == nil {
		t.Fatalf("the first page: %v", err)
	}
	render(t, p, srv.URL+"/second")
}
