package browser

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"plat/browser/steps"
	"plat/plat"
)

// account is a site with a login: a cookie and an entry of the local storage identify
// the user.
type account struct {
	password   string
	valid      atomic.Int64 // the number that cookies must have
	logins     atomic.Int64 // accepted logins
	attempts   atomic.Int64
	withCookie sync.Map // hosts that saw the cookie
	changed    atomic.Bool
}

func (a *account) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	host, _, _ := strings.Cut(r.Host, ":")
	c, err := r.Cookie("sid")
	if err == nil {
		a.withCookie.Store(host, c.Value)
	}
	in := err == nil && c.Value == fmt.Sprint("session-", a.valid.Load())
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	switch {
	case r.URL.Path == "/login" && r.Method == http.MethodPost:
		a.attempts.Add(1)
		if r.PostFormValue("user") != "anna" || r.PostFormValue("password") != a.password {
			fmt.Fprint(w, `<title>Wrong</title><p>Wrong user or password</p>`)
			return
		}
		a.logins.Add(1)
		http.SetCookie(w, &http.Cookie{Name: "sid", Value: fmt.Sprint("session-", a.valid.Add(1)), Path: "/", HttpOnly: true, MaxAge: 3600})
		http.SetCookie(w, &http.Cookie{Name: "hint", Value: "1", Path: "/"})
		fmt.Fprint(w, `<script>localStorage.setItem('who', 'anna'); location = '/'</script>`)
	case r.URL.Path == "/login":
		if a.changed.Load() {
			fmt.Fprint(w, `<form method=post><input name=email><input name=password type=password><button>In</button></form>`)
			return
		}
		fmt.Fprint(w, `<title>Login</title><form method=post action=/login><input id=user name=user><input id=password name=password type=password><button>In</button></form>`)
	case in:
		fmt.Fprint(w, `<title>Members</title><a id=out href=/out>Leave</a><p>For members only, the news of today.</p><p id=who></p><script>who.textContent = 'stored ' + localStorage.getItem('who')</script>`)
	default:
		fmt.Fprint(w, `<title>Teaser</title><p>Please log in.</p>`)
	}
}

const membership = `
rules:
  - name: members
    match: HOST/*
    session:
      name: paper
      check: {present: "#out"}
      login:
        - goto: http://HOST/login
        - fill: {selector: "#user", value: "anna", timeout: 10s}
        - fill: {selector: "#password", value: "${env:PASSWORD}"}
        - click: button
`

// vault is a store of sessions in memory.
type vault struct {
	mu   sync.Mutex
	kept map[string]*steps.Kept
	err  error
}

func (v *vault) Load(name string) (*steps.Kept, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.kept[name], v.err
}

func (v *vault) Save(name string, k *steps.Kept) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.kept == nil {
		v.kept = map[string]*steps.Kept{}
	}
	v.kept[name] = k
	return v.err
}

// members is a pool that logs in to an account's site.
func members(t *testing.T, url string, store SessionStore, password string, tabs int) *Pool {
	t.Helper()
	return poolWith(t, func(o *Options) {
		o.Tabs = tabs
		o.Steps = rules(t, url, membership)
		o.Secret = secrets(map[string]string{"PASSWORD": password})
		o.Sessions = store
	})
}

