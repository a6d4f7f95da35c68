package follow

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"plat/plat"
	"plat/storage"
)

// Limits of matching conditions. Matching of a regular expression cannot be interrupted, but
// takes at most 40 ms for one text, because the size of expressions (package saferegexp) and
// the length of texts (package watch) are limited.
const (
	// slice limits the time for matching the conditions of a subscription while the rest wait.
	// A subscription that needs more is examined aside: in a separate goroutine, one
	// subscription at a time.
	slice = 200 * time.Millisecond

	// patience limits the time for matching there, for the texts of one version. A subscription
	// that needs more is stored as broken, and tried again later. It stays behind, so nothing
	// is lost.
	patience = 10 * time.Second
)

// errSlow ends a turn whose time for matching is used up.
var errSlow = errors.New("matching its conditions takes too long")

// turn limits the time for matching the conditions of a subscription.
type turn struct {
	version time.Duration // limit for one version; 0: no limit
	all     time.Duration // limit after which no further version is begun; 0: no limit

	of    *Follower
	spent struct{ version, all time.Duration }
	n     int // number of the version
}

func (t *turn) begin(f *Follower) {
	t.of = f
	t.spent.version, t.spent.all = 0, 0
}

// next begins a version.
func (t *turn) next(n int) { t.spent.version, t.n = 0, n }

// over reports whether no further version may begin.
func (t *turn) over() bool { return t.all > 0 && t.spent.all >= t.all }

// match reports whether an expression matches a text. Each is compiled once for all subscriptions.
func (x *examiner) match(expression, text string) (bool, error) {
	t := x.turn
	if t.version > 0 && t.spent.version >= t.version {
		return false, fmt.Errorf("version %d: %w", t.n, errSlow)
	}
	began := t.of.now()
	re, err := t.of.expressions.Compile(expression)
	if err != nil {
		return false, err
	}
	matches := false
	if t.of.matches != nil {
		matches = t.of.matches(re, text)
	} else {
		matches = re.MatchString(text)
	}
	took := t.of.now().Sub(began)
	t.spent.version += took
	t.spent.all += took
	return matches, nil
}

func (f *Follower) now() time.Time {
	if f.clock != nil {
		return f.clock()
	}
	return time.Now()
}

// unfit is the error of a subscription that its owner has to change.
type unfit struct{ why string }

// unfitMark is the prefix of the stored state of such a subscription, see [plat.Following].
const unfitMark = "not examined: "

func (u *unfit) Error() string { return u.why }

func isUnfit(broken string) bool { return strings.HasPrefix(broken, unfitMark) }

// asideQueue holds the subscriptions to examine aside. It is guarded by Follower.mu.
type asideQueue struct {
	waiting []string        // IDs, the next first
	in      map[string]bool // IDs that wait or are being examined
	slow    map[string]bool // IDs whose last examination exceeded a slice
}

// setAside queues a subscription to be examined aside.
func (f *Follower) setAside(id string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.aside.in == nil {
		f.aside.in, f.aside.slow = map[string]bool{}, map[string]bool{}
	}
	f.aside.slow[id] = true
	if f.aside.in[id] {
		return
	}
	f.aside.in[id] = true
	f.aside.waiting = append(f.aside.waiting, id)
	select {
	case f.waits <- struct{}{}:
	default: // a signal is already pending, or there is no receiver
	}
}

// nextAside returns the next subscription to examine aside, or the empty string.
func (f *Follower) nextAside() (id string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.aside.waiting) > 0 {
		id = f.aside.waiting[0]
		f.aside.waiting = slices.Delete(f.aside.waiting, 0, 1)
	}
	return id
}

// runAside examines subscriptions aside until ctx ends.
func (f *Follower) runAside(ctx context.Context) {
	for ctx.Err() == nil {
		if id := f.nextAside(); id != "" {
			f.examineAside(ctx, id)
			continue
		}
		select {
		case <-ctx.Done():
		case <-f.waits:
		}
	}
}

// examineAside examines one subscription from the queue, and reports success.
func (f *Follower) examineAside(ctx context.Context, id string) bool {
	t := &turn{version: patience, all: patience}
	s, err := f.Store.Subscription(ctx, id)
	if err == nil && !s.Paused {
		err = f.examine(ctx, s, t)
	}
	gone := errors.Is(err, plat.ErrNotFound)
	// A failure is stored before the subscription may be queued again, so that its pause is
	// kept.
	well := s != nil && !gone && f.settled(ctx, s, err)
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.aside.in, id)
	if gone || err == nil && t.spent.all < slice {
		delete(f.aside.slow, id)
	}
	return well
}

// settled stores the success or failure of an examination. After a failure, the subscription is
// skipped for a time that doubles with each failure.
func (f *Follower) settled(ctx context.Context, s *storage.Subscribed, err error) bool {
	if ctx.Err() != nil {
		return false
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if err == nil {
		delete(f.failing, s.ID)
		return true
	}
	if f.failing == nil {
		f.failing = map[string]failure{}
	}
	pause := min(max(10*pollEvery, 2*f.failing[s.ID].pause), failPause)
	f.failing[s.ID] = failure{f.now().Add(pause), pause, conditionsOf(s)}
	f.Log.Error("a subscription cannot be examined", "subscription", s.ID, "url", s.URL, "again in", pause, "error", err)
	return false
}

// markUnfit stores the reason why a subscription cannot be examined. Its owner sees the reason,
// and no version counts as examined.
func (f *Follower) markUnfit(ctx context.Context, s *storage.Subscribed, why string) error {
	broken := shortened(unfitMark+why, storage.MaxItemTitle)
	if s.Broken == broken {
		return nil
	}
	e := storage.Examination{ID: s.ID, Was: map[string]int{}, Following: s.Following}
	for _, p := range s.Pages {
		e.Was[p.URL] = p.Examined
	}
	e.Following.Broken, e.Following.Since = broken, time.Now().UTC()
	err := f.Store.Examined(ctx, &e)
	if errors.Is(err, plat.ErrConflict) || errors.Is(err, plat.ErrNotFound) {
		return nil // it has changed, and is examined again
	}
	return err
}
