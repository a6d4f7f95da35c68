package browser

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/chromedp/cdproto/network"

	"plat"
	"plat/browser/egress"
	"plat/browser/tab"
	"plat/browser/wire"
)

// tooLargeError is the end of a page over a limit.
type tooLargeError struct {
	verb  string
	limit int64
	unit  string
}

func (e *tooLargeError) Error() string {
	return fmt.Sprintf("the page %s more than %d %s; raise the limit if it is wanted", e.verb, e.limit, e.unit)
}

// netError is Chrome's reason for having no page, as net::ERR_NAME_NOT_RESOLVED.
type netError struct{ text string }

func (e *netError) Error() string { return e.text }

var (
	// errDownload is the end of a URL that is a file to save.
	errDownload = errors.New("the URL is a download")
	// errUnsupported is the end of a URL of a type that Chrome does not show.
	errUnsupported = errors.New("the browser does not show this type")
	// errEmpty is the end of a URL whose response has no body by design.
	errEmpty = errors.New("the response has no content")
)

// refusedByChrome says why Chrome has a response and shows no page.
func (v *visit) refusedByChrome() error {
	var r *network.Response
	v.View(func(s *tab.State) { r = s.Response })
	if r == nil {
		if err := v.failure(v.request.URL); err != nil {
			return err
		}
		return &netError{"net::ERR_ABORTED"}
	}
	for name, value := range r.Headers {
		if strings.EqualFold(name, "Content-Disposition") && strings.HasPrefix(strings.ToLower(strings.TrimSpace(fmt.Sprint(value))), "attachment") {
			return fmt.Errorf("%w, of type %s", errDownload, r.MimeType)
		}
	}
	if r.Status == 204 || r.Status == 205 {
		return fmt.Errorf("%w (HTTP status %d)", errEmpty, r.Status)
	}
	return fmt.Errorf("%w: %s", errUnsupported, r.MimeType)
}

// netError says why Chrome has no response. The guard knows better than Chrome,
// to which every refusal is a failed proxy.
func (v *visit) netError(text string) error {
	last := v.request.URL
	v.View(func(s *tab.State) {
		if s.LastURL != "" {
			last = s.LastURL
		}
	})
	if err := v.failure(last); err != nil {
		return err
	}
	if v.Lane.Stats().Capped {
		return &tooLargeError{"received", v.o.MaxBytes, "bytes"}
	}
	return &netError{text}
}

// failed is the error of a rendering as the caller gets it.
func (v *visit) failed(err error) error {
	if v.Lane.Stats().Capped {
		err = &tooLargeError{"received", v.o.MaxBytes, "bytes"}
	} else if errors.Is(err, wire.ErrDetached) {
		err = fmt.Errorf("%w: %w", v.Lost(), err)
	}
	return visitError(fmt.Errorf("render %q: %w", v.request.URL, err))
}

// visitError says how a visit ended.
func visitError(err error) *plat.VisitError {
	var (
		known   *plat.VisitError
		large   *tooLargeError
		timeout interface{ Timeout() bool }
		chrome  *netError
	)
	is := func(target error) bool { return errors.Is(err, target) }
	end := func(o plat.Outcome, retry bool) *plat.VisitError {
		return &plat.VisitError{Outcome: o, Retry: retry, Err: err}
	}
	switch {
	case errors.As(err, &known):
		return known
	case is(errClosed), is(context.Canceled):
		return end(plat.OutcomeInterrupted, true)
	case is(errDownload):
		return end(plat.OutcomeDownload, false)
	case is(errUnsupported), is(errEmpty):
		return end(plat.OutcomeUnsupported, false)
	case is(tab.ErrClosedItself):
		return end(plat.OutcomeError, false)
	case is(tab.ErrLooping):
		return end(plat.OutcomeRedirects, false)
	case errors.As(err, &large), is(egress.ErrCapped):
		return end(plat.OutcomeTooLarge, false)
	case is(egress.ErrRefused):
		return end(plat.OutcomeRefused, false)
	case is(egress.ErrTimeout):
		return end(plat.OutcomeTimeout, true)
	case is(egress.ErrNoHost), is(egress.ErrUnreachable):
		return end(plat.OutcomeUnreachable, true)
	case is(tab.ErrCrashed), is(wire.ErrGone), is(wire.ErrDetached):
		return end(plat.OutcomeCrashed, true)
	case errors.As(err, &chrome):
		o, retry := netOutcome(chrome.text)
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
	case has("INVALID_RESPONSE", "INVALID_HTTP_RESPONSE", "RESPONSE_HEADERS", "CONTENT_DECODING"):
		return plat.OutcomeUnreachable, false
	}
	return plat.OutcomeUnreachable, true
}
