package mongo

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"plat/plat"
	"plat/storage"
)

// follow returns what a version has of blocks, after the one before, or nil. Contents that
// return to their lineage are looked up: they are as old as they were.
func (s *Store) follow(ctx context.Context, v *plat.Version, prev *standing, fresh map[plat.Hash]bool) (*standing, error) {
	now := &standing{first: firsts(v, prev), at: make([]time.Time, len(v.Blocks))}
	now.Version = *v
	now.Capture.Duration = v.Capture.Duration.Truncate(time.Millisecond)
	var last *plat.Version
	var before []int32
	known := map[storage.ContentKey]int{}
	if prev != nil {
		last, before = &prev.Version, prev.Since
		for i := range prev.Blocks {
			if b := &prev.Blocks[i]; b.Leaf() {
				known[storage.KeyOf(b)] = i
			}
		}
	}
	var asked []storage.ContentKey
	ask := func(lineage int32, h plat.Hash) (int32, error) {
		if !fresh[h] { // else the content is new to the store
			asked = append(asked, storage.ContentKey{Lineage: lineage, Hash: h})
		}
		return 0, nil
	}
	if _, err := storage.Since(v, last, before, ask); err != nil {
		return nil, err
	}
	returned, err := s.earlier(ctx, v.URL, asked)
	if err != nil {
		return nil, err
	}
	now.Since, _ = storage.Since(v, last, before, func(lineage int32, h plat.Hash) (int32, error) {
		if was := returned[storage.ContentKey{Lineage: lineage, Hash: h}]; was != nil {
			return int32(was.First), nil
		}
		return 0, nil
	})
	for i := range v.Blocks {
		b := &v.Blocks[i]
		if !b.Leaf() {
			continue
		}
		k := storage.KeyOf(b)
		if j, ok := known[k]; ok {
			now.at[i] = prev.at[j]
			continue
		}
		now.at[i] = v.Taken
		if was, ok := returned[k]; ok {
			now.at[i] = was.Since
		}
	}
	return now, nil
}

// earlier returns the oldest block versions with these contents in their lineages: those that did not return.
func (s *Store) earlier(ctx context.Context, url string, keys []storage.ContentKey) (map[storage.ContentKey]*blockVersionDoc, error) {
	found := map[storage.ContentKey]*blockVersionDoc{}
	for some := range slices.Chunk(keys, batch) {
		hashes := make([]string, len(some))
		for i, k := range some {
			hashes[i] = k.Hash.String()
		}
		got, err := findAll[blockVersionDoc](ctx, s.blockVersions, bson.D{{Key: "hash", Value: bson.D{{Key: "$in", Value: hashes}}}, {Key: "url", Value: text(url)}, {Key: "again", Value: bson.D{{Key: "$exists", Value: false}}}},
			options.Find().SetProjection(bson.D{{Key: "lineage", Value: 1}, {Key: "hash", Value: 1}, {Key: "first", Value: 1}, {Key: "since", Value: 1}}))
		if err != nil {
			return nil, err
		}
		for i := range got {
			d := &got[i]
			h, err := hashOf(d.Hash)
			if err != nil {
				return nil, err
			}
			d.Since = d.Since.UTC()
			k := storage.ContentKey{Lineage: d.Lineage, Hash: h}
			if was := found[k]; slices.Contains(some, k) && (was == nil || d.First < was.First) {
				found[k] = d
			}
		}
	}
	return found, nil
}

// ending is the end of a block version.
type ending struct {
	id  string // its _id
	how string // removed, or, if its lineage is still there, the change that its successor began with
}

// turnover returns the blocks of v, by index, with which block versions begin, and the ends of the
// block versions of prev, the version before, or nil.
func turnover(v, prev *standing) (begun []int, ends []ending) {
	if prev == nil {
		prev = &standing{}
	}
	changes := map[int32]plat.Kind{} // by lineage
	was, is := storage.KeysOf(prev.Blocks), storage.KeysOf(v.Blocks)
	for i := range v.Blocks {
		b := &v.Blocks[i]
		if !b.Leaf() {
			continue
		}
		if changes[b.Lineage] == "" {
			changes[b.Lineage] = b.Change
		}
		if k := storage.KeyOf(b); !was[k] {
			was[k] = true // a content is in its lineage once
			begun = append(begun, i)
		}
	}
	for i := range prev.Blocks {
		b := &prev.Blocks[i]
		k := storage.KeyOf(b)
		if !b.Leaf() || is[k] {
			continue
		}
		is[k] = true
		change, there := changes[b.Lineage]
		switch {
		case !there:
			change = plat.Removed
		case change == "" || change == plat.Moved:
			change = storage.Unrecorded
		}
		ends = append(ends, ending{blockVersionID(v.URL, int(prev.first[i]), k), string(change)})
	}
	return begun, ends
}

