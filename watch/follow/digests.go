package follow

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"time"

	"plat/plat"
	"plat/storage"
	"plat/watch/digest"
)

// DigestStore is the part of an archive that Digests uses.
type DigestStore interface {
	storage.Subscriptions
	storage.Outbox
	storage.Notes
}

// Digests puts a message into the outbox when a digest is due. It contains all items of the
// subscriptions with this channel and these times.
type Digests struct {
	Store  DigestStore
	Zone   *time.Location // zone of times without their own
	Log    *slog.Logger
	Stored func() // see Follower.Stored

	due map[string]time.Time // by name: when a pending digest was first found to be due
}

const (
	// digestDelay is the time between a digest's due time and its making. A version is dated at
	// the start of its visit, which may take 90 s, and is then stored and examined.
	digestDelay = 3 * time.Minute
	digestEvery = 20 * time.Second

	// maxBehind limits the wait of a digest for its subscriptions that are behind.
	maxBehind = 15 * time.Minute

	// digestNote is the prefix of the notes that hold the end of the last digest made.
	digestNote = "digest "
)

// Run makes digests until ctx ends.
func (d *Digests) Run(ctx context.Context) {
	for {
		if err := d.Once(ctx, time.Now()); err != nil && ctx.Err() == nil {
			d.Log.Error("digests cannot be made; it is tried again", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(digestEvery):
		}
	}
}

// wanted is the set of subscriptions with the same channel and the same times.
type wanted struct {
	times    digest.Times
	channel  string
	made     map[string]time.Time // time of subscribing, by ID
	first    time.Time            // the earliest of these
	examined bool                 // at least one of them has been examined
}

// wanted returns the configured digests, by the names of their notes.
func (d *Digests) wanted(ctx context.Context) (map[string]*wanted, error) {
	all := map[string]*wanted{}
	for s, err := range d.Store.Subscriptions(ctx, storage.Which{}) {
		if err != nil {
			return nil, err
		}
		if s.Digest == "" || len(s.Tell) == 0 {
			continue
		}
		times, err := digest.Parse(s.Digest)
		if err != nil {
			d.Log.Error("a subscription has a digest that cannot be read", "subscription", s.ID, "digest", s.Digest, "error", err)
			continue
		}
		for _, channel := range s.Tell {
			name := digestNote + channel + " " + times.String()
			w := all[name]
			if w == nil {
				w = &wanted{times: times, channel: channel, made: map[string]time.Time{}, first: s.Made}
				all[name] = w
			}
			w.made[s.ID] = s.Made
			w.examined = w.examined || len(s.Pages) > 0
			if s.Made.Before(w.first) {
				w.first = s.Made
			}
		}
	}
	return all, nil
}

// Once makes the digests that are due at now and not made yet. After an interruption one digest
// contains all items since the last. A failing digest does not stop the rest.
func (d *Digests) Once(ctx context.Context, now time.Time) error {
	all, err := d.wanted(ctx)
	if err != nil {
		return err
	}
	notes, err := d.Store.Notes(ctx, digestNote)
	if err != nil {
		return err
	}
	var failed []error
	for name := range notes {
		if all[name] == nil { // it starts afresh when it is configured again
			failed = append(failed, d.Store.SetNote(ctx, name, ""))
		}
	}
	for name, w := range all {
		if err := d.make(ctx, name, w, notes[name], now); err != nil {
			failed = append(failed, fmt.Errorf("%s on %s: %w", w.times, w.channel, err))
		}
	}
	return errors.Join(failed...)
}

// make makes one digest, if it is due. note is the end of the last digest made.
func (d *Digests) make(ctx context.Context, name string, w *wanted, note string, now time.Time) error {
	to := w.times.Latest(now.Add(-digestDelay), d.Zone)
	from, err := time.Parse(time.RFC3339Nano, note)
	if err != nil {
		// It is newly configured. Items found until now have been sent at once.
		if from = w.first; w.examined {
			from = plat.Later(from, to)
		}
		if err := d.made(ctx, name, from); err != nil {
			return err
		}
	}
	if !from.Before(to) {
		return nil
	}
	if d.due == nil {
		d.due = map[string]time.Time{}
	}
	if d.due[name].IsZero() {
		d.due[name] = now
	}
	if now.Sub(d.due[name]) < maxBehind {
		for s, err := range d.Store.Behind(ctx, 0) {
			if err != nil {
				return err
			}
			if _, mine := w.made[s.ID]; mine {
				return nil // it waits for its subscriptions that are behind
			}
		}
	}
	ids, err := d.items(ctx, w, from, to)
	if err != nil {
		return err
	}
	if len(ids) > 0 {
		m := plat.Message{ID: "msg_" + hashed("digest", name, to.UTC().Format(time.RFC3339Nano)), Channel: w.channel, Items: ids, Made: now.UTC(), Due: now.UTC()}
		if err := d.Store.Post(ctx, []plat.Message{m}); err != nil {
			return err
		}
		if d.Stored != nil {
			d.Stored()
		}
	}
	delete(d.due, name)
	return d.made(ctx, name, to)
}

// made stores the end of the last digest made.
func (d *Digests) made(ctx context.Context, name string, to time.Time) error {
	return d.Store.SetNote(ctx, name, to.UTC().Format(time.RFC3339Nano))
}

// items returns the IDs of the items of a period that are news, oldest first. The items of the
// first check of a page are not news.
func (d *Digests) items(ctx context.Context, w *wanted, from, to time.Time) ([]string, error) {
	of := slices.Sorted(maps.Keys(w.made))
	var ids []string
	q := storage.ItemQuery{Of: storage.Which{IDs: of}, Since: from, Until: to, Limit: storage.MaxItems}
	for {
		n := 0
		for it, err := range d.Store.Items(ctx, q) {
			if err != nil {
				return nil, err
			}
			n++
			q.After = storage.PlaceOf(it)
			if it.Kind != plat.ItemPresent && it.Seen.After(w.made[it.Subscription]) {
				ids = append(ids, it.ID)
			}
		}
		if n < q.Limit {
			break
		}
	}
	slices.Reverse(ids)
	return ids, nil
}
