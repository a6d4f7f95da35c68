// Package submit takes URLs over HTTP: single ones, and lists of any length.
package submit

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"plat/plat"
	"plat/plat/decodeerror"
	"plat/queue"
	"plat/web/api"
)

// New returns the handler for URLs that are to be visited: a request holds a URL or an object
// as in the inbox (see [queue.Seed]), an array of them, or one a line. It is accepted
// or rejected as a whole: 202 with the number of entries and how many of them were new
// to take; 400 names the first invalid entry. Parameters in drop are removed from URLs.
// A failure of take is 503, and the client may retry. A request of the type
// text/uri-list is a list of any length, given to list: see serveList.
func New(take func(context.Context, []plat.Job) (fresh int, err error), list TakeList, drop []string) http.Handler {
	return &handler{take, list, drop}
}

type handler struct {
	take func(context.Context, []plat.Job) (int, error)
	list TakeList
	drop []string
}

// Limits of a request: bytes of its body, and entries, which take more memory than they
// are long.
const (
	maxBody    = 16 << 20
	maxEntries = 100_000
)

var errMany = errors.New("too many entries")

// taken is the response.
type taken struct {
	Accepted int `json:"accepted"`
	New      int `json:"new"`
}

func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if isList(r) {
		h.serveList(w, r)
		return
	}
	jobs, err := h.jobs(http.MaxBytesReader(w, r.Body, maxBody))
	if _, large := errors.AsType[*http.MaxBytesError](err); large || errors.Is(err, errMany) {
		api.WriteProblem(w, http.StatusRequestEntityTooLarge, fmt.Sprintf("send at most %d bytes and %d URLs at a time, or a list of any length as %s", maxBody, maxEntries, listType))
		return
	} else if err != nil {
		api.WriteProblem(w, http.StatusBadRequest, err.Error())
		return
	}
	n, err := h.take(r.Context(), jobs)
	if err != nil {
		w.Header().Set("Retry-After", "5")
		api.WriteProblem(w, http.StatusServiceUnavailable, err.Error())
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusAccepted)
	_ = api.WriteLine(w, taken{len(jobs), n})
}

// jobs reads a request, up to its first entry that is wrong: of megabytes of nonsense no
// more is read than its beginning.
func (h *handler) jobs(body io.Reader) (jobs []plat.Job, err error) {
	add := func(text string, refused error) error {
		err := refused
		var j plat.Job
		if err == nil {
			j, err = queue.ParseSeed(text, queue.Seed{}, h.drop)
		}
		if err != nil {
			return &entryError{len(jobs) + 1, err}
		}
		if len(jobs) == maxEntries {
			return errMany
		}
		jobs = append(jobs, j)
		return nil
	}
	in := bufio.NewReader(body)
	first, err := firstByte(in)
	switch {
	case err != nil:
	case first == '[':
		err = eachElement(in, add)
	default:
		err = queue.EachSeed(in, func(l queue.Line) error { return add(l.Text, l.Err) })
	}
	var wrong *entryError
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &wrong), errors.As(err, &large), errors.Is(err, errMany):
		return nil, err
	case err != nil && err != io.EOF:
		return nil, fmt.Errorf("invalid JSON, or a body that breaks off: %w", decodeerror.JSON(err))
	case len(jobs) == 0:
		return nil, errors.New("there is no URL; send one a line, or JSON")
	}
	return jobs, nil
}

// entryError names the invalid entry of a request.
type entryError struct {
	n   int
	err error
}

func (e *entryError) Error() string {
	return fmt.Sprintf("entry %d: %v; no URL was queued", e.n, e.err)
}

// firstByte skips white space and returns the byte after it, which is read again.
func firstByte(in *bufio.Reader) (byte, error) {
	for {
		b, err := in.ReadByte()
		if err != nil {
			return 0, err
		}
		if strings.IndexByte(" \t\r\n", b) < 0 {
			return b, in.UnreadByte()
		}
	}
}

// unexpected is an end of the body within an array.
func unexpected(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// eachElement yields the elements of an array of JSON, strings without their quotes and escapes.
func eachElement(in io.Reader, yield func(text string, refused error) error) error {
	d := json.NewDecoder(in)
	if _, err := d.Token(); err != nil {
		return err
	}
	for d.More() {
		var raw json.RawMessage
		if err := d.Decode(&raw); err != nil {
			return unexpected(err)
		}
		text := string(raw)
		if err := queue.CheckJSON(text); err != nil {
			return yield("", err)
		}
		var s string
		if json.Unmarshal(raw, &s) == nil {
			text = s
		}
		if err := yield(text, nil); err != nil {
			return err
		}
	}
	if _, err := d.Token(); err != nil { // the array's end
		return unexpected(err)
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("there is text after the array")
	}
	return nil
}