// describe writes the block versions that begin and end with a version, then the page, all after w. prev
// is the version before, or nil. Contents that v does not have, and a layout that is nil, are read.
func (s *Store) describe(ctx context.Context, v, prev *standing, layout *plat.Layout, w *writes) error {
	begun, ends := turnover(v, prev)
	contents, err := s.contentsOf(ctx, v.Blocks, begun)
	if err == nil && layout == nil && len(begun) > 0 {
		layout = new(plat.Layout)
		*layout, err = s.Layout(ctx, v.Layout)
	}
	if err != nil {
		return err
	}
	base := linkBase(v.Base(), layout)
	for k, i := range begun {
		d := newBlockVersionDoc(v, prev, i, contents[k], base)
		if d.Build == 0 {
			w.add(s.blockVersions, d.ID, d)
		} else {
			w.replace(s.blockVersions, bson.D{{Key: "_id", Value: d.ID}, builtBefore(d.Build)}, d, true)
		}
		if err := w.grow(ctx, 2*len(d.Text)); err != nil {
			return err
		}
	}
	// In one order with the beginnings, so that no search misses both.
	for _, e := range ends {
		w.update(s.blockVersions, e.id, bson.D{{Key: "$set", Value: bson.D{
			{Key: "gone", Value: v.N}, {Key: "until", Value: instant(v.Taken)}, {Key: "ended", Value: text(e.how)}}}})
		if err := w.grow(ctx, 0); err != nil {
			return err
		}
	}
	return s.putPage(ctx, v, w)
}

// contentsOf returns the contents of some blocks, and reads those that are not loaded.
func (s *Store) contentsOf(ctx context.Context, blocks []plat.Block, some []int) ([][]byte, error) {
	contents := make([][]byte, len(some))
	var missing []plat.Hash
	var at []int
	for k, i := range some {
		if contents[k] = blocks[i].Content; contents[k] == nil {
			missing, at = append(missing, blocks[i].Hash), append(at, k)
		}
	}
	if len(missing) == 0 {
		return contents, nil
	}
	read, err := s.Contents(ctx, missing)
	for i := range read {
		contents[at[i]] = read[i]
	}
	return contents, err
}

// firsts returns the version with which the block version of each leaf began; prev is the version
// before, or nil.
func firsts(v *plat.Version, prev *standing) []int32 {
	known := map[storage.ContentKey]int32{}
	if prev != nil {
		for i := range prev.Blocks {
			if b := &prev.Blocks[i]; b.Leaf() {
				known[storage.KeyOf(b)] = prev.first[i]
			}
		}
	}
	first := make([]int32, len(v.Blocks))
	for i := range v.Blocks {
		if b := &v.Blocks[i]; b.Leaf() {
			if first[i] = known[storage.KeyOf(b)]; first[i] == 0 {
				first[i] = int32(v.N)
			}
		}
	}
	return first
}

// putPage replaces the document of a page after other writes, unless it has this version or a later one, or
// is from a later derivation.
func (s *Store) putPage(ctx context.Context, v *standing, w *writes) error {
	d, err := s.outlinedPage(newPageDoc(v))
	if err != nil {
		return err
	}
	id := bson.E{Key: "_id", Value: d.ID}
	old := bson.D{id, {Key: "n", Value: bson.D{{Key: "$lt", Value: d.N}}}}
	if d.Build > 0 {
		same := bson.D{{Key: "build", Value: d.Build}, old[1]}
		old = bson.D{id, {Key: "$or", Value: bson.A{bson.D{builtBefore(d.Build)}, same}}}
	} else {
		old = append(old, builtBefore(1))
	}
	w.replace(s.pages, old, d, true)
	put, err := w.do(ctx)
	if put {
		s.recent.put(v)
	}
	return err
}

