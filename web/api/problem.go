package api

import (
	"errors"
	"fmt"
	"net/http"

	"plat/plat"
	"plat/plat/excerpt"
)

// Problem is an error response.
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
	// A problem contains only text, so JSON can encode it. A write error means that the client is
	// gone.
	line, _ := excerpt.MarshalJSON(Problem{"about:blank", http.StatusText(code), code, detail})
	_, _ = w.Write(append(line, '\n'))
}

// Mistake is an error whose text may be sent to the client.
type Mistake struct {
	Code   int // HTTP status
	Detail string
}

func (m *Mistake) Error() string { return m.Detail }

// BadRequest is an error for an invalid request.
func BadRequest(format string, args ...any) error {
	return &Mistake{http.StatusBadRequest, fmt.Sprintf(format, args...)}
}

// NotFound returns an error with status 404.
func NotFound(format string, args ...any) error {
	return &Mistake{http.StatusNotFound, fmt.Sprintf(format, args...)}
}

// OrNotFound returns an error with status 404 if err is plat.ErrNotFound, or 410 if it is
// plat.ErrForgotten; the format names the missing object.
func OrNotFound(err error, format string, args ...any) error {
	if errors.Is(err, plat.ErrForgotten) {
		return &Mistake{http.StatusGone, fmt.Sprintf(format, args...) + ": it was removed on purpose"}
	}
	if errors.Is(err, plat.ErrNotFound) {
		return NotFound(format, args...)
	}
	return err
}
