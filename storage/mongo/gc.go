package mongo

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"

	"plat/plat"
	"plat/storage"
	"plat/storage/tree"
)

// GC removes unreferenced data written before the given time, which must be longer
// ago than any commit takes: an hour is plenty.
//
// A version past the head whose writer crashed is committed if everything it refers to exists
// and no different visit settled its job. That saves a visit of the page. Otherwise it is
// removed.
//
// Before a commit relies on stored content, it refreshes the content's time, and GC
// removes only what is still old at the time of the removal. So a concurrent commit
// loses nothing.
//
// It also counts the jobs of hosts whose counts are incomplete after a crash, and removes
// remains of subscriptions and focused crawls: unreferenced memories, and the rest of removed
// ones.
func (s *Store) GC(ctx context.Context, before time.Time) (storage.Swept, error) {
	var out storage.Swept
	if err := errors.Join(s.settle(ctx, before, &out), s.recountAll(ctx), s.sweepSubscriptions(ctx, before), s.sweepCrawls(ctx)); err != nil {
		return out, errorf("mongo: gc: %w", err)
	}
	refs := map[*mongo.Collection]map[string]bool{s.blocks: {}, s.layouts: {}, s.screenshots: {}, s.manifests: {}, s.resources: {}}
	err := s.eachTree(ctx, func(t *tree.Tree) {
		refs[s.layouts][hexOf(t.Layout)] = true
		refs[s.screenshots][hexOf(t.Picture)] = true
		refs[s.manifests][hexOf(t.Resources)] = true
		for i := range t.Blocks {
			refs[s.blocks][hexOf(t.Blocks[i].Hash)] = true
		}
	})
	if err == nil {
		err = s.markResources(ctx, refs[s.manifests], refs[s.resources])
	}
	for coll, n := range map[*mongo.Collection]*int64{s.blocks: &out.Blocks, s.layouts: &out.Layouts, s.screenshots: &out.Pictures,
		s.manifests: &out.Manifests, s.resources: &out.Resources} {
		if err == nil {
			err = s.sweep(ctx, coll, refs[coll], before, n, &out.Bytes)
		}
	}
	if err == nil {
		err = s.sweepLarge(ctx, before)
	}
	if err != nil {
		return out, errorf("mongo: gc: %w", err)
	}
	return out, nil
}

// eachTree calls f for every version that is stored, also past the heads.
func (s *Store) eachTree(ctx context.Context, f func(*tree.Tree)) error {
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
		if prev, err = s.unpack(d, prev); err != nil {
			return fmt.Errorf("%w; nothing was removed: run plat verify", err)
		}
		f(prev)
	}
	return nil
}

// Vacuum does nothing: the server reuses the space of removed documents.
func (s *Store) Vacuum(context.Context) error { return nil }

// indexTime is longer than any call of Index keeps versions in memory that may be forgotten in
// the meantime.
const indexTime = 24 * time.Hour

