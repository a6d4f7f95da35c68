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
async function fill() {
  const megabytes = new Blob([new Uint8Array(40 << 20)]);
  const cache = await caches.open('x');
  let n = 0;
  try {
    for (; n < 8; n++) await cache.put('/' + n, new Response(megabytes));
  } catch (e) {
    p.textContent = 'stored ' + n * 40 + ' MB, then ' + e.name;
    return;
  }
  p.textContent = 'stored ' + n * 40 + ' MB';
}
setTimeout(fill, 100);
</script>`
	inner := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, script)
	}))
	t.Cleanup(inner.Close)
	outer := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, `<iframe src="%s/" width=400 height=100></iframe>%s`, inner.URL, script)
	}))
	t.Cleanup(outer.Close)
	p := poolWith(t, func(o *Options) { o.SettleTimeout = 10 * time.Second })
	text := ""
	for range 10 { // a busy machine may not have written it all at the time of the capture
		s, err := p.Render(t.Context(), Request{URL: outer.URL + "/"})
		if err != nil {
			t.Fatal(err)
		}
		if text = seenText(s); !strings.Contains(text, "nothing\n") {
			break
		}
	}
	if strings.Count(text, "QuotaExceededError") != 2 || strings.Contains(text, "stored 320 MB") {
		t.Errorf("the page says %q", text)
	}
	t.Log(text)
}
