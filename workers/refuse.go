package workers

import (
	"fmt"

	"plat"
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