// settle completes or removes versions past the head that are old enough, and removes forgotten
// ones.
func (s *Store) settle(ctx context.Context, before time.Time, out *storage.Swept) error {
	heads := map[string]plat.URLState{}
	forgotten := map[string]bool{} // URLs with remaining forgotten versions after a crash, or with block versions of such versions
	err := each(ctx, s.urls, bson.D{{Key: "url", Value: 1}, {Key: "head", Value: 1}, {Key: "forgotten", Value: 1}, {Key: "forgotten_at", Value: 1}}, nil, func(u *urlDoc) error {
		heads[string(u.URL)] = u.numbers()
		if u.ForgottenAt.After(before.Add(-indexTime)) {
			forgotten[string(u.URL)] = true
		}
		return nil
	})
	if err != nil {
		return err
	}
	var past []*versionDoc
	err = each(ctx, s.versions, bson.D{{Key: "url", Value: 1}, {Key: "n", Value: 1}, {Key: "written", Value: 1}}, nil, func(d *versionDoc) error {
		switch st := heads[string(d.URL)]; {
		case d.N <= st.Forgotten:
			forgotten[string(d.URL)] = true
		case d.N > st.Head && d.Written.At.Before(before):
			past = append(past, d)
		}
		return nil
	})
	if err == nil {
		err = s.leftovers(ctx, forgotten)
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
	r, err := s.versions.DeleteOne(ctx, bson.D{{Key: "_id", Value: d.ID}, {Key: "taken", Value: d.Taken}})
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
func (s *Store) sweep(ctx context.Context, coll *mongo.Collection, refs map[string]bool, before time.Time, n, bytes *int64) error {
	type doc struct {
		ID      string    `bson:"_id"`
		Base    string    `bson:"base"`
		Size    int64     `bson:"size"`
		Written time.Time `bson:"written"`
	}
	var old []doc
	bases, on := map[string]bool{}, map[string][]string{}
	err := each(ctx, coll, bson.D{{Key: "base", Value: 1}, {Key: "size", Value: 1}, {Key: "written", Value: 1}}, nil, func(d *doc) error {
		switch {
		case !refs[d.ID] && d.Written.Before(before):
			old = append(old, *d)
		case d.Base != "":
			on[d.Base] = append(on[d.Base], d.ID)
		}
		return nil
	})
	var leaning []string // documents whose base is about to be removed
	for i := range old {
		leaning = append(leaning, on[old[i].ID]...)
	}
	if err == nil {
		err = s.standAlone(ctx, coll, leaning)
	}
	if err != nil {
		return err
	}
	// Differences first: if one of them is put again in the meantime, its base is kept.
	slices.SortStableFunc(old, func(a, b doc) int { return strings.Compare(b.Base, a.Base) })
	for i := range old {
		d := &old[i]
		if bases[d.ID] {
			continue
		}
		r, err := coll.DeleteOne(ctx, bson.D{{Key: "_id", Value: d.ID}, {Key: "written", Value: bson.D{{Key: "$lt", Value: before}}}})
		if err != nil {
			return err
		}
		if r.DeletedCount == 0 {
			bases[d.Base] = true
		}
		*n += r.DeletedCount
		*bytes += d.Size * r.DeletedCount
	}
	return nil
}

// sweepSubscriptions removes remains of subscriptions after crashes. It only removes memories
// that are older than the duration of any examination, so that an examination in progress keeps
// its memories.
func (s *Store) sweepSubscriptions(ctx context.Context, before time.Time) error {
	var old, gone []string
	err := each(ctx, s.memories, bson.D{{Key: "written", Value: 1}}, nil, func(d *memoryDoc) error {
		if d.Written.Before(before) {
			old = append(old, d.ID)
		}
		return nil
	})
	if err != nil {
		return err
	}
	used := map[string]bool{}
	err = each(ctx, s.subscriptions, bson.D{{Key: "gone", Value: 1}, {Key: "pages.memory", Value: 1}}, nil, func(d *subscriptionDoc) error {
		for _, id := range d.memories() {
			used[id] = true
		}
		if d.Gone {
			gone = append(gone, d.ID)
		}
		return nil
	})
	if err != nil {
		return err
	}
	old = slices.DeleteFunc(old, func(id string) bool { return used[id] })
	for some := range slices.Chunk(old, 1000) {
		if err := s.dropMemories(ctx, some); err != nil {
			return err
		}
	}
	for _, id := range gone {
		if err := s.removeGone(ctx, id); err != nil {
			return err
		}
	}
	return nil
}

// sweepCrawls removes remains of focused crawls after crashes. The data of a crawl is written
// after the crawl itself, so data of a crawl that does not exist is not in use.
func (s *Store) sweepCrawls(ctx context.Context) error {
	left := map[string]bool{}
	for c, key := range map[*mongo.Collection]string{s.crawls: "_id", s.crawlPages: "crawl", s.crawlReports: "_id"} {
		var ids []string
		if err := c.Distinct(ctx, key, bson.D{}).Decode(&ids); err != nil {
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
