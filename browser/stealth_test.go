package browser

import (
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/go-rod/stealth"
)

// What a page can see of itself, and what it should be.
const mirror = `<!doctype html><pre id=seen></pre><script>
navigator.permissions.query({name: 'notifications'}).then((p) => {
  const gl = document.createElement('canvas').getContext('webgl');
  const debug = gl && gl.getExtension('WEBGL_debug_renderer_info');
  document.getElementById('seen').textContent = [
    'webdriver ' + navigator.webdriver,
    'plugins ' + navigator.plugins.length + ' ' + (navigator.plugins instanceof PluginArray) + ' ' + (navigator.plugins[0] instanceof Plugin),
    'chrome ' + typeof window.chrome,
    'agent ' + /Headless/.test(navigator.userAgent),
    'brands ' + /Headless/.test(JSON.stringify(navigator.userAgentData ?? {})),
    'languages ' + navigator.languages.join(),
    'permission ' + ((p.state === 'denied') === (Notification.permission === 'denied')),
    'native ' + [Object.getOwnPropertyDescriptor(Navigator.prototype, 'webdriver').get, Function.prototype.toString, HTMLCanvasElement.prototype.getContext, print, close]
      .every((f) => /\[native code\]/.test(Function.prototype.toString.call(f))),
    'own ' + Object.getOwnPropertyNames(navigator).length,
    'software ' + (gl ? /SwiftShader|llvmpipe/.test(gl.getParameter(debug.UNMASKED_RENDERER_WEBGL)) : false),
  ].join('\n');
}).catch((e) => { document.getElementById('seen').textContent = 'webdriver ' + e; });
</script>`

func TestStealth(t *testing.T) {
	var agent, hints string
	srv := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		agent, hints = r.UserAgent(), r.Header.Get("Sec-Ch-Ua")
		w.Header().Set("Content-Type", "text/html")
		w.Write([]byte(mirror))
	}))
	seen := func(p *Pool) (all string) {
		s := render(t, p, srv.URL+"/")
		for i := range s.Nodes {
			if strings.HasPrefix(s.Nodes[i].Value, "webdriver ") {
				all = s.Nodes[i].Value
			}
		}
		return all
	}
	const want = `webdriver false
plugins 5 true true
chrome object
agent false
brands false
languages de-DE,de
permission true
native true
own 0
software false`
	if got := seen(poolWith(t, func(o *Options) { o.Language = "de-DE,de" })); got != want {
		t.Errorf("the page sees\n%s\nwant\n%s", got, want)
	}
	if strings.Contains(agent+hints, "Headless") {
		t.Errorf("the server sees %q, %q", agent, hints)
	}
	seen(poolWith(t, func(o *Options) { o.About = "(compatible; plat/1; https://a.test/)" }))
	if !strings.HasPrefix(agent, "Mozilla/5.0 ") || !strings.HasSuffix(agent, " (compatible; plat/1; https://a.test/)") || strings.Contains(agent, "Headless") {
		t.Errorf("who says whom to turn to is %q", agent)
	}
	if got := seen(poolWith(t, func(o *Options) { o.NoStealth = true })); !strings.Contains(got, "agent true") {
		t.Errorf("without stealth the page sees\n%s", got)
	}
}

// The script of go-rod/stealth is read in full, and what of it runs needs no eval, which
// many pages' policies forbid.
func TestThePartsOfGoRodAreFound(t *testing.T) {
	parts, err := splitRod(stealth.JS)
	if err != nil {
		t.Fatal(err)
	}
	if want := strings.Count(stealth.JS, `_mainFunction:"`) + strings.Count(stealth.JS, "_mainFunction:'"); len(parts) != want || want < 10 {
		t.Errorf("%d parts of %d", len(parts), want)
	}
	for _, mark := range rodParts {
		if n := strings.Count(rodScript(), mark); n != 1 {
			t.Errorf("%q is there %d times", mark, n)
		}
	}
	if strings.Contains(rodScript(), "eval(") || strings.Contains(rodScript(), "new Proxy") {
		t.Error("what runs of go-rod/stealth uses eval or proxies")
	}
	if _, err := splitRod("f({_mainFunction: \"\\q{\"})("); err == nil {
		t.Error("a script that is none is read")
	}
}

func TestClientHintsAreThoseOfChromeWithAWindow(t *testing.T) {
	for _, tc := range []struct {
		agent, product    string
		brands, full, odd string
	}{
		// As Chromium 156 of Debian sends them, with a window.
		{"Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36", "HeadlessChrome/156.0.8078.79",
			"Not:A-Brand 8, Chromium 156", "Not:A-Brand 8.0.0.0, Chromium 156.0.8078.79", "156.0.8078.79"},
		{"Other/1.0 Chrome/157.0.0.0", "", "Chromium 157, Not-A.Brand 99", "Chromium 157.0.0.0, Not-A.Brand 99.0.0.0", "157.0.0.0"},
	} {
		m := brands(tc.agent, tc.product)
		list := func(l []*emulation.UserAgentBrandVersion) string {
			var s []string
			for _, b := range l {
				s = append(s, b.Brand+" "+b.Version)
			}
			return strings.Join(s, ", ")
		}
		if got := list(m.Brands); got != tc.brands {
			t.Errorf("brands are %q, want %q", got, tc.brands)
		}
		if got := list(m.FullVersionList); got != tc.full || m.FullVersion != tc.odd {
			t.Errorf("full versions are %q and %q, want %q and %q", got, m.FullVersion, tc.full, tc.odd)
		}
	}
	if brands("curl/8", "") != nil {
		t.Error("what is not Chrome has brands")
	}
	if got := reduced("A HeadlessChrome/156.0.8078.79 B"); got != "A Chrome/156.0.0.0 B" {
		t.Errorf("the user agent is %q", got)
	}
}
