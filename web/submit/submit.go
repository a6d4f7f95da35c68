// Package submit takes URLs over HTTP: single ones, and lists of any length.
package submit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"plat"
	"plat/queue"
	"plat/web/problem"
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

// maxBody limits a request body, in bytes.
const maxBody = 16 << 20

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
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if _, large := errors.AsType[*http.MaxBytesError](err); large {
		problem.Write(w, http.StatusRequestEntityTooLarge, fmt.Sprintf("send at most %d bytes at a time, or a list of any length as %s", maxBody, listType))
		return
	} else if err != nil {
		problem.Write(w, http.StatusBadRequest, "the body ends too early")
		return
	}
	texts, err := seedTexts(body)
	if err != nil {
		problem.Write(w, http.StatusBadRequest, err.Error())
		return
	}
	var jobs []plat.Job
	for i, t := range texts {
		j, err := queue.ParseSeed(t, queue.Seed{}, h.drop)
		if err != nil {
			problem.Write(w, http.StatusBadRequest, fmt.Sprintf("entry %d: %v; nothing was taken", i+1, err))
			return
		}
		jobs = append(jobs, j)
	}
	n, err := h.take(r.Context(), jobs)
	if err != nil {
		w.Header().Set("Retry-After", "5")
		problem.Write(w, http.StatusServiceUnavailable, err.Error())
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusAccepted)
	json.NewEncoder(w).Encode(taken{len(jobs), n})
}

// seedTexts splits a request into entries.
func seedTexts(body []byte) ([]string, error) {
	text := strings.TrimSpace(string(body))
	if !strings.HasPrefix(text, "[") {
		var all []string
		err := queue.EachSeed(strings.NewReader(text), func(l queue.Line) error {
			all = append(all, l.Text) // a long one is refused with its number
			return nil
		})
		if err != nil {
			return nil, err
		}
		if len(all) == 0 {
			return nil, errors.New("there is no URL; send one a line, or JSON")
		}
		return all, nil
	}
	var raw []json.RawMessage
	if err := json.Unmarshal([]byte(text), &raw); err != nil {
		return nil, fmt.Errorf("invalid JSON: %w", err)
	}
	var all []string
	for _, r := range raw {
		var s string
		if json.Unmarshal(r, &s) != nil {
			s = string(r)
		}
		all = append(all, s)
	}
	return all, nil
}
