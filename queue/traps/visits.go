package traps

import (
	"context"

	"plat/plat"
	"plat/plat/weburl"
	"plat/storage"
)

// A Reason is the reason why a visit can be spared.
type Reason string

// Reasons; empty: it cannot be spared.
const (
	Address  Reason = "address"  // the URL is an alias of a known page
	Redirect Reason = "redirect" // as Address, by a redirect that the host returned
	Barren   Reason = "barren"   // URLs of its pattern bring nothing
)

// Spare reports whether a visit can be spared, and why. It makes the URL an address of the page
// that it leads to.
func (g *Guard) Spare(ctx context.Context, v *Visit) (Reason, error) {
	if g.o.Mode != On || !v.byLink() {
		return "", nil
	}
	s := g.site(ctx, plat.HostOf(v.URL))
	others := []string{s.Plain(v.URL)}
	if len(s.Claims(v.URL)) == 0 { // a version for print or phones may lack links of its canonical page
		others = append(others, s.Known(v.URL))
	}
	for _, other := range others {
		if other == "" || other == v.URL || s.Check() {
			continue
		}
		if is, err := g.isAddress(ctx, v.URL, other); err != nil {
			return "", err
		} else if is {
			return Address, nil
		}
	}
	if s.Redirects(v.URL) {
		if to := g.redirect(ctx, v.URL); to != "" {
			if is, err := g.isAddress(ctx, v.URL, to); err != nil {
				return "", err
			} else if is {
				return Redirect, nil
			}
		}
	}
	if !s.Ask(v.URL) {
		return Barren, nil
	}
	return "", nil
}

// isAddress makes url an alias of the page at other, if that page is known.
func (g *Guard) isAddress(ctx context.Context, url, other string) (bool, error) {
	st, err := storage.MainOf(ctx, g.read.State, other)
	if err != nil || !isKnown(&st) || st.URL == url || st.Outcome.Failed() {
		return false, err
	}
	return true, g.store.SetMain(ctx, st.URL, g.o.Now(), url)
}

// redirect requests a URL and returns the target of its redirect; empty: no redirect, or no valid
// response.
func (g *Guard) redirect(ctx context.Context, url string) string {
	location := g.o.Location(ctx, url)
	if location == "" {
		return ""
	}
	to, err := plat.Canonical(weburl.NewBase(url).Location(location), g.o.Drop)
	if err != nil || to == url {
		return ""
	}
	return to
}

// Learn records the result of a first visit. main is the URL under which the page is archived
// already, empty: not archived.
func (g *Guard) Learn(ctx context.Context, v *Visit, main string) {
	if g.o.Mode != On || v.Scope == "" {
		return
	}
	s := g.site(ctx, plat.HostOf(v.URL))
	if !v.First {
		s.Again()
		return
	}
	var page *Page
	switch {
	case main != "":
		s.Same(v.URL, main)
		if v.Final != v.URL {
			s.Same(v.URL, v.Final)
		}
	case v.Snap != nil:
		page = NewPage(v.URL, v.Blocks)
		s.Own(v.URL, Fingerprint(v.Snap.Title, v.Blocks))
	}
	was := s.Barren(v.URL)
	s.Visited(v.URL, page)
	if v.Snap != nil && v.Final != v.URL {
		s.Redirected(v.URL)
	}
	if is := s.Barren(v.URL); is && !was {
		g.o.Log.Info("URLs of this pattern bring nothing new; further ones wait", "url", v.URL)
	}
	s.mu.Lock()
	s.unsaved++
	s.mu.Unlock()
	g.save(ctx, s, saveEvery)
}

// Missed records a failed visit: a pattern of URLs that lead nowhere brings nothing either, and
// the aliases of a page that is gone may still work.
func (g *Guard) Missed(ctx context.Context, v *Visit, outcome plat.Outcome) {
	switch outcome {
	case plat.OutcomeGone, plat.OutcomeHTTPError, plat.OutcomeUnsupported, plat.OutcomeDownload, plat.OutcomeRedirects:
	default:
		return // the page may be there
	}
	if v.byLink() {
		g.Learn(ctx, v, "")
		if err := g.asLinked(ctx, v); err != nil && ctx.Err() == nil {
			g.o.Log.Warn("cannot enlist a link whose plain address leads nowhere", "url", v.URL, "error", err)
		}
	}
	if v.Archived && outcome == plat.OutcomeGone {
		if err := g.revive(ctx, v); err != nil && ctx.Err() == nil {
			g.o.Log.Warn("cannot enlist the aliases of a page that is gone", "url", v.URL, "error", err)
		}
	}
}

// asLinked visits the address that a link named, if it was followed under a different address,
// which leads nowhere.
func (g *Guard) asLinked(ctx context.Context, v *Visit) error {
	if g.o.Mode != On {
		return nil
	}
	s := g.site(ctx, plat.HostOf(v.URL))
	link := s.Link(v.URL)
	if link == "" {
		return nil
	}
	s.Differ(link, v.URL)
	return g.own(ctx, v, link)
}

// revive schedules the aliases of a page.
func (g *Guard) revive(ctx context.Context, v *Visit) error {
	if g.o.Mode != On {
		return nil
	}
	others, err := storage.Others(ctx, g.store, v.URL, maxRevived)
	if err != nil || len(others) == 0 {
		return err
	}
	return g.own(ctx, v, others...)
}

// maxRevived is the most addresses of a page that are visited when it is gone.
const maxRevived = 10

// own makes URLs pages of their own, and schedules them.
func (g *Guard) own(ctx context.Context, v *Visit, urls ...string) error {
	now := g.o.Now()
	jobs := make([]plat.Job, len(urls))
	for i, url := range urls {
		plan := v.Plan
		plan.Depth = max(1, plan.Depth)
		jobs[i] = plat.Job{URL: url, Due: now, Priority: v.Priority, Plan: plan}
	}
	if err := g.store.SetMain(ctx, "", now, urls...); err != nil {
		return err
	}
	return g.o.Visit(ctx, jobs)
}
