package mongo

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"plat/plat"
	"plat/storage"
)

// spanDoc is a document of spans: the search index, derived from versions and blocks. The spans
// of a version are written before the URL's document records them; after a crash they are
// written again, which is idempotent.
type spanDoc struct {
	ID      string    `bson:"_id"` // see spanDocID
	URL     text      `bson:"url"`
	Host    text      `bson:"host"`
	Lineage int32     `bson:"lineage"`
	Hash    string    `bson:"hash"` // _id in blocks
	First   int       `bson:"first"`
	Since   time.Time `bson:"since"`
	Gone    int       `bson:"gone,omitempty"` // absent: present in the last version
	Until   time.Time `bson:"until,omitempty"`
	Label   text      `bson:"label"`
	Topic   text      `bson:"topic"`
	Text    string    `bson:"text"`
	Terms   []string  `bson:"terms"` // distinct words of topic and text
}

// spanDocID sorts the spans of a URL by first version.
func spanDocID(sp *storage.Span) string {
	return fmt.Sprintf("%s:%d:%s", versionID(sp.URL, sp.First), sp.Lineage, sp.Hash.String()[:16])
}

// markUnsearched marks the URLs of an archive from before the search index.
func (s *Store) markUnsearched(ctx context.Context) error {
	_, err := s.urls.UpdateMany(ctx, bson.D{{Key: "head", Value: bson.D{{Key: "$gt", Value: 0}}}, {Key: "searched", Value: bson.D{{Key: "$exists", Value: false}}}},
		bson.D{{Key: "$set", Value: bson.D{{Key: "unsearched", Value: true}}}, {Key: "$inc", Value: bson.D{{Key: "rev", Value: 1}}}})
	if err != nil {
		return errorf("mongo: mark URLs for the search index: %w", err)
	}
	return nil
}

// Index adds the new commits to the search index.
func (s *Store) Index(ctx context.Context, progress func(done, total int64)) error {
	if progress == nil {
		progress = func(int64, int64) {}
	}
	if err := s.index(ctx, progress); err != nil {
		return errorf("mongo: index: %w", s.advise(err))
	}
	return nil
}

func (s *Store) index(ctx context.Context, progress func(done, total int64)) error {
	retried := s.retried.Load()
	var urls []*urlDoc
	var total int64
	unsearched := bson.D{{Key: "unsearched", Value: true}}
	for u, err := range s.urlDocs(ctx, unsearched, bson.D{{Key: "url", Value: 1}, {Key: "head", Value: 1}, {Key: "searched", Value: 1}, {Key: "forgotten", Value: 1}, {Key: "unreadable", Value: 1}}) {
		if err != nil {
			return err
		}
		if retried && u.Unreadable == u.Head {
			continue
		}
		urls = append(urls, u)
		total += int64(u.Head - max(u.Searched, u.Forgotten))
	}
	var done int64
	var failed []error
	for _, u := range urls {
		err := s.indexURL(ctx, u, func(n int) {
			done += int64(n)
			progress(done, total)
		})
		switch {
		case errors.Is(err, plat.ErrCorrupt), errors.Is(err, plat.ErrNotFound):
			failed = append(failed, err)
			if err := s.unreadable(ctx, u); err != nil {
				return err
			}
		case err != nil:
			return err
		}
	}
	s.retried.Store(true)
	if len(failed) > 0 {
		return fmt.Errorf("%d of %d URLs cannot be read, the first: %w; run plat verify", len(failed), len(urls), failed[0])
	}
	return nil
}

// unsearch removes the spans of versions that were forgotten while they were indexed.
func (s *Store) unsearch(ctx context.Context, u *urlDoc) error {
	st, err := s.numbersOf(ctx, string(u.URL))
	if err != nil || st.Forgotten <= u.Forgotten {
		return err // a different process was faster
	}
	_, err = s.spans.DeleteMany(ctx, idsOf(string(u.URL), versionID(string(u.URL), st.Oldest())))
	return err
}

// indexStep is the number of versions indexed at a time.
const indexStep = 32

// indexURL indexes the versions of a URL up to the head. It stops if a different process was
// faster, which then does the rest.
func (s *Store) indexURL(ctx context.Context, u *urlDoc, did func(versions int)) error {
	standing, err := s.standing(ctx, u)
	if err != nil {
		return err
	}
	was := u.Searched
	fold := storage.NewSpans(string(u.URL), was, standing)
	for from := max(was, u.Forgotten); from < u.Head; {
		to := min(u.Head, from+indexStep)
		if err := s.indexVersions(ctx, fold, from, to); err != nil {
			return err
		}
		ok, err := s.searched(ctx, u, was, to)
		if err == nil && !ok {
			err = s.unsearch(ctx, u)
		}
		if err != nil || !ok {
			return err
		}
		did(to - from)
		from, was = to, to
	}
	return nil
}

// standing returns the spans open in the last indexed version, ignoring spans of
// later versions that a crashed process may have written.
func (s *Store) standing(ctx context.Context, u *urlDoc) ([]*storage.Span, error) {
	if u.Searched == 0 {
		return nil, nil
	}
	cur, err := s.spans.Find(ctx, bson.D{
		{Key: "_id", Value: bson.D{{Key: "$gte", Value: versionID(string(u.URL), 1)}, {Key: "$lt", Value: versionID(string(u.URL), u.Searched+1)}}},
		{Key: "$or", Value: bson.A{
			bson.D{{Key: "gone", Value: bson.D{{Key: "$exists", Value: false}}}},
			bson.D{{Key: "gone", Value: bson.D{{Key: "$gt", Value: u.Searched}}}},
		}},
	}, options.Find().SetProjection(bson.D{{Key: "text", Value: 0}, {Key: "terms", Value: 0}}))
	var got []spanDoc
	if err == nil {
		err = cur.All(ctx, &got)
	}
	if err != nil {
		return nil, err
	}
	spans := make([]*storage.Span, len(got))
	for i := range got {
		d := &got[i]
		h, err := hashOf(d.Hash)
		if err != nil {
			return nil, err
		}
		spans[i] = &storage.Span{URL: string(d.URL), Lineage: d.Lineage, Hash: h, First: d.First, Since: d.Since.UTC(), Last: u.Searched}
	}
	return spans, nil
}

