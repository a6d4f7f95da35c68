package mongo

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"

	"plat/plat"
	"plat/storage"
	"plat/storage/sorted"
	"plat/storage/tree"
)

// GC removes unreferenced data written before the given time, which must be longer
// ago than any commit takes: an hour is plenty. Data is that old if it is so by the clock of the server and by that of
// this process; see [clock].
//
// A version past the head whose writer crashed is committed if everything it refers to exists
// and no different visit settled its job. That saves a visit of the page. Otherwise it is
// removed.
//
// Before a commit relies on stored content, it refreshes the content's time, and GC
// removes only what is still old at the time of the removal. So a concurrent commit
// loses nothing.
//
// It also completes pages and block versions, counts the jobs of hosts whose counts are incomplete after a crash, and removes
// remains of subscriptions and focused crawls: unreferenced memories, and the rest of removed
// ones.
func (s *Store) GC(ctx context.Context, before time.Time) (storage.Swept, error) {
	var out storage.Swept
	if _, err := s.hello(ctx); err != nil {
		return out, errorf("mongo: gc: %w", s.advise(err))
	}
	before = s.clock.before(before)
	if err := errors.Join(s.settle(ctx, before, &out), s.indexWritten(ctx), s.recountAll(ctx), s.sweepSubscriptions(ctx, before), s.sweepCrawls(ctx)); err != nil {
		return out, errorf("mongo: gc: %w", err)
	}
	refs := newReferences(ctx)
	defer refs.close()
	manifests := sorted.New(ctx) // the same as refs.manifests, which are read first for their resources
	defer manifests.Close()
	err := s.eachTree(ctx, func(t, prev *tree.Tree) {
		had := map[plat.Hash]bool{}
		if prev != nil {
			for i := range prev.Blocks {
				had[prev.Blocks[i].Hash] = true
			}
		}
		for i := range t.Blocks {
			if b := &t.Blocks[i]; b.Leaf() && !had[b.Hash] {
				refs.blocks.Add(b.Hash.String(), "")
			}
		}
		for set, h := range map[*sorted.Set]plat.Hash{refs.layouts: t.Layout, refs.pictures: t.Picture, refs.manifests: t.Resources, manifests: t.Resources} {
			if !h.IsZero() {
				set.Add(h.String(), "")
			}
		}
	})
	if err == nil {
		listed := refs.manifests.Read()
		defer listed.Close()
		err = s.markResources(ctx, listed, refs.resources)
	}
	for _, x := range []struct {
		coll *mongo.Collection
		refs *sorted.Set
		n    *int64
	}{{s.blocks, refs.blocks, &out.Blocks}, {s.layouts, refs.layouts, &out.Layouts}, {s.screenshots, refs.pictures, &out.Pictures},
		{s.manifests, manifests, &out.Manifests}, {s.resources, refs.resources, &out.Resources}} {
		if err == nil {
			err = s.sweep(ctx, x.coll, x.refs, before, x.n, &out.Bytes)
		}
	}
	if err == nil {
		err = s.sweepLarge(ctx, before)
	}
	if err == nil {
		err = s.sweepChunks(ctx, before)
	}
	if err != nil {
		return out, errorf("mongo: gc: %w", err)
	}
	return out, nil
}

// eachTree calls f for every version that is stored, also past the heads, with the one before it, or nil.
func (s *Store) eachTree(ctx context.Context, f func(t, prev *tree.Tree)) error {
	var prev *tree.Tree
	for raw, err := range raws(ctx, s.versions, withoutVisit) {
		var d *versionDoc
		if err == nil {
			d, err = s.decodeVersion(ctx, raw)
		}
		if err != nil {
			return err
		}
		if prev != nil && prev.URL != string(d.URL) {
			prev = nil
		}
		t, err := s.unpack(d, prev)
		if err != nil {
			return fmt.Errorf("%w; nothing was removed: run plat verify", err)
		}
		f(t, prev)
		prev = t
	}
	return nil
}

