package segmenter

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"plat/browser"
	"plat/browser/egress"
	"plat/plat"
	"plat/storage/history"
	"plat/storage/sqlite/sqlitetest"
	"plat/workers"
	"plat/workers/visitor"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// newspaper is a page with a style sheet and a script.
const newspaper = `<!doctype html><html lang=en><meta charset=utf-8><title>Daily</title><link rel=stylesheet href=a.css>
<header><h1>Daily News</h1></header><main><h2>River floods</h2><p>The river rose by two metres on Monday night, and the lower town had to be left. <a href=more>More</a></p><p id=p></p></main>
<aside><a href=/1>Sport</a><a href=/2>Weather</a><a href=/3>Letters</a></aside><footer>Imprint – © 2026</footer><script src=a.js></script>`

func serve(t *testing.T) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/a.css":
			w.Header().Set("Content-Type", "text/css")
			fmt.Fprint(w, "header, footer { background: #223; color: #fff; padding: 20px } aside { float: right; width: 300px } aside a { display: block } main { margin-right: 320px }")
		case "/a.js":
			w.Header().Set("Content-Type", "text/javascript")
			fmt.Fprint(w, "p.textContent = 'A second paragraph is added by a script of the page.'")
		case "/":
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, newspaper)
		case "/gone":
			http.Error(w, "gone", http.StatusGone)
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(s.Close)
	return s.URL + "/"
}

func options(t *testing.T) Options {
	t.Helper()
	if _, err := browser.Find(""); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip("skipped, it needs a browser: ", err)
	}
	return Options{Render: visitor.Options{Egress: egress.Options{AllowPrivate: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}}}
}

func open(t *testing.T, o Options) *Segmenter {
	t.Helper()
	s := New(o)
	t.Cleanup(s.Close)
	return s
}

// tree returns the blocks of a page as text, without what depends on the visit.
func tree(blocks []plat.Block) string {
	var b strings.Builder
	for i, n := range history.TreeOf(&plat.Version{Blocks: blocks}, true) {
		text := ""
		if n.Text != nil {
			text = *n.Text
		}
		n.Text, n.Bytes = nil, nil
		fmt.Fprintf(&b, "%d %+v %q\n", i, n, text)
	}
	return b.String()
}

// The first visit of a page by a worker stores the blocks that a segmenter returns, from the URL and from the HTML.
func TestBlocksAreThoseThatAVisitStores(t *testing.T) {
	o := options(t)
	at := serve(t)
	store := sqlitetest.Open(t)
	v, err := visitor.Open(t.Context(), store, o.Render)
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	if r, err := v.Visit(t.Context(), plat.Job{URL: at}); err != nil || r.Version != 1 {
		t.Fatalf("the visit: %+v, %v", r, err)
	}
	stored, err := store.Version(t.Context(), at, 1)
	if err != nil {
		t.Fatal(err)
	}
	if err := history.Load(t.Context(), store, stored.Blocks, nil); err != nil {
		t.Fatal(err)
	}
	text, err := history.Article(t.Context(), store, stored)
	if err != nil {
		t.Fatal(err)
	}
	set, err := history.Markdown(t.Context(), store, stored)
	if err != nil {
		t.Fatal(err)
	}
	s := open(t, o)
	for name, from := range map[string]Source{"URL": {URL: at}, "HTML": {URL: at, HTML: []byte(newspaper)}} {
		p, err := s.Segment(t.Context(), from)
		if err != nil {
			t.Fatal(err)
		}
		for i := range stored.Blocks { // texts are loaded for those of the article alone
			stored.Blocks[i].Text, stored.Blocks[i].Content = p.Blocks[i].Text, p.Blocks[i].Content
		}
		if got, want := tree(p.Blocks), tree(stored.Blocks); got != want {
			t.Errorf("%s: blocks\n%s\nstored are\n%s", name, got, want)
		}
		if p.Layout.Sum() != stored.Layout || p.Coverage != stored.Coverage || p.Level != stored.Level || string(p.Profile) != stored.Profile {
			t.Errorf("%s: layout %v, coverage %v, level %d, profile %s; stored are %v, %v, %d, %s", name, p.Layout.Sum(), p.Coverage, p.Level, p.Profile, stored.Layout, stored.Coverage, stored.Level, stored.Profile)
		}
		if fmt.Sprint(p.Article) != fmt.Sprint(text) || p.Main.Body() != set.Body() {
			t.Errorf("%s: text %+v and %q; stored are %+v and %q", name, p.Article, p.Main.Body(), text, set.Body())
		}
		if !strings.Contains(p.Article.Text, "added by a script") || !strings.Contains(p.Main.Body(), "[More]("+at+"more)") {
			t.Errorf("%s: the text lacks a script's paragraph or a link: %q", name, p.Main.Body())
		}
	}
}

