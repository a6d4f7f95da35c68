package workers

import (
	"fmt"
	"net/http"
	"strings"

	"plat/browser/fetch/robots"
	"plat/plat"
)

// refuse turns error responses into failures: an error page must never become a
// version.
func refuse(s *plat.Snapshot) error {
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

// refuse does the same, and says what to try.
func (w *Worker) refuse(s *plat.Snapshot) error {
	err := refuse(s)
	if (s.Status == http.StatusUnauthorized || s.Status == http.StatusProxyAuthRequired) && w.opt.Unauthorized != nil {
		return &plat.VisitError{Outcome: plat.OutcomeHTTPError, Err: fmt.Errorf("HTTP status %d%s", s.Status, w.opt.Unauthorized(s.FinalURL))}
	}
	if s.Status == http.StatusForbidden && w.opt.Forbidden != "" {
		return &plat.VisitError{Outcome: plat.OutcomeHTTPError, Err: fmt.Errorf("HTTP status %d%s", s.Status, w.opt.Forbidden)}
	}
	return err
}

// forbids returns the robots directives for agent in a page's header and meta
// elements.
func forbids(s *plat.Snapshot, agent string) (d robots.Directives) {
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
