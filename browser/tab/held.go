package tab

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/io"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"

	"plat/browser/devtools"
	"plat/plat"
)

// Held is the response for the page's document, of which Chrome has read the header and awaits what to do with
// it. See [Tab.NavigateHeld].
type Held struct {
	URL    string
	Status int
	Header [][2]string

	tab *Tab
	id  fetch.RequestID
}

// ErrTooLong is the end of a body over a limit.
var ErrTooLong = errors.New("the body is too long")

// Get returns a header's first value.
func (h *Held) Get(name string) string {
	value, _ := plat.HeaderField(h.Header, name)
	return value
}

// Continue lets Chrome use the response as it is.
func (h *Held) Continue(ctx context.Context) error {
	_, err := devtools.Call(ctx, h.tab.Session, fetch.ContinueResponse, fetch.ContinueResponseParams{RequestID: h.id})
	return err
}

// chunk is the number of bytes of a body that are read at once.
const chunk = 4 << 20

// Body reads the body, without Content-Encoding. It returns [ErrTooLong] if it has more than so many bytes.
// Then only Show is possible.
func (h *Held) Body(ctx context.Context, most int64) (body []byte, err error) {
	s := h.tab.Session
	taken, err := devtools.Call(ctx, s, fetch.TakeResponseBodyAsStream, fetch.TakeResponseBodyAsStreamParams{RequestID: h.id})
	if err != nil {
		return nil, err
	}
	if size, err := strconv.ParseInt(h.Get("Content-Length"), 10, 64); err == nil && 0 < size && size <= most && h.Get("Content-Encoding") == "" {
		body = make([]byte, 0, size)
	}
	defer func() { s.Send(io.Close.Method, io.CloseParams{Handle: taken.Stream}).Forget() }()
	for {
		f := s.SendFor(bodyLimit, io.Read.Method, io.ReadParams{Handle: taken.Stream, Size: chunk})
		read, err := devtools.Await(ctx, f, io.Read)
		if err != nil {
			return nil, err
		}
		if int64(len(body)+len(read.Data)) > most {
			return nil, ErrTooLong
		}
		if body = append(body, read.Data...); read.EOF {
			return body, nil
		}
	}
}

// bodyLimit bounds the wait for a part of a body: the limit of a whole rendering ends it sooner.
const bodyLimit = 10 * time.Minute

// Show gives Chrome a response in place of the held one.
func (h *Held) Show(ctx context.Context, header [][2]string, body []byte) error {
	p := fetch.FulfillRequestParams{RequestID: h.id, ResponseCode: int64(h.Status), Body: body}
	for _, field := range header {
		p.ResponseHeaders = append(p.ResponseHeaders, &fetch.HeaderEntry{Name: field[0], Value: field[1]})
	}
	_, err := devtools.Call(ctx, h.tab.Session, fetch.FulfillRequest, p)
	return err
}

// NavigateHeld navigates to a URL. Once the header of its response has arrived, after redirects, answer is called: it
// continues the response, or shows a different one. If it fails, the response is dropped. limit bounds the wait
// for the header; answer may take as long as ctx.
func (t *Tab) NavigateHeld(ctx context.Context, to string, limit time.Duration, answer func(context.Context, *Held) error) (r page.NavigateResult, err error) {
	if err := t.hold(ctx, true); err != nil {
		return r, err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	f := t.Session.SendFor(bodyLimit, page.Navigate.Method, page.NavigateParams{URL: to})
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		r, err = devtools.Await(ctx, f, page.Navigate)
		t.View(func(s *State) { s.navigated = true })
		t.poke()
	}()
	var held *Held
	heads, stop := WithLimit(ctx, limit, "the response")
	failed := t.wait(heads, func(s *State) bool {
		held = s.held
		return held != nil || s.navigated
	})
	stop()
	if failed == nil && held != nil {
		failed = answer(ctx, held)
	}
	if failed != nil {
		if held != nil {
			t.Session.Send(fetch.FailRequest.Method, fetch.FailRequestParams{RequestID: held.id, ErrorReason: network.ErrorReasonAborted}).Forget()
		}
		cancel()
	}
	<-ended
	if failed != nil {
		return r, failed
	}
	if err != nil {
		return r, err
	}
	return r, t.hold(ctx, false)
}

// hold holds the responses for documents of the main frame, or does so no longer.
func (t *Tab) hold(ctx context.Context, on bool) error {
	t.mu.Lock()
	t.holds = on
	t.state.held, t.state.navigated = nil, false
	page := t.page
	t.mu.Unlock()
	patterns := t.o.patterns(page)
	if on {
		patterns = append(patterns, &fetch.RequestPattern{URLPattern: "*", ResourceType: network.ResourceTypeDocument, RequestStage: fetch.RequestStageResponse})
	}
	if len(patterns) == 0 {
		_, err := devtools.Call(ctx, t.Session, fetch.Disable, cdp.Empty{})
		return err
	}
	return t.intercept(ctx, patterns)
}

// responsePaused handles a response that is paused. mu is held.
func (t *Tab) responsePaused(e *fetch.EventRequestPaused) {
	redirect := 300 <= e.ResponseStatusCode && e.ResponseStatusCode < 400 && e.ResponseStatusCode != 304
	if !t.holds || e.FrameID != t.MainFrame() || e.ResponseErrorReason != "" || redirect || t.state.held != nil {
		t.Session.Send(fetch.ContinueRequest.Method, fetch.ContinueRequestParams{RequestID: e.RequestID}).Forget()
		return
	}
	h := &Held{URL: e.Request.URL, Status: int(e.ResponseStatusCode), tab: t, id: e.RequestID}
	for _, field := range e.ResponseHeaders {
		h.Header = append(h.Header, [2]string{field.Name, field.Value})
	}
	t.state.held = h
}
