package browser

import (
	"bufio"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"plat/fixtures/freeport"
	"plat/fixtures/tcp"
	"plat/plat"
)

// breaks ends the connection of a request at the point that its path names: before the answer,
// by a reset, in the head, in the body. With HTTP/2 only the stream ends.
func breaks(w http.ResponseWriter, r *http.Request) {
	way, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), ".")
	if way == "body" {
		w.Header().Set("Content-Length", "1000")
		w.Header().Set("Content-Type", "image/png")
		fmt.Fprint(w, "\x89PNG\r\n\x1a\n")
		http.NewResponseController(w).Flush()
	}
	c, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	defer c.Close()
	switch way {
	case "head":
		fmt.Fprint(c, "HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nContent-Le")
	case "reset":
		if t, ok := c.(*net.TCPConn); ok {
			t.SetLinger(0)
		}
	}
}

// brokenPages are complete pages, each with the files of its own host that break.
var brokenPages = map[string]struct {
	html   string
	broken []string
}{
	"empty":   {`<img src=a.svg><img src=empty.png>`, []string{"empty.png"}},
	"head":    {`<img src=a.svg><img src=head.png>`, []string{"head.png"}},
	"body":    {`<img src=a.svg><img src=body.png>`, []string{"body.png"}},
	"reset":   {`<img src=a.svg><img src=reset.png>`, []string{"reset.png"}},
	"first":   {`<img src=empty.png><img src=a.svg?1><img src=a.svg?2><img src=a.svg?3><script src=empty.js></script>`, []string{"empty.js", "empty.png"}},
	"beacon":  {`<script>fetch('empty.txt', {method: 'POST', body: 'x'}).catch(() => {})</script>`, []string{"empty.txt"}},
	"sheet":   {`<link rel=stylesheet href=empty.css><script src=reset.js></script>`, []string{"empty.css", "reset.js"}},
	"frame":   {`<iframe src=empty.html></iframe><iframe src=empty.html?%25></iframe>`, []string{"empty.html", "empty.html?%25"}},
	"late":    {`<img src=a.svg><script>onload = () => setTimeout(() => { new Image().src = 'empty.png' }, 500)</script>`, []string{"empty.png"}},
	"pushed":  {`<script>history.pushState(0, '', 'empty.html'); fetch('empty.html').catch(() => {})</script>`, []string{"empty.html"}},
	"itself":  {`<script>fetch(location, {headers: {'Upgrade-Insecure-Requests': '1', 'Break': '1'}}).catch(() => {})</script>`, []string{"page/itself"}},
	"several": {strings.Repeat(`<img src=empty.png>`, 3) + `<img src=reset.png?1><img src=head.png?2><img src=body.png?3>`, []string{"body.png?3", "empty.png", "head.png?2", "reset.png?1"}},
}

// brokenSite serves brokenPages under /page/, with text before and after the broken files.
func brokenSite(w http.ResponseWriter, r *http.Request) {
	name := strings.TrimPrefix(r.URL.Path, "/page/")
	page, ok := brokenPages[name]
	switch {
	case r.Header.Get("Break") != "":
		breaks(w, r)
	case ok:
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, "<!doctype html><base href=/><title>%s</title><p>BEFORE</p>%s<p>AFTER</p>", name, page.html)
	case strings.HasPrefix(r.URL.Path, "/to/"):
		http.Redirect(w, r, strings.TrimPrefix(r.URL.Path, "/to"), http.StatusFound)
	case strings.HasPrefix(r.URL.Path, "/script/"):
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, "<p>On the way</p><img src=/empty.png><script>setTimeout(() => { location = '%s' }, 300)</script>", strings.TrimPrefix(r.URL.Path, "/script"))
	case strings.HasPrefix(r.URL.Path, "/refresh/"):
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, "<meta http-equiv=refresh content='1; url=%s'><p>On the way</p><img src=/empty.png>", strings.TrimPrefix(r.URL.Path, "/refresh"))
	case r.URL.Path == "/a.svg":
		w.Header().Set("Content-Type", "image/svg+xml")
		fmt.Fprint(w, `<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"/>`)
	default:
		breaks(w, r)
	}
}

// rounds returns the number of attempts for a case that depends on a race. With one tab, no two pages load
// at once.
func rounds(tabs int) int {
	switch {
	case os.Getenv("PLAT_LONG") == "1":
		return 50
	case tabs > 1:
		return 2
	}
	return 1
}