func TestHTMLWithoutABaseLoadsNothing(t *testing.T) {
	s := open(t, options(t))
	p, err := s.Segment(t.Context(), Source{HTML: []byte(newspaper)})
	if err != nil {
		t.Fatal(err)
	}
	i := p.Info(nil)
	if i.URL != "" || i.FinalURL != "" || i.Title != "Daily" || i.Blocked < 2 || i.Blocks < 3 {
		t.Errorf("URL %q and %q, title %q, %d requests blocked, %d blocks", i.URL, i.FinalURL, i.Title, i.Blocked, i.Blocks)
	}
	for _, n := range i.Tree {
		if n.Leaf != (n.Markdown != nil) || n.Leaf != (n.Text != nil) {
			t.Errorf("block %d: leaf %t, text %v, Markdown %v", n.Index, n.Leaf, n.Text, n.Markdown)
		}
		if n.Markdown != nil && strings.Contains(*n.Markdown, "page.invalid") {
			t.Errorf("a link leads nowhere: %s", *n.Markdown)
		}
	}
	if few := p.Info(func(b *plat.Block) bool { return b.Label == plat.LabelFooter }); len(few.Tree) != 1 || few.Tree[0].Index == 0 {
		t.Errorf("of the footer: %+v", few.Tree)
	}
}

func TestTheCharsetOfHTML(t *testing.T) {
	s := open(t, options(t))
	for _, c := range []struct{ name, html, kind, want string }{
		{"UTF-8 that says nothing", "<p>Grüße 東京", "", "Grüße 東京"},
		{"UTF-8 that says otherwise", "<meta charset=windows-1252><p>Grüße", "", "Grüße"},
		{"a charset of the document", "<meta charset=windows-1252><p>Gr\xfc\xdfe", "", "Grüße"},
		{"a charset of the type", "<p>\xb9\xdd", "text/html; charset=shift_jis", "ｹﾝ"},
		{"escapes in ASCII", "<meta charset=iso-2022-jp><p>\x1b$BEl5~\x1b(B", "", "東京"},
		{"UTF-16", "\xff\xfe<\x00p\x00>\x00\xfc\x00", "", "ü"},
		{"a text that begins as a picture", "BM and GIF89a are two beginnings", "", "BM and GIF89a are two beginnings"},
		{"XHTML", `<html xmlns="http://www.w3.org/1999/xhtml"><body><p>Grüße</p></body></html>`, "application/xhtml+xml", "Grüße"},
	} {
		p, err := s.Segment(t.Context(), Source{HTML: []byte(c.html), Type: c.kind})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if text := p.Blocks[len(p.Blocks)-1].Text; text != c.want {
			t.Errorf("%s: %q, want %q", c.name, text, c.want)
		}
	}
}

