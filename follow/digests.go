package follow

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"plat"
	"plat/digest"
	"plat/storage"
)

// DigestStore is the part of an archive that Digests uses.
type DigestStore interface {
	storage.Subscriptions
	storage.Outbox
	storage.Notes
}

// Digests puts a message into the outbox when a digest is due: all items of the subscriptions
// that want to be told at these times, on the same channel.
type Digests struct {
	Store DigestStore
	Zone  *time.Location // of times that name none
	Log   *slog.Logger
	Told  func() // as that of a Follower
}

const (
	// digestDelay is how long after its time a digest is made: versions that were taken before
	// it may still be written, and examined.
	digestDelay = time.Minute
	digestEvery = 20 * time.Second

	// maxBehind is how long a digest waits for subscriptions that are behind.
	maxBehind = 15 * time.Minute

	// digestNote begins the names of notes that say until when a digest has been made.
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

// wanted are the subscriptions that are told of at the same times on the same channel.
type wanted struct {
	times, channel string
	ids            []string
	made           time.Time // of the first of them
}

// Once makes the digests that are due at now and not made yet. After an interruption one
// digest has all that came since the last.
func (d *Digests) Once(ctx context.Context, now time.Time) error {
	all := map[[2]string]*wanted{}
	for s, err := range d.Store.Subscriptions(ctx, storage.Which{}) {
		if err != nil {
			return err
		}
		for _, channel := range s.Tell {
			if s.Digest == "" {
				continue
			}
			k := [2]string{s.Digest, channel}
			if all[k] == nil {
				all[k] = &wanted{times: s.Digest, channel: channel, made: s.Made}
			}
			w := all[k]
			w.ids = append(w.ids, s.ID)
			if s.Made.Before(w.made) {
				w.made = s.Made
			}
		}
	}
	if len(all) == 0 {
		return nil
	}
	notes, err := d.Store.Notes(ctx, digestNote)
	if err != nil {
		return err
	}
	for _, w := range all {
		if err := d.make(ctx, w, notes, now); err != nil {
			return fmt.Errorf("%s on %s: %w", w.times, w.channel, err)
		}
	}
	return nil
}

// make makes one digest, if it is due.
func (d *Digests) make(ctx context.Context, w *wanted, notes map[string]string, now time.Time) error {
	times, err := digest.Parse(w.times)
	if err != nil {
		d.Log.Error("a subscription has a digest that cannot be read", "subscription", w.ids[0], "digest", w.times, "error", err)
		return nil
	}
	to := times.Latest(now.Add(-digestDelay), d.Zone)
	name := digestNote + w.channel + " " + times.String()
	from := w.made
	if t, err := time.Parse(time.RFC3339Nano, notes[name]); err == nil {
		from = t
	}
	if !from.Before(to) {
		return nil
	}
	if now.Sub(to) < maxBehind {
		for _, err := range d.Store.Behind(ctx, 1) {
			return err // it waits for those that are behind
		}
	}
	ids, err := d.items(ctx, w.ids, from, to)
	if err != nil {
		return err
	}
	if len(ids) > 0 {
		m := plat.Message{ID: "msg_" + hashed("digest", name, to.UTC().Format(time.RFC3339Nano)), Channel: w.channel, Items: ids, Made: now.UTC(), Due: now.UTC()}
		if err := d.Store.Post(ctx, []plat.Message{m}); err != nil {
			return err
		}
		if d.Told != nil {
			d.Told()
		}
	}
	return d.Store.SetNote(ctx, name, to.UTC().Format(time.RFC3339Nano))
}

// items are the IDs of the items of a period that are news, oldest first: what stood on a page
// at its first look is none.
func (d *Digests) items(ctx context.Context, of []string, from, to time.Time) ([]string, error) {
	made := map[string]time.Time{}
	for s, err := range d.Store.Subscriptions(ctx, storage.Which{IDs: of}) {
		if err != nil {
			return nil, err
		}
		made[s.ID] = s.Made
	}
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
			if it.Kind != plat.ItemPresent && it.Seen.After(made[it.Subscription]) {
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
