package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"plat"
)

// Problem is an error response for programs (RFC 9457).
type Problem struct {
	Type   string `json:"type"`   // about:blank: the status is the type
	Title  string `json:"title"`  // text of the status
	Status int    `json:"status"` // HTTP status
	Detail string `json:"detail,omitempty"`
}

// WriteProblem sends a problem document.
func WriteProblem(w http.ResponseWriter, code int, detail string) {
	head := w.Header()
	for _, name := range []string{"Content-Disposition", "Content-Length", "Content-Location", "ETag", "Last-Modified"} {
		head.Del(name) // of the abandoned response
	}
	head.Set("Content-Type", "application/problem+json")
	head.Set("Cache-Control", "no-store")
	w.WriteHeader(code)
	json.NewEncoder(w).Encode(Problem{"about:blank", http.StatusText(code), code, detail})
}

// fail sends an error: to browsers as a page, to programs as a problem
// document.
func (s *Server) fail(w http.ResponseWriter, r *http.Request, code int, detail string) {
	program := strings.HasPrefix(r.URL.Path, "/api/") || strings.HasPrefix(r.URL.Path, "/feed/")
	if !program && strings.Contains(r.Header.Get("Accept"), "text/html") {
		s.errorPage(w, r, code, detail)
		return
	}
	WriteProblem(w, code, detail)
}

// mistake is an error whose text may be sent to the client.
type mistake struct {
	code   int
	detail string
}

func (m *mistake) Error() string { return m.detail }

// bad is an error for an invalid request.
func bad(format string, args ...any) error {
	return &mistake{http.StatusBadRequest, fmt.Sprintf(format, args...)}
}

// missing names what is not in the archive if err is ErrNotFound.
func missing(err error, format string, args ...any) error {
	if errors.Is(err, plat.ErrNotFound) {
		return &mistake{http.StatusNotFound, fmt.Sprintf(format, args...)}
	}
	return err
}

// failed sends an error response: the full text of a client's mistake, but only
// a general description of internal errors.
func (s *Server) failed(w http.ResponseWriter, r *http.Request, err error) {
	m, told := errors.AsType[*mistake](err)
	switch {
	case told:
		s.fail(w, r, m.code, m.detail)
	case errors.Is(err, plat.ErrBadURL):
		s.fail(w, r, http.StatusBadRequest, err.Error())
	case errors.Is(err, plat.ErrNotFound):
		s.fail(w, r, http.StatusNotFound, "not in this archive")
	case errors.Is(r.Context().Err(), context.DeadlineExceeded): // a store need not wrap it
		w.Header().Set("Retry-After", "5")
		s.fail(w, r, http.StatusServiceUnavailable, "the archive took too long; request less, or retry later")
	case r.Context().Err() != nil:
		// The client is gone.
	default:
		s.Log.Error("request failed", "path", r.URL.Path, "error", err)
		s.fail(w, r, http.StatusInternalServerError, "the archive could not be read; the log says why")
	}
}