// Now returns the time for decisions on what is old.
func (s *Store) Now(ctx context.Context) (time.Time, error) {
	if _, err := s.hello(ctx); err != nil {
		return time.Time{}, errorf("mongo: %w", s.advise(err))
	}
	return s.clock.before(s.clock.wall()), nil
}

// Vacuum does nothing: the server reuses the space of removed documents.
func (s *Store) Vacuum(context.Context) error { return nil }

// indexTime is longer than any writer keeps versions in memory that may be forgotten in the meantime.
const indexTime = 24 * time.Hour

// settle completes or removes versions past the head that are old enough, removes forgotten
// ones, and completes attachments.
func (s *Store) settle(ctx context.Context, before time.Time, out *storage.Swept) error {
	forgotten := map[string]bool{} // URLs with remaining forgotten versions after a crash
	var past []*versionDoc
	var attaching []string // URLs with an attachment in progress, or of a writer that crashed
	all := s.walkVersions(ctx, bson.D{{Key: "url", Value: 1}, {Key: "n", Value: 1}, {Key: "written", Value: 1}})
	defer all.stop()
	of := func(st plat.URLState) func(bson.Raw) error {
		return func(raw bson.Raw) error {
			d, err := s.decodeFacts(raw)
			switch {
			case err != nil:
				return err
			case d.N <= st.Forgotten:
				forgotten[string(d.URL)] = true
			case d.N > st.Head && d.Written.At.Before(before):
				past = append(past, d)
			}
			return nil
		}
	}
	err := each(ctx, s.urls, bson.D{{Key: "url", Value: 1}, {Key: "head", Value: 1}, {Key: "forgotten", Value: 1}, {Key: "forgotten_at", Value: 1}, {Key: "attach", Value: 1}}, nil, func(u *urlDoc) error {
		if u.Attach != nil {
			attaching = append(attaching, string(u.URL))
		}
		if u.ForgottenAt.After(before.Add(-indexTime)) {
			// Of forgotten versions, by writers that had them in memory.
			if err := s.removeBlockVersions(ctx, idsOf(string(u.URL), versionID(string(u.URL), u.Forgotten+1))); err != nil {
				return err
			}
		}
		if err := all.until(u.ID+":", of(plat.URLState{})); err != nil {
			return err
		}
		return all.until(u.ID+";", of(u.numbers()))
	})
	if err == nil {
		err = all.until("", of(plat.URLState{}))
	}
	if err == nil {
		err = s.leftovers(ctx, forgotten)
	}
	for i := 0; err == nil && i < len(attaching); i++ {
		err = s.completeAttach(ctx, attaching[i])
	}
	for i := 0; err == nil && i < len(past); i++ {
		err = s.settleOne(ctx, string(past[i].URL), past[i].N, out)
	}
	return err
}