// builtBefore is the condition that a document was derived before a build.
func builtBefore(build int64) bson.E {
	return bson.E{Key: "build", Value: bson.D{{Key: "$not", Value: bson.D{{Key: "$gte", Value: build}}}}}
}

// last returns the last version of a URL from the document of its page, or plat.ErrNotFound if
// that was not written yet, or has to be derived again. since is that of the URL's document.
func (s *Store) last(ctx context.Context, st *plat.URLState, since epoch) (*standing, error) {
	if v := s.recent.get(st); v != nil && (since == unknownEpoch || v.epoch == since) {
		return v, nil
	}
	return s.lastPage(ctx, st, since)
}

// lastPage is last for a version that is not remembered, or cannot be trusted.
func (s *Store) lastPage(ctx context.Context, st *plat.URLState, since epoch) (*standing, error) {
	v, err := s.page(ctx, st.URL)
	if err != nil {
		return nil, err
	}
	if v == nil || v.N != st.Head || v.build < since.build || oldestOf(&v.Tree) <= st.Forgotten {
		return nil, fmt.Errorf("the page of %s: %w", st.URL, plat.ErrNotFound)
	}
	v.Oldest, v.epoch = v.N == st.Oldest(), since
	s.recent.put(v)
	return v, nil
}

// page reads the document of a page; nil if there is none.
func (s *Store) page(ctx context.Context, url string) (*standing, error) {
	raw, err := s.pages.FindOne(ctx, byID(urlID(url))).Raw()
	if errors.Is(err, mongo.ErrNoDocuments) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var d pageDoc
	if err := bson.Unmarshal(raw, &d); err != nil {
		return nil, undecodable(s.pages, raw, err)
	}
	if string(d.URL) != url {
		return nil, fmt.Errorf("the page of %s has the _id of %s: %w", d.URL, url, plat.ErrCorrupt)
	}
	if d.Large {
		return s.largePage(ctx, &d)
	}
	return d.standing()
}

// complete writes the block versions that crashed writers left, up to the head, and calls did for
// each version. It returns the last version, nil without versions.
func (s *Store) complete(ctx context.Context, url string, did func()) (*standing, error) {
	u, err := s.readURL(ctx, url)
	for err == nil && u != nil {
		var v *standing
		if v, err = s.completeOf(ctx, u, did); !errors.Is(err, plat.ErrCorrupt) && !errors.Is(err, plat.ErrNotFound) {
			return v, err
		}
		damage, build := err, u.Build
		if u, err = s.readURL(ctx, url); err == nil && u != nil && u.Build == build {
			err = damage // else versions were forgotten meanwhile
		}
	}
	return nil, err
}

// completeOf is complete for a URL with this document.
func (s *Store) completeOf(ctx context.Context, u *urlDoc, did func()) (*standing, error) {
	url, st := string(u.URL), u.numbers()
	if st.Kept() == 0 {
		return nil, nil
	}
	pages, err := s.pagesOf(ctx, []string{urlID(url)})
	if err != nil {
		return nil, err
	}
	from := st.Oldest()
	var v *standing
	p, ok := pages[urlID(url)]
	if ok && p.Build >= u.Build && p.Oldest <= st.Forgotten { // of an interrupted Forget of an older plat
		if u, err = s.outdate(ctx, url); err != nil {
			return nil, err
		}
	}
	if ok && p.Build >= u.Build {
		v, err = s.page(ctx, url)
	} else if u.Build > 0 {
		err = s.removeDerived(ctx, url, u.Build)
	}
	if errors.Is(err, plat.ErrCorrupt) {
		return nil, fmt.Errorf("%w; plat reindex rebuilds it", err)
	}
	if err != nil {
		return nil, err
	}
	if v != nil {
		from, v.epoch = max(from, v.N+1), u.epoch()
	}
	for t, err := range s.trees(ctx, url, st.Oldest(), from, st.Head) {
		if err != nil {
			return nil, err
		}
		now, err := s.follow(ctx, &t.Version, v, nil)
		if err == nil {
			now.Since, now.epoch = t.Since, u.epoch()
			err = s.describe(ctx, now, v, nil, s.newWrites())
		}
		if err != nil {
			return nil, err
		}
		v = now
		did()
	}
	return v, nil
}

