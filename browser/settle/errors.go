package settle

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/chromedp/cdproto/network"

	"plat/browser/egress"
	"plat/browser/tab"
)

// TooLargeError is the end of a page over a limit.
type TooLargeError struct {
	Verb  string // the page's action: has, received
	Limit int64
	Unit  string
}

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("the page %s more than %d %s; raise the limit if it is wanted", e.Verb, e.Limit, e.Unit)
}

// NetError is Chrome's reason for having no page, as net::ERR_NAME_NOT_RESOLVED.
type NetError struct{ Text string }

func (e *NetError) Error() string { return e.Text }

var (
	// ErrDownload is the end of a URL that is a file to save.
	ErrDownload = errors.New("the URL is a download")
	// ErrUnsupported is the end of a URL of a type that Chrome does not show.
	ErrUnsupported = errors.New("the browser does not show this type")
	// ErrEmpty is the end of a URL whose response has no body by design.
	ErrEmpty = errors.New("the response has no content")
	// ErrCut is the end of a page whose document is incomplete.
	ErrCut = errors.New("the page is cut off: its connection ended too soon")
)

// refusedByChrome returns why Chrome has a response but shows no page.
func (p *Page) refusedByChrome() error {
	var r *network.Response
	p.View(func(s *tab.State) { r = s.Response })
	if r == nil {
		if err := p.Lane.Failure(p.url); err != nil {
			return err
		}
		return &NetError{"net::ERR_ABORTED"}
	}
	for name, value := range r.Headers {
		if strings.EqualFold(name, "Content-Disposition") && strings.HasPrefix(strings.ToLower(strings.TrimSpace(fmt.Sprint(value))), "attachment") {
			return fmt.Errorf("%w, of type %s", ErrDownload, r.MimeType)
		}
	}
	if r.Status == 204 || r.Status == 205 {
		return fmt.Errorf("%w (HTTP status %d)", ErrEmpty, r.Status)
	}
	return fmt.Errorf("%w: %s", ErrUnsupported, r.MimeType)
}

// netError returns why Chrome has no response for a document. The guard's reason is preferred,
// since Chrome sees each refusal as a failed proxy; an empty text is a failure without a name.
func (p *Page) netError(text, url string) error {
	if text == "" || egress.Answered(text) {
		if err := p.Lane.Failure(url); err != nil {
			return err
		}
	}
	if err := p.Capped(); err != nil {
		return err
	}
	return &NetError{cmp.Or(text, "net::ERR_FAILED")}
}
