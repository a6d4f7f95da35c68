package browser

import (
	"bufio"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"plat/plat"
)

// cutSite serves the beginning of a page: /length/TENTHS declares the full length, /chunked/TENTHS
// uses chunks. /image is complete, with an incomplete image.
func cutSite() http.Handler {
	var page strings.Builder
	page.WriteString("<!doctype html><title>t</title><h1>News</h1>")
	for i := range 40 {
		fmt.Fprintf(&page, "<p>Paragraph %d is about something that a reader would miss.", i)
	}
	body := page.String()
	send := func(w http.ResponseWriter, head, part string) {
		c, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			return
		}
		defer c.Close()
		b := bufio.NewWriter(c)
		fmt.Fprintf(b, "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n%s\r\n\r\n%s", head, part)
		b.Flush()
	}
	part := func(r *http.Request) string {
		n, _ := strconv.Atoi(r.PathValue("tenths"))
		return body[:n*len(body)/10]
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /length/{tenths}", func(w http.ResponseWriter, r *http.Request) {
		send(w, fmt.Sprint("Content-Length: ", len(body)), part(r))
	})
	mux.HandleFunc("GET /chunked/{tenths}", func(w http.ResponseWriter, r *http.Request) {
		p := part(r)
		end := ""
		if len(p) == len(body) {
			end = "0\r\n\r\n"
		}
		send(w, "Transfer-Encoding: chunked", fmt.Sprintf("%x\r\n%s\r\n%s", len(p), p, end))
	})
	mux.HandleFunc("GET /image", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `<!doctype html><title>t</title><p>text<img src="/length/3">`)
	})
	mux.HandleFunc("GET /leads", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `<!doctype html><title>t</title><script>location = "/length/5"</script>`)
	})
	return mux
}

// A truncated page is not stored as a version: the missing part would count as removed.
func TestAPageThatIsCutOffIsAFailure(t *testing.T) {
	t.Parallel()
	p := poolWith(t, func(o *Options) {
		o.Flags, o.Tabs = []string{"--ignore-certificate-errors"}, 4
	})
	plain := serve(t, cutSite())
	secure := httptest.NewTLSServer(cutSite())
	t.Cleanup(secure.Close)
	cut := map[string]bool{"/image": false, "/length/10": false, "/chunked/10": false, "/leads": true}
	for tenths := 1; tenths < 10; tenths++ {
		cut[fmt.Sprint("/length/", tenths)] = true
		cut[fmt.Sprint("/chunked/", tenths)] = true
	}
	for _, site := range []string{plain.URL, secure.URL} {
		for path, is := range cut {
			t.Run(strings.Split(site, ":")[0]+path, func(t *testing.T) {
				t.Parallel()
				s, err := p.Render(t.Context(), Request{URL: site + path})
				var v *plat.VisitError
				switch {
				case !is && err != nil:
					t.Error(err)
				case is && !errors.As(err, &v):
					t.Errorf("%v, a page of %d nodes; want none", err, len(s.Nodes))
				case is && (v.Outcome != plat.OutcomeCut || !v.Retry):
					t.Errorf("%s, tried again: %t: %v", v.Outcome, v.Retry, err)
				}
			})
		}
	}
}
