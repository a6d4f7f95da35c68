package view

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"mime"
	"slices"
	"time"

	"plat/plat"
	"plat/storage"
)

// Fault is why a page or a feed of a subscription cannot be examined now.
type Fault struct {
	URL   string    `json:"url"`
	Feed  bool      `json:"feed"`
	Error string    `json:"error"`
	Since time.Time `json:"since"` // the first visit with a fault, or the oldest examined one
}

// FaultStore is the part of an archive that Faults reads.
type FaultStore interface {
	State(ctx context.Context, url string) (plat.URLState, error)
	Visits(ctx context.Context, url string, limit int) iter.Seq2[plat.Visit, error]
	Version(ctx context.Context, url string, n int) (*plat.Version, error)
}

// noFeed is the fault of a feed whose URL answers a page.
const noFeed = "it answers with a page, and not with a feed"

// Limits of the visits and of the versions that are read to find when a fault began: lists show the faults of thousands of
// subscriptions.
const (
	maxVisits   = 100
	maxVersions = 20
)

// Faults returns the faults of a subscription's page, whose state is st, and of its feeds: the last visit failed, or a feed's URL
// answers a page. A broken page counts as a feed if it was one before.
func Faults(ctx context.Context, store FaultStore, s *storage.Subscribed, st *plat.URLState) (all []Fault, err error) {
	if s.Paused {
		return nil, nil
	}
	for _, url := range append([]string{s.URL}, s.Feeds...) {
		of, feed := *st, slices.Contains(s.Feeds, url)
		if url != s.URL {
			if of, err = store.State(ctx, url); errors.Is(err, plat.ErrNotFound) {
				continue
			}
			if err != nil {
				return nil, err
			}
		}
		f := Fault{URL: url, Feed: feed}
		if of.Outcome.Failed() {
			err = f.failed(ctx, store, &of)
		} else if feed || s.Broken != "" {
			err = f.page(ctx, store, &of)
		}
		if err != nil {
			return nil, err
		}
		if f.Error != "" {
			all = append(all, f)
		}
	}
	return all, nil
}

// failed notes the error of the last visit, and since when visits fail.
func (f *Fault) failed(ctx context.Context, store FaultStore, of *plat.URLState) error {
	f.Error, f.Since = string(of.Outcome), of.Last
	n := 0
	for v, err := range store.Visits(ctx, f.URL, maxVisits) {
		if err != nil {
			return err
		}
		if !v.Outcome.Failed() {
			break
		}
		if n++; n == 1 {
			f.Error = cmp.Or(v.Error, f.Error)
		}
		f.Since = v.Time
	}
	return nil
}

// page notes that the last version of a feed is a page, and since when.
func (f *Fault) page(ctx context.Context, store FaultStore, of *plat.URLState) error {
	var since time.Time
	for n := of.Head; n > max(0, of.Head-maxVersions); n-- {
		v, err := store.Version(ctx, of.URL, n)
		if errors.Is(err, plat.ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		if !isPage(v.Capture.ContentType) {
			f.Feed = true
			break
		}
		since = v.Taken
		if v.Previous() == 0 {
			break
		}
	}
	if f.Feed && !since.IsZero() {
		f.Error, f.Since = noFeed, since
	}
	return nil
}

// isPage reports whether a media type is that of pages.
func isPage(contentType string) bool {
	kind, _, _ := mime.ParseMediaType(contentType)
	return plat.IsHTML(kind)
}
