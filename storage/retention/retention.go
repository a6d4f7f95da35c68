// Package retention forgets pages, or their old versions, as a person asks or as settings say.
//
// [Sweep] forgets at once what is selected; [Run] sweeps once a day what is older than a [Policy]
// keeps. What was forgotten cannot be read any more; the contents that nothing else has are then
// removed by the store's GC, and the last of their bytes by its Vacuum.
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

// Policy says which versions are kept. A version is forgotten only if all bounds that are given
// forget it; the last one of a page never is.
type Policy struct {
	KeepLast int           // versions of a page; 0: no bound
	KeepFor  time.Duration // after another version has replaced it; 0: no bound
}

// Given reports whether anything is ever forgotten.
func (p Policy) Given() bool { return p != Policy{} }

func (p Policy) String() string { return fmt.Sprintf("last=%d for=%s", p.KeepLast, p.KeepFor) }

// Cut is what the policy forgets at a time.
func (p Policy) Cut(now time.Time) storage.Cut {
	c := storage.Cut{KeepLast: max(1, p.KeepLast)}
	if p.KeepFor > 0 {
		c.Before = now.Add(-p.KeepFor)
	}
	return c
}

// Which selects URLs: one, or those that begin with a prefix, or those of a host. The zero value
// selects all.
type Which struct {
	URL    string
	Prefix string
	Host   string // with its port, if it is not the scheme's own
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

// nothing reports whether a cut surely forgets nothing of a URL that is not forgotten already.
func nothing(st *plat.URLState, cut storage.Cut) bool {
	if cut.Whole() {
		return cut.Done(st) || st.Visits == 0 && st.Due.IsZero() && st.Settled.IsZero()
	}
	if st.Kept() <= max(1, cut.KeepLast) {
		return true
	}
	return !cut.Before.IsZero() && !st.First.Before(cut.Before)
}

// Swept is what a sweep has forgotten, or would.
type Swept struct {
	storage.Forgotten
	Selected int // URLs
}

// Sweep forgets what cut names of the URLs that are selected, or, if dry, only says what that is. It
// calls each, if it is not nil, for every URL of which something is forgotten. It ends at the first
// error, with what it has forgotten. A single URL that the archive does not know is
// [plat.ErrNotFound]; of one that is forgotten already what a crash has left is removed.
func Sweep(ctx context.Context, s Store, which Which, cut storage.Cut, dry bool, each func(*plat.URLState, storage.Forgotten)) (total Swept, err error) {
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
			continue // another process has removed it
		}
		if err != nil {
			return total, err
		}
		total.Add(f)
		if each != nil && !already && (cut.Whole() || f.Versions > 0) {
			each(&st, f)
		}
	}
	return total, nil
}

// Archive is what [Run] sweeps.
type Archive interface {
	Store
	GC(ctx context.Context, before time.Time) (storage.Swept, error)
	Notes(ctx context.Context, prefix string) (map[string]string, error)
	SetNote(ctx context.Context, name, text string) error
}

// note is when the archive was last swept, by whichever process.
const note = "retention swept"

// Every is how often an archive is swept.
const Every = 24 * time.Hour

// Run sweeps an archive once a day, and looks every interval (0: an hour) whether it is time, until
// ctx ends. Of several processes on one archive, one sweeps. Failures are logged, and the next
// day's sweep goes on.
func Run(ctx context.Context, s Archive, p Policy, interval time.Duration, log *slog.Logger) {
	if interval <= 0 {
		interval = time.Hour
	}
	for {
		if err := once(ctx, s, p, time.Now(), log); err != nil && ctx.Err() == nil {
			log.Error("old versions could not be forgotten", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(interval):
		}
	}
}

// once sweeps, if that was not done within the last day with the same policy. What fails is tried
// again at the next look.
func once(ctx context.Context, s Archive, p Policy, now time.Time, log *slog.Logger) error {
	notes, err := s.Notes(ctx, note)
	if err != nil {
		return err
	}
	when, policy, _ := strings.Cut(notes[note], " ")
	if last, err := time.Parse(time.RFC3339, when); err == nil && policy == p.String() && now.Before(last.Add(Every)) && !last.After(now.Add(time.Hour)) {
		return nil
	}
	// First, so that another process does not sweep too.
	if err := s.SetNote(ctx, note, now.UTC().Format(time.RFC3339)+" "+p.String()); err != nil {
		return err
	}
	f, err := Sweep(ctx, s, Which{}, p.Cut(now), false, nil)
	var swept storage.Swept
	if err == nil {
		swept, err = s.GC(ctx, now.Add(-storage.CommitTime))
	}
	if err != nil {
		return errors.Join(err, s.SetNote(context.WithoutCancel(ctx), note, notes[note]))
	}
	log.Info("old versions were forgotten", "versions", f.Versions, "visits", f.Visits, "bytes", swept.Bytes)
	return nil
}
