package mongo

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"plat/plat"
	"plat/storage"
)

// readVersion returns the document of a version, even past the head.
func (s *Store) readVersion(ctx context.Context, url string, n int) (*versionDoc, error) {
	var d versionDoc
	err := s.versions.FindOne(ctx, bson.D{{Key: "_id", Value: versionID(url, n)}}).Decode(&d)
	if errors.Is(err, mongo.ErrNoDocuments) {
		err = plat.ErrNotFound
	}
	if err != nil {
		return nil, fmt.Errorf("version %d of %s: %w", n, url, err)
	}
	return &d, nil
}

// Version returns a version with its block tree.
func (s *Store) Version(ctx context.Context, url string, n int) (*plat.Version, error) {
	st, err := s.numbersOf(ctx, url)
	if err != nil {
		return nil, errorf("mongo: version %d of %q: %w", n, url, err)
	}
	if err := storage.Kept(&st, &n); err != nil {
		return nil, errorf("mongo: %w", err)
	}
	d, err := s.readVersion(ctx, url, n)
	if errors.Is(err, plat.ErrNotFound) {
		err = s.missing(ctx, url, n)
	}
	var v *plat.Version
	if err == nil {
		v, _, err = d.version()
	}
	if err != nil {
		return nil, errorf("mongo: %w", err)
	}
	v.Oldest = n == st.Oldest()
	return v, nil
}

// missing returns the error for a version that was unexpectedly not found: a different process
// may have forgotten it in the meantime.
func (s *Store) missing(ctx context.Context, url string, n int) error {
	st, err := s.numbersOf(ctx, url)
	if err == nil {
		err = storage.Kept(&st, &n)
	}
	if err == nil {
		err = fmt.Errorf("version %d of %s is missing: %w; run plat verify", n, url, plat.ErrCorrupt)
	}
	return err
}

// numbersOf returns the range of versions of a URL.
func (s *Store) numbersOf(ctx context.Context, url string) (plat.URLState, error) {
	u, err := s.readURL(ctx, url)
	if err != nil || u == nil {
		return plat.URLState{URL: url}, err
	}
	return u.numbers(), nil
}

// withoutBlocks excludes the large fields of a version's document.
var withoutBlocks = bson.D{{Key: "blocks", Value: 0}, {Key: "terms", Value: 0}}

// versionDocs yields the documents of versions from..to of a URL.
func (s *Store) versionDocs(ctx context.Context, url string, from, to int, projection bson.D) iter.Seq2[*versionDoc, error] {
	return func(yield func(*versionDoc, error) bool) {
		const page = 32
		opts := options.Find().SetSort(bson.D{{Key: "_id", Value: 1}}).SetLimit(page)
		if projection != nil {
			opts.SetProjection(projection)
		}
		for from <= to {
			cur, err := s.versions.Find(ctx, bson.D{{Key: "_id", Value: bson.D{{Key: "$gte", Value: versionID(url, from)}, {Key: "$lte", Value: versionID(url, to)}}}}, opts)
			var got []versionDoc
			if err == nil {
				err = cur.All(ctx, &got)
			}
			if err != nil {
				yield(nil, err)
				return
			}
			for i := range got {
				if got[i].N != from {
					break
				}
				if !yield(&got[i], nil) {
					return
				}
				from++
			}
			if len(got) < page || got[page-1].N != from-1 {
				break
			}
		}
		if from <= to {
			yield(nil, fmt.Errorf("version %d of %s is missing: %w", from, url, plat.ErrCorrupt))
		}
	}
}

// Versions yields the versions of url without their block trees.
func (s *Store) Versions(ctx context.Context, url string) iter.Seq2[*plat.Version, error] {
	return s.versionsOf(ctx, url, 1, math.MaxInt, withoutBlocks)
}

// Trees yields versions with their block trees.
func (s *Store) Trees(ctx context.Context, url string, from, to int) iter.Seq2[*plat.Version, error] {
	return s.versionsOf(ctx, url, from, to, bson.D{{Key: "terms", Value: 0}})
}

// Times returns the capture times of the versions of url.
func (s *Store) Times(ctx context.Context, url string) ([]time.Time, error) {
	st, err := s.numbersOf(ctx, url)
	if n := 0; err == nil {
		err = storage.Kept(&st, &n)
	}
	all := make([]time.Time, st.Forgotten)
	for d, failed := range s.versionDocs(ctx, url, st.Oldest(), st.Head, bson.D{{Key: "n", Value: 1}, {Key: "taken", Value: 1}}) {
		if err = cmp.Or(err, failed); err != nil {
			break
		}
		all = append(all, d.Taken.UTC())
	}
	if err != nil {
		return nil, errorf("mongo: times of %q: %w", url, err)
	}
	return all, nil
}

// versionsOf yields the versions from..to of url, with the fields selected by
// projection.
func (s *Store) versionsOf(ctx context.Context, url string, from, to int, projection bson.D) iter.Seq2[*plat.Version, error] {
	return func(yield func(*plat.Version, error) bool) {
		st, err := s.numbersOf(ctx, url)
		if err != nil {
			yield(nil, errorf("mongo: versions of %q: %w", url, err))
			return
		}
		for d, err := range s.versionDocs(ctx, url, max(st.Oldest(), from), min(to, st.Head), projection) {
			var v *plat.Version
			if err == nil {
				v, _, err = d.version()
			}
			if err == nil {
				v.Oldest = d.N == st.Oldest()
			}
			if err != nil {
				yield(nil, errorf("mongo: %w; run plat verify", err))
				return
			}
			if !yield(v, nil) {
				return
			}
		}
	}
}

// earlier returns the first version, from oldest up to n, in which a lineage had a content, or
// 0.
func (s *Store) earlier(ctx context.Context, url string, oldest, n int, lineage int32, h plat.Hash) (int32, error) {
	if n < oldest {
		return 0, nil
	}
	cur, err := s.versions.Find(ctx, bson.D{
		{Key: "_id", Value: bson.D{{Key: "$gte", Value: versionID(url, oldest)}, {Key: "$lte", Value: versionID(url, n)}}},
		{Key: "blocks.hash", Value: h.String()},
	}, options.Find().SetSort(bson.D{{Key: "_id", Value: 1}}).SetBatchSize(1).SetProjection(
		bson.D{{Key: "n", Value: 1}, {Key: "blocks.hash", Value: 1}, {Key: "blocks.lineage", Value: 1}}))
	if err != nil {
		return 0, err
	}
	defer cur.Close(context.WithoutCancel(ctx))
	for cur.Next(ctx) {
		var d versionDoc
		if err := cur.Decode(&d); err != nil {
			return 0, err
		}
		for i := range d.Blocks {
			if b := &d.Blocks[i]; b.Lineage == lineage && b.Hash == h.String() {
				return int32(d.N), nil
			}
		}
	}
	return 0, cur.Err()
}
