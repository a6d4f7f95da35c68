package mongo

import (
	"context"
	"errors"
	"fmt"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"plat/plat"
	"plat/storage"
	"plat/storage/tree"
)

// Commit stores a version and the visit that found it: blocks, layout, picture,
// resources, version, head, visit. The insertion of the version resolves races.
func (s *Store) Commit(ctx context.Context, c *storage.Commit) (storage.Written, error) {
	if err := c.Check(); err != nil {
		return storage.Written{}, errorf("mongo: %w", err)
	}
	err := s.checkFormat(ctx)
	w := newTally()
	if err == nil {
		err = s.survive(ctx, func() error { return s.commit(ctx, c, w) })
	}
	if err != nil {
		return storage.Written{}, errorf("mongo: commit version %d of %s: %w", c.Version.N, c.Version.URL, err)
	}
	return w.Written, nil
}

func (s *Store) commit(ctx context.Context, c *storage.Commit, w *tally) (err error) {
	v := c.Version
	if v.N > maxVersions {
		return fmt.Errorf("a URL can have at most %d versions", maxVersions)
	}
	visit := newVisitDoc(&c.Visit)
	for {
		u := s.states.take(v.URL)
		old := u != nil
		if !old {
			u, err = s.readURL(ctx, v.URL)
		}
		if err == nil && u != nil && u.next() < v.N && !old {
			// The last writer may have crashed before it moved the head.
			if err = s.completeNext(ctx, v.URL, u.next()); err == nil {
				u, err = s.readURL(ctx, v.URL)
			}
		}
		if err != nil {
			return err
		}
		if u == nil {
			u = newURLDoc(v.URL)
		}
		fits := v.N == u.next() && u.takes(&visit) && u.follows(v)
		switch {
		case fits:
		case old:
			continue // decide by the document as it is now
		case v.N < u.next():
			return s.retryCommit(ctx, c, u)
		case !u.takes(&visit):
			return errSettled(u)
		default:
			return errConflict(u)
		}
		w.Written = storage.Written{} // an earlier attempt has not inserted the version
		p, err := s.prepare(ctx, c, u, w)
		if old && errors.Is(err, plat.ErrConflict) {
			continue
		}
		if err != nil {
			return err
		}
		err = s.insertVersion(ctx, p.doc)
		if err == nil {
			s.states.put(u)
			after := s.newWrites()
			err = s.moveHead(ctx, p.doc, after)
			derive := err == nil && p.doc.derived != p.now.derived // what it follows was removed meanwhile
			if err == nil && !derive {
				err = s.describe(ctx, p.now, p.prev, &c.Layout, after)
			}
			_, failed := after.do(ctx)
			if derive && failed == nil {
				_, err = s.complete(ctx, v.URL, func() {})
			}
			if err = errors.Join(err, failed); err == nil {
				s.written.put(v.URL, visit.ID)
			}
			return err
		}
		if !mongo.IsDuplicateKeyError(err) {
			return err
		}
		// Commit or remove the version in the way, so that a retry makes progress.
		if err := s.completeNext(ctx, v.URL, v.N); err != nil {
			return err
		}
	}
}

func (s *Store) insertVersion(ctx context.Context, d *versionDoc) error {
	is, err := s.outlined(ctx, d)
	if err == nil {
		_, err = s.versions.InsertOne(ctx, is)
	}
	return err
}

// outlined returns a version's document as it is stored: a tree that is too large for it is a file.
func (s *Store) outlined(ctx context.Context, d *versionDoc) (*versionDoc, error) {
	is := *d
	if is.Large = (bson.ObjectID{}); len(is.Tree) <= s.inline {
		return &is, nil
	}
	var err error
	is.Large, err = s.putLarge(ctx, s.versions, d.ID, is.Tree)
	is.Tree = []byte{}
	return &is, err
}

func errConflict(u *urlDoc) error {
	return fmt.Errorf("the next is version %d: %w", u.next(), plat.ErrConflict)
}

func errSettled(u *urlDoc) error {
	return &plat.SettledError{URL: string(u.URL), Due: orZero(u.Due)}
}

// retryCommit handles a commit whose version number is at most the head. It completes the
// stored version, and returns an error unless that is the same version.
func (s *Store) retryCommit(ctx context.Context, c *storage.Commit, u *urlDoc) error {
	d, err := s.readVersion(ctx, c.Version.URL, c.Version.N)
	if err == nil {
		err = s.completeVersion(ctx, d)
	}
	visit := newVisitDoc(&c.Visit)
	switch {
	case err != nil && !errors.Is(err, plat.ErrNotFound):
		return err
	case err == nil && d.Taken.Equal(instant(c.Version.Taken)):
		return nil
	case !u.takes(&visit):
		return errSettled(u)
	}
	return errConflict(u)
}

