package mongo

import (
	"context"
	"iter"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"plat/plat"
	"plat/storage"
)

// Find yields the block versions that match q.
func (s *Store) Find(ctx context.Context, q storage.BlockQuery) iter.Seq2[storage.Found, error] {
	return func(yield func(storage.Found, error) bool) {
		find := s.findNew
		if q.Head {
			find = s.findHead
		}
		left := q.Limit
		for found, err := range find(ctx, &q) {
			if err != nil {
				yield(storage.Found{}, errorf("mongo: find: %w", err))
				return
			}
			for _, f := range found {
				if !yield(f, nil) {
					return
				}
				if left--; left == 0 {
					return
				}
			}
		}
	}
}

// common is the part of a filter shared by urls and versions.
func common(q *storage.BlockQuery) bson.D {
	f := bson.D{}
	if q.URL != "" {
		f = append(f, prefixed("url", q.URL)...)
	}
	if q.Host != "" {
		f = append(f, bson.E{Key: "host", Value: q.Host})
	}
	if terms := queryTerms(q); len(terms) > 0 {
		f = append(f, bson.E{Key: "terms", Value: bson.D{{Key: "$all", Value: terms}}})
	}
	return f
}

// findNew yields the matches among the new blocks of each version, whose words and labels are
// indexed by version.
func (s *Store) findNew(ctx context.Context, q *storage.BlockQuery) iter.Seq2[[]storage.Found, error] {
	return func(yield func([]storage.Found, error) bool) {
		filter := common(q)
		taken := bson.D{}
		if !q.Since.IsZero() {
			taken = append(taken, bson.E{Key: "$gte", Value: instant(q.Since)})
		}
		if !q.Until.IsZero() {
			taken = append(taken, bson.E{Key: "$lte", Value: q.Until.Add(time.Millisecond)})
		}
		if len(taken) > 0 {
			filter = append(filter, bson.E{Key: "taken", Value: taken})
		}
		const page = 32
		opts := options.Find().SetSort(bson.D{{Key: "url", Value: 1}, {Key: "n", Value: -1}}).SetLimit(page)
		url, st := text(""), plat.URLState{}
		for after := filter; ; {
			cur, err := s.versions.Find(ctx, after, opts)
			var got []versionDoc
			if err == nil {
				err = cur.All(ctx, &got)
			}
			if err != nil {
				yield(nil, err)
				return
			}
			for i := range got {
				d := &got[i]
				if d.URL != url {
					url = d.URL
					if st, err = s.numbersOf(ctx, string(url)); err != nil {
						yield(nil, err)
						return
					}
				}
				if d.N > st.Head || d.N <= st.Forgotten {
					continue
				}
				found, err := newIn(q, d)
				if err != nil {
					yield(nil, err)
					return
				}
				if !yield(found, nil) {
					return
				}
			}
			if len(got) < page {
				return
			}
			last := &got[page-1]
			after = bson.D{{Key: "$and", Value: bson.A{filter, bson.D{{Key: "$or", Value: bson.A{
				bson.D{{Key: "url", Value: bson.D{{Key: "$gt", Value: last.URL}}}},
				bson.D{{Key: "url", Value: last.URL}, {Key: "n", Value: bson.D{{Key: "$lt", Value: last.N}}}},
			}}}}}}
		}
	}
}

// newIn returns the matches among the new blocks of a version.
func newIn(q *storage.BlockQuery, d *versionDoc) ([]storage.Found, error) {
	v, since, err := d.version()
	if err != nil {
		return nil, err
	}
	return q.NewIn(v, since), nil
}

// findHead yields the matches in the last version of each URL, whose words and labels are
// indexed by URL.
func (s *Store) findHead(ctx context.Context, q *storage.BlockQuery) iter.Seq2[[]storage.Found, error] {
	return func(yield func([]storage.Found, error) bool) {
		filter := append(common(q), bson.E{Key: "head", Value: bson.D{{Key: "$gt", Value: 0}}})
		if !q.Since.IsZero() {
			filter = append(filter, bson.E{Key: "newest", Value: bson.D{{Key: "$gte", Value: instant(q.Since)}}})
		}
		for u, err := range s.urlDocs(ctx, filter, bson.D{{Key: "terms", Value: 0}}) {
			var found []storage.Found
			if err == nil {
				found, err = s.headOf(ctx, q, u)
			}
			if err != nil {
				yield(nil, err)
				return
			}
			if !yield(found, nil) {
				return
			}
		}
	}
}

func (s *Store) headOf(ctx context.Context, q *storage.BlockQuery, u *urlDoc) ([]storage.Found, error) {
	d, err := s.readVersion(ctx, string(u.URL), u.Head)
	if err != nil {
		return nil, err
	}
	v, since, err := d.version()
	if err != nil {
		return nil, err
	}
	taken := map[int32]time.Time{int32(v.N): v.Taken}
	var ids []string
	for i := range v.Blocks {
		if _, ok := taken[since[i]]; !ok && v.Blocks[i].Leaf() {
			taken[since[i]] = time.Time{}
			ids = append(ids, versionID(v.URL, int(since[i])))
		}
	}
	if len(ids) > 0 {
		cur, err := s.versions.Find(ctx, bson.D{{Key: "_id", Value: bson.D{{Key: "$in", Value: ids}}}},
			options.Find().SetProjection(bson.D{{Key: "n", Value: 1}, {Key: "taken", Value: 1}}))
		var got []versionDoc
		if err == nil {
			err = cur.All(ctx, &got)
		}
		if err != nil {
			return nil, err
		}
		for i := range got {
			taken[int32(got[i].N)] = got[i].Taken.UTC()
		}
	}
	return q.StandingIn(v, since, func(n int32) time.Time { return taken[n] }), nil
}
