package main

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"plat/plat"
	"plat/scripts/procs"
	"plat/storage"
	"plat/storage/mongo"
	"plat/storage/sqlite"
)

// knownStore is an archive that knows many URLs.
type knownStore interface {
	storage.Jobs
	storage.Notes
	Record(ctx context.Context, v plat.Visit, pageBytes int64) error
	Size(ctx context.Context) (int64, error)
	Close() error
}

// A knownArchive is a list of URLs that are spread over hosts. URLs number i, i+1, … are
// of one host, some of each host at a time, as crawls find them.
type knownArchive struct {
	URLs       int     `json:"urls"`
	Hosts      int     `json:"hosts"`
	ShareDue   float64 `json:"share_due"`   // of the URLs: a visit is due now
	ShareFresh float64 `json:"share_fresh"` // of those that are due: never visited
}

// together is the number of consecutive URLs of a host.
const together = 20

func (a *knownArchive) url(i int) string {
	host := i / together % a.Hosts
	return fmt.Sprintf("https://www.host-%d.example/section/%d/article-%d.html", host, i%7, i)
}

// kind says whether number i is due, and whether it was never visited: evenly, by a
// sequence that does not repeat.
func (a *knownArchive) kind(i int) (due, fresh bool) {
	const golden = 0.6180339887498949
	x := float64(i) * golden
	x -= float64(int(x))
	return x < a.ShareDue, x < a.ShareDue*a.ShareFresh
}

func (a *knownArchive) priority(i int) float32 { return float32(i%10) / 10 }

// name is that of the archive's file or database.
func (a *knownArchive) name() string {
	return fmt.Sprintf("known-%d-%d-%g-%g", a.URLs, a.Hosts, a.ShareDue, a.ShareFresh)
}

// built is the note that says how far an archive is built, and since when.
type built struct {
	Done  int           `json:"done"`
	Since time.Time     `json:"since"`
	Spent time.Duration `json:"spent"` // ns
	Bytes int64         `json:"bytes"` // before the first URL
}

const (
	builtNote  = "bench/known"
	builtBatch = 10_000
	builtAgain = 30 * 24 * time.Hour // when a visited URL is due again
)

// fill builds the archive, or resumes building it. A known URL was visited once and has its next
// visit; a fresh one was only enlisted.
func (a *knownArchive) fill(ctx context.Context, s knownStore, progress func(done int)) (b built, err error) {
	notes, err := s.Notes(ctx, builtNote)
	if err != nil {
		return b, err
	}
	if text := notes[builtNote]; text != "" {
		if err := json.Unmarshal([]byte(text), &b); err != nil {
			return b, err
		}
	} else {
		b.Since = time.Now().UTC().Truncate(time.Second)
		if b.Bytes, err = s.Size(ctx); err != nil {
			return b, err
		}
	}
	for b.Done < a.URLs {
		began := time.Now()
		to := min(b.Done+builtBatch, a.URLs)
		if err := a.add(ctx, s, b.Since, b.Done, to); err != nil {
			return b, err
		}
		b.Done, b.Spent = to, b.Spent+time.Since(began)
		text, err := json.Marshal(b)
		if err == nil {
			err = s.SetNote(ctx, builtNote, string(text))
		}
		if err != nil {
			return b, err
		}
		progress(b.Done)
	}
	return b, nil
}

func (a *knownArchive) add(ctx context.Context, s knownStore, since time.Time, from, to int) error {
	var fresh []plat.Job
	for i := from; i < to; i++ {
		due, isFresh := a.kind(i)
		if isFresh {
			fresh = append(fresh, plat.Job{URL: a.url(i), Due: since, Priority: a.priority(i)})
			continue
		}
		next := since.Add(builtAgain + time.Duration(i)*time.Millisecond)
		if due {
			next = since
		}
		first := since.Add(-24 * time.Hour)
		v := plat.Visit{URL: a.url(i), Time: first, Outcome: plat.OutcomeUnchanged, Status: 200, Bytes: 20_000, Settles: first, Next: next}
		if err := s.Record(ctx, v, 20_000); err != nil {
			return err
		}
	}
	if len(fresh) == 0 {
		return nil
	}
	_, err := s.Enlist(ctx, fresh, storage.IfNew)
	return err
}

// open opens an archive in a folder, and returns a function that ends its server.
func (o *knownOptions) open(ctx context.Context, a *knownArchive) (s knownStore, end func(), err error) {
	if o.store == "sqlite" {
		s, err = sqlite.Open(filepath.Join(o.dir, a.name()+".db"), sqlite.Options{})
		return s, func() {}, err
	}
	uri, end := o.uri, func() {}
	if uri == "" {
		if uri, end, err = procs.StartFerretDB(ctx, o.dir, a.name()); err != nil {
			return nil, end, err
		}
	}
	s, err = mongo.Open(ctx, uri, mongo.Options{Database: strings.ReplaceAll(a.name(), ".", "_")})
	return s, end, err
}