// completeNext completes version n of url, if it was inserted. It removes it if a different
// visit settled its job, or if the version before it was forgotten.
func (s *Store) completeNext(ctx context.Context, url string, n int) error {
	d, err := s.readVersion(ctx, url, n)
	if errors.Is(err, plat.ErrNotFound) {
		return nil
	}
	if err == nil && d.ID != versionID(string(d.URL), d.N) {
		err = fmt.Errorf("the document of version %d of %s contains version %d of %s: %w; run plat verify", n, url, d.N, d.URL, plat.ErrCorrupt)
	}
	if err == nil {
		err = s.completeVersion(ctx, d)
	}
	if errors.Is(err, plat.ErrSettled) || errors.Is(err, plat.ErrConflict) {
		return nil
	}
	return err
}

// completeVersion completes a commit after the insertion of the version: it moves the head, then writes the
// block versions that are missing.
func (s *Store) completeVersion(ctx context.Context, d *versionDoc) error {
	after := s.newWrites()
	err := s.moveHead(ctx, d, after)
	_, failed := after.do(ctx)
	if err = errors.Join(err, failed); err != nil {
		return err
	}
	s.written.put(string(d.URL), d.Visit.ID)
	_, err = s.complete(ctx, string(d.URL), func() {})
	return err
}

// moveHead moves the head to an inserted version, counts the visit, and settles its job. It adds the visit's
// own document to the writes that the caller has to do next. It is idempotent; any process may complete it. If the job was settled in the meantime, it
// removes the version and returns plat.ErrSettled. If the version it was compared with was forgotten,
// it returns plat.ErrConflict.
//
// Head, visits and Settled change in one compare-and-swap of the URL's document. So
// of all visits for a job, commits included, exactly one raises Settled to it, and
// Settled never decreases. A version at head+1 whose job is not after Settled is therefore
// dead: no process will make it the head, and the same is true of every version with the same
// Settles. That is why it may be removed by number and Settles without further checks: every
// match is dead, even if it was just inserted. The next commit can then use the number, and a
// writer that finds the head moved past its version checks whether the stored version is its
// own. After a crash before the removal, the next commit to the URL, or GC, removes it.
func (s *Store) moveHead(ctx context.Context, d *versionDoc, after *writes) error {
	var dead, passed, outdated bool
	var settled error
	err := s.change(ctx, string(d.URL), d.Visit.clock, func(u *urlDoc, _ bool) (bool, error) {
		settled = errSettled(u)
		d.derived = u.Derived
		passed = d.N < u.next()
		dead = !passed && !u.takes(&d.Visit)
		if outdated = !passed && !dead && d.Oldest <= u.Forgotten; outdated {
			dead, settled = true, errConflict(u)
		}
		if passed || dead {
			return false, nil
		}
		if u.next() != d.N {
			return false, fmt.Errorf("version %d follows a head of %d: %w", d.N, u.Head, plat.ErrCorrupt)
		}
		u.Head = d.N
		u.Pending = true
		u.Changes++
		u.Level = d.Level
		u.Main, u.Look = "", d.Look
		u.StoredBytes += d.Written.Bytes
		u.PictureBytes += d.Written.Pictures
		u.ResourceBytes += d.Written.Resources
		if u.Changes == 1 || d.Taken.After(u.Newest) {
			u.Newest = d.Taken
		}
		u.count(&d.Visit, d.PageBytes)
		u.settle(&d.Visit)
		return true, nil
	}, after)
	if err == nil && outdated {
		_, err = s.deleteOne(ctx, s.versions, bson.D{{Key: "_id", Value: d.ID}, {Key: "taken", Value: d.Taken}, {Key: "oldest", Value: d.Oldest}})
	} else if err == nil && dead {
		_, err = s.deleteOne(ctx, s.versions, bson.D{{Key: "_id", Value: d.ID}, {Key: "visit.settles", Value: d.Visit.Settles}})
	}
	if err == nil && passed && !d.Visit.Settles.IsZero() {
		dead, err = s.replaced(ctx, d)
	}
	switch {
	case err != nil:
		return err
	case dead:
		return settled
	}
	after.add(s.visits, d.Visit.ID, &d.Visit)
	return nil
}

