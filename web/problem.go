package web

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"plat/plat"
	"plat/web/api"
	"plat/web/watchweb"
)

// fail sends an error: to browsers as a page, to programs as a problem
// document.
func (s *Server) fail(w http.ResponseWriter, r *http.Request, code int, detail string) {
	program := strings.HasPrefix(r.URL.Path, "/api/") || strings.HasPrefix(r.URL.Path, "/feed/") || watchweb.TokenInQuery(r.URL.Path)
	if !program && strings.Contains(r.Header.Get("Accept"), "text/html") {
		s.errorPage(w, r, code, detail)
		return
	}
	api.WriteProblem(w, code, detail)
}

// failed sends an error response: the full text of a client's mistake, but only
// a general description of internal errors.
func (s *Server) failed(w http.ResponseWriter, r *http.Request, err error) {
	m, told := errors.AsType[*api.Mistake](err)
	switch {
	case told:
		s.fail(w, r, m.Code, m.Detail)
	case errors.Is(err, plat.ErrBadURL):
		s.fail(w, r, http.StatusBadRequest, err.Error())
	case errors.Is(err, plat.ErrForgotten):
		s.fail(w, r, http.StatusGone, "it was removed from this archive on purpose")
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
