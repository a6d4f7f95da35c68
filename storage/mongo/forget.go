package mongo

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"

	"plat/plat"
	"plat/storage"
)

// Forget removes versions of a URL, and older data about it.
//
// It first updates the dates in the blocks of the kept versions. Then one compare-and-swap of
// the URL's document hides the forgotten versions. Then it removes their data, and their own
// documents last: after a crash, the remaining documents show the next call, and GC, that the
// removal is incomplete.
func (s *Store) Forget(ctx context.Context, url string, cut storage.Cut, dry bool) (storage.Forgotten, error) {
	for tries := 1; ; tries++ {
		out, begun, err := s.forget(ctx, url, cut, dry, tries > 1)
		if err == nil {
			return out, nil
		}
		if tries == maxTries || !s.disturbed(ctx, url, begun, err) {
			return storage.Forgotten{}, errorf("mongo: forget %q: %w", url, err)
		}
		select {
		case <-time.After(time.Duration(1+rand.IntN(20*tries)) * time.Millisecond):
		case <-ctx.Done():
		}
	}
}

// forget is Forget, once. It also returns the number of versions that were forgotten when it began. again says that another
// process has disturbed it, so that the dates of kept versions may be those of either.
func (s *Store) forget(ctx context.Context, url string, cut storage.Cut, dry, again bool) (out storage.Forgotten, begun int, err error) {
	u, err := s.readURL(ctx, url)
	if err == nil && u == nil {
		err = plat.ErrNotFound
	}
	if err != nil {
		return out, 0, err
	}
	begun = u.Forgotten
	last, from, err := s.forgotten(ctx, u, cut, &out)
	if err != nil {
		return out, begun, err
	}
	st, err := u.state()
	if err != nil {
		return out, begun, err
	}
	if !cut.Whole() && last == u.Forgotten || cut.Done(&st) {
		if dry {
			return out, begun, nil
		}
		if again && u.Head > 0 {
			if err := s.removePage(ctx, url); err != nil {
				return out, begun, err
			}
			if err := s.date(ctx, u, u.Forgotten); err != nil {
				return out, begun, err
			}
		}
		return out, begun, s.finish(ctx, u) // complete an interrupted call
	}
	if out.Visits, err = s.visitsBefore(ctx, url, from); err != nil {
		return out, begun, err
	}
	n, err := s.items.CountDocuments(ctx, itemsOf(url, last, cut.Whole()))
	if out.Items = int(n); err != nil || dry {
		return out, begun, err
	}
	if !cut.Whole() {
		if err := s.removePage(ctx, url); err != nil {
			return out, begun, err
		}
		if err := s.date(ctx, u, last); err != nil {
			return out, begun, err
		}
	}
	now, moved := s.clock.now(), false
	err = s.changeURL(ctx, url, time.Time{}, func(is *urlDoc, mine bool) (bool, error) {
		if mine && is.Forgotten == last && is.ForgottenAt.Equal(instant(now)) {
			return false, nil // they are hidden by this call
		}
		if moved = is.Head != u.Head || is.Forgotten != u.Forgotten; moved {
			return false, nil
		}
		return true, s.hide(ctx, is, last, from, cut.Whole(), now)
	})
	if err == nil && moved {
		err = errRedated // or a version was added
	}
	if err == nil {
		u, err = s.readURL(ctx, url)
	}
	if err == nil {
		err = s.finish(ctx, u)
	}
	return out, begun, err
}

// forgotten returns the last forgotten version, and the time of the visit that found the oldest
// kept version, or zero for a whole page.
func (s *Store) forgotten(ctx context.Context, u *urlDoc, cut storage.Cut, out *storage.Forgotten) (last int, from time.Time, err error) {
	st := u.numbers()
	if cut.Whole() {
		last = max(u.Head, u.Forgotten)
	}
	var taken, written, found []time.Time
	for d, err := range s.versionFacts(ctx, string(u.URL), st.Oldest(), u.Head, bson.D{{Key: "n", Value: 1}, {Key: "taken", Value: 1}, {Key: "written", Value: 1}, {Key: "visit.time", Value: 1}}) {
		switch {
		case err != nil && cut.Whole() && errors.Is(err, plat.ErrCorrupt): // a damaged page can be forgotten
		case err != nil:
			return 0, from, err
		default:
			taken, written, found = append(taken, d.Taken), append(written, d.Written.At), append(found, d.Visit.Time)
		}
	}
	if !cut.Whole() {
		last = cut.Last(&st, taken)
	}
	out.Versions = last - u.Forgotten
	if out.Versions > 0 && !cut.Whole() {
		from = found[out.Versions]
	}
	for _, at := range written[:min(out.Versions, len(written))] {
		if at = at.Add(storage.CommitTime); at.After(s.clock.now()) && at.After(out.Until) {
			out.Until = at.UTC()
		}
	}
	return last, from, nil
}