// replaced reports whether d's number now belongs to a different version.
func (s *Store) replaced(ctx context.Context, d *versionDoc) (bool, error) {
	var is versionDoc
	err := s.versions.FindOne(ctx, byID(d.ID), options.FindOne().SetProjection(
		bson.D{{Key: "taken", Value: 1}, {Key: "visit.settles", Value: 1}})).Decode(&is)
	if errors.Is(err, mongo.ErrNoDocuments) {
		err = fmt.Errorf("version %d of %s is missing: %w; run plat verify", d.N, d.URL, plat.ErrCorrupt)
	}
	return !is.Taken.Equal(d.Taken) || !is.Visit.Settles.Equal(d.Visit.Settles), err
}

// prepared is a version whose data is written.
type prepared struct {
	doc       *versionDoc
	now, prev *standing
}

// prepare writes the new blocks, layout, picture and resources, and returns the
// document of the version.
func (s *Store) prepare(ctx context.Context, c *storage.Commit, u *urlDoc, w *tally) (p prepared, err error) {
	var last *plat.Version
	if u.Head > 0 {
		if p.prev, err = s.before(ctx, u); err != nil {
			return p, err
		}
		last = &p.prev.Version
	}
	fresh, err := s.putBlocks(ctx, c, last, w)
	if err != nil {
		return p, err
	}
	if last == nil || last.Layout != c.Version.Layout {
		if err := s.putLayout(ctx, c, w); err != nil {
			return p, err
		}
	}
	if err := s.putPicture(ctx, c.Picture, c.Version.Picture, w); err != nil {
		return p, err
	}
	if err := s.putResources(ctx, c.Resources, c.Version.Resources, w); err != nil {
		return p, err
	}
	if p.now, err = s.follow(ctx, c.Version, p.prev, fresh); err != nil {
		return p, err
	}
	p.now.epoch = u.epoch()
	var base *tree.Tree
	if p.prev != nil {
		base = &p.prev.Tree
	}
	visit := newVisitDoc(&c.Visit)
	p.doc = s.newVersionDoc(&p.now.Tree, base)
	p.doc.Visit, p.doc.Look = visit, lookKey(string(p.doc.Host), c.Fingerprint)
	b, err := bson.Marshal(p.doc)
	if err != nil {
		return p, err
	}
	w.Bytes += int64(len(b))
	p.doc.Written = writtenDoc{At: s.clock.now(), Bytes: w.Bytes, Pictures: w.Pictures, Resources: w.Resources}
	return p, nil
}

// before returns the last version of a URL. It completes its block versions if their writer
// crashed.
func (s *Store) before(ctx context.Context, u *urlDoc) (*standing, error) {
	st := u.numbers()
	if v := s.recent.get(&st); v != nil && v.epoch == u.epoch() {
		return v, nil
	}
	v, err := s.lastPage(ctx, &st, u.epoch())
	if errors.Is(err, plat.ErrNotFound) {
		if v, err = s.complete(ctx, st.URL, func() {}); err == nil && (v == nil || v.N != st.Head) {
			err = errConflict(u)
		}
	}
	return v, err
}

// putBlocks writes the contents that the previous version does not have, and returns
// those that were not stored before.
func (s *Store) putBlocks(ctx context.Context, c *storage.Commit, prev *plat.Version, w *tally) (fresh map[plat.Hash]bool, err error) {
	seen := map[plat.Hash]bool{}
	if prev != nil {
		for i := range prev.Blocks {
			seen[prev.Blocks[i].Hash] = true
		}
	}
	var missing []*plat.Block
	var ids []string
	for i := range c.Version.Blocks {
		if b := &c.Version.Blocks[i]; b.Leaf() && !seen[b.Hash] {
			seen[b.Hash] = true
			missing = append(missing, b)
			ids = append(ids, b.Hash.String())
			if !b.Base.IsZero() && b.Content != nil {
				ids = append(ids, b.Base.String())
			}
		}
	}
	fresh = map[plat.Hash]bool{}
	if len(missing) == 0 {
		return fresh, nil
	}
	have, err := s.documents(ctx, s.blocks, ids)
	if err != nil {
		return nil, err
	}
	var docs []contentDoc
	before := 0 // by an interrupted attempt
	for _, b := range missing {
		there := have[b.Hash.String()]
		switch {
		case there != nil && there.unreadable != nil:
			return nil, fmt.Errorf("block %s: %w; run plat verify", b.Hash.Short(), there.unreadable)
		case there != nil:
			docs = append(docs, s.counted(have, there)...)
			if n, sent := w.sent[keyOf(s.blocks, b.Hash.String())]; sent {
				fresh[b.Hash] = true
				w.Bytes += n
				before++
			}
		case b.Content == nil:
			return nil, fmt.Errorf("a block has no content, and it is not stored as %s: %w", b.Hash.Short(), plat.ErrNotFound)
		default:
			fresh[b.Hash] = true
			is := s.encode(b.Hash.String(), b.Content, s.base(have, b.Base))
			n := int64(len(is.Content)) + contentBytes
			w.Bytes += n
			w.sent[keyOf(s.blocks, is.ID)] = n
			docs = append(append(docs, s.refreshed(have, &is)...), is)
		}
	}
	written, err := s.putContents(ctx, s.blocks, docs)
	w.Blocks = before + written
	return fresh, err
}