func TestALoginIsKeptAndRenewed(t *testing.T) {
	t.Parallel()
	a := &account{password: "very secret"}
	srv := serve(t, a)
	store := &vault{}
	p := members(t, srv.URL, store, "very secret", 1)
	visit := func(p *Pool, want string, logins int64) {
		t.Helper()
		s, err := p.Render(t.Context(), Request{URL: srv.URL + "/news"})
		if err != nil {
			t.Fatal(err)
		}
		text := seenText(s)
		if s.Title != "Members" || !strings.Contains(text, "For members only") || !strings.Contains(text, "stored anna") {
			t.Errorf("%s: the page is %q:\n%s", want, s.Title, text)
		}
		if s.FinalURL != srv.URL+"/news" || len(s.Redirects) != 0 || s.Steps.IsZero() || s.Settled.Short() {
			t.Errorf("%s: final URL %q, redirects %v, steps %v, unsettled %t", want, s.FinalURL, s.Redirects, s.Steps, s.Settled.Short())
		}
		if n := a.logins.Load(); n != logins {
			t.Errorf("%s: %d logins, want %d", want, n, logins)
		}
	}
	visit(p, "first visit", 1)
	visit(p, "the session is kept in the pool", 1)
	visit(members(t, srv.URL, store, "very secret", 1), "and in the store", 1)
	a.valid.Add(7) // the site has forgotten the session
	visit(p, "it is renewed when it has expired", 2)
	k := store.kept["paper"]
	if k == nil || len(k.Cookies) != 2 || k.Storage[srv.URL]["who"] != "anna" || k.Session != p.o.Steps.Rules[0].Session.Hash() {
		t.Errorf("kept is %+v", k)
	}
	for _, c := range k.Cookies {
		if c.Name == "sid" && (c.Expires.IsZero() || !c.HTTPOnly || c.Domain != "127.0.0.1") || c.Name == "hint" && !c.Expires.IsZero() {
			t.Errorf("cookie %+v", c)
		}
	}
	if text := fmt.Sprintf("%+v", k); strings.Contains(text, "very secret") {
		t.Errorf("the password is kept: %s", text)
	}
}

func TestAWrongPasswordIsTriedOnce(t *testing.T) {
	t.Parallel()
	a := &account{password: "right"}
	srv := serve(t, a)
	store := &vault{}
	p := members(t, srv.URL, store, "wrong one", 2)
	for i := range 4 {
		s, err := p.Render(t.Context(), Request{URL: fmt.Sprintf("%s/%d", srv.URL, i)})
		var v *plat.VisitError
		if !errors.As(err, &v) || v.Outcome != plat.OutcomeLoginFailed || v.Retry || s != nil {
			t.Fatalf("error %v, want login-failed", err)
		}
		if strings.Contains(v.Error(), "wrong one") || !strings.Contains(v.Error(), `session "paper"`) {
			t.Errorf("error %v", v)
		}
		if (v.Picture != nil) != (i == 0) {
			t.Errorf("visit %d has a picture: %t", i, v.Picture != nil)
		}
	}
	if n := a.attempts.Load(); n != 1 {
		t.Errorf("the password was tried %d times", n)
	}
	if store.kept["paper"] != nil {
		t.Errorf("kept is %+v", store.kept["paper"])
	}
}

func TestAChangedLoginPageIsNamed(t *testing.T) {
	t.Parallel()
	a := &account{password: "right"}
	a.changed.Store(true)
	srv := serve(t, a)
	p := poolWith(t, func(o *Options) {
		o.Steps = rules(t, srv.URL, strings.Replace(membership, "timeout: 10s", "timeout: 1s", 1))
		o.Secret = secrets(map[string]string{"PASSWORD": "right"})
	})
	_, err := p.Render(t.Context(), Request{URL: srv.URL + "/"})
	var v *plat.VisitError
	if !errors.As(err, &v) || v.Outcome != plat.OutcomeLoginFailed || !strings.Contains(v.Error(), `rule "members": login step 2 (line 10), fill "#user": no element matched within 1s`) || v.Picture == nil {
		t.Errorf("error %v", err)
	}
}

func TestPagesThatAreLoggedOutAtOnceLogInOnce(t *testing.T) {
	t.Parallel()
	a := &account{password: "right"}
	srv := serve(t, a)
	p := members(t, srv.URL, nil, "right", 3)
	var work sync.WaitGroup
	for i := range 6 {
		work.Go(func() {
			s, err := p.Render(t.Context(), Request{URL: fmt.Sprintf("%s/%d", srv.URL, i)})
			if err != nil || s.Title != "Members" {
				t.Errorf("page %d: %v, %v", i, s, err)
			}
		})
	}
	work.Wait()
	if n := a.logins.Load(); n != 1 {
		t.Errorf("%d logins, %d attempts", n, a.attempts.Load())
	}
}

