package mongo

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"plat"
	"plat/storage"
)

// Commit stores a version and the visit that found it: blocks, layout, picture,
// resources, version, head, visit. The version's insertion decides who wins.
func (s *Store) Commit(ctx context.Context, c *storage.Commit) (storage.Written, error) {
	if err := c.Check(); err != nil {
		return storage.Written{}, fmt.Errorf("mongo: %w", err)
	}
	w, err := s.commit(ctx, c)
	if err != nil {
		return storage.Written{}, fmt.Errorf("mongo: commit version %d of %s: %w", c.Version.N, c.Version.URL, err)
	}
	return w, nil
}

func (s *Store) commit(ctx context.Context, c *storage.Commit) (w storage.Written, err error) {
	v := c.Version
	if v.N > maxVersions {
		return w, fmt.Errorf("no store holds more than %d versions of a URL", maxVersions)
	}
	visit := newVisitDoc(&c.Visit)
	for {
		u, err := s.readURL(ctx, v.URL)
		if err == nil && u != nil && u.Head < v.N-1 {
			// Perhaps the last writer died before it moved the head.
			if err = s.completeNext(ctx, v.URL, u.Head+1); err == nil {
				u, err = s.readURL(ctx, v.URL)
			}
		}
		if err != nil {
			return w, err
		}
		if u == nil {
			u = newURLDoc(v.URL)
		}
		switch {
		case v.N <= u.Head:
			return w, s.retryCommit(ctx, c, u)
		case !u.takes(&visit):
			return w, errSettled(u)
		case v.N > u.Head+1:
			return w, errConflict(u)
		}
		w = storage.Written{}
		d, err := s.prepare(ctx, c, u.Head, &w)
		if err != nil {
			return w, err
		}
		_, err = s.versions.InsertOne(ctx, d)
		if err == nil {
			return w, s.completeVersion(ctx, d)
		}
		if !mongo.IsDuplicateKeyError(err) {
			return w, err
		}
		// The one that is there becomes the head or is removed: either way there
		// is something else to be seen next time.
		if err := s.completeNext(ctx, v.URL, v.N); err != nil {
			return w, err
		}
	}
}

func errConflict(u *urlDoc) error {
	return fmt.Errorf("the head is version %d: %w", u.Head, plat.ErrConflict)
}

func errSettled(u *urlDoc) error {
	return &plat.SettledError{URL: string(u.URL), Due: orZero(u.Due)}
}

// head returns the number of the last version, 0 if there is none.
func (s *Store) head(ctx context.Context, url string) (int, error) {
	u, err := s.readURL(ctx, url)
	if err != nil || u == nil {
		return 0, err
	}
	return u.Head, nil
}

// retryCommit deals with a commit whose version is up to the head: finished, if it is the
// same one, else an error, after the one that is there has been finished.
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

// completeNext finishes version n of url, if it was inserted, or removes it, if its
// job was settled by another visit.
func (s *Store) completeNext(ctx context.Context, url string, n int) error {
	d, err := s.readVersion(ctx, url, n)
	if errors.Is(err, plat.ErrNotFound) {
		return nil
	}
	if err == nil && d.ID != versionID(string(d.URL), d.N) {
		err = fmt.Errorf("version %d of %s is said to be version %d of %s: %w; run plat verify", n, url, d.N, d.URL, plat.ErrCorrupt)
	}
	if err == nil {
		err = s.completeVersion(ctx, d)
	}
	if errors.Is(err, plat.ErrSettled) {
		return nil
	}
	return err
}

