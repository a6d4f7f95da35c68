package browser

import (
	"net/http"
	"strings"
	"testing"
)

// mirror is a page that shows the properties by which it could detect automation.
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
	t.Parallel()
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
