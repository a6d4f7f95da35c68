package workers

import (
	"context"
	"errors"
	"fmt"
	"time"

	"plat/browser/fetch"
	"plat/plat"
)

// An obeyer says whether robots.txt lets a URL be visited, and how long its host wants to rest
// between two visits. The error is a *plat.VisitError, or the context's.
type obeyer interface {
	Obey(ctx context.Context, url string) (delay time.Duration, err error)
}

// ask asks robots.txt before a visit that no crew has asked for.
func (w *Worker) ask(ctx context.Context, a *attempt) error {
	if a.robots == nil {
		return nil
	}
	return span(ctx, "robots", func(ctx context.Context) (err error) { a.delay, err = a.robots.Obey(ctx, a.URL); return err })
}

// askFinal asks whether a page reached by redirects may be stored: only if robots.txt allows its
// final URL too. Chrome has loaded it already, because it follows redirects itself.
func askFinal(ctx context.Context, o obeyer, url, final string) error {
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