func (s *Store) settleOne(ctx context.Context, url string, n int, out *storage.Swept) error {
	d, err := s.readVersion(ctx, url, n)
	if errors.Is(err, plat.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	st, err := s.numbersOf(ctx, url)
	if err != nil || n < st.Next() {
		return err
	}
	if n == st.Next() {
		switch ok, err := s.hasAll(ctx, d, &st); {
		case err != nil:
			return err
		case ok:
			err := s.completeVersion(ctx, d)
			if errors.Is(err, plat.ErrSettled) || errors.Is(err, plat.ErrConflict) { // already removed
				out.Versions++
				return nil
			}
			return err
		}
	}
	r, err := s.deleteOne(ctx, s.versions, bson.D{{Key: "_id", Value: d.ID}, {Key: "taken", Value: d.Taken}})
	if err == nil {
		out.Versions += r.DeletedCount
	}
	return err
}

// hasAll reports whether everything that a version refers to exists.
func (s *Store) hasAll(ctx context.Context, d *versionDoc, st *plat.URLState) (bool, error) {
	t, err := s.treeOf(ctx, d, st.Oldest())
	if errors.Is(err, plat.ErrCorrupt) {
		return false, nil // it can neither be shown nor committed
	}
	if err != nil {
		return false, err
	}
	seen := map[string]bool{"": true}
	var ids []string
	for i := range t.Blocks {
		if h := hexOf(t.Blocks[i].Hash); !seen[h] {
			seen[h] = true
			ids = append(ids, h)
		}
	}
	docs, err := s.documents(ctx, s.blocks, ids)
	if err != nil {
		return false, err
	}
	for _, id := range ids {
		if docs[id] == nil {
			return false, nil
		}
		if err := docs[id].unreadable; err != nil {
			return false, errorf("block %.12s: %w; run plat verify", id, err)
		}
	}
	layouts, err := s.documents(ctx, s.layouts, []string{d.Layout})
	if err != nil || layouts[d.Layout] == nil {
		return false, err
	}
	if err := layouts[d.Layout].unreadable; err != nil {
		return false, errorf("layout %.12s: %w; run plat verify", d.Layout, err)
	}
	return s.hasResources(ctx, d.Resources)
}

// sweep removes the unreferenced documents of a collection. Referenced ones with such a base are
// encoded in full first.
func (s *Store) sweep(ctx context.Context, coll *mongo.Collection, refs *sorted.Set, before time.Time, n, bytes *int64) error {
	type doc struct {
		ID      string    `bson:"_id"`
		Base    string    `bson:"base"`
		Size    int64     `bson:"size"`
		Written time.Time `bson:"written"`
	}
	old, differences, others := sorted.New(ctx), sorted.New(ctx), sorted.New(ctx) // unreferenced documents: all, those with a base, those without
	leaning := sorted.New(ctx)                                                    // other documents, by base
	for _, set := range []*sorted.Set{old, differences, others, leaning} {
		defer set.Close()
	}
	used := refs.Read()
	defer used.Close()
	err := each(ctx, coll, bson.D{{Key: "base", Value: 1}, {Key: "size", Value: 1}, {Key: "written", Value: 1}}, nil, func(d *doc) error {
		n, err := used.To(d.ID, nil, nil)
		switch size := strconv.FormatInt(d.Size, 10); {
		case n > 0 || !d.Written.Before(before):
			if d.Base != "" {
				leaning.Add(d.Base, d.ID)
			}
		case d.Base != "":
			old.Add(d.ID, "")
			differences.Add(d.ID, size+" "+d.Base)
		default:
			old.Add(d.ID, "")
			others.Add(d.ID, size)
		}
		return err
	})
	if err == nil {
		err = used.End(nil)
	}
	if err == nil {
		err = s.supportAll(ctx, coll, old, leaning)
	}
	// Differences first: if one of them is put again in the meantime, its base is kept.
	kept := map[string]bool{}
	if err == nil {
		err = s.removeOld(ctx, coll, differences, before, kept, n, bytes)
	}
	if err == nil {
		err = s.removeOld(ctx, coll, others, before, kept, n, bytes)
	}
	return err
}

// supportAll encodes documents in full whose base is about to be removed.
func (s *Store) supportAll(ctx context.Context, coll *mongo.Collection, old, leaning *sorted.Set) error {
	bases, all := old.Read(), leaning.Read()
	defer bases.Close()
	defer all.Close()
	var some []string
	removed := "" // the last base that is
	for base, id := range all.All() {
		n, err := bases.To(base, nil, nil)
		if n > 0 {
			removed = base
		}
		if base == removed {
			some = append(some, id)
		}
		if err == nil && len(some) == batch {
			err = s.standAlone(ctx, coll, some)
			some = some[:0]
		}
		if err != nil {
			return err
		}
	}
	return errors.Join(s.standAlone(ctx, coll, some), all.End(nil), bases.End(nil))
}

// removeOld removes documents, unless they were put again in the meantime, or are kept: then it adds their bases to kept.
func (s *Store) removeOld(ctx context.Context, coll *mongo.Collection, old *sorted.Set, before time.Time, kept map[string]bool, n, bytes *int64) error {
	bases, sizes := map[string]string{}, map[string]int64{}
	flush := func() error {
		ids := slices.Sorted(maps.Keys(sizes))
		if len(ids) == 0 {
			return nil
		}
		these := byIDs(ids)
		r, err := s.deleteMany(ctx, coll, append(these[:1:1], bson.E{Key: "written", Value: bson.D{{Key: "$lt", Value: before}}}))
		if err != nil {
			return err
		}
		var there []string
		if r.DeletedCount < int64(len(ids)) {
			if there, err = findIDs(ctx, coll, these, 0); err != nil {
				return err
			}
		}
		for _, id := range there {
			kept[bases[id]] = true
			delete(sizes, id)
		}
		for _, size := range sizes {
			*bytes += size
		}
		*n += r.DeletedCount
		clear(bases)
		clear(sizes)
		return nil
	}
	all := old.Read()
	defer all.Close()
	for id, value := range all.All() {
		if kept[id] {
			continue
		}
		size, base, _ := strings.Cut(value, " ")
		bases[id] = base
		sizes[id], _ = strconv.ParseInt(size, 10, 64)
		if len(sizes) == batch {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	return errors.Join(flush(), all.End(nil))
}

// sweepSubscriptions removes remains of subscriptions after crashes. It only removes memories
// that are older than the duration of any examination, so that an examination in progress keeps
// its memories: no subscription begins to refer to an older one, so it may read the references first.
func (s *Store) sweepSubscriptions(ctx context.Context, before time.Time) error {
	used := sorted.New(ctx)
	defer used.Close()
	var gone []string
	err := each(ctx, s.subscriptions, bson.D{{Key: "gone", Value: 1}, {Key: "pages.memory", Value: 1}}, nil, func(d *subscriptionDoc) error {
		for _, id := range d.memories() {
			used.Add(id, "")
		}
		if d.Gone {
			gone = append(gone, d.ID)
		}
		return nil
	})
	if err != nil {
		return err
	}
	all := used.Read()
	defer all.Close()
	var old []string
	err = each(ctx, s.memories, bson.D{{Key: "written", Value: 1}}, nil, func(d *memoryDoc) error {
		n, err := all.To(d.ID, nil, nil)
		if err == nil && n == 0 && d.Written.Before(before) {
			old = append(old, d.ID)
		}
		if err == nil && len(old) == batch {
			err = s.dropMemories(ctx, old)
			old = old[:0]
		}
		return err
	})
	if err == nil {
		err = all.End(nil)
	}
	if err == nil {
		err = s.dropMemories(ctx, old)
	}
	for i := 0; err == nil && i < len(gone); i++ {
		err = s.removeGone(ctx, gone[i])
	}
	return err
}

// sweepCrawls removes remains of focused crawls after crashes. The data of a crawl is written
// after the crawl itself, so data of a crawl that does not exist is not in use.
func (s *Store) sweepCrawls(ctx context.Context) error {
	left := map[string]bool{}
	for c, key := range map[*mongo.Collection]string{s.crawls: "_id", s.crawlPages: "crawl", s.crawlReports: "_id"} {
		ids, err := valuesOf(ctx, c, key, bson.D{})
		if err != nil {
			return err
		}
		for _, id := range ids {
			left[id] = true
		}
	}
	ids, err := s.crawlIDs(ctx)
	if err != nil {
		return err
	}
	for _, id := range ids {
		delete(left, id)
	}
	for id := range left {
		if err := s.stillExists(ctx, id); err != nil && !errors.Is(err, plat.ErrNotFound) {
			return err
		}
	}
	return nil
}