// outdate raises the build of a URL, so that its page and block versions are outdated. The next writer that completes
// them removes the outdated ones first.
func (s *Store) outdate(ctx context.Context, url string) (u *urlDoc, err error) {
	err = s.changeURL(ctx, url, time.Time{}, func(is *urlDoc, _ bool) (bool, error) {
		is.rebuild()
		u = is
		return true, nil
	})
	s.recent.remove(url)
	return u, err
}

// rebuild has the page and the block versions of a URL derived again.
func (d *urlDoc) rebuild() {
	d.Pending, d.Unreadable = d.Head > 0, 0
	d.Derived++
	d.Build = max(d.Build+1, time.Now().UnixMicro())
}

// removePage removes the document of a page while its trees are dated one by one. If that is interrupted,
// the next visit, Index or Forget derives it from the trees as they are then.
func (s *Store) removePage(ctx context.Context, url string) error {
	u, err := s.outdate(ctx, url)
	if err == nil {
		_, err = s.deleteOne(ctx, s.pages, append(byID(urlID(url)), builtBefore(u.Build)))
	}
	return err
}

// removeDerived removes the page of a URL and its block versions, as they were before a build.
func (s *Store) removeDerived(ctx context.Context, url string, build int64) error {
	if _, err := s.deleteOne(ctx, s.pages, append(byID(urlID(url)), builtBefore(build))); err != nil {
		return err
	}
	return s.removeBlockVersions(ctx, append(idsOf(url, ""), builtBefore(build)))
}

// removeBlockVersions removes block versions, some thousand at a time. The first condition of their filter is that on their _id.
func (s *Store) removeBlockVersions(ctx context.Context, these bson.D) error {
	const most = 10_000
	for {
		got, err := findIDs(ctx, s.blockVersions, these, most)
		if err != nil || len(got) == 0 {
			return err
		}
		some := bson.D{{Key: "_id", Value: bson.D{{Key: "$gte", Value: got[0]}, {Key: "$lte", Value: got[len(got)-1]}}}}
		_, err = s.deleteMany(ctx, s.blockVersions, append(some, these[1:]...))
		if err != nil || len(got) < most {
			return err
		}
	}
}

// largePage reads a page whose tree is only in versions, and the ages of its blocks from their
// block versions.
func (s *Store) largePage(ctx context.Context, d *pageDoc) (*standing, error) {
	u, err := s.readURL(ctx, string(d.URL))
	if err != nil || u == nil {
		return nil, err
	}
	st := u.numbers()
	t, err := s.tree(ctx, st.URL, st.Oldest(), d.N)
	if errors.Is(err, plat.ErrNotFound) {
		return nil, nil // forgotten since
	}
	if err != nil {
		return nil, err
	}
	v := &standing{Tree: *t, first: make([]int32, len(t.Blocks)), at: make([]time.Time, len(t.Blocks)), epoch: epoch{-1, d.Build}}
	begun, since := map[storage.ContentKey]int{}, map[storage.ContentKey]time.Time{}
	cur, err := s.blockVersions.Find(ctx, idsOf(st.URL, ""), options.Find().SetProjection(
		bson.D{{Key: "lineage", Value: 1}, {Key: "hash", Value: 1}, {Key: "first", Value: 1}, {Key: "since", Value: 1}, {Key: "again", Value: 1}}))
	if err != nil {
		return nil, err
	}
	defer cur.Close(context.WithoutCancel(ctx))
	for cur.Next(ctx) {
		var b blockVersionDoc
		if err := cur.Decode(&b); err != nil {
			return nil, undecodable(s.blockVersions, cur.Current, err)
		}
		h, err := hashOf(b.Hash)
		if err != nil {
			return nil, err
		}
		k := storage.ContentKey{Lineage: b.Lineage, Hash: h}
		if b.First <= d.N {
			begun[k] = max(begun[k], b.First)
		}
		if !b.Again {
			since[k] = b.Since.UTC()
		}
	}
	if err := cur.Err(); err != nil {
		return nil, err
	}
	for i := range t.Blocks {
		if b := &t.Blocks[i]; b.Leaf() {
			k := storage.KeyOf(b)
			if v.first[i], v.at[i] = int32(begun[k]), since[k]; v.first[i] == 0 {
				return nil, fmt.Errorf("the block version of block %d of %s is missing: %w", b.Lineage, st.URL, plat.ErrCorrupt)
			}
		}
	}
	return v, nil
}
