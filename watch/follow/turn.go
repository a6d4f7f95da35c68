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

// Turns of matching conditions. A regular expression cannot be interrupted, but takes at most 40 ms
// for one text: expressions have a largest size (package saferegexp), and texts a largest length
// (package watch).
const (
	// slice is how long the conditions of a subscription may be matched while the others wait. One
	// that takes longer is examined aside: in a goroutine of its own, one subscription at a time.
	slice = 200 * time.Millisecond

	// patience is how long its conditions may be matched there with the texts of one version. One that takes
	// longer is stored as broken, and tried again after a while: it stays behind, so nothing
	// is lost.
	patience = 10 * time.Second
)

// errSlow ends a turn: matching takes longer than it lasts.
var errSlow = errors.New("matching its conditions takes too long")

// turn is how long the conditions of a subscription may be matched.
type turn struct {
	version time.Duration // for one version; 0: any time
	all     time.Duration // after which no further version is begun; 0: any time

	of    *Follower
	spent struct{ version, all time.Duration }
	n     int // the version
}

func (t *turn) begin(f *Follower) {
	t.of = f
	t.spent.version, t.spent.all = 0, 0
}

// next begins a version.
func (t *turn) next(n int) { t.spent.version, t.n = 0, n }

// over reports whether no further version is to be begun.
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

// unfit is an error of a subscription that its owner has to change.
type unfit struct{ why string }

// unfitMark begins what is stored of such a subscription, see [plat.Following].
const unfitMark = "not examined: "

func (u *unfit) Error() string { return u.why }

func isUnfit(broken string) bool { return strings.HasPrefix(broken, unfitMark) }

// asideQueue is the subscriptions that are examined aside. It is guarded by Follower.mu.
type asideQueue struct {
	waiting []string        // IDs, the next first
	in      map[string]bool // IDs that wait or are being examined
	slow    map[string]bool // IDs that took longer than a slice when they were examined last
}

// setAside lets a subscription wait to be examined aside.
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
	default: // it is known, or nobody waits
	}
}

// nextAside returns the next subscription that is to be examined aside; empty if none waits.
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

// examineAside examines one subscription that waited, and reports whether that went well.
func (f *Follower) examineAside(ctx context.Context, id string) bool {
	t := &turn{version: patience, all: patience}
	s, err := f.Store.Subscription(ctx, id)
	if err == nil && !s.Paused {
		err = f.examine(ctx, s, t)
	}
	gone := errors.Is(err, plat.ErrNotFound)
	// A failure is noted before the subscription may wait again, so that its pause is kept.
	well := s != nil && !gone && f.settled(ctx, s, err)
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.aside.in, id)
	if gone || err == nil && t.spent.all < slice {
		delete(f.aside.slow, id)
	}
	return well
}

// settled notes whether a subscription could be examined. One that could not is left out for a while,
// which doubles.
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

// markUnfit stores why a subscription cannot be examined: its owner is told, and nothing of it counts as
// examined.
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
		return nil // it has been changed, and is examined again
	}
	return err
}