func TestASessionGoesToNoOtherHost(t *testing.T) {
	t.Parallel()
	a := &account{password: "right"}
	srv := serve(t, a)
	other := strings.Replace(srv.URL, "127.0.0.1", "other.localhost", 1)
	store := &vault{}
	p := members(t, srv.URL, store, "right", 1)
	if s := render(t, p, srv.URL+"/a"); s.Title != "Members" {
		t.Fatalf("the page is %q", s.Title)
	}
	// A stored session may be manipulated, or come from an earlier, wider rule.
	k := *store.kept["paper"]
	for _, c := range k.Cookies {
		c.Domain = "other.localhost"
		k.Cookies = append(k.Cookies, c)
	}
	k.Storage = maps.Clone(k.Storage)
	k.Storage[other] = steps.Values{"who": "leaked"}
	store.kept["paper"] = &k
	p = members(t, srv.URL, store, "right", 1)
	for range 3 {
		if s := render(t, p, other+"/b"); s.Title != "Teaser" {
			t.Errorf("the other host shows %q", s.Title)
		}
		if s := render(t, p, srv.URL+"/a"); s.Title != "Members" {
			t.Errorf("the page is %q", s.Title)
		}
	}
	if _, ok := a.withCookie.Load("other.localhost"); ok {
		t.Error("the other host was sent the session's cookie")
	}
	if _, ok := a.withCookie.Load("127.0.0.1"); !ok {
		t.Error("nobody was sent the cookie, so nothing is tested")
	}
}

func TestAPageOutsideOfTheRuleHasNoSession(t *testing.T) {
	t.Parallel()
	a := &account{password: "right"}
	srv := serve(t, a)
	p := poolWith(t, func(o *Options) {
		o.Tabs = 1
		o.Steps = rules(t, srv.URL, strings.Replace(membership, "match: HOST/*", "match: HOST/in/*", 1))
		o.Secret = secrets(map[string]string{"PASSWORD": "right"})
	})
	for i := range 4 {
		for path, want := range map[string]string{"/in/": "Members", "/out/": "Teaser"} {
			if s := render(t, p, fmt.Sprint(srv.URL, path, i)); s.Title != want {
				t.Errorf("%s is %q, want %q", path, s.Title, want)
			}
		}
	}
}

func TestAStoreThatFailsIsSaid(t *testing.T) {
	t.Parallel()
	srv := serve(t, &account{password: "right"})
	_, err := members(t, srv.URL, &vault{err: errors.New("the key is wrong")}, "right", 1).Render(t.Context(), Request{URL: srv.URL + "/"})
	var v *plat.VisitError
	if !errors.As(err, &v) || v.Outcome != plat.OutcomeLoginFailed || !strings.Contains(v.Error(), "the key is wrong") {
		t.Errorf("error %v", err)
	}
}

// A site can show a secret to a user whom it recognises by the session of an earlier visit.
func TestASecretOfAKeptSessionIsNotStored(t *testing.T) {
	t.Parallel()
	a := &account{password: "right one"}
	srv := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" || r.URL.Path == "/login" {
			a.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, "<title>Account</title><a id=out href=/out>Leave</a><p>Your password is <b>right</b> one.")
	}))
	p := members(t, srv.URL, nil, a.password, 1)
	if s := render(t, p, srv.URL+"/"); s.Title != "Members" {
		t.Fatalf("the page is %q", s.Title)
	}
	s := render(t, p, srv.URL+"/account")
	if text := seenText(s); s.Title != "Account" || strings.Contains(text, "right") || !strings.Contains(text, "[redacted]") {
		t.Errorf("the page %q shows %q", s.Title, text)
	}
	if n := a.attempts.Load(); n != 1 {
		t.Errorf("%d attempts", n)
	}
}
