package mongo

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"plat/plat"
	"plat/storage"
)

// changeURL reads a URL's document, lets f change it and writes it back, and retries
// until the compare-and-swap succeeds. f returns false if there is nothing to change. Then it
// writes the host's document. The host must not be visited before clock, if not zero.
//
// After an interruption, f is called with mine if the document may have been changed by this call already, and by another
// process since.
func (s *Store) changeURL(ctx context.Context, url string, clock time.Time, f func(d *urlDoc, mine bool) (bool, error)) error {
	after := s.newWrites()
	err := s.change(ctx, url, clock, f, after)
	_, failed := after.do(ctx)
	return errors.Join(err, failed)
}

// change is changeURL, but only adds the write of the host to those that the caller has to do next, even after
// an error. It begins with the document that State has read: a visit needs no second read, and if
// the document has changed since, the compare-and-swap fails.
func (s *Store) change(ctx context.Context, url string, clock time.Time, f func(d *urlDoc, mine bool) (bool, error), after *writes) error {
	w := s.newWriter()
	host := storage.Host(url)
	var put *visitDoc
	mine := false
	for repeats := 0; ; {
		var err error
		var d *urlDoc
		if repeats == 0 {
			d = s.states.take(url)
		}
		old := d != nil
		if !old {
			if d, err = s.readURL(ctx, url); err == nil && put != nil {
				err = s.dropOutlived(ctx, put, d)
			}
			if err != nil {
				return err
			}
		}
		if d == nil {
			d = newURLDoc(url)
		}
		if err := d.movePlan(); err != nil {
			return err
		}
		var was, is plat.URLState
		d.jobInto(&was)
		latest, had := d.Latest, sumsOf(d)
		if v := s.recent.get(new(d.numbers())); d.Pending && d.Attach == nil && v != nil && v.epoch == d.epoch() { // its block versions were written
			d.Pending, d.Unreadable = false, 0
		}
		if ok, err := f(d, mine); err != nil || !ok {
			if old {
				repeats++
				continue // decide by the document as it is now
			}
			w.addCounts(after)
			return err
		}
		d.jobInto(&is)
		row := w.row(host)
		row.change, row.clock = storage.ChangeOf(&was, &is), clock
		row.sums = sumsOf(d).plus(had, -1)
		all := s.newWrites()
		all.once = true
		w.addAnnouncements(all)
		if latest != nil && latest != d.Latest && !s.written.has(string(d.URL), latest.ID) {
			// Its writer may have crashed before it wrote the visit's own document.
			all.add(s.visits, latest.ID, latest)
			put = latest
		}
		ok, err := s.writeURL(ctx, d, all)
		if interrupted(err) && repeats < s.repeats && ctx.Err() == nil {
			repeats++
			pause(ctx, repeats)
			ok, err = s.wrote(ctx, s.urls, d.ID, d)
			mine = mine || !ok
			row.unknown = row.unknown || mine
		}
		if err != nil {
			return err
		}
		if ok {
			row.done, row.summed = row.change, row.sums
			w.addCounts(after)
			return nil
		}
		// A failed compare-and-swap means that another writer succeeded.
	}
}

// dropOutlived removes the document of a visit that was written for a different writer, if the versions of that time have
// been forgotten in the meantime. d is the URL's document now.
func (s *Store) dropOutlived(ctx context.Context, v *visitDoc, d *urlDoc) error {
	if d != nil && !d.First.IsZero() && !v.Time.Before(d.First) {
		return nil
	}
	_, err := s.deleteOne(ctx, s.visits, byID(v.ID))
	return err
}

// writeURL replaces the document, after other writes, if it is unchanged since d was read
// (compare-and-swap on Rev; a new document has Rev 0), and reports whether it did.
func (s *Store) writeURL(ctx context.Context, d *urlDoc, w *writes) (bool, error) {
	was := d.Rev
	if d.Rev = nextRev(was); was == 0 {
		w.insert(s.urls, d)
	} else {
		w.replace(s.urls, bson.D{{Key: "_id", Value: d.ID}, {Key: "rev", Value: was}}, d, false)
	}
	return w.do(ctx)
}

// nextRev returns the revision of a document after one. A failover may revert a write that was read already: the one that
// takes its place has the same revision only with a chance of one in a million, so a compare-and-swap by the reader fails.
func nextRev(rev int64) int64 { return rev + 1 + rand.Int64N(1<<20) }
