package revalidate

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"plat/browser/cookies"
	"plat/browser/origin"
	"plat/fixtures/freeport"
	"plat/plat"
)

// site counts the requests it gets.
type site struct {
	*httptest.Server
	mu     sync.Mutex
	asked  map[string]int
	last   map[string]http.Header
	answer map[string]http.HandlerFunc
}

func newSite(t *testing.T) *site {
	s := &site{asked: map[string]int{}, last: map[string]http.Header{}, answer: map[string]http.HandlerFunc{}}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.asked[r.URL.Path]++
		s.last[r.URL.Path] = r.Header.Clone()
		h := s.answer[r.URL.Path]
		s.mu.Unlock()
		if h == nil {
			tag := `"` + r.URL.Path + `"`
			w.Header().Set("ETag", tag)
			w.Header().Set("Content-Type", "text/html")
			if r.Header.Get("If-None-Match") == tag {
				w.WriteHeader(http.StatusNotModified)
				return
			}
			fmt.Fprint(w, "<p>words of ", r.URL.Path)
			return
		}
		h(w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *site) on(path string, h http.HandlerFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answer[path] = h
}

func (s *site) count(path string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked[path]
}

func (s *site) header(path string) http.Header {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.last[path]
}

// page returns the state of a page of a site with loads, all with entity tags.
func (s *site) page(path string, kind plat.LoadKind, loads ...string) *State {
	st := &State{Version: 1, Inert: true, Sourced: true, Chain: ChainMark(nil, s.URL+path), Document: tagged("", path)}
	for _, l := range loads {
		r := tagged(s.URL+l, l)
		r.Kind = kind
		st.Loads = append(st.Loads, r)
	}
	// As read from the archive.
	again, err := Decode(st.Encode())
	if err != nil {
		panic(err)
	}
	return again
}

func tagged(url, tag string) Resource {
	_, r := Resource{URL: url}.Compare(Answer{Status: 200, Header: http.Header{"Etag": {`"` + tag + `"`}}})
	return r
}

func client() *http.Client {
	return &http.Client{Transport: &http.Transport{}, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

func (s *site) check(t *testing.T, c *Checker, path string, st *State, last time.Time) *Findings {
	t.Helper()
	f, err := c.Check(t.Context(), s.URL+path, st, last)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestPagesOfASiteShareAnswers(t *testing.T) {
	s := newSite(t)
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	c := NewChecker(client(), Options{Now: func() time.Time { return now }})
	last := now.Add(-time.Hour)
	for i := range 5 {
		path := fmt.Sprint("/page", i)
		if f := s.check(t, c, path, s.page(path, plat.LoadStyle, "/a.css"), last); f.Verdict != Same {
			t.Fatalf("%s: %+v", path, f)
		}
	}
	if n := s.count("/a.css"); n != 1 {
		t.Errorf("for five pages the style sheet was asked for %d times", n)
	}
	// A page's own visit leaves no shared answer for its next one.
	now = now.Add(time.Second)
	s.check(t, c, "/page0", s.page("/page0", plat.LoadStyle, "/a.css"), now.Add(-time.Second))
	if n := s.count("/a.css"); n != 2 {
		t.Errorf("on its next visit a page had the answer of the last: %d questions", n)
	}
	now = now.Add(3 * time.Minute)
	s.check(t, c, "/page9", s.page("/page9", plat.LoadStyle, "/a.css"), last)
	if n := s.count("/a.css"); n != 3 {
		t.Errorf("after three minutes an answer still stands: %d questions", n)
	}
	for i := range 2 {
		path := fmt.Sprint("/data", i)
		s.check(t, c, path, s.page(path, plat.LoadData, "/a.json"), last)
	}
	if n := s.count("/a.json"); n != 2 {
		t.Errorf("two pages asked %d times for data", n)
	}
}

func TestAnAnswerWithoutTheNeededValidatorIsNotShared(t *testing.T) {
	s := newSite(t)
	c := NewChecker(client(), Options{})
	last := time.Now().Add(-time.Hour)
	s.check(t, c, "/one", s.page("/one", plat.LoadStyle, "/a.css"), last) // 304: its body is unknown
	st := s.page("/two", plat.LoadStyle, "/a.css")
	st.Loads[0].By, st.Loads[0].ETag, st.Loads[0].Mark = ByBody, "", MarkOf("not this body")
	if f := s.check(t, c, "/two", st, last); f.Verdict != Other || s.count("/a.css") != 2 {
		t.Errorf("%+v after %d questions", f, s.count("/a.css"))
	}
}

func TestAFailingHostIsNotAskedAgain(t *testing.T) {
	s := newSite(t)
	away := "http://" + freeport.Unused(t)
	now := time.Now()
	var dials atomic.Int64
	hc := client()
	hc.Transport = roundTrip(func(r *http.Request) (*http.Response, error) {
		if strings.HasPrefix(r.URL.String(), away) {
			dials.Add(1)
		}
		return http.DefaultTransport.RoundTrip(r)
	})
	c := NewChecker(hc, Options{Now: func() time.Time { return now }})
	st := s.page("/", plat.LoadStyle)
	for _, name := range []string{"/a.js", "/b.js"} {
		_, failed := Resource{URL: away + name}.Compare(Answer{})
		st.Loads = append(st.Loads, failed)
	}
	for range 3 {
		if f := s.check(t, c, "/", st, now); f.Verdict != Same {
			t.Errorf("what failed fails again, and that is %+v", f)
		}
	}
	if n := dials.Load(); n > 2 { // both requests of the first check may run concurrently
		t.Errorf("an unreachable host was tried %d times", n)
	}
	was := dials.Load()
	now = now.Add(failedFor + time.Second)
	s.check(t, c, "/", st, now)
	if dials.Load() == was {
		t.Error("it is never tried again")
	}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestFreshLoadsAreNotRequested(t *testing.T) {
	s := newSite(t)
	now := time.Now()
	c := NewChecker(client(), Options{Now: func() time.Time { return now }})
	st := s.page("/", plat.LoadStyle, "/a.css", "/b.css")
	st.Loads[0].Fresh = now.Add(time.Minute)
	f := s.check(t, c, "/", st, now)
	if f.Verdict != Same || len(f.Loads) != 2 || s.count("/a.css") != 0 || s.count("/b.css") != 1 {
		t.Errorf("%+v, with %d and %d questions", f, s.count("/a.css"), s.count("/b.css"))
	}
	now = now.Add(2 * time.Minute)
	s.check(t, c, "/", st, now)
	if s.count("/a.css") != 1 {
		t.Error("a stale load is not requested")
	}
}

func TestRedirectsMustBeTheSame(t *testing.T) {
	s := newSite(t)
	status, to, cookie := http.StatusFound, "/end", ""
	s.answer["/start"] = func(w http.ResponseWriter, r *http.Request) {
		if cookie != "" {
			w.Header().Set("Set-Cookie", cookie)
		}
		w.Header().Set("Location", to)
		w.WriteHeader(status)
	}
	s.on("/loop", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/loop", http.StatusFound) })
	c := NewChecker(client(), Options{})
	st := s.page("/end", plat.LoadStyle)
	st.Chain = ChainMark([]plat.Redirect{{URL: s.URL + "/start", Status: 302}}, s.URL+"/end")
	check := func(why string, want Verdict) {
		t.Helper()
		if f := s.check(t, c, "/start", st, time.Now()); f.Verdict != want {
			t.Errorf("%s: verdict %d, want %d", why, f.Verdict, want)
		}
	}
	check("as before", Same)
	to = s.URL + "/end#part"
	check("with a fragment", Same)
	status = http.StatusMovedPermanently
	check("another status", Other)
	status, to = http.StatusFound, "/other"
	check("another target", Other)
	to, cookie = "/end", "wall=1"
	check("a cookie on the way", Other)
	to, cookie = "file:///etc/passwd", ""
	check("to a file", Other)
	to = "/loop"
	check("in circles", Other)
	if n := s.count("/loop"); n > maxHops+1 {
		t.Errorf("%d hops were followed", n)
	}
}

func TestSecretsGoToTheirHostsOnly(t *testing.T) {
	s, other := newSite(t), newSite(t)
	wants := func(w http.ResponseWriter, r *http.Request) {
		if _, _, ok := r.BasicAuth(); !ok {
			w.Header().Set("WWW-Authenticate", `Basic realm="x"`)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		w.Header().Set("ETag", `"/"`)
	}
	s.on("/", wants)
	other.on("/a.css", wants)
	s.on("/own.css", func(w http.ResponseWriter, r *http.Request) { wants(w, r); w.Header().Set("ETag", `"/own.css"`) })
	s.on("/members.css", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("WWW-Authenticate", `Basic realm="members"`)
		w.WriteHeader(http.StatusUnauthorized)
	})
	c := NewChecker(client(), Options{UserAgent: "browser", Language: "de-DE,de,en", Header: http.Header{"X-Key": {"a", "b"}}, Auth: map[origin.Server]Login{server(t, s): {"user", "secret"}}})
	st := s.page("/", plat.LoadStyle, "/own.css", "/members.css")
	st.Loads[1].By, st.Loads[1].Mark = ByFailure, Mark{}
	if f := s.check(t, c, "/", st, time.Now()); f.Verdict != Other {
		t.Errorf("%+v", f)
	}
	// Alone, since requests after a difference are optional.
	r := tagged(other.URL+"/a.css", "/a.css")
	r.Kind = plat.LoadStyle
	st = s.page("/", plat.LoadStyle)
	st.Loads = append(st.Loads, r)
	if f := s.check(t, c, "/", st, time.Now()); f.Verdict != Other {
		t.Errorf("%+v", f)
	}
	if u, p, _ := (&http.Request{Header: s.header("/")}).BasicAuth(); u != "user" || p != "secret" {
		t.Errorf("its host was told %q, %q", u, p)
	}
	if u, _, _ := (&http.Request{Header: s.header("/own.css")}).BasicAuth(); u != "user" {
		t.Errorf("what the page loads from its own origin was told %q", u)
	}
	if u, _, ok := (&http.Request{Header: s.header("/members.css")}).BasicAuth(); ok || s.count("/members.css") != 1 {
		t.Errorf("another realm was told %q, in %d requests", u, s.count("/members.css"))
	}
	h := other.header("/a.css")
	if h == nil || h.Get("Authorization") != "" {
		t.Errorf("another host was told %q", h.Get("Authorization"))
	}
	if got := s.header("/").Get("X-Key"); got != "a, b" {
		t.Errorf("its own site was told %q", got)
	}
	for name, want := range map[string]string{"User-Agent": "browser", "Accept-Language": "de-DE,de;q=0.9,en;q=0.8", "X-Key": "", "Accept": "text/css,*/*;q=0.1", "Referer": s.URL + "/"} {
		if got := h.Get(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	if n := other.count("/a.css"); n != 1 {
		t.Errorf("a host without credentials got %d requests", n)
	}
}

func server(t *testing.T, s *site) origin.Server {
	t.Helper()
	of, err := origin.ParseServer(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	return of
}

// A visit to a page of a different site must not spend its password.
func TestAPasswordIsNotSpentByOtherSites(t *testing.T) {
	s, other := newSite(t), newSite(t)
	for _, path := range []string{"/", "/a.css"} {
		s.on(path, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("WWW-Authenticate", `Basic realm="x"`)
			w.WriteHeader(http.StatusUnauthorized)
		})
	}
	other.on("/away", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, s.URL+"/", http.StatusFound) })
	c := NewChecker(client(), Options{Auth: map[origin.Server]Login{server(t, s): {"user", "secret"}}})
	other.check(t, c, "/away", other.page("/away", plat.LoadStyle), time.Now())
	st := other.page("/page", plat.LoadStyle)
	st.Loads = append(st.Loads, tagged(s.URL+"/a.css", "/a.css"))
	other.check(t, c, "/page", st, time.Now())
	for _, path := range []string{"/", "/a.css"} {
		if h := s.header(path); h == nil || h.Get("Authorization") != "" || s.count(path) != 1 {
			t.Errorf("%s was told %v, in %d requests", path, h, s.count(path))
		}
	}
	s.check(t, c, "/", s.page("/", plat.LoadStyle), time.Now())
	if h := s.header("/"); h.Get("Authorization") == "" {
		t.Errorf("the page itself was told %v", h)
	}
}

func TestRedirectsToOtherSitesAreNotToldTheHeader(t *testing.T) {
	s, other := newSite(t), newSite(t)
	s.on("/", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/next", http.StatusFound) })
	s.on("/next", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, other.URL+"/end", http.StatusFound) })
	for _, everywhere := range []bool{false, true} {
		c := NewChecker(client(), Options{Header: http.Header{"Cookie": {"sid=1", "b=2"}}, HeaderEverywhere: everywhere})
		s.check(t, c, "/", s.page("/", plat.LoadStyle), time.Now())
		if got := s.header("/next").Get("Cookie"); got != "sid=1; b=2" {
			t.Errorf("the site's own redirect was told %q", got)
		}
		if got := other.header("/end"); got == nil || (got.Get("Cookie") == "sid=1; b=2") != everywhere {
			t.Errorf("everywhere %t: another site was told %v", everywhere, got)
		}
	}
}

// A site may serve different versions of a style sheet to its own pages and to pages of other
// sites.
func TestAnswersWithAndWithoutTheHeaderAreApart(t *testing.T) {
	s, other := newSite(t), newSite(t)
	s.on("/a.css", func(w http.ResponseWriter, r *http.Request) { w.Header().Set("ETag", `"`+r.Header.Get("X-Key")+`"`) })
	state := func(of *site, path, tag string) *State {
		st := of.page(path, plat.LoadStyle)
		r := tagged(s.URL+"/a.css", tag)
		r.Kind = plat.LoadStyle
		st.Loads = append(st.Loads, r)
		return st
	}
	c := NewChecker(client(), Options{Header: http.Header{"X-Key": {"member"}}})
	last := time.Now().Add(-time.Hour)
	for i, from := range []*site{s, other, s, other} {
		tag := ""
		if from == s {
			tag = "member"
		}
		path := fmt.Sprint("/", i)
		if f := from.check(t, c, path, state(from, path, tag), last); f.Verdict != Same {
			t.Errorf("page %d: %+v", i, f)
		}
	}
	if n := s.count("/a.css"); n != 2 {
		t.Errorf("the style sheet was asked for %d times, want once with the header and once without", n)
	}
}

func TestCookiesAreSentWhereTheBrowserSendsThem(t *testing.T) {
	s, other := newSite(t), newSite(t)
	away := strings.Replace(other.URL, "127.0.0.1", "localhost", 1)
	s.on("/", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, away+"/page", http.StatusFound) })
	c := NewChecker(client(), Options{Header: http.Header{"Cookie": {"sid=given; h=1"}}, Cookies: []cookies.Cookie{
		{Name: "sid", Value: "1", Host: "127.0.0.1", Path: "/"}, {Name: "there", Value: "2", Host: "localhost", Path: "/"}, {Name: "deep", Value: "3", Host: "localhost", Path: "/css"},
	}})
	st := s.page("/", plat.LoadStyle, "/a.css")
	st.Chain = ChainMark([]plat.Redirect{{URL: s.URL + "/", Status: 302}}, away+"/page")
	st.Document = tagged("", "/page")
	r := tagged(away+"/css", "/css")
	r.Kind = plat.LoadStyle
	st.Loads = append(st.Loads, r)
	if f := s.check(t, c, "/", st, time.Now()); f.Verdict != Same {
		t.Errorf("%+v", f)
	}
	// A page of a different site loads the style sheet: without cookies of its own, and --header is
	// only for the requested site.
	for at, want := range map[string]string{"/": "sid=1; h=1", "/a.css": "sid=given; h=1"} {
		if got := s.header(at).Get("Cookie"); got != want {
			t.Errorf("with %s went %q, want %q", at, got, want)
		}
	}
	for at, want := range map[string]string{"/page": "there=2", "/css": "deep=3; there=2"} {
		if got := other.header(at).Get("Cookie"); got != want {
			t.Errorf("with %s went %q, want %q", at, got, want)
		}
	}
}

func TestAnswersWithAndWithoutCookiesAreApart(t *testing.T) {
	s := newSite(t)
	s.on("/a.css", func(w http.ResponseWriter, r *http.Request) { w.Header().Set("ETag", `"`+r.Header.Get("Cookie")+`"`) })
	c := NewChecker(client(), Options{Cookies: []cookies.Cookie{{Name: "sid", Value: "1", Host: "127.0.0.1", Path: "/"}}})
	last := time.Now().Add(-time.Hour)
	for i, from := range []string{s.URL, strings.Replace(s.URL, "127.0.0.1", "localhost", 1), s.URL, strings.Replace(s.URL, "127.0.0.1", "localhost", 1)} {
		path, tag := fmt.Sprint("/", i), "sid=1"
		if from != s.URL {
			tag = ""
		}
		st := s.page(path, plat.LoadStyle)
		st.Chain = ChainMark(nil, from+path)
		r := tagged(s.URL+"/a.css", tag)
		r.Kind = plat.LoadStyle
		st.Loads = append(st.Loads, r)
		if f, err := c.Check(t.Context(), from+path, st, last); err != nil || f.Verdict != Same {
			t.Errorf("page %d: %+v, %v", i, f, err)
		}
	}
	if n := s.count("/a.css"); n != 2 {
		t.Errorf("the style sheet was asked for %d times, want once with the cookie and once without", n)
	}
}

func TestEndlessAnswersAreCutOff(t *testing.T) {
	s := newSite(t)
	s.answer["/large"] = func(w http.ResponseWriter, r *http.Request) {
		for {
			if _, err := w.Write(make([]byte, 1<<10)); err != nil {
				return
			}
		}
	}
	s.on("/slow", func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	for _, path := range []string{"/large", "/slow"} {
		c := NewChecker(client(), Options{MaxBytes: 64 << 10, Timeout: 300 * time.Millisecond})
		if f := s.check(t, c, path, s.page(path, plat.LoadStyle), time.Now()); f.Verdict != Other {
			t.Errorf("%s as the document: %+v", path, f)
		}
		c = NewChecker(client(), Options{MaxBytes: 64 << 10, Timeout: 300 * time.Millisecond})
		if f := s.check(t, c, "/", s.page("/", plat.LoadData, "/x", path), time.Now()); f.Verdict != Other {
			t.Errorf("%s as a load: %+v", path, f)
		}
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	left := errors.New("leaving")
	s.on("/leave", func(w http.ResponseWriter, r *http.Request) { cancel(left); <-r.Context().Done() })
	if _, err := NewChecker(client(), Options{}).Check(ctx, s.URL+"/leave", s.page("/leave", plat.LoadStyle), time.Now()); !errors.Is(err, left) {
		t.Errorf("a cancelled check: %v, want %v", err, left)
	}
}

func TestTheFirstDifferenceEndsTheCheck(t *testing.T) {
	s := newSite(t)
	st := s.page("/", plat.LoadStyle, "/a.css")
	st.Document = tagged("", "/before")
	if f := s.check(t, NewChecker(client(), Options{}), "/", st, time.Now()); f.Verdict != Other || s.count("/a.css") != 0 {
		t.Errorf("%+v, and %d questions for the style sheet", f, s.count("/a.css"))
	}
}
