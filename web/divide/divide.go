// Package divide takes pages over HTTP, and answers with their blocks: HTML, or a URL to render. Nothing is stored.
package divide

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"time"

	"plat/plat"
	"plat/plat/decodeerror"
	"plat/web/api"
)

// Limits of requests. MaxBody bounds the body in bytes, and maxRequests the requests that are read, wait or are
// rendered: each holds its body in memory. Answer bounds the time from the end of the header to the answer.
const (
	MaxBody     = 16 << 20
	maxRequests = 32
	Answer      = time.Minute
)

// Params are the parameters of the query.
var Params = []string{"base"}

// Source is a page to divide.
type Source struct {
	URL  string // canonical; with HTML its base, or empty
	As   string // its spelling in requests, if that is different; see [plat.Spelled]
	HTML []byte // nil: URL is requested
	Type string // of HTML, as in Content-Type; empty: unknown
}

// Options configure a [Handler].
type Options struct {
	// Divide returns the blocks of a page as a value that JSON can encode. The client gets the text of an
	// [api.Mistake] and of a [*plat.VisitError].
	Divide func(context.Context, Source) (any, error)

	Drop []string // query parameters removed from URLs, see [plat.Canonical]
	Log  *slog.Logger
}

// Handler divides pages. It is safe for concurrent use.
type Handler struct {
	Options
	turns chan struct{} // holds a token for each request
}

// New returns a handler.
func New(o Options) *Handler { return &Handler{o, make(chan struct{}, maxRequests)} }

// Serve answers a request with the blocks of a page: 200, or an [*api.Mistake]. The status is 422 if the page cannot
// be rendered, 504 if it takes too long, and 503 if the server cannot do more at present.
func (h *Handler) Serve(w http.ResponseWriter, r *http.Request, p *api.Params) error {
	select {
	case h.turns <- struct{}{}:
		defer func() { <-h.turns }()
	default:
		return h.later(w, fmt.Sprintf("%d requests are under way; retry later", maxRequests))
	}
	from, err := h.source(w, r, p)
	if err != nil {
		return err
	}
	page, err := h.Divide(r.Context(), from)
	if err != nil {
		return h.failed(w, r, err)
	}
	return api.WriteStored(w, http.StatusOK, page)
}

// later answers that the server has no room or no browser at present.
func (h *Handler) later(w http.ResponseWriter, detail string) error {
	w.Header().Set("Retry-After", "1")
	return &api.Mistake{Code: http.StatusServiceUnavailable, Detail: detail}
}

// failed returns the answer to a page that was not divided.
func (h *Handler) failed(w http.ResponseWriter, r *http.Request, err error) error {
	if m, ok := errors.AsType[*api.Mistake](err); ok {
		if m.Code == http.StatusServiceUnavailable {
			return h.later(w, m.Detail)
		}
		return m
	}
	end, ok := errors.AsType[*plat.VisitError](err)
	switch {
	case !ok:
		h.Log.Error("request failed", "path", r.URL.Path, "error", err)
		return &api.Mistake{Code: http.StatusInternalServerError, Detail: "the page could not be divided; the log says why"}
	case end.Outcome == plat.OutcomeTimeout || errors.Is(r.Context().Err(), context.DeadlineExceeded):
		return &api.Mistake{Code: http.StatusGatewayTimeout, Detail: end.Error()}
	case end.Outcome == plat.OutcomeInterrupted:
		return h.later(w, "the server ends, or too many pages wait; retry later")
	}
	return &api.Mistake{Code: http.StatusUnprocessableEntity, Detail: end.Error()}
}

// source reads a request.
func (h *Handler) source(w http.ResponseWriter, r *http.Request, p *api.Params) (from Source, err error) {
	kind, isJSON, err := typeOf(r)
	if err != nil {
		return from, err
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, MaxBody))
	if _, large := errors.AsType[*http.MaxBytesError](err); large {
		return from, &api.Mistake{Code: http.StatusRequestEntityTooLarge, Detail: fmt.Sprintf("send at most %d bytes", MaxBody)}
	} else if err != nil {
		return from, api.BadRequest("the body cannot be read: %v", err)
	}
	if !isJSON {
		return h.given(body, kind, p.Query.Get("base"))
	}
	if p.Query.Has("base") {
		return from, api.BadRequest(`the parameter base is for a body of HTML; write {"html": …, "base": …}`)
	}
	var in struct {
		HTML *string `json:"html"`
		Base *string `json:"base"`
		URL  *string `json:"url"`
	}
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	if err := d.Decode(&in); err != nil {
		return from, api.BadRequest("invalid JSON: %v", decodeerror.JSON(err))
	}
	if _, err := d.Token(); err != io.EOF {
		return from, api.BadRequest("invalid JSON: there is text after the object")
	}
	switch {
	case in.URL != nil && (in.HTML != nil || in.Base != nil):
		return from, api.BadRequest("url is for a page to request; write either url, or html with base")
	case in.URL != nil:
		err = from.locate(*in.URL, h.Drop)
		return from, err
	case in.HTML == nil:
		return from, api.BadRequest(`there is no page; write {"html": …, "base": …} or {"url": …}`)
	}
	base := ""
	if in.Base != nil {
		base = *in.Base
	}
	return h.given([]byte(*in.HTML), "text/html; charset=utf-8", base)
}

// given returns HTML as a source.
func (h *Handler) given(html []byte, kind, base string) (from Source, err error) {
	if len(html) == 0 {
		return from, api.BadRequest("the HTML is empty; send a page as the body, or JSON with html or url")
	}
	from = Source{HTML: html, Type: kind}
	if base != "" {
		if err := from.locate(base, h.Drop); err != nil {
			return from, fmt.Errorf("base: %w", err)
		}
	}
	return from, nil
}

// locate sets the URL of the page.
func (s *Source) locate(raw string, drop []string) (err error) {
	s.URL, s.As, err = plat.Address(raw, drop)
	return err
}

// typeOf returns the type of the HTML in a body, empty if the client does not give one, and whether the body is JSON.
// The type that curl and forms send unasked says nothing about the body.
func typeOf(r *http.Request) (html string, isJSON bool, err error) {
	given := r.Header.Get("Content-Type")
	if given == "" {
		return "", false, nil
	}
	kind, _, err := mime.ParseMediaType(given)
	switch {
	case err != nil:
		return "", false, api.BadRequest("the header Content-Type cannot be read: %v", err)
	case kind == "application/json":
		return "", true, nil
	case plat.IsHTML(kind):
		return given, false, nil
	case kind == "application/x-www-form-urlencoded", kind == "application/octet-stream":
		return "", false, nil
	}
	return "", false, &api.Mistake{Code: http.StatusUnsupportedMediaType, Detail: fmt.Sprintf("the body is %.80s; send text/html, application/xhtml+xml or application/json", kind)}
}
