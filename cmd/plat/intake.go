package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"plat"
	"plat/queue"
	"plat/storage"
	"plat/web"
	"plat/workers"
)

// seedJobs reads URLs of the command line and of a list; what they do not say is as in
// defaults.
func (a *app) seedJobs(urls []string, list string, defaults queue.Seed) ([]plat.Job, error) {
	if err := defaults.Check(); err != nil {
		return nil, fail(exitUsage, "%w", err)
	}
	var jobs []plat.Job
	add := func(text, where string) error {
		j, err := queue.ParseSeed(text, defaults, a.drop())
		if err != nil {
			return fail(exitUsage, "%s%w", where, err)
		}
		jobs = append(jobs, j)
		return nil
	}
	for _, u := range urls {
		if err := add(u, ""); err != nil {
			return nil, err
		}
	}
	if list == "" {
		return jobs, nil
	}
	in, err := a.openList(list)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return jobs, eachSeed(in, func(n int, text string) error { return add(text, fmt.Sprintf("%s line %d: ", list, n)) })
}

// intake is the way in for URLs over HTTP: a URL or an object as in the inbox,
// an array of them, or one a line.
type intake struct {
	q     *queue.Queue
	store storage.Store
	drop  []string
}

// maxIntake is how many bytes one request may have.
const maxIntake = 16 << 20

// taken is what the way in says.
type taken struct {
	Accepted int `json:"accepted"`
	New      int `json:"new"`
}

func (h *intake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxIntake))
	if _, large := errors.AsType[*http.MaxBytesError](err); large {
		web.WriteProblem(w, http.StatusRequestEntityTooLarge, fmt.Sprintf("send at most %d bytes at a time", maxIntake))
		return
	} else if err != nil {
		web.WriteProblem(w, http.StatusBadRequest, "the body ends too early")
		return
	}
	texts, err := seedTexts(body)
	if err != nil {
		web.WriteProblem(w, http.StatusBadRequest, err.Error())
		return
	}
	var jobs []plat.Job
	for i, t := range texts {
		j, err := queue.ParseSeed(t, queue.Seed{}, h.drop)
		if err != nil {
			web.WriteProblem(w, http.StatusBadRequest, fmt.Sprintf("entry %d: %v; nothing was taken", i+1, err))
			return
		}
		jobs = append(jobs, j)
	}
	n, err := workers.Take(r.Context(), h.store, h.q, jobs)
	if err != nil {
		w.Header().Set("Retry-After", "5")
		web.WriteProblem(w, http.StatusServiceUnavailable, err.Error())
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusAccepted)
	json.NewEncoder(w).Encode(taken{len(jobs), n})
}

// seedTexts takes a request apart.
func seedTexts(body []byte) ([]string, error) {
	text := strings.TrimSpace(string(body))
	if !strings.HasPrefix(text, "[") {
		var all []string
		err := eachSeed(strings.NewReader(text), func(_ int, line string) error {
			all = append(all, line)
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
		return nil, fmt.Errorf("it is no JSON: %w", err)
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