func TestSourcesThatAreNoPages(t *testing.T) {
	s := open(t, Options{}) // no browser is started
	for name, from := range map[string]Source{
		"nothing":    {},
		"a picture":  {HTML: []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR")},
		"a document": {HTML: []byte("%PDF-1.7\n%\xe2\xe3")},
		"an archive": {HTML: []byte("\x1f\x8b\x08\x00\x00\x00\x00\x00")},
		"a type":     {HTML: []byte("x"), Type: "text/plain"},
		"no type":    {HTML: []byte("x"), Type: "text/html; charset"},
	} {
		if _, err := s.Segment(t.Context(), from); err == nil || !errors.As(err, new(*SourceError)) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestFailuresAreThoseOfVisits(t *testing.T) {
	s := open(t, options(t))
	at := serve(t)
	for url, want := range map[string]plat.Outcome{at + "gone": plat.OutcomeGone, "http://10.0.0.1/": plat.OutcomeRefused} {
		_, err := s.Segment(t.Context(), Source{URL: url})
		if end, ok := errors.AsType[*plat.VisitError](err); !ok || end.Outcome != want {
			t.Errorf("%s: %v, want %s", url, err, want)
		}
	}
	if err := workers.Refuse(&plat.Snapshot{Status: 200}); err != nil {
		t.Error(err)
	}
}

// Eight clients at once send pages that want to harm, and ordinary ones: those come back whole.
func TestHostilePagesLeaveOthersAlone(t *testing.T) {
	o := options(t)
	o.Render.Browser.Tabs, o.Render.Browser.RenderTimeout, o.Render.Browser.LoadTimeout, o.Render.Browser.CallTimeout = 2, 6*time.Second, 3*time.Second, 3*time.Second
	s := open(t, o)
	at := serve(t)
	hostile := map[string]string{
		"hangs":         "<p>a<script>for (;;);</script>",
		"grows":         "<p>a<script>for (let s = 'x'; ; s += s) document.body.append(s)</script>",
		"private":       "<p>a<img src=http://169.254.169.254/latest/meta-data/><iframe src=http://10.0.0.1/></iframe><script>fetch('http://192.168.0.1/')</script>",
		"nests":         strings.Repeat("<div>", 100_000) + "x",
		"many elements": strings.Repeat("<b>x</b>", 600_000),
		"dialogs":       "<p>a<script>for (;;) alert(1)</script>",
		"leaves":        "<p>a<script>setInterval(() => { location.href = '/' + Math.random() }, 1)</script>",
		"windows":       "<p>a<script>for (let i = 0; i < 100; i++) open('/')</script>",
		"workers":       "<p>a<script>for (let i = 0; i < 50; i++) new Worker(URL.createObjectURL(new Blob(['for(;;);'])))</script>",
		"closes":        "<p>a<script>close()</script>",
	}
	var clients sync.WaitGroup
	pages := make(chan [2]string, 100)
	for name, html := range hostile {
		pages <- [2]string{name, html}
		pages <- [2]string{"good", newspaper}
	}
	close(pages)
	for range 8 {
		clients.Go(func() {
			for page := range pages {
				ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
				p, err := s.Segment(ctx, Source{URL: at, HTML: []byte(page[1])})
				cancel()
				switch _, failed := errors.AsType[*plat.VisitError](err); {
				case err != nil && !failed:
					t.Errorf("%s: %v", page[0], err)
				case page[0] == "good" && err != nil:
					t.Errorf("an ordinary page: %v", err)
				case page[0] == "good" && !strings.Contains(p.Article.Text, "added by a script"):
					t.Errorf("an ordinary page lacks its script: %q", p.Article.Text)
				case page[0] == "private" && (err != nil || p.Snapshot.Blocked < 3):
					t.Errorf("private addresses: %v", err)
				}
			}
		})
	}
	clients.Wait()
}

func TestAnIdleBrowserEndsAndStartsAgain(t *testing.T) {
	o := options(t)
	o.Idle = 50 * time.Millisecond
	s := open(t, o)
	running := func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.render != nil
	}
	for range 2 {
		if running() {
			t.Fatal("a browser runs before the first page")
		}
		if _, err := s.Segment(t.Context(), Source{HTML: []byte("<p>a")}); err != nil {
			t.Fatal(err)
		}
		for end := time.Now().Add(20 * time.Second); running(); time.Sleep(10 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatal("the idle browser does not end")
			}
		}
	}
}

func TestCloseInterruptsPages(t *testing.T) {
	s := New(options(t))
	if err := s.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error)
	go func() {
		_, err := s.Segment(t.Context(), Source{HTML: []byte("<p>a<script>for (;;);</script>")})
		ended <- err
	}()
	time.Sleep(200 * time.Millisecond) // it may still wait: that ends in the same way
	s.Close()
	if end, ok := errors.AsType[*plat.VisitError](<-ended); !ok || end.Outcome != plat.OutcomeInterrupted {
		t.Errorf("%v, want interrupted", end)
	}
	if _, err := s.Segment(t.Context(), Source{HTML: []byte("<p>a")}); err == nil {
		t.Error("a closed segmenter divides a page")
	}
}

func TestABrowserThatIsMissing(t *testing.T) {
	s := open(t, Options{Render: visitor.Options{Browser: browser.Options{Chrome: t.TempDir() + "/none"}}})
	for range 2 {
		if _, err := s.Segment(t.Context(), Source{HTML: []byte("<p>a")}); !errors.As(err, new(*visitor.BrowserError)) {
			t.Errorf("%v, want an error of the browser", err)
		}
	}
}

func TestChinesePagesAreRecognized(t *testing.T) {
	zh := strings.Repeat("<p>从下月起，每周五晚增开一班渡轮。", 10)
	for name, c := range map[string]struct {
		html string
		want bool
	}{
		"Chinese": {"<title>x</title>" + zh, true}, "a few characters": {"<p>从下月起，每周五晚增开一班渡轮。", false}, "no text": {"", false},
		"English": {newspaper, false}, "a different charset": {strings.Repeat("\xb4\xd3\xcf\xc2", 100), false},
	} {
		if han := someHan([]byte(c.html)); (han != "") != c.want {
			t.Errorf("%s: %q", name, han)
		}
	}
}

// The words are loaded once, while the browser starts: a page is not held up by them.
func TestChinesePagesAreDivided(t *testing.T) {
	s := open(t, options(t))
	html := []byte("<meta charset=utf-8><h1>渡轮</h1>" + strings.Repeat("<p>从下月起，每周五晚增开一班渡轮，最后一班于晚上十一点离开。", 20))
	for range 2 {
		p, err := s.Segment(t.Context(), Source{HTML: html})
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(p.Blocks[0].Topic, "渡轮") {
			t.Errorf("the topic is %q", p.Blocks[0].Topic)
		}
	}
}
