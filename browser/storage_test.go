package browser

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// A page, and a frame of a different origin in it, may store little: a tab's data lies in memory or
// on the disk of a machine with many tabs.
func TestAPageMayStoreLittle(t *testing.T) {
	t.Parallel()
	const script = `<p id=p>nothing</p><script>
let known = false;
(async () => { while (!known) await fetch('/tick'); })(); // the page is not captured before, and its time passes
async function store(megabytes) {
  const eight = new Blob([new Uint8Array(8 << 20)]);
  try {
    const cache = await caches.open('x');
    await cache.put('/' + megabytes, new Response(new Blob(Array(megabytes / 8).fill(eight))));
    return 'stored ' + megabytes + ' MB';
  } catch (e) {
    return e.name + ' at ' + megabytes + ' MB';
  }
}
async function fill() {
  const little = await store(8);
  let much;
  for (let i = 0; i < 3; i++) { // the first may be stored before the limit is set
    much = await store(80);
    if (much.startsWith('Quota')) break;
  }
  p.textContent = little + ', ' + much;
  known = true;
}
fill();
</script>`
	serve := func(page string) string {
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/tick" {
				time.Sleep(50 * time.Millisecond)
				return
			}
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, page)
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
	if want := "stored 8 MB, QuotaExceededError at 80 MB"; strings.Count(text, want) != 2 {
		t.Errorf("the page says %q, want twice %q", text, want)
	}
}
