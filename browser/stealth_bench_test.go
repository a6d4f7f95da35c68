package browser

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"testing"

	"github.com/go-rod/stealth"

	"plat/plat"
)

// BenchmarkFirstScript measures the cost per document of the script that runs before a page's own:
// a page makes 400 empty frames, one after the other, and reads the clock around the script. It
// takes the lower quartile of a page, and the minimum of all pages, since other load on the machine
// only adds time. Without stealth there are only the mask and the hooks; go-rod is the script of
// go-rod/stealth alone. Run it with
//
//	go test ./browser -run '^$' -bench FirstScript -benchtime 10x
//
// On 2 cores (AMD EPYC, headless shell 156, busy): 1.0 ms without a script, most of it
// the window itself, 1.1 without stealth, 1.7 with it, 4.6 with go-rod/stealth alone.
func BenchmarkFirstScript(b *testing.B) {
	for _, kind := range []struct {
		name   string
		change func(*Options)
	}{
		{"script=none", func(o *Options) { o.NoStealth, o.script = true, ";" }},
		{"script=without-stealth", func(o *Options) { o.NoStealth = true }},
		{"script=stealth", func(*Options) {}},
		{"script=go-rod", func(o *Options) { o.NoStealth, o.script = true, stealth.JS }},
	} {
		b.Run(kind.name, func(b *testing.B) {
			told := make(chan float64, 1)
			mux := http.NewServeMux()
			mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "text/html")
				w.Header().Set("Cross-Origin-Opener-Policy", "same-origin") // for a clock of 5 µs
				w.Header().Set("Cross-Origin-Embedder-Policy", "require-corp")
				fmt.Fprint(w, `<!doctype html><body><script>
const all = [];
for (let i = 0; i < 400; i++) {
  const f = document.createElement('iframe');
  document.body.append(f);
  const began = performance.now();
  f.contentWindow.name;
  all.push(performance.now() - began);
  f.remove();
}
all.sort((a, b) => a - b);
fetch('/told?' + all[100]);
</script>`)
			})
			mux.HandleFunc("GET /told", func(_ http.ResponseWriter, r *http.Request) {
				ms, err := strconv.ParseFloat(r.URL.RawQuery, 64)
				if err != nil {
					b.Error(err)
				}
				told <- ms
			})
			srv := serve(b, mux)
			p := poolWith(b, func(o *Options) { o.Tabs, o.NoReuse = 1, true; kind.change(o) })
			least := math.Inf(1)
			for b.Loop() {
				_, err := p.Render(b.Context(), Request{URL: srv.URL + "/", inspect: func(ctx context.Context, _ *visit, _ *plat.Snapshot) error {
					select {
					case ms := <-told:
						least = min(least, ms)
						return nil
					case <-ctx.Done():
						return context.Cause(ctx)
					}
				}})
				if err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(least*1000, "µs/document")
			b.ReportMetric(0, "ns/op")
		})
	}
}
