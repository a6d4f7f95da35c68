package browser

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

// A page, and a frame of a different origin in it, may store little: a tab's data lies in memory or
// on the disk of a machine with many tabs.
func TestAPageMayStoreLittle(t *testing.T) {
	t.Parallel()
	const script = `<p id=p>nothing</p><script>
fetch('/hold'); // in flight until it is known, from before the load event on, so that the page is not captured before
async function fill() {
  const megabytes = new Blob([new Uint8Array(8 << 20)]);
  let n = 0, text = '';
  try {
    const cache = await caches.open('x');
    for (; n < 40; n++) await cache.put('/' + n, new Response(megabytes));
  } catch (e) {
    text = ', then ' + e.name;
  }
  p.textContent = 'stored ' + n * 8 + ' MB' + text;
  fetch('/release');
}
setTimeout(fill, 100);
</script>`
	serve := func(page string) string {
		release := make(chan struct{})
		once := sync.OnceFunc(func() { close(release) })
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch r.URL.Path {
			case "/hold":
				select {
				case <-release:
				case <-r.Context().Done():
				case <-time.After(40 * time.Second):
				}
			case "/release":
				once()
			default:
				w.Header().Set("Content-Type", "text/html")
				fmt.Fprint(w, page)
			}
		}))
		t.Cleanup(srv.Close)
		return srv.URL
	}
	outer := serve(fmt.Sprintf(`<iframe src="%s/" width=400 height=100></iframe>%s`, serve(script), script))
	p := poolWith(t, func(o *Options) { o.SettleTimeout, o.RenderTimeout = 50*time.Second, 2*time.Minute })
	s, err := p.Render(t.Context(), Request{URL: outer + "/"})
	if err != nil {
		t.Fatal(err)
	}
	text := seenText(s)
	if strings.Count(text, "QuotaExceededError") != 2 || strings.Contains(text, "stored 320 MB") {
		t.Errorf("the page says %q", text)
	}
	t.Log(text)
}