// The outcome of a page is the outcome of its own document. Other failures at its host, on the same
// connection or a different one, are broken files, as in a browser.
func TestABrokenFileOfItsHostDoesNotLoseAPage(t *testing.T) {
	t.Parallel()
	for _, tabs := range []int{1, 4} {
		p := poolWith(t, func(o *Options) { o.Tabs, o.Flags = tabs, []string{"--ignore-certificate-errors"} })
		for _, scheme := range []string{"http", "https", "http2"} {
			root := lateServer(t, scheme, http.HandlerFunc(brokenSite)).URL
			for name, page := range brokenPages {
				for _, way := range []string{"", "/to", "/script", "/refresh"} {
					if way != "" && name != "empty" && name != "first" {
						continue
					}
					t.Run(fmt.Sprintf("%d tabs/%s%s/%s", tabs, scheme, way, name), func(t *testing.T) {
						var wg sync.WaitGroup
						limit := make(chan struct{}, tabs)
						for range rounds(tabs) {
							limit <- struct{}{}
							wg.Go(func() {
								defer func() { <-limit }()
								s, err := p.Render(t.Context(), Request{URL: root + way + "/page/" + name})
								if err != nil {
									t.Error(err)
									return
								}
								checkBroken(t, s, root, name, page.broken, way)
							})
						}
						wg.Wait()
					})
				}
			}
		}
	}
}

func checkBroken(t *testing.T, s *plat.Snapshot, root, name string, broken []string, way string) {
	if text := seenText(s); s.Title != name || !strings.Contains(text, "BEFORE") || !strings.Contains(text, "AFTER") || s.Status != 200 {
		t.Errorf("title %q, status %d, text %q", s.Title, s.Status, text)
	}
	if way == "/script" || way == "/refresh" {
		return // losses of the previous page are listed, too
	}
	var failed []string
	for _, f := range s.Failed {
		if f.Why == "" {
			t.Errorf("%s is said to have failed without a reason", f.URL)
		}
		failed = append(failed, strings.TrimPrefix(f.URL, root+"/"))
	}
	if want := broken; !slices.Equal(failed, want) {
		t.Errorf("failed: %v, want %v", s.Failed, want)
	}
}

// Nor does a visit succeed whose own document fails, even if other files of its host arrive.
func TestADocumentThatFailsIsNoPage(t *testing.T) {
	t.Parallel()
	p := poolWith(t, func(o *Options) { o.Tabs, o.Flags = 2, []string{"--ignore-certificate-errors"} })
	closed := freeport.Unused(t)
	for _, scheme := range []string{"http", "https", "http2"} {
		root := lateServer(t, scheme, http.HandlerFunc(brokenSite)).URL
		for path, want := range map[string]plat.Outcome{
			"/empty.html":                        plat.OutcomeUnreachable,
			"/reset.html":                        plat.OutcomeUnreachable,
			"/to/empty.html":                     plat.OutcomeUnreachable,
			"/script/empty.html":                 plat.OutcomeUnreachable,
			"/refresh/empty.html":                plat.OutcomeUnreachable,
			"/script/to/empty.html":              plat.OutcomeUnreachable,
			"/script//" + closed + "/":           plat.OutcomeUnreachable,
			"/script/to//" + closed + "/":        plat.OutcomeUnreachable,
			"/script//10.0.0.1/":                 plat.OutcomeRefused,
			"/refresh//10.0.0.1/":                plat.OutcomeRefused,
			"/script/to//169.254.169.254/latest": plat.OutcomeRefused,
			"/to//10.0.0.1/":                     plat.OutcomeRefused,
		} {
			t.Run(scheme+path, func(t *testing.T) {
				_, err := p.Render(t.Context(), Request{URL: root + path})
				var v *plat.VisitError
				if !errors.As(err, &v) || v.Outcome != want || v.Retry != (want == plat.OutcomeUnreachable) {
					t.Errorf("error %v, want %s", err, want)
				}
			})
		}
	}
}

// asking is a page that requests a URL in every way that a page has, and shows the answers.
const asking = `<!doctype html><title>own</title><p>BEFORE</p><p id=told></p>
<iframe src="URL"></iframe><object data="URL" type="text/html"></object><embed src="URL" type="text/html"><img src="URL" alt="">
<link rel=stylesheet href="URL"><script src="URL"></script>
<script>
const tell = (s) => { told.append(s + '; ') };
const url = 'URL';
const ask = (how, f) => f().then((x) => tell(how + ' TOLD ' + x), () => tell(how + ' failed'));
ask('fetch', () => fetch(url, INIT).then((r) => r.text()));
ask('opaque', () => fetch(url, {mode: 'no-cors'}).then((r) => r.type));
ask('import', () => import(url));
ask('request', () => new Promise((yes, no) => { const x = new XMLHttpRequest(); x.open('GET', url); x.onload = () => yes(x.responseText); x.onerror = no; x.send() }));
ask('worker', () => new Promise((yes, no) => { const w = new Worker(url); w.onmessage = yes; w.onerror = no }));
ask('image', () => new Promise((yes, no) => { const i = new Image(); i.onload = yes; i.onerror = no; i.src = url }));
ask('font', () => new FontFace('f', 'url("' + url + '")').load());
navigator.sendBeacon(url, 'x');
</script>`

