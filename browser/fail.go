package browser

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"plat/browser/devtools"
	"plat/browser/egress"
	"plat/browser/settle"
	"plat/browser/tab"
	"plat/plat"
)

// failed returns the error of a rendering in the form for the caller.
func (v *visit) failed(err error) error {
	if capped := v.Capped(); capped != nil {
		err = capped
	} else if errors.Is(err, devtools.ErrDetached) {
		err = fmt.Errorf("%w: %w", v.Lost(), err)
	}
	end := visitError(fmt.Errorf("render %q: %w", v.request.URL, err))
	if v.acts != nil {
		end = v.acts.RedactError(end)
	}
	return end
}

// visitError returns the outcome of a visit with an error.
func visitError(err error) *plat.VisitError {
	var (
		known   *plat.VisitError
		large   *settle.TooLargeError
		long    *devtools.TooLongError
		timeout interface{ Timeout() bool }
		chrome  *settle.NetError
	)
	is := func(target error) bool { return errors.Is(err, target) }
	end := func(o plat.Outcome, retry bool) *plat.VisitError {
		return &plat.VisitError{Outcome: o, Retry: retry, Err: err}
	}
	switch {
	case errors.As(err, &known):
		return known
	case is(tab.ErrClosing), is(context.Canceled):
		return end(plat.OutcomeInterrupted, true)
	case is(settle.ErrDownload):
		return end(plat.OutcomeDownload, false)
	case is(settle.ErrUnsupported), is(settle.ErrEmpty):
		return end(plat.OutcomeUnsupported, false)
	case is(settle.ErrCut):
		return end(plat.OutcomeCut, true)
	case is(tab.ErrSelfClosed):
		return end(plat.OutcomeError, false)
	case is(tab.ErrLooping):
		return end(plat.OutcomeRedirects, false)
	case errors.As(err, &large), errors.As(err, &long), is(egress.ErrCapped):
		return end(plat.OutcomeTooLarge, false)
	case is(egress.ErrRefused):
		return end(plat.OutcomeRefused, false)
	case is(egress.ErrTimeout):
		return end(plat.OutcomeTimeout, true)
	case is(egress.ErrNoHost), is(egress.ErrUnreachable):
		return end(plat.OutcomeUnreachable, true)
	case is(tab.ErrCrashed), is(devtools.ErrGone), is(devtools.ErrDetached):
		return end(plat.OutcomeCrashed, true)
	case errors.As(err, &chrome):
		o, retry := netOutcome(chrome.Text)
		return end(o, retry)
	case errors.As(err, &timeout) && timeout.Timeout(), is(context.DeadlineExceeded):
		return end(plat.OutcomeTimeout, true)
	}
	return end(plat.OutcomeError, true)
}

// netOutcome sorts Chrome's net errors (net/base/net_error_list.h).
func netOutcome(text string) (o plat.Outcome, retry bool) {
	has := func(parts ...string) bool {
		for _, p := range parts {
			if strings.Contains(text, p) {
				return true
			}
		}
		return false
	}
	switch {
	case has("TOO_MANY_REDIRECTS"):
		return plat.OutcomeRedirects, false
	case has("TIMED_OUT"):
		return plat.OutcomeTimeout, true
	case has("ERR_BLOCKED_BY", "UNSAFE_REDIRECT", "UNSAFE_PORT"):
		return plat.OutcomeRefused, false
	case has("INVALID_URL", "UNKNOWN_URL_SCHEME", "DISALLOWED_URL_SCHEME"):
		return plat.OutcomeBadURL, false
	case has("HEADERS_TRUNCATED"):
		return plat.OutcomeUnreachable, true // the connection has ended in them
	case has("INVALID_RESPONSE", "INVALID_HTTP_RESPONSE", "RESPONSE_HEADERS", "CONTENT_DECODING"):
		return plat.OutcomeUnreachable, false
	}
	return plat.OutcomeUnreachable, true
}
