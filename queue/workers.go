package queue

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Format is the latest format of the frontier's keys that this version reads and writes; see
// docs/format.md. Oldest is the earliest one.
const (
	Format = 2
	oldest = 2
)

// formatFor returns the format in which a process that understands all from oldest to latest begins a
// frontier: the latest one that no live worker fails to understand. So a fleet is updated worker by
// worker: the older ones go on, and after them the next frontier to begin has the new format.
// A worker so old that it announces nothing, or nothing from oldest on, does not count.
//
// All formats must keep the fields generation, format (a number that grows), run and lost of the hash
// meta, and the inbox: an older worker reads and writes them before it notices that the rest is newer.
func formatFor(all []Worker, latest int) int {
	for _, w := range all {
		if w.State != Lost && w.Frontier >= oldest {
			latest = min(latest, w.Frontier)
		}
	}
	return latest
}

// Worker describes a worker of the fleet, as it announces itself.
type Worker struct {
	Name     string    `json:"name"`
	State    string    `json:"state"`             // working, idle, draining, waiting for something, or [Lost]
	Visits   int       `json:"visits"`            // under way
	Tabs     int       `json:"tabs"`              // pages rendered at once, at most
	Memory   int64     `json:"memory,omitempty"`  // bytes of its process and of its browser; 0 if unknown
	Version  string    `json:"version,omitempty"` // of plat
	Revision string    `json:"revision,omitempty"`
	Frontier int       `json:"frontier"` // latest format of the frontier that it understands; see [Format]
	Host     string    `json:"host"`     // name of its machine
	PID      int       `json:"pid"`
	Started  time.Time `json:"started"`
	Seen     time.Time `json:"seen"` // by Redis' clock
}

// Lost is the state of a worker that has not announced itself for a while.
const Lost = "lost"

const (
	// AnnounceEvery is the interval at which workers announce themselves.
	AnnounceEvery = 5 * time.Second

	silence   = 4 * AnnounceEvery // after which a worker counts as lost
	forgotten = time.Hour         // after which a lost worker is no longer listed
)

// workers returns the key of the hash of workers: the process' token -> its description.
func (q *Queue) workers() string { return q.o.Prefix + ":workers" }

// AnnounceWorker tells the fleet about this process. It replaces the previous announcement.
func (q *Queue) AnnounceWorker(ctx context.Context, w Worker) error {
	now, err := q.Now(ctx)
	if err != nil {
		return explain(q.o.URL, err)
	}
	w.Frontier, w.Seen = q.latest, now
	text, err := json.Marshal(w)
	if err != nil {
		return err
	}
	return explain(q.o.URL, q.rdb.HSet(ctx, q.workers(), q.name, text).Err())
}

// RemoveWorker removes this process from the fleet's workers.
func (q *Queue) RemoveWorker(ctx context.Context) error {
	return explain(q.o.URL, q.rdb.HDel(ctx, q.workers(), q.name).Err())
}

// Workers returns the workers of the fleet, sorted by name. Those without an announcement for a
// while are [Lost]; after an hour they are removed.
func (q *Queue) Workers(ctx context.Context) ([]Worker, error) {
	now, err := q.Now(ctx)
	if err != nil {
		return nil, explain(q.o.URL, err)
	}
	texts, err := q.rdb.HGetAll(ctx, q.workers()).Result()
	if err != nil {
		return nil, explain(q.o.URL, err)
	}
	all := make([]Worker, 0, len(texts))
	var old []string
	for token, text := range texts {
		var w Worker
		err := json.Unmarshal([]byte(text), &w)
		switch since := now.Sub(w.Seen); {
		case err != nil, since > forgotten:
			old = append(old, token)
			continue
		case since > silence:
			w.State = Lost
		}
		all = append(all, w)
	}
	if len(old) > 0 {
		if err := q.rdb.HDel(ctx, q.workers(), old...).Err(); err != nil {
			return nil, fmt.Errorf("remove old workers: %w", explain(q.o.URL, err))
		}
	}
	slices.SortFunc(all, func(a, b Worker) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), a.Started.Compare(b.Started))
	})
	return all, nil
}
