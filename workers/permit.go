package workers

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"plat/browser/fetch"
	"plat/browser/fetch/robots"
	"plat/plat"
)

// An obeyer says whether robots.txt lets a URL be visited, and how long its host wants to rest
// between two visits. The error is a *plat.VisitError, or the context's.
type obeyer interface {
	Obey(ctx context.Context, url string) (delay time.Duration, err error)
}

// permit asks robots.txt whether the URL may be visited, unless a crew has asked already. It returns the
// host's delay between two requests.
func (w *Worker) permit(ctx context.Context, a *attempt) (delay time.Duration, err error) {
	if a.robots == nil {
		return a.delay, nil
	}
	err = span(ctx, "robots", func(ctx context.Context) (err error) { delay, err = a.robots.Obey(ctx, a.URL); return err })
	return delay, err
}

// permitPage returns an error if the page may not be stored: by robots.txt for the URL that it redirects to,
// or by its own robots directives. follow reports whether its links may be followed.
func (w *Worker) permitPage(ctx context.Context, a *attempt, snap *plat.Snapshot) (follow bool, err error) {
	if robots := a.obeyer(); robots != nil {
		if err := permitFinal(ctx, robots, a.URL, finalURL(a.URL, snap, a.drop())); err != nil {
			return false, err
		}
	}
	follow = a.crawl != nil
	if w.opt.Permission.ObeyMeta != "" {
		d := directives(snap, w.opt.Permission.ObeyMeta)
		if d.NoIndex || d.NoArchive {
			return false, &plat.VisitError{Outcome: plat.OutcomeDisallowed, Err: errors.New("the page forbids archiving (robots meta)")}
		}
		follow = follow && !d.NoFollow
	}
	return follow, nil
}

// obeyer returns the obeyer for redirects: the crawl, or the worker's own; nil if robots.txt is ignored.
func (a *attempt) obeyer() obeyer {
	if a.crawl != nil {
		return a.crawl
	}
	return a.robots
}

// drop returns the query parameters that are removed from URLs.
func (a *attempt) drop() []string {
	if a.crawl != nil {
		return a.crawl.Drop()
	}
	return nil
}

// permitFinal returns an error unless robots.txt allows the URL that a page redirects to. Chrome has loaded it already, because it follows redirects itself.
func permitFinal(ctx context.Context, o obeyer, url, final string) error {
	if final == url {
		return nil
	}
	_, err := o.Obey(ctx, final)
	if errors.Is(err, fetch.ErrRobotsUnreachable) && plat.HostOf(final) != plat.HostOf(url) {
		// The job's own host must not be delayed for this.
		return &plat.VisitError{Outcome: plat.OutcomeUnreachable, Retry: true, Err: fmt.Errorf("redirected to %s: %v", final, err)}
	}
	if failed, ok := errors.AsType[*plat.VisitError](err); ok {
		return &plat.VisitError{Outcome: failed.Outcome, Retry: failed.Retry, Err: fmt.Errorf("it leads to %s: %w", final, failed.Err)}
	}
	return err
}

// finalURL is the canonical URL that a page was found at after redirects.
func finalURL(url string, snap *plat.Snapshot, drop []string) string {
	final, err := plat.Canonical(snap.FinalURL, drop)
	if err != nil {
		return url
	}
	return final
}

// directives returns the robots directives for agent in a page's header and meta
// elements.
func directives(s *plat.Snapshot, agent string) (d robots.Directives) {
	for _, h := range s.Header {
		if strings.EqualFold(h[0], "X-Robots-Tag") {
			d = d.Or(robots.Meta(h[1], agent))
		}
	}
	for i := range s.Nodes {
		n := &s.Nodes[i]
		if n.Kind != plat.ElementNode || n.Name != "meta" {
			continue
		}
		name, _ := n.Attr("name")
		if strings.EqualFold(name, "robots") || strings.EqualFold(name, agent) {
			content, _ := n.Attr("content")
			d = d.Or(robots.Meta(content, agent))
		}
	}
	return d
}
