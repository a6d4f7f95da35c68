package browser

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/storage"

	"plat"
	"plat/browser/tab"
	"plat/browser/wire"
	"plat/steps"
)

// A SessionStore keeps login sessions from one run to the next. It must be safe
// for concurrent use.
type SessionStore interface {
	// Load returns what was saved under a name, nil if nothing was.
	Load(name string) (*steps.Kept, error)
	Save(name string, k *steps.Kept) error
}

// loginPause is how long a login that was refused is not tried again: a wrong
// password for a thousand pages must not become a thousand attempts, after which
// sites lock accounts.
const loginPause = 10 * time.Minute

// logins are the sessions of a pool.
type logins struct {
	store SessionStore // nil: they are kept as long as the pool

	mu  sync.Mutex
	all map[string]*kept // guarded by mu
}

// kept is one session. Only one page at a time logs in; those that find
// themselves logged out meanwhile wait, and go on with what it has got.
type kept struct {
	turn chan struct{} // holds a token

	mu      sync.Mutex
	loaded  bool
	state   *steps.Kept // guarded by mu; nil: not logged in yet
	edition int         // guarded by mu: of state; rises with every login
	failed  error       // guarded by mu: why the last login was refused
	until   time.Time   // guarded by mu: no other is tried before
}

func newLogins(store SessionStore) *logins { return &logins{store: store, all: map[string]*kept{}} }

// of returns the session, as it was saved if this is the first that asks for it.
func (l *logins) of(s *steps.Session) (*kept, error) {
	l.mu.Lock()
	k := l.all[s.Name]
	if k == nil {
		k = &kept{turn: make(chan struct{}, 1)}
		k.turn <- struct{}{}
		l.all[s.Name] = k
	}
	l.mu.Unlock()
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.loaded && l.store != nil {
		state, err := l.store.Load(s.Name)
		if err != nil {
			return nil, fmt.Errorf("session %q: %w", s.Name, err)
		}
		// What was kept for other hosts, or by another login, is not used.
		if state != nil && state.Session == s.Hash() {
			k.state = state
		}
	}
	k.loaded = true
	return k, nil
}

// save keeps a state.
func (l *logins) save(s *steps.Session, k *kept, state *steps.Kept) error {
	k.mu.Lock()
	k.state, k.failed = state, nil
	k.edition++
	k.mu.Unlock()
	if l.store == nil {
		return nil
	}
	if err := l.store.Save(s.Name, state); err != nil {
		return fmt.Errorf("session %q: %w", s.Name, err)
	}
	return nil
}

// enter gives the page the plan's session before it begins.
func (v *visit) enter(ctx context.Context) error {
	plan := v.o.Steps.For(v.url)
	if plan.Empty() {
		return nil
	}
	v.acts = &acting{plan: plan}
	if plan.Session == nil {
		return nil
	}
	// The next page must find nothing of it, not even in the HTTP cache.
	v.UseUp()
	k, err := v.o.logins.of(plan.Session)
	if err != nil {
		return &plat.VisitError{Outcome: plat.OutcomeLoginFailed, Err: err}
	}
	v.acts.kept = k
	return v.restore(ctx)
}

// restore sets the cookies and the local storage of the session, as far as they
// are of its hosts.
func (v *visit) restore(ctx context.Context) error {
	a := v.acts
	a.kept.mu.Lock()
	state := a.kept.state
	a.edition = a.kept.edition
	a.kept.mu.Unlock()
	if state == nil {
		return nil
	}
	var all []*network.CookieParam
	for _, c := range state.Cookies {
		host := strings.TrimPrefix(c.Domain, ".")
		if !a.plan.Session.Covers(host) || !c.Expires.IsZero() && c.Expires.Before(time.Now()) {
			continue
		}
		p := &network.CookieParam{Name: c.Name, Value: c.Value, Path: c.Path, Secure: c.Secure, HTTPOnly: c.HTTPOnly, SameSite: network.CookieSameSite(c.SameSite)}
		if host != c.Domain {
			p.Domain = c.Domain
		} else {
			// Given a domain, Chrome would send it to subdomains too.
			p.URL = (&url.URL{Scheme: scheme(c.Secure), Host: c.Domain, Path: c.Path}).String()
		}
		if !c.Expires.IsZero() {
			p.Expires = cdp.TimeSinceEpoch(float64(c.Expires.UnixMilli()) / 1000)
		}
		all = append(all, p)
	}
	if len(all) > 0 {
		if _, err := wire.Call(ctx, v.Browser.Root, storage.SetCookies, storage.SetCookiesParams{Cookies: all, BrowserContextID: v.Context}); err != nil {
			return fmt.Errorf("restore the session: %w", err)
		}
	}
	stored := maps.Clone(state.Storage)
	maps.DeleteFunc(stored, func(origin string, _ steps.Values) bool { return !a.plan.Session.Covers(hostOf(origin)) })
	if len(stored) == 0 {
		return nil
	}
	text, err := jsonv2.Marshal(stored)
	if err != nil {
		return fmt.Errorf("restore the session: %w", err)
	}
	r, err := wire.Call(ctx, v.Session, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{
		Source:    fmt.Sprintf("for (const [name, value] of Object.entries((%s)[location.origin] ?? {})) localStorage.setItem(name, value)", text),
		WorldName: "plat", // where the page's own functions are not to be met
	})
	if err != nil {
		return fmt.Errorf("restore the session: %w", err)
	}
	a.script = string(r.Identifier)
	return nil
}