// The proxy's own answers never appear in the page: not in a frame, not to a script.
func TestNoAnswerOfTheProxyIsContent(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var html string
	root := "http://" + rawSite(t, func(line string) string {
		mu.Lock()
		defer mu.Unlock()
		if strings.HasPrefix(line, "GET / ") {
			return html
		}
		return hangUp
	}) + "/"
	p := poolWith(t, func(o *Options) {})
	for name, tc := range map[string]struct{ url, init string }{
		"private":         {url: "http://10.0.0.1/x"},
		"metadata":        {url: "http://169.254.169.254/latest/meta-data/"},
		"port":            {url: "http://8.8.8.8:8081/"},
		"own listener":    {url: "http://127.0.0.1:LANE/"},
		"no host":         {url: "http://nobody.knows.test/"},
		"odd host":        {url: "http://a!b.test/"},
		"closed port":     {url: "http://" + freeport.Unused(t) + "/"},
		"broken":          {url: "/empty"},
		"broken, percent": {url: "/empty/50%/x"},
		"long":            {url: "/empty?" + strings.Repeat("long", 1<<16)},
		"too long":        {url: "/empty", init: "{headers: {X: 'long'.repeat(1 << 20)}}"},
		"odd header":      {url: "/empty", init: "{headers: {X: 'a\\x01b'}}"},
		"https, private":  {url: "https://10.0.0.1/x"},
		"https, closed":   {url: "https://" + freeport.Unused(t) + "/"},
	} {
		t.Run(name, func(t *testing.T) {
			if tc.init == "" {
				tc.init = "{}"
			}
			mu.Lock()
			html = strings.NewReplacer("URL", tc.url, "INIT", tc.init).Replace(asking)
			if strings.Contains(html, ":LANE") {
				html = "<!doctype html><title>own</title><p>BEFORE</p>" // set below
			}
			mu.Unlock()
			if strings.Contains(tc.url, ":LANE") {
				// The port of the tab's lane is known after its first page, and the tab is used
				// again.
				render(t, p, root)
				tabs := p.current.Tabs()
				if len(tabs) == 0 {
					t.Fatal("no tab is kept")
				}
				_, port, _ := net.SplitHostPort(tabs[0].Lane.Addr())
				mu.Lock()
				html = strings.NewReplacer("URL", strings.Replace(tc.url, "LANE", port, 1), "INIT", tc.init).Replace(asking)
				mu.Unlock()
			}
			s := render(t, p, root)
			text := seenText(s)
			if n := strings.Count(text, " failed; "); n != 7 {
				t.Errorf("%d of 7 ways failed: %.2000q", n, text)
			}
			for _, node := range s.Nodes {
				for _, words := range []string{"could not be loaded", "Bad Request", "Too Large", "not implemented", "site can"} {
					if strings.Contains(node.Value, words) {
						t.Errorf("the page has %.200q", node.Value)
					}
				}
			}
			if len(s.Failed) == 0 {
				t.Error("no file is named that failed")
			}
		})
	}
}

// An address reaches its site as Chrome has written it, and the answer is the site's.
func TestALonePercentReachesTheSite(t *testing.T) {
	t.Parallel()
	at := rawSite(t, func(line string) string {
		switch _, target, _ := strings.Cut(line, " "); {
		case strings.HasPrefix(target, "/ "):
			return `<!doctype html><title>percent</title><p id=p>waiting</p><iframe src="frames/10%/x.html"></iframe><img src="pics/50%off.svg"><img src="pics/50%25off.svg">
				<script>fetch('api/50%/list?%').then((r) => r.text()).then((s) => p.textContent = s)</script>`
		case strings.HasPrefix(target, "/frames/10%/x.html "):
			return "<p>FRAMED"
		case strings.HasPrefix(target, "/api/50%/list?% "):
			return "FETCHED"
		case strings.HasPrefix(target, "/100% "):
			return "<title>bare</title><p>BARE"
		case strings.Contains(line, "off.svg HTTP/1.1"):
			return `<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"/>`
		}
		return ""
	})
	s := render(t, pool(t), "http://"+at+"/")
	if text := seenText(s); !strings.Contains(text, "FETCHED") || !strings.Contains(text, "FRAMED") || len(s.Failed) > 0 {
		t.Errorf("the page has %q; failed: %v", text, s.Failed)
	}
	if s := render(t, pool(t), "http://"+at+"/"); len(s.Failed) > 0 {
		t.Errorf("the second time failed: %v", s.Failed)
	}
}

// hangUp is an answer that closes the connection.
const hangUp = "hang up"

// rawSite answers every request with the result of f for its request line; an empty body is a 404.
func rawSite(t *testing.T, f func(line string) string) string {
	return tcp.Listen(t, func(c net.Conn) {
		c.SetDeadline(time.Now().Add(20 * time.Second))
		for r := bufio.NewReader(c); ; {
			line, err := r.ReadString('\n')
			for field := line; err == nil && field != "\r\n"; {
				field, err = r.ReadString('\n')
			}
			if err != nil {
				return
			}
			body, status, kind := f(line), "200 OK", "text/html"
			if body == hangUp {
				return
			}
			if body == "" {
				status = "404 Not Found"
			}
			if strings.HasPrefix(body, "<svg") {
				kind = "image/svg+xml"
			}
			fmt.Fprintf(c, "HTTP/1.1 %s\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s", status, kind, len(body), body)
		}
	})
}