// indexVersions folds the versions from+1 to to, and writes the changed spans.
func (s *Store) indexVersions(ctx context.Context, fold *storage.Spans, from, to int) error {
	var opened, closed []*storage.Span
	for v, err := range s.Trees(ctx, fold.URL(), from+1, to) {
		if err != nil {
			return err
		}
		began, ended := fold.Add(v)
		opened, closed = append(opened, began...), append(closed, ended...)
	}
	hashes := make([]plat.Hash, len(opened))
	for i, sp := range opened {
		hashes[i] = sp.Hash
	}
	contents, err := s.Contents(ctx, hashes)
	if err != nil {
		return err
	}
	w := spanWriter{c: s.spans}
	for i, sp := range opened {
		d := spanDocOf(sp, contents[i])
		if err := w.put(ctx, d.ID, bson.D{{Key: "$setOnInsert", Value: d}}, true, len(d.Text)); err != nil {
			return err
		}
	}
	// Close spans only after all new ones are written.
	if err := w.flush(ctx); err != nil {
		return err
	}
	for _, sp := range closed {
		end := bson.D{{Key: "$set", Value: bson.D{{Key: "gone", Value: sp.Gone}, {Key: "until", Value: instant(sp.Until)}}}}
		if err := w.put(ctx, spanDocID(sp), end, false, 0); err != nil {
			return err
		}
	}
	return w.flush(ctx)
}

// spanDocOf returns the document of an open span.
func spanDocOf(sp *storage.Span, content []byte) *spanDoc {
	d := &spanDoc{ID: spanDocID(sp), URL: text(sp.URL), Host: text(storage.Host(sp.URL)), Lineage: sp.Lineage, Hash: sp.Hash.String(), First: sp.First,
		Since: instant(sp.Since), Label: text(sp.Block.Label), Topic: text(sp.Block.Topic), Text: storage.SearchText(&sp.Block, content)}
	terms := map[string]bool{}
	for _, w := range slices.Concat(storage.Terms(d.Text), storage.Terms(sp.Block.Topic)) {
		terms[w] = true
	}
	d.Terms = slices.AppendSeq([]string{}, maps.Keys(terms))
	slices.Sort(d.Terms)
	return d
}

// spanWriter batches updates of spans.
type spanWriter struct {
	c      *mongo.Collection
	models []mongo.WriteModel
	bytes  int
}

func (w *spanWriter) put(ctx context.Context, id string, update bson.D, upsert bool, bytes int) error {
	w.models = append(w.models, mongo.NewUpdateOneModel().SetFilter(bson.D{{Key: "_id", Value: id}}).SetUpdate(update).SetUpsert(upsert))
	if w.bytes += bytes; w.bytes > 4<<20 || len(w.models) == batch {
		return w.flush(ctx)
	}
	return nil
}

func (w *spanWriter) flush(ctx context.Context) error {
	if len(w.models) == 0 {
		return nil
	}
	_, err := w.c.BulkWrite(ctx, w.models, options.BulkWrite().SetOrdered(false))
	w.models, w.bytes = nil, 0
	if mongo.IsDuplicateKeyError(err) {
		err = nil // concurrent upserts of the same document
	}
	return err
}

// unreadable records that versions of a URL could not be read.
func (s *Store) unreadable(ctx context.Context, u *urlDoc) error {
	_, err := s.urls.UpdateOne(ctx, bson.D{{Key: "_id", Value: u.ID}, {Key: "unsearched", Value: true}},
		bson.D{{Key: "$set", Value: bson.D{{Key: "unreadable", Value: u.Head}}}, {Key: "$inc", Value: bson.D{{Key: "rev", Value: 1}}}})
	return err
}

// searched records that the versions up to to are indexed, if the recorded state is was. If
// that includes the head, the URL is no longer marked as unsearched.
func (s *Store) searched(ctx context.Context, u *urlDoc, was, to int) (bool, error) {
	before := bson.E{Key: "searched", Value: was}
	if was == 0 {
		before.Value = bson.D{{Key: "$exists", Value: false}}
	}
	forgotten := bson.E{Key: "forgotten", Value: u.Forgotten} // no version may have been forgotten since
	if u.Forgotten == 0 {
		forgotten.Value = bson.D{{Key: "$exists", Value: false}}
	}
	id := bson.E{Key: "_id", Value: u.ID}
	set := bson.D{{Key: "$set", Value: bson.D{{Key: "searched", Value: to}}}, {Key: "$inc", Value: bson.D{{Key: "rev", Value: 1}}}}
	r, err := s.urls.UpdateOne(ctx, bson.D{id, before, forgotten, {Key: "head", Value: to}}, append(set, bson.E{Key: "$unset", Value: bson.D{{Key: "unsearched", Value: ""}, {Key: "unreadable", Value: ""}}}))
	if err == nil && r.MatchedCount == 0 {
		r, err = s.urls.UpdateOne(ctx, bson.D{id, before, forgotten}, set)
	}
	return err == nil && r.MatchedCount == 1, err
}