// contentBytes is the overhead of a content's document.
const contentBytes = 150

// base returns the content against which a content with the base h may be delta-encoded, or nil
// if it cannot be read.
func (s *Store) base(have map[string]*contentDoc, h plat.Hash) *loaded {
	d := have[hexOf(h)]
	if d == nil {
		return nil
	}
	id := d.ID
	if d.Base != "" {
		id = d.Base
	}
	b, err := s.content(have, id)
	if err != nil {
		return nil // Verify reports the damage; store the new content without a base
	}
	return &loaded{id, b}
}

func (s *Store) putLayout(ctx context.Context, c *storage.Commit, w *tally) error {
	id := c.Version.Layout.String()
	ids := []string{id}
	if !c.LayoutBase.IsZero() {
		ids = append(ids, c.LayoutBase.String())
	}
	have, err := s.documents(ctx, s.layouts, ids)
	if err != nil {
		return err
	}
	for _, d := range have {
		d.layout = true
	}
	var docs []contentDoc
	if there := have[id]; there != nil && there.unreadable != nil {
		return fmt.Errorf("layout %.12s: %w; run plat verify", id, there.unreadable)
	} else if there != nil {
		docs = s.counted(have, there)
		w.Bytes += w.sent[keyOf(s.layouts, id)]
	} else {
		d := s.encode(id, c.Layout.HTML, s.base(have, c.LayoutBase))
		d.Slots = c.Layout.Slots
		n := int64(len(d.Content)) + contentBytes
		w.Bytes += n
		w.sent[keyOf(s.layouts, id)] = n
		docs = append(s.refreshed(have, &d), d)
	}
	_, err = s.putContents(ctx, s.layouts, docs)
	return err
}

// refreshed returns the base of a new content if it is old, so that it is put again: if only
// contents of forgotten versions use it, GC would remove it.
func (s *Store) refreshed(have map[string]*contentDoc, d *contentDoc) []contentDoc {
	b := have[d.Base]
	if b == nil || s.clock.now().Sub(b.Written) < storage.CommitTime/2 {
		return nil
	}
	is := *b
	is.Written = s.clock.now()
	return []contentDoc{is}
}

// counted returns a stored document and its base, to be put again. putContents only refreshes their
// time, or writes them in full if GC has removed them in the meantime.
func (s *Store) counted(have map[string]*contentDoc, d *contentDoc) []contentDoc {
	docs := []contentDoc{*d}
	if b := have[d.Base]; b != nil {
		docs = append(docs, *b)
	}
	for i := range docs {
		docs[i].Written = s.clock.now()
	}
	return docs
}

// putPicture writes a picture with the hash h, unless it is nil.
func (s *Store) putPicture(ctx context.Context, p *plat.Picture, h plat.Hash, w *tally) error {
	if p == nil {
		return nil
	}
	id, fields := h.String(), bson.D{{Key: "type", Value: text(p.Type)}}
	var stored bool
	var err error
	if len(p.Data) > s.inline {
		stored, err = s.insertLarge(ctx, s.screenshots, id, p.Data, fields)
	} else {
		var r *mongo.UpdateResult
		r, err = s.screenshots.UpdateOne(ctx, byID(id), bson.D{
			{Key: "$set", Value: bson.D{{Key: "written", Value: s.clock.now()}}},
			{Key: "$setOnInsert", Value: append(fields, bson.E{Key: "data", Value: p.Data})}}, options.UpdateOne().SetUpsert(true))
		stored = err == nil && r.UpsertedCount > 0
	}
	w.Pictures += w.put(s.screenshots, id, int64(len(p.Data))+contentBytes, stored, err)
	return err
}
