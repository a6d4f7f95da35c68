package browser

import (
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"plat/browser/cookies"
)

func TestPagesBeginWithTheirCookies(t *testing.T) {
	t.Parallel()
	var h heard
	srv := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.note(r)
		_, port, _ := net.SplitHostPort(r.Host)
		w.Header().Set("Cache-Control", "no-store")
		switch r.URL.Path {
		case "/", "/other":
			w.Header().Set("Content-Type", "text/html")
			http.SetCookie(w, &http.Cookie{Name: "left", Value: "by " + r.URL.Path})
			fmt.Fprintf(w, `<p>seen: <script>document.write(document.cookie)</script><img src="http://sub.a.localhost:%[1]s/image"><img src="http://other.localhost:%[1]s/image">`, port)
		}
	}))
	p := poolWith(t, func(o *Options) {
		o.Tabs = 1
		o.Cookies = []cookies.Cookie{
			{Name: "host", Value: "1", Host: "www.a.localhost", Path: "/"},
			{Name: "all", Value: "2", Host: "a.localhost", Subdomains: true, Path: "/"},
			{Name: "alone", Value: "3", Host: "a.localhost", Path: "/"},
			{Name: "script", Value: "4", Host: "www.a.localhost", Path: "/", HTTPOnly: true, Expires: time.Now().Add(time.Hour)},
			{Name: "deep", Value: "5", Host: "www.a.localhost", Path: "/deep"},
			{Name: "lax", Value: "6", Host: "other.localhost", Path: "/"},
		}
	})
	at := strings.Replace(srv.URL, "127.0.0.1", "www.a.localhost", 1)
	for i, path := range []string{"/", "/other", "/", "/other"} { // the last in a tab that was cleared
		h.forget()
		text := seenText(render(t, p, at+path))
		own := h.of(at + path).Get("Cookie")
		if own != "host=1; all=2; script=4" && own != "all=2; host=1; script=4" {
			t.Errorf("visit %d: the page was asked for with %q", i, own)
		}
		if !strings.Contains(text, "host=1") || !strings.Contains(text, "all=2") || strings.Contains(text, "script=4") {
			t.Errorf("visit %d: its scripts see %q", i, text)
		}
		if got := h.of(strings.Replace(at, "www.", "sub.", 1) + "/image").Get("Cookie"); got != "all=2" {
			t.Errorf("visit %d: its subdomain was sent %q", i, got)
		}
		if got := h.of(strings.Replace(at, "www.a.", "other.", 1) + "/image"); got == nil || got.Get("Cookie") != "" {
			t.Errorf("visit %d: another site was sent %v", i, got)
		}
	}
	if got := func() string {
		h.forget()
		render(t, p, strings.Replace(at, "www.a.", "other.", 1)+"/")
		return h.of(strings.Replace(at, "www.a.", "other.", 1) + "/").Get("Cookie")
	}(); got != "lax=6" {
		t.Errorf("as a page of its own the other site was sent %q", got)
	}
}

// Chrome accepts every cookie that the parser accepts: one rejected cookie would keep tabs from
// opening.
func TestChromeTakesWhatIsReadFromAFile(t *testing.T) {
	t.Parallel()
	f, err := cookies.Parse([]byte(strings.ReplaceAll(`.a.localhost TRUE / TRUE 253402300799999 far x
.a.localhost TRUE / FALSE 0 empty
a.localhost FALSE / TRUE 0 __Host-x x
.a.localhost TRUE /x?y TRUE 0 __Secure-x "x,~y"
.localhost TRUE / FALSE 0 x x
.github.io TRUE / FALSE 0 x x
.[::1] TRUE / FALSE 0 x x
a_b.test FALSE / FALSE 0 ä é=€
`, " ", "\t")+"a.test\tFALSE\t/\tFALSE\t0\tlong\t"+strings.Repeat("x", 4092)+"\na.test\tFALSE\t/"+strings.Repeat("x", 1023)+"\tFALSE\t0\tlong\t\n"), time.Now())
	if err != nil || len(f.Cookies) != 10 {
		t.Fatalf("%v, %v", f, err)
	}
	for i := range f.Cookies {
		f.Cookies[i].SameSite = [...]cookies.SameSite{cookies.Unspecified, cookies.Lax, cookies.Strict}[i%3]
	}
	srv := site(t, map[string]string{"/": "<p>there"})
	render(t, poolWith(t, func(o *Options) { o.Cookies = f.Cookies }), srv.URL+"/")
}