// completeVersion does what follows the insertion of a version: it moves the head, counts
// the visit, settles its job, and writes the visit. It is idempotent; any process may complete it, and
// it may be done twice. If the job was settled meanwhile, the version is removed,
// and completeVersion is plat.ErrSettled.
//
// Head, visits and Settled are changed by one replacement of the URL's document,
// which fails if anybody wrote it since it was read. So of all visits for a job,
// commits and others, one is the first to raise Settled to it, and Settled never
// falls. A version at head+1 whose job is not after Settled is dead then: neither
// its writer, nor whoever comes by, nor GC makes it the head any more, and the
// same is true of any other with the same Settles. That is why it may be removed
// by number and Settles, without a look at who else is there: what is removed is
// dead, were it inserted only now. Its place is free for the next commit, and a
// writer that finds the head moved past its version looks whether the one that is
// there is its own. If somebody dies before the removal, the next who commits to
// the URL, or GC, comes by.
func (s *Store) completeVersion(ctx context.Context, d *versionDoc) error {
	v, _, err := d.version()
	if err != nil {
		return err
	}
	var dead, passed bool
	var settled error
	err = s.changeURL(ctx, v.URL, func(u *urlDoc) (bool, error) {
		settled = errSettled(u)
		passed = u.Head >= d.N
		dead = !passed && !u.takes(&d.Visit)
		if passed || dead {
			return false, nil
		}
		if u.Head != d.N-1 {
			return false, fmt.Errorf("version %d follows a head of %d: %w", d.N, u.Head, plat.ErrCorrupt)
		}
		u.Head = d.N
		u.Unsearched = true
		u.Changes++
		u.Level = d.Level
		u.StoredBytes += d.Written.Bytes
		u.Terms = termsOf(v.Blocks, func(int) bool { return true })
		if d.N == 1 || d.Taken.After(u.Newest) {
			u.Newest = d.Taken
		}
		u.count(&d.Visit, d.Capture.PageBytes)
		u.settle(&d.Visit)
		return true, nil
	})
	if err == nil && dead {
		_, err = s.versions.DeleteOne(ctx, bson.D{{Key: "_id", Value: d.ID}, {Key: "visit.settles", Value: d.Visit.Settles}})
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
	return s.putVisit(ctx, &d.Visit)
}

// replaced reports whether another version stands where d stood.
func (s *Store) replaced(ctx context.Context, d *versionDoc) (bool, error) {
	var is versionDoc
	err := s.versions.FindOne(ctx, bson.D{{Key: "_id", Value: d.ID}}, options.FindOne().SetProjection(
		bson.D{{Key: "taken", Value: 1}, {Key: "visit.settles", Value: 1}})).Decode(&is)
	if errors.Is(err, mongo.ErrNoDocuments) {
		err = fmt.Errorf("version %d of %s is missing: %w; run plat verify", d.N, d.URL, plat.ErrCorrupt)
	}
	return !is.Taken.Equal(d.Taken) || !is.Visit.Settles.Equal(d.Visit.Settles), err
}

// prepare writes what is new of blocks, layout, picture and resources, and returns the
// document of the version.
func (s *Store) prepare(ctx context.Context, c *storage.Commit, head int, w *storage.Written) (*versionDoc, error) {
	var prev *plat.Version
	var before []int32
	if head > 0 {
		d, err := s.readVersion(ctx, c.Version.URL, head)
		if err != nil {
			return nil, err
		}
		if prev, before, err = d.version(); err != nil {
			return nil, err
		}
	}
	fresh, err := s.putBlocks(ctx, c, prev, w)
	if err != nil {
		return nil, err
	}
	if prev == nil || prev.Layout != c.Version.Layout {
		if err := s.putLayout(ctx, c, w); err != nil {
			return nil, err
		}
	}
	if err := s.putPicture(ctx, c, w); err != nil {
		return nil, err
	}
	if err := s.putResources(ctx, c, w); err != nil {
		return nil, err
	}
	since, err := storage.Since(c.Version, prev, before, func(lineage int32, h plat.Hash) (int32, error) {
		if fresh[h] {
			return 0, nil // the store had it nowhere
		}
		return s.earlier(ctx, c.Version.URL, head-1, lineage, h)
	})
	if err != nil {
		return nil, err
	}
	d := newVersionDoc(c.Version, since, &c.Visit)
	b, err := bson.Marshal(d)
	if err != nil {
		return nil, err
	}
	w.Bytes += int64(len(b))
	d.Written = writtenDoc{At: time.Now(), Bytes: w.Bytes}
	return d, nil
}

// putBlocks writes the contents that the version before does not have, and says
// which of them nobody had.
func (s *Store) putBlocks(ctx context.Context, c *storage.Commit, prev *plat.Version, w *storage.Written) (fresh map[plat.Hash]bool, err error) {
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
	for _, b := range missing {
		there := have[b.Hash.String()]
		switch {
		case there != nil:
			docs = append(docs, counted(have, there)...)
		case b.Content == nil:
			return nil, fmt.Errorf("a block has no content, and none is stored as %s: %w", b.Hash.Short(), plat.ErrNotFound)
		default:
			fresh[b.Hash] = true
			docs = append(docs, s.encode(b.Hash.String(), b.Content, s.base(have, b.Base)))
			w.Bytes += int64(len(docs[len(docs)-1].Content)) + contentBytes
		}
	}
	if w.Blocks, err = put(ctx, s.blocks, docs); err != nil {
		return nil, err
	}
	return fresh, nil
}

// contentBytes is what a document of a content takes beside it.
const contentBytes = 150

// base returns what a content of which h is the base may be a difference to, nil
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
		return nil // Verify reports it; what is new need not rest on it
	}
	return &loaded{id, b}
}

func (s *Store) putLayout(ctx context.Context, c *storage.Commit, w *storage.Written) error {
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
	if there := have[id]; there != nil {
		docs = counted(have, there)
	} else {
		d := s.encode(id, c.Layout.HTML, s.base(have, c.LayoutBase))
		d.Slots = c.Layout.Slots
		w.Bytes += int64(len(d.Content)) + contentBytes
		docs = append(docs, d)
	}
	_, err = put(ctx, s.layouts, docs)
	return err
}

// counted returns a document that is stored and the one it rests on, to be put
// again: in their time only, or, were they removed meanwhile, in full.
func counted(have map[string]*contentDoc, d *contentDoc) []contentDoc {
	docs := []contentDoc{*d}
	if b := have[d.Base]; b != nil {
		docs = append(docs, *b)
	}
	for i := range docs {
		docs[i].Written = time.Now()
	}
	return docs
}

func (s *Store) putPicture(ctx context.Context, c *storage.Commit, w *storage.Written) error {
	if c.Picture == nil {
		return nil
	}
	r, err := s.screenshots.BulkWrite(ctx, []mongo.WriteModel{mongo.NewUpdateOneModel().SetUpsert(true).
		SetFilter(bson.D{{Key: "_id", Value: c.Version.Picture.String()}}).SetUpdate(bson.D{
		{Key: "$set", Value: bson.D{{Key: "written", Value: time.Now()}}},
		{Key: "$setOnInsert", Value: bson.D{{Key: "type", Value: text(c.Picture.Type)}, {Key: "data", Value: c.Picture.Data}}}})})
	if err == nil && r.UpsertedCount > 0 {
		w.Bytes += int64(len(c.Picture.Data)) + contentBytes
	}
	return err
}
