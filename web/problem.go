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

// Problem is what programs are told when something went wrong (RFC 9457).
type Problem struct {
	Type   string `json:"type"`   // about:blank: the status says what kind it is
	Title  string `json:"title"`  // of the status
	Status int    `json:"status"` // that of HTTP
	Detail string `json:"detail,omitempty"`
}

// WriteProblem answers with a problem document.
func WriteProblem(w http.ResponseWriter, code int, detail string) {
	head := w.Header()
	for _, name := range []string{"Content-Disposition", "Content-Length", "Content-Location", "ETag", "Last-Modified"} {
		head.Del(name) // of the answer that was begun
	}
	head.Set("Content-Type", "application/problem+json")
	head.Set("Cache-Control", "no-store")
	w.WriteHeader(code)
	json.NewEncoder(w).Encode(Problem{"about:blank", http.StatusText(code), code, detail})
}

// fail says what went wrong: to browsers in a page, to programs in a problem
// document.
func (s *Server) fail(w http.ResponseWriter, r *http.Request, code int, detail string) {
	program := strings.HasPrefix(r.URL.Path, "/api/") || strings.HasPrefix(r.URL.Path, "/feed/")
	if !program && strings.Contains(r.Header.Get("Accept"), "text/html") {
		s.errorPage(w, r, code, detail)
		return
	}
	WriteProblem(w, code, detail)
}

// mistake is an error that the one who asked may read.
type mistake struct {
	code   int
	detail string
}

func (m *mistake) Error() string { return m.detail }

// bad is a request that cannot be answered as it is.
func bad(format string, args ...any) error {
	return &mistake{http.StatusBadRequest, fmt.Sprintf(format, args...)}
}

// missing says what is not in the archive, if err is that something is not.
func missing(err error, format string, args ...any) error {
	if errors.Is(err, plat.ErrNotFound) {
		return &mistake{http.StatusNotFound, fmt.Sprintf(format, args...)}
	}
	return err
}

// failed answers with what went wrong: who asked is told a mistake and where it
// is, and of all else only what it means to them.
func (s *Server) failed(w http.ResponseWriter, r *http.Request, err error) {
	m, told := errors.AsType[*mistake](err)
	switch {
	case told:
		s.fail(w, r, m.code, m.detail)
	case errors.Is(err, plat.ErrBadURL):
		s.fail(w, r, http.StatusBadRequest, err.Error())
	case errors.Is(err, plat.ErrNotFound):
		s.fail(w, r, http.StatusNotFound, "not in this archive")
	case errors.Is(r.Context().Err(), context.DeadlineExceeded): // which a store need not wrap
		w.Header().Set("Retry-After", "5")
		s.fail(w, r, http.StatusServiceUnavailable, "the archive took too long to answer; ask for less, or again later")
	case r.Context().Err() != nil:
		// Nobody is there to read an answer.
	default:
		s.Log.Error("request failed", "path", r.URL.Path, "error", err)
		s.fail(w, r, http.StatusInternalServerError, "the archive could not be read; the log says why")
	}
}