// idsOf returns a filter for documents of a URL in versions, block_versions or visits whose _id is
// before end, or for all of them if end is empty.
func idsOf(url, end string) bson.D {
	if end == "" {
		end = urlID(url) + ";" // ';' is the successor of ':' in ASCII
	}
	return bson.D{{Key: "_id", Value: bson.D{{Key: "$gt", Value: urlID(url) + ":"}, {Key: "$lt", Value: end}}}}
}

// visitsUntil returns the end of the range of _ids of visits before a time, or of all visits
// for the zero time.
func visitsUntil(url string, from time.Time) string {
	if from.IsZero() {
		return ""
	}
	return visitID(url, from)
}

func (s *Store) visitsBefore(ctx context.Context, url string, from time.Time) (int, error) {
	n, err := s.visits.CountDocuments(ctx, idsOf(url, visitsUntil(url, from)))
	return int(n), err
}

// itemsOf returns a filter for the items of a page up to a version. For a whole page it
// includes items without a version.
func itemsOf(url string, last int, whole bool) bson.D {
	f := bson.D{{Key: "page", Value: url}}
	if !whole {
		f = append(f, bson.E{Key: "version", Value: bson.D{{Key: "$lte", Value: last}}})
	}
	return f
}

// hide changes the document of a URL so that versions up to last, and visits before from, are
// no longer found.
func (s *Store) hide(ctx context.Context, u *urlDoc, last int, from time.Time, whole bool, now time.Time) error {
	url := string(u.URL)
	st := u.numbers()
	st.Visits, st.Changes, st.PageBytes, st.StoredBytes = u.Visits, u.Changes, u.PageBytes, u.StoredBytes
	st.PictureBytes, st.ResourceBytes = u.PictureBytes, u.ResourceBytes
	if u.Latest != nil {
		if err := s.putVisit(ctx, u.Latest); err != nil { // on behalf of its writer
			return err
		}
	}
	kept := 0
	var first, latest *plat.Visit
	if !whole {
		for v, err := range s.Visits(ctx, url, 0) {
			if err != nil {
				return err
			}
			if v.Time.Before(from) {
				break // visits come latest first
			}
			kept++
			if first = &v; latest == nil {
				latest = &v
			}
		}
	}
	storage.Forget(&st, last, kept, first, latest, now)
	u.Forgotten, u.ForgottenAt, u.Head, u.Level = st.Forgotten, st.ForgottenAt, st.Head, st.Level
	u.Visits, u.Changes, u.PageBytes, u.StoredBytes = st.Visits, st.Changes, st.PageBytes, st.StoredBytes
	u.PictureBytes, u.ResourceBytes = st.PictureBytes, st.ResourceBytes
	u.First, u.Last, u.Status, u.Outcome = st.First, st.Last, st.Status, text(st.Outcome)
	u.Recent = slices.DeleteFunc(u.Recent, func(t time.Time) bool { return whole || t.Before(from) })
	if u.Latest != nil && (whole || u.Latest.Time.Before(from)) {
		u.Latest = nil
	}
	u.Memory = nil
	if u.Attach != nil && u.Attach.N <= u.Forgotten {
		u.Attach = nil
	}
	u.rebuild()
	if !whole {
		return nil
	}
	u.Newest, u.Main, u.Look = time.Time{}, "", ""
	var job plat.URLState
	u.jobInto(&job)
	storage.Drop(&job, now)
	u.setJob(&job, now.UnixMicro())
	u.Priority, u.Plan = 0, nil
	return nil
}

// numbers returns the range of versions of a URL.
func (d *urlDoc) numbers() plat.URLState {
	return plat.URLState{URL: string(d.URL), Head: d.Head, Forgotten: d.Forgotten, ForgottenAt: orZero(d.ForgottenAt)}
}

// next returns the number of the next version of a URL.
func (d *urlDoc) next() int {
	st := d.numbers()
	return st.Next()
}

func (d *urlDoc) follows(v *plat.Version) bool {
	st := d.numbers()
	return storage.Follows(v, &st)
}

// keptFrom returns the time of the oldest visit that is kept, or zero if none was forgotten. A later
// visit may be recorded concurrently.
func (d *urlDoc) keptFrom() time.Time {
	if d.Forgotten == 0 && d.ForgottenAt.IsZero() {
		return time.Time{}
	}
	if d.First.IsZero() {
		return d.ForgottenAt
	}
	return d.First
}

