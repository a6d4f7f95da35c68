package workers

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

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

// retryAfter parses the header of that name: seconds, or a date (RFC 9110 section
// 10.2.3).
func retryAfter(s *plat.Snapshot, now time.Time) time.Duration {
	if s.Status != 429 && s.Status != 503 {
		return 0
	}
	for _, h := range s.Header {
		if !strings.EqualFold(h[0], "Retry-After") {
			continue
		}
		if n, err := strconv.Atoi(strings.TrimSpace(h[1])); err == nil {
			return time.Duration(max(0, min(n, 1<<20))) * time.Second
		}
		if t, err := http.ParseTime(h[1]); err == nil {
			return max(0, min(t.Sub(now), 1<<20*time.Second))
		}
	}
	return 0
}
