// Package retention forgets pages, or their old versions, on request or by a policy.
//
// [Sweep] forgets selected pages or versions at once. [Run] sweeps once a day according to a
// [Policy]. Forgotten data cannot be read any more. The store's GC then removes the contents
// that no kept version has, and its Vacuum the last of their bytes.
package retention

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"strings"
	"time"

	"plat/plat"
	"plat/storage"
)

// Policy defines the versions that are kept. A version is forgotten only if all given bounds
// apply to it, and the last version of a page never.
type Policy struct {
	KeepLast int           // number of versions of a page; 0: no bound
	KeepFor  time.Duration // time since a newer version replaced it; 0: no bound
}

// Given reports whether anything is ever forgotten.
func (p Policy) Given() bool { return p != Policy{} }

func (p Policy) String() string { return fmt.Sprintf("last=%d for=%s", p.KeepLast, p.KeepFor) }

// Cut returns the cut of the policy at a time.
func (p Policy) Cut(now time.Time) storage.Cut {
	c := storage.Cut{KeepLast: max(1, p.KeepLast)}
	if p.KeepFor > 0 {
		c.Before = now.Add(-p.KeepFor)
	}
	return c
}

// Which selects URLs: a single one, those with a prefix, or those of a host. The zero value
// selects all.
type Which struct {
	URL    string
	Prefix string
	Host   string // with its port, unless it is the default of the scheme
}

// Store is the part of an archive that is swept.
type Store interface {
	State(ctx context.Context, url string) (plat.URLState, error)
	States(ctx context.Context, prefix, after string) iter.Seq2[plat.URLState, error]
	Forget(ctx context.Context, url string, cut storage.Cut, dry bool) (storage.Forgotten, error)
}

// states yields the URLs that are selected.
func (w *Which) states(ctx context.Context, s Store) iter.Seq2[plat.URLState, error] {
	return func(yield func(plat.URLState, error) bool) {
		if w.URL != "" {
			yield(s.State(ctx, w.URL))
			return
		}
		prefixes := []string{w.Prefix}
		if w.Host != "" {
			prefixes = []string{"http://" + w.Host, "https://" + w.Host}
		}
		for _, prefix := range prefixes {
			for st, err := range s.States(ctx, prefix, "") {
				if err == nil && (w.Host != "" && st.Host != w.Host || !strings.HasPrefix(st.URL, w.Prefix)) {
					continue
				}
				if !yield(st, err) || err != nil {
					return
				}
			}
		}
	}
}

// Any reports whether any URL of an archive is selected.
func (w *Which) Any(ctx context.Context, s Store) (bool, error) {
	for _, err := range w.states(ctx, s) {
		return err == nil, err
	}
	return false, nil
}

// nothing reports whether a cut certainly has no effect on a URL.
func nothing(st *plat.URLState, cut storage.Cut) bool {
	if cut.Whole() {
		return cut.Done(st) || st.Visits == 0 && st.Due.IsZero() && st.Settled.IsZero()
	}
	if st.Kept() <= max(1, cut.KeepLast) {
		return true
	}
	return !cut.Before.IsZero() && !st.First.Before(cut.Before)
}

// Swept counts the data that a sweep has forgotten, or would forget.
type Swept struct {
	storage.Forgotten
	Selected int // number of URLs
}

// Sweep forgets the versions that cut selects of the selected URLs, or, if dry, only counts
// them. It calls each, if not nil, for every URL with forgotten versions. Of several URLs, damaged ones keep
// their versions, and are an error at the end that wraps [plat.ErrCorrupt]. It ends at the first other
// error, and returns the counts up to then. For a single unknown URL it returns
// [plat.ErrNotFound]. For a URL that is already forgotten, it completes an interrupted sweep.
func Sweep(ctx context.Context, s Store, which Which, cut storage.Cut, dry bool, each func(*plat.URLState, storage.Forgotten)) (total Swept, err error) {
	var first error // of a damaged URL
	damaged := 0
	for st, err := range which.states(ctx, s) {
		if err != nil {
			return total, err
		}
		total.Selected++
		already := nothing(&st, cut)
		if already && which.URL == "" {
			continue
		}
		f, err := s.Forget(ctx, st.URL, cut, dry)
		if errors.Is(err, plat.ErrNotFound) && which.URL == "" {
			continue // a different process has removed it
		}
		if errors.Is(err, plat.ErrCorrupt) && which.URL == "" {
			if damaged++; first == nil {
				first = err
			}
			continue
		}
		if err != nil {
			return total, err
		}
		total.Add(f)
		if each != nil && !already && (cut.Whole() || f.Versions > 0) {
			each(&st, f)
		}
	}
	switch {
	case damaged == 1:
		err = fmt.Errorf("a damaged page keeps its versions: %w", first)
	case damaged > 1:
		err = fmt.Errorf("%d damaged pages keep their versions; the first: %w", damaged, first)
	}
	return total, err
}

// Archive is the part of a store that [Run] uses.
type Archive interface {
	Store
	Now(ctx context.Context) (time.Time, error)
	GC(ctx context.Context, before time.Time) (storage.Swept, error)
	Notes(ctx context.Context, prefix string) (map[string]string, error)
	SetNote(ctx context.Context, name, text string) error
	ReplaceNote(ctx context.Context, name, old, text string) (bool, error)
}

// note is the name of the note with the time of the last sweep by any process.
const note = "retention swept"

// Every is the time between sweeps of an archive.
const Every = 24 * time.Hour

// Run sweeps an archive once a day until ctx ends. It checks every interval (0: one hour)
// whether a sweep is due. If several processes use the archive, one of them sweeps. Failures
// are logged, and the sweep is repeated later.
func Run(ctx context.Context, s Archive, p Policy, interval time.Duration, log *slog.Logger) {
	if interval <= 0 {
		interval = time.Hour
	}
	for {
		now, err := s.Now(ctx)
		if err == nil {
			err = once(ctx, s, p, now, log)
		}
		if err != nil && ctx.Err() == nil {
			log.Error("old versions could not be forgotten", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(interval):
		}
	}
}

// once sweeps, unless that was done within the last day with the same policy. A failed sweep is
// repeated at the next interval, but not for damage: that stays until somebody mends it.
func once(ctx context.Context, s Archive, p Policy, now time.Time, log *slog.Logger) error {
	notes, err := s.Notes(ctx, note)
	if err != nil {
		return err
	}
	when, policy, _ := strings.Cut(notes[note], " ")
	if last, err := time.Parse(time.RFC3339, when); err == nil && policy == p.String() && now.Before(last.Add(Every)) && !last.After(now.Add(time.Hour)) {
		return nil
	}
	// Written first, so that no second process sweeps.
	if first, err := s.ReplaceNote(ctx, note, notes[note], now.UTC().Format(time.RFC3339)+" "+p.String()); err != nil || !first {
		return err
	}
	f, err := Sweep(ctx, s, Which{}, p.Cut(now), false, nil)
	damaged := func(err error) bool { return err == nil || errors.Is(err, plat.ErrCorrupt) }
	var swept storage.Swept
	var failed error
	if damaged(err) {
		swept, failed = s.GC(ctx, time.Now().Add(-storage.CommitTime)) // which asks the clocks itself
		log.Info("old versions were forgotten", "versions", f.Versions, "visits", f.Visits, "bytes", swept.Bytes)
	}
	if !damaged(err) || !damaged(failed) {
		failed = errors.Join(failed, s.SetNote(context.WithoutCancel(ctx), note, notes[note]))
	}
	return errors.Join(err, failed)
}
