package workers

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"plat/plat"
)

// A rendering is a page as the browser shows it.
type rendering struct {
	snap *plat.Snapshot
	page *dividedPage  // as it was divided while it was open; nil if no attachments were wanted
	took time.Duration // of all
}

// renderPage renders the page, after the host's delay if a validation came before. An
// error response is an error. If attachments are wanted, the page is divided and compared while it is open,
// so that pictures are captured only of new versions, and of the last one if that has none.
//
// The rendering has a snapshot also with an error, if there is one.
func (w *Worker) renderPage(ctx context.Context, a *attempt, check *revalidation, last *lastVersion) (seen rendering, err error) {
	if check.asked() && !sleep(ctx, nil, a.delay) {
		return seen, context.Cause(ctx)
	}
	began := w.now()
	wanted := plat.Attachments{Picture: w.opt.Capture.Pictures, Resources: w.opt.Capture.Resources}
	var bad error
	evidence := func(snap *plat.Snapshot) plat.Attachments {
		if Refuse(snap) != nil {
			return plat.Attachments{}
		}
		switch seen.page, bad = w.dividePage(ctx, snap, last); {
		case bad != nil:
			return plat.Attachments{}
		case !seen.page.differs: // but files may
			return plat.Attachments{Picture: wanted.Picture && last.version.Picture.IsZero(), Resources: wanted.Resources}
		}
		return wanted
	}
	if wanted == (plat.Attachments{}) {
		evidence = nil
	}
	err = span(ctx, "render", func(ctx context.Context) (err error) {
		seen.snap, err = w.renderURL(ctx, a, evidence)
		return err
	})
	if seen.took = w.now().Sub(began); err != nil {
		return seen, err
	}
	if err := w.refuse(seen.snap); err != nil {
		return seen, err
	}
	return seen, bad
}

// renderURL renders the page under the address that browsers request. Everywhere else it has its canonical URL.
func (w *Worker) renderURL(ctx context.Context, a *attempt, evidence func(*plat.Snapshot) plat.Attachments) (*plat.Snapshot, error) {
	named := evidence
	if evidence != nil {
		named = func(s *plat.Snapshot) plat.Attachments {
			s.URL = a.URL
			return evidence(s)
		}
	}
	snap, err := w.render.Render(ctx, a.requested(), named)
	if snap != nil {
		snap.URL = a.URL
	}
	return snap, err
}

// Refuse turns error responses into failures, a [*plat.VisitError]: an error page must never become a
// version.
func Refuse(s *plat.Snapshot) error {
	switch {
	case s.Status == 404 || s.Status == 410:
		return &plat.VisitError{Outcome: plat.OutcomeGone, Err: fmt.Errorf("HTTP status %d", s.Status)}
	case s.Status == 429 || s.Status >= 500:
		return &plat.VisitError{Outcome: plat.OutcomeHTTPError, Retry: true, Err: fmt.Errorf("HTTP status %d", s.Status)}
	case s.Status >= 400:
		return &plat.VisitError{Outcome: plat.OutcomeHTTPError, Err: fmt.Errorf("HTTP status %d", s.Status)}
	}
	return nil
}

// refuse returns the same errors, with advice.
func (w *Worker) refuse(s *plat.Snapshot) error {
	err := Refuse(s)
	if (s.Status == http.StatusUnauthorized || s.Status == http.StatusProxyAuthRequired) && w.opt.Permission.Unauthorized != nil {
		return &plat.VisitError{Outcome: plat.OutcomeHTTPError, Err: fmt.Errorf("HTTP status %d%s", s.Status, w.opt.Permission.Unauthorized(s.FinalURL))}
	}
	if s.Status == http.StatusForbidden && w.opt.Permission.Forbidden != "" {
		return &plat.VisitError{Outcome: plat.OutcomeHTTPError, Err: fmt.Errorf("HTTP status %d%s", s.Status, w.opt.Permission.Forbidden)}
	}
	return err
}
