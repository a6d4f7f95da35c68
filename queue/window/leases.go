package window

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Notes is the part of a store that Leases uses; see storage.Notes.
type Notes interface {
	Notes(ctx context.Context, prefix string) (map[string]string, error)
	SetNote(ctx context.Context, name, text string) error
}

// Leases notes in the archive the time until which a worker may hold leases. If Redis loses its
// data, the next leases are granted when all earlier ones have surely ended; if no worker can hold
// one (a first start, a long stop), nothing waits. So a worker notes nothing before there is a frontier to lease from:
// of several workers that start together, each would wait for the others.
type Leases struct {
	notes  Notes
	name   string // of this process' note
	hold   time.Duration
	renews time.Duration
	log    *slog.Logger

	want   sync.Once
	wanted chan struct{} // closed by Want

	until atomic.Int64 // last moment at which leases may be taken; Unix milliseconds
	taken atomic.Bool  // a lease was
}

const leasesPrefix = "leases/"

// A leaseNote is the text of a note: leases may be taken before Until, and each reserves its host
// for at most Hold.
type leaseNote struct {
	Until time.Time     `json:"until"`
	Hold  time.Duration `json:"hold"` // ns
}

// NewLeases returns the notes of a worker whose leases keep a host busy for at most
// hold; see [queue.Queue.Hold].
func NewLeases(n Notes, worker string, hold time.Duration, log *slog.Logger) *Leases {
	// A worker that restarts under its name must not overwrite the note of its predecessor.
	name := leasesPrefix + worker + "/" + rand.Text()
	return &Leases{notes: n, name: name, hold: hold, log: log, renews: max(hold/8, time.Second), wanted: make(chan struct{})}
}

// Want makes Keep begin: there is a frontier to lease from.
func (l *Leases) Want() { l.want.Do(func() { close(l.wanted) }) }

// Wanted reports whether Want was called.
func (l *Leases) Wanted() bool {
	select {
	case <-l.wanted:
		return true
	default:
		return false
	}
}

// Keep notes from Want on that leases may be held, until ctx ends, and removes the note then: no lease may be held any
// more.
func (l *Leases) Keep(ctx context.Context) {
	select {
	case <-l.wanted:
	case <-ctx.Done():
		return
	}
	failing := false
	for ctx.Err() == nil {
		err := l.renew(ctx)
		if err != nil && !failing && ctx.Err() == nil {
			l.log.Warn("noting leases in the archive failed; retrying", "error", err)
		}
		pause := l.renews
		if failing = err != nil; failing {
			pause = time.Second
		}
		sleep(ctx, pause)
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	l.until.Store(0)
	if err := l.notes.SetNote(last, l.name, ""); err != nil {
		l.log.Info("the note on leases stays in the archive until it is past", "error", err)
	}
}

// renew notes that leases may be taken for two more periods.
func (l *Leases) renew(ctx context.Context) error {
	until := time.Now().Add(2 * l.renews)
	text, err := json.Marshal(leaseNote{until.UTC(), l.hold})
	if err != nil {
		return err
	}
	if err := l.notes.SetNote(ctx, l.name, string(text)); err != nil {
		return err
	}
	l.until.Store(until.UnixMilli())
	return nil
}

// May reports whether a lease may be taken now, because a note in the archive covers it.
func (l *Leases) May() bool { return time.Now().UnixMilli() < l.until.Load() }

// Name identifies this worker among those that Holders returns.
func (l *Leases) Name() string { return nameOf(l.name) }

// nameOf returns the unique part of a note's name.
func nameOf(note string) string { return note[strings.LastIndexByte(note, '/')+1:] }

// outage is the time for which a worker counts as holding leases after its note is past: it may extend
// one by heartbeats while it cannot reach the archive.
const outage = 5 * time.Minute

// Holders returns the names of all workers that may hold leases, this one among them. Unlike Held, it
// also returns those of some minutes ago: who has a name from here is asked, and not only waited for.
func (l *Leases) Holders(ctx context.Context) ([]string, error) {
	all, err := l.notes.Notes(ctx, leasesPrefix)
	if err != nil {
		return nil, fmt.Errorf("read the notes on leases: %w", err)
	}
	names := []string{l.Name()}
	for name, text := range all {
		var n leaseNote
		if err := json.Unmarshal([]byte(text), &n); (err != nil || time.Until(n.Until.Add(n.Hold)) > -outage) && name != l.name {
			names = append(names, nameOf(name))
		}
	}
	return names, nil
}

// Taken records the grant of a lease.
func (l *Leases) Taken() { l.taken.Store(true) }

// Held returns how long any worker may still hold leases, and removes the notes of workers that
// have died.
func (l *Leases) Held(ctx context.Context) (time.Duration, error) {
	all, err := l.notes.Notes(ctx, leasesPrefix)
	if err != nil {
		return 0, fmt.Errorf("read the notes on leases: %w", err)
	}
	held := time.Duration(0)
	for name, text := range all {
		var n leaseNote
		err := json.Unmarshal([]byte(text), &n)
		left := time.Until(n.Until.Add(n.Hold))
		switch {
		case name == l.name && !l.taken.Load():
		case err != nil, left < -time.Hour:
			if err := l.notes.SetNote(ctx, name, ""); err != nil {
				return 0, err
			}
		default:
			held = max(held, min(left, n.Hold)) // every lease began before now
		}
	}
	return held, nil
}