// finish removes the remaining data of the forgotten versions of a URL.
func (s *Store) finish(ctx context.Context, u *urlDoc) error {
	if u.Forgotten == 0 && u.ForgottenAt.IsZero() {
		return nil
	}
	url, whole := string(u.URL), u.Head == 0
	if _, err := s.deleteMany(ctx, s.visits, idsOf(url, visitsUntil(url, u.keptFrom()))); err != nil {
		return err
	}
	if err := s.finishItems(ctx, u, whole); err != nil {
		return err
	}
	if whole {
		if err := s.forgetCrawled(ctx, url); err != nil {
			return err
		}
	}
	if u.Build == 0 { // an older plat was interrupted
		var err error
		if u, err = s.outdate(ctx, url); err != nil {
			return err
		}
	}
	if whole {
		if err := s.removeDerived(ctx, url, u.Build); err != nil {
			return err
		}
	}
	if _, err := s.deleteMany(ctx, s.versions, idsOf(url, versionID(url, u.Forgotten+1))); err != nil {
		return err
	}
	// Many block versions of kept versions began in the removed ones, so all are written again.
	_, err := s.complete(ctx, url, func() {})
	return err
}

// finishItems removes the items of forgotten versions.
func (s *Store) finishItems(ctx context.Context, u *urlDoc, whole bool) error {
	url := string(u.URL)
	items := itemsOf(url, u.Forgotten, whole)
	ids, err := valuesOf(ctx, s.items, "subscription", items)
	if err != nil {
		return err
	}
	if len(ids) > 0 {
		if _, err := s.deleteMany(ctx, s.items, items); err != nil {
			return err
		}
	}
	for _, id := range ids {
		if err := s.recountItems(ctx, id); err != nil {
			return err
		}
	}
	following, err := valuesOf(ctx, s.subscriptions, "_id", bson.D{{Key: "pages.url", Value: url}})
	if err != nil {
		return err
	}
	for _, id := range following {
		var old []string // memories without a reference
		err := s.changeSubscription(ctx, id, func(d *subscriptionDoc, _ bool) error {
			before := d.memories()
			for i := range d.Pages {
				if p := &d.Pages[i]; p.URL == url {
					// A running examination of forgotten versions no longer fits.
					if p.Examined = max(p.Examined, u.Forgotten); whole {
						p.Memory = ""
					}
				}
			}
			old = without(append(old, before...), d.memories())
			return nil
		})
		if err == nil {
			err = s.dropMemories(ctx, old)
		}
		if err != nil && !errors.Is(err, plat.ErrNotFound) {
			return err
		}
	}
	return nil
}

func (s *Store) recountItems(ctx context.Context, id string) error {
	err := s.changeSubscription(ctx, id, func(d *subscriptionDoc, _ bool) error { return s.countItems(ctx, d) })
	if errors.Is(err, plat.ErrNotFound) {
		return nil
	}
	return err
}

// forgetCrawled removes the readings of focused crawls about a page.
func (s *Store) forgetCrawled(ctx context.Context, url string) error {
	ids, err := s.crawlIDs(ctx)
	if err != nil {
		return err
	}
	for i := range ids {
		ids[i] = crawlPageID(ids[i], url)
	}
	for some := range slices.Chunk(ids, 1000) {
		_, err := s.updateMany(ctx, s.crawlPages, byIDs(some), bson.D{
			{Key: "$unset", Value: bson.D{{Key: "title", Value: ""}, {Key: "reading", Value: ""}}},
			{Key: "$inc", Value: bson.D{{Key: "rev", Value: nextRev(0)}}}})
		if err != nil {
			return err
		}
	}
	return nil
}

// leftovers completes removals of forgotten versions that were interrupted.
func (s *Store) leftovers(ctx context.Context, urls map[string]bool) error {
	for url := range urls {
		u, err := s.readURL(ctx, url)
		if err == nil && u != nil {
			err = s.finish(ctx, u)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// standAlone re-encodes contents in full whose base is about to be removed. A writer that uses
// such a base for a new content refreshes it first: see base.
func (s *Store) standAlone(ctx context.Context, coll *mongo.Collection, ids []string) error {
	for some := range slices.Chunk(ids, batch) {
		docs, err := s.documents(ctx, coll, some)
		if err != nil {
			return err
		}
		for _, id := range some {
			d := docs[id]
			if d == nil || d.unreadable == nil && d.Base == "" {
				continue
			}
			d.layout = coll == s.layouts
			content, err := s.content(docs, id)
			if err != nil {
				return fmt.Errorf("%s %.12s: %w; nothing more was removed: run plat verify", coll.Name(), id, err)
			}
			is := s.encode(id, content, nil)
			set, unset := bson.D{{Key: "enc", Value: is.Enc}}, bson.D{{Key: "base", Value: ""}}
			data, other := bson.E{Key: "content", Value: is.Content}, "large"
			if len(is.Content) > s.inline {
				data.Key, other = "large", "content"
				if data.Value, err = s.putLarge(ctx, coll, id, is.Content); err != nil {
					return err
				}
			}
			// A file that no document has, sweepLarge removes.
			_, err = s.updateOne(ctx, coll, bson.D{{Key: "_id", Value: id}, {Key: "base", Value: d.Base}}, bson.D{
				{Key: "$set", Value: append(set, data)}, {Key: "$unset", Value: append(unset, bson.E{Key: other, Value: ""})}})
			if err != nil {
				return err
			}
		}
	}
	return nil
}
