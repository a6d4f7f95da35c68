package act

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"strings"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/storage"

	"plat/browser/devtools"
	"plat/browser/driver"
	"plat/browser/steps"
	"plat/browser/tab"
	"plat/plat"
)

// loginPause is the time after a failed login during which it is not retried: a wrong password for
// a thousand pages must not become a thousand attempts, since sites lock accounts.
const loginPause = 10 * time.Minute

// Enter restores the plan's session before the page begins.
func (a *Actor) Enter(ctx context.Context) error {
	if a.plan.Session == nil {
		return nil
	}
	// The next page must not find any of it, not even in the HTTP cache.
	a.UseUp()
	k, err := a.o.Sessions.of(a.plan.Session)
	if err != nil {
		return &plat.VisitError{Outcome: plat.OutcomeLoginFailed, Err: err}
	}
	a.kept = k
	a.noteSecrets()
	return a.restore(ctx)
}

// noteSecrets registers the secrets of the session's login for redaction. They were typed into an
// earlier page, perhaps by an earlier process, and the site can show them on any page. A secret
// that cannot be resolved is an error only if it is needed.
func (a *Actor) noteSecrets() {
	if a.o.Secret == nil {
		return
	}
	for _, ref := range a.plan.Owner.Secrets() {
		if secret, err := a.o.Secret(ref); err == nil {
			a.Typed(secret)
		}
	}
}