func scheme(secure bool) string {
	if secure {
		return "https"
	}
	return "http"
}

// restored takes back what restored the local storage: what the page does to it
// from now on stays done.
func (v *visit) restored(ctx context.Context) error {
	id := v.acts.script
	if id == "" {
		return nil
	}
	v.acts.script = ""
	_, err := wire.Call(ctx, v.Session, page.RemoveScriptToEvaluateOnNewDocument, page.RemoveScriptToEvaluateOnNewDocumentParams{Identifier: page.ScriptIdentifier(id)})
	return err
}

// logIn sees to it that the page is shown to one who is logged in. If it is not,
// and no other page has logged in meanwhile, the session's login is run and the
// page loaded anew.
func (v *visit) logIn(ctx context.Context) error {
	a := v.acts
	s, k := a.plan.Session, a.kept
	if err := v.restored(ctx); err != nil {
		return err
	}
	ok, err := v.check(ctx, s)
	if err != nil {
		return err
	}
	if ok {
		return v.keep(ctx, nil)
	}
	select {
	case <-k.turn:
		defer func() { k.turn <- struct{}{} }()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	k.mu.Lock()
	another, failed, until := k.edition != a.edition, k.failed, k.until
	k.mu.Unlock()
	if another {
		if err := v.restore(ctx); err != nil {
			return err
		}
		if ok, err = v.anew(ctx, s); err != nil || ok {
			return err
		}
	}
	if failed != nil && time.Now().Before(until) {
		return &plat.VisitError{Outcome: plat.OutcomeLoginFailed, Err: fmt.Errorf("session %q: not tried again before %s: %w", s.Name, until.UTC().Format(time.TimeOnly), failed)}
	}
	err = v.credentials(ctx, s)
	if err != nil && !errors.Is(context.Cause(ctx), errClosed) {
		// Whatever it ended with, the site may have counted it.
		k.mu.Lock()
		k.failed, k.until = errors.New(v.redacted(err.Error())), time.Now().Add(loginPause)
		k.mu.Unlock()
	}
	return err
}

// credentials runs the login's steps and goes back to the page.
func (v *visit) credentials(ctx context.Context, s *steps.Session) error {
	v.o.Log.Info("logging in", "session", s.Name)
	limit, cancel := tab.WithLimit(ctx, steps.Total, "the login")
	defer cancel()
	driven, release, err := v.drive(limit)
	if err != nil {
		return fmt.Errorf("log in: %w", err)
	}
	err = v.list(driven, v.acts.plan.Owner, s.Login, "login step", s.Covers)
	release()
	if err != nil {
		if lost := v.lostOr(ctx, nil); lost != nil {
			return lost
		}
		return v.stepsFailed(ctx, plat.OutcomeLoginFailed, err)
	}
	if err := v.Again(ctx); err != nil {
		return err
	}
	seen := v.lastPicture(ctx) // what the site answered; the page itself may not say
	led, err := v.location(ctx)
	if err != nil {
		return err
	}
	answer, err := v.stored(ctx, s)
	if err != nil {
		return err
	}
	ok, err := v.anew(ctx, s)
	if err != nil {
		return err
	}
	if !ok {
		return &plat.VisitError{Outcome: plat.OutcomeLoginFailed, Picture: seen,
			Err: fmt.Errorf("session %q: the login's steps led to %s, and its check still says that nobody is logged in; see whether user and password are right", s.Name, v.redacted(led.Path))}
	}
	return v.keep(ctx, answer)
}

// anew loads the visit's page once more, and says whether it is shown to one who
// is logged in.
func (v *visit) anew(ctx context.Context, s *steps.Session) (bool, error) {
	if err := v.Forget(ctx); err != nil {
		return false, err
	}
	if err := v.open(ctx, v.request.URL); err != nil {
		return false, err
	}
	if err := v.restored(ctx); err != nil {
		return false, err
	}
	return v.check(ctx, s)
}

// check asks the page whether somebody is logged in.
func (v *visit) check(ctx context.Context, s *steps.Session) (bool, error) {
	u, err := v.location(ctx)
	if err != nil {
		return false, err
	}
	c := &s.Check
	if c.URL != nil && !c.URL.Matches(u) || c.NotURL != nil && c.NotURL.Matches(u) {
		return false, nil
	}
	for _, x := range []struct {
		selector string
		want     bool
	}{{c.Present, true}, {c.Absent, false}} {
		if x.selector == "" {
			continue
		}
		list, err := jsonv2.Marshal(steps.SplitSelector(x.selector))
		if err != nil {
			return false, err
		}
		var is bool
		if err := v.elements(ctx, fmt.Sprintf("!!one(%s)", list), &is); err != nil {
			return false, fmt.Errorf("check the session: %w", err)
		}
		if is != x.want {
			return false, nil
		}
	}
	return true, nil
}

// keep saves the session as the page has left it, if it has changed. before is
// what was stored on the way here.
func (v *visit) keep(ctx context.Context, before map[string]steps.Values) error {
	a := v.acts
	s := a.plan.Session
	r, err := wire.Call(ctx, v.Browser.Root, storage.GetCookies, storage.GetCookiesParams{BrowserContextID: v.Context})
	if err != nil {
		return fmt.Errorf("keep the session: %w", err)
	}
	state := &steps.Kept{Session: s.Hash(), Saved: time.Now().UTC().Truncate(time.Second), Storage: before}
	for _, c := range r.Cookies {
		if !s.Covers(strings.TrimPrefix(c.Domain, ".")) || c.PartitionKey != nil {
			continue
		}
		one := steps.Cookie{Name: c.Name, Value: c.Value, Path: c.Path, Domain: c.Domain, Secure: c.Secure, HTTPOnly: c.HTTPOnly, SameSite: string(c.SameSite)}
		if !c.Session && c.Expires > 0 {
			one.Expires = time.UnixMilli(int64(c.Expires * 1000)).UTC()
		}
		state.Cookies = append(state.Cookies, one)
	}
	now, err := v.stored(ctx, s)
	if err != nil {
		return err
	}
	for origin, values := range now {
		if state.Storage == nil {
			state.Storage = map[string]steps.Values{}
		}
		state.Storage[origin] = values
	}
	a.kept.mu.Lock()
	old, current := a.kept.state, a.kept.edition == a.edition
	a.kept.mu.Unlock()
	if before == nil {
		if !current {
			return nil // another page has logged in since: that is newer
		}
		if old != nil {
			for origin, values := range old.Storage {
				if _, ok := state.Storage[origin]; !ok {
					if state.Storage == nil {
						state.Storage = map[string]steps.Values{}
					}
					state.Storage[origin] = values
				}
			}
		}
		if sameKept(old, state) {
			return nil
		}
	}
	if err := v.o.logins.save(s, a.kept, state); err != nil {
		return err
	}
	a.kept.mu.Lock()
	a.edition = a.kept.edition
	a.kept.mu.Unlock()
	return nil
}

// sameKept reports whether two states restore the same.
func sameKept(a, b *steps.Kept) bool {
	if a == nil || b == nil || a.Session != b.Session || len(a.Cookies) != len(b.Cookies) || !maps.EqualFunc(a.Storage, b.Storage, maps.Equal[steps.Values, steps.Values]) {
		return false
	}
	for _, c := range a.Cookies {
		// A date that moves by less than an hour is one that every answer sets anew.
		if !slices.ContainsFunc(b.Cookies, func(d steps.Cookie) bool {
			near := d.Expires.IsZero() == c.Expires.IsZero() && d.Expires.Sub(c.Expires).Abs() < time.Hour
			d.Expires = c.Expires
			return near && c == d
		}) {
			return false
		}
	}
	return true
}

// maxStored is the most that is kept of an origin's local storage, in bytes.
const maxStored = 1 << 20

// stored is the local storage of the page's origin, if that is one of the
// session's, by origin.
func (v *visit) stored(ctx context.Context, s *steps.Session) (map[string]steps.Values, error) {
	all := map[string]steps.Values{}
	u, err := v.location(ctx)
	if err != nil || !s.Covers(u.Hostname()) {
		return all, err
	}
	world, err := v.World(ctx)
	if err != nil {
		return nil, err
	}
	b, err := v.Evaluate(ctx, world, "(() => { try { return { ...localStorage } } catch { return {} } })()")
	if err != nil {
		return nil, err
	}
	values := steps.Values{}
	if len(b) > maxStored || jsonv2.Unmarshal(b, &values, jsonv2.AllowInvalidUTF8(true)) != nil || len(values) == 0 {
		return all, nil
	}
	all[u.Scheme+"://"+u.Host] = values
	return all, nil
}