// restore sets the cookies and the local storage of the session, as far as they
// are of its hosts.
func (a *Actor) restore(ctx context.Context) error {
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
		if _, err := devtools.Call(ctx, a.Browser.Root, storage.SetCookies, storage.SetCookiesParams{Cookies: all, BrowserContextID: a.Context}); err != nil {
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
	r, err := devtools.Call(ctx, a.Session, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{
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

// restored removes the script that restored the local storage: later changes by the page persist.
func (a *Actor) restored(ctx context.Context) error {
	id := a.script
	if id == "" {
		return nil
	}
	a.script = ""
	_, err := devtools.Call(ctx, a.Session, page.RemoveScriptToEvaluateOnNewDocument, page.RemoveScriptToEvaluateOnNewDocumentParams{Identifier: page.ScriptIdentifier(id)})
	return err
}

// logIn makes sure that the page is shown to a logged-in user. If it is not, and no other page has
// logged in meanwhile, it runs the session's login and reloads the page.
func (a *Actor) logIn(ctx context.Context) error {
	s, k := a.plan.Session, a.kept
	if err := a.restored(ctx); err != nil {
		return err
	}
	ok, err := a.check(ctx, s)
	if err != nil {
		return err
	}
	if ok {
		return a.keep(ctx, nil)
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
		if err := a.restore(ctx); err != nil {
			return err
		}
		if ok, err = a.reload(ctx, s); err != nil || ok {
			return err
		}
	}
	if failed != nil && time.Now().Before(until) {
		return &plat.VisitError{Outcome: plat.OutcomeLoginFailed, Err: fmt.Errorf("session %q: not tried again before %s: %w", s.Name, until.UTC().Format(time.TimeOnly), failed)}
	}
	err = a.credentials(ctx, s)
	if err != nil && !errors.Is(context.Cause(ctx), tab.ErrClosing) {
		// The site may have counted the attempt, whatever its result.
		k.mu.Lock()
		k.failed, k.until = errors.New(a.redacted(err.Error())), time.Now().Add(loginPause)
		k.mu.Unlock()
	}
	return err
}

// credentials runs the login's steps and returns to the page.
func (a *Actor) credentials(ctx context.Context, s *steps.Session) error {
	a.o.Log.Info("logging in", "session", s.Name)
	limit, cancel := tab.WithLimit(ctx, steps.Total, "the login")
	defer cancel()
	driven, release, err := driver.Attach(limit, a.Tab)
	if err != nil {
		return fmt.Errorf("log in: %w", err)
	}
	err = a.list(driven, a.plan.Owner, s.Login, "login step", s.Covers)
	release()
	if err != nil {
		if lost := a.lostOr(ctx, nil); lost != nil {
			return lost
		}
		return a.stepsFailed(ctx, plat.OutcomeLoginFailed, err)
	}
	if err := a.submitted(ctx); err != nil {
		return err
	}
	if err := a.Again(ctx); err != nil {
		return err
	}
	seen := a.lastPicture(ctx) // the site's answer, which the page itself may not show
	led, title, err := a.led(ctx)
	if err != nil {
		return err
	}
	answer, err := a.stored(ctx, s)
	if err != nil {
		return err
	}
	ok, err := a.reload(ctx, s)
	if err != nil {
		return err
	}
	if !ok {
		return &plat.VisitError{Outcome: plat.OutcomeLoginFailed, Picture: seen,
			Err: fmt.Errorf("session %q: the login's steps led to %s (%q), and its check does not find a logged-in user; check user and password", s.Name, a.redacted(led), a.redacted(title))}
	}
	return a.keep(ctx, answer)
}

// led returns where the steps of a login ended: the path, and the page's title.
func (a *Actor) led(ctx context.Context) (path, title string, err error) {
	u, err := a.location(ctx)
	if err != nil {
		return "", "", err
	}
	err = a.elements(ctx, "String(document.title).slice(0, 100)", &title)
	return u.Path, title, err
}

// submitTime limits the wait for a form's submission after the last step of a login. Loading the
// page earlier would cancel the submission, and the login with it.
const submitTime = time.Second

// submitted waits until the last click, key or script of a login has led to a new document. A login
// by script alone leads to no document and always waits for the full time, once per session.
func (a *Actor) submitted(ctx context.Context) error {
	err := a.InRealTime(ctx, func(ctx context.Context) error {
		limit, cancel := context.WithTimeoutCause(ctx, submitTime, errLimit)
		defer cancel()
		return a.poll(limit, func() (bool, error) {
			return a.Is(func(s *tab.State) bool { return s.Leaving || s.Documents != a.begun }), nil
		})
	})
	if err != nil && !errors.Is(err, errLimit) {
		return err
	}
	return nil
}

// reload loads the page of the visit again, and reports whether it shows a logged-in user.
func (a *Actor) reload(ctx context.Context, s *steps.Session) (bool, error) {
	if err := a.Forget(ctx); err != nil {
		return false, err
	}
	if err := a.open(ctx, a.url); err != nil {
		return false, err
	}
	if err := a.restored(ctx); err != nil {
		return false, err
	}
	return a.check(ctx, s)
}

// check reports whether the page shows a logged-in user.
func (a *Actor) check(ctx context.Context, s *steps.Session) (bool, error) {
	u, err := a.location(ctx)
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
		if err := a.elements(ctx, fmt.Sprintf("!!one(%s)", list), &is); err != nil {
			return false, fmt.Errorf("check the session: %w", err)
		}
		if is != x.want {
			return false, nil
		}
	}
	return true, nil
}

// keep saves the session as the page has left it, if it has changed. before holds the values
// stored on the way here.
func (a *Actor) keep(ctx context.Context, before map[string]steps.Values) error {
	s := a.plan.Session
	r, err := devtools.Call(ctx, a.Browser.Root, storage.GetCookies, storage.GetCookiesParams{BrowserContextID: a.Context})
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
	now, err := a.stored(ctx, s)
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
			return nil // a later login on a different page is newer
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
	if err := a.o.Sessions.save(s, a.kept, state); err != nil {
		return err
	}
	a.kept.mu.Lock()
	a.edition = a.kept.edition
	a.kept.mu.Unlock()
	return nil
}

// maxStored is the most that is kept of an origin's local storage, in bytes.
const maxStored = 1 << 20

// stored returns the local storage of the page's origin, by origin, if the session includes that
// origin.
func (a *Actor) stored(ctx context.Context, s *steps.Session) (map[string]steps.Values, error) {
	all := map[string]steps.Values{}
	u, err := a.location(ctx)
	if err != nil || !s.Covers(u.Hostname()) {
		return all, err
	}
	world, err := a.World(ctx)
	if err != nil {
		return nil, err
	}
	b, err := a.Evaluate(ctx, world, "(() => { try { return { ...localStorage } } catch { return {} } })()")
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

// noHost names the host of a URL that has no host.
const noHost = "no host"

// hostOf returns the host of an address.
func hostOf(raw string) string {
	if u, err := url.Parse(raw); err == nil && u.Host != "" {
		return u.Hostname()
	}
	return noHost
}
