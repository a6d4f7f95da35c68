package mongo

import (
	"context"
	"iter"
	"math"
	"slices"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"plat/plat"
	"plat/storage"
)

// versionAt names a version.
type versionAt struct {
	URL text `bson:"url"`
	N   int  `bson:"n"`
}

// findChanges yields the changes that match, URL by URL. It reads the trees of the versions in the time
// of q, and of one before them.
func (s *Store) findChanges(ctx context.Context, q *storage.BlockQuery) iter.Seq2[[]storage.Found, error] {
	return func(yield func([]storage.Found, error) bool) {
		for at, err := range s.versionsWithin(ctx, q) {
			var found []storage.Found
			if err == nil {
				found, err = s.changesOf(ctx, q, at)
			}
			if !yield(found, err) || err != nil {
				return
			}
		}
	}
}

// takenIn returns the condition of q on the times of versions.
func takenIn(q *storage.BlockQuery) bson.D {
	taken := bson.D{}
	if !q.Since.IsZero() {
		taken = append(taken, bson.E{Key: "$gte", Value: instant(q.Since)})
	}
	if !q.Until.IsZero() {
		taken = append(taken, bson.E{Key: "$lte", Value: instant(q.Until)})
	}
	if len(taken) == 0 {
		return bson.D{}
	}
	return bson.D{{Key: "taken", Value: taken}}
}

// theirNumbers is the projection to a versionAt.
var theirNumbers = bson.D{{Key: "_id", Value: 0}, {Key: "url", Value: 1}, {Key: "n", Value: 1}}

// versionsWithin yields, for each URL in order, its versions in the time of q, in no order.
func (s *Store) versionsWithin(ctx context.Context, q *storage.BlockQuery) iter.Seq2[[]versionAt, error] {
	return func(yield func([]versionAt, error) bool) {
		if !q.Since.IsZero() {
			filter := takenIn(q)
			if q.Host != "" {
				filter = append(filter, bson.E{Key: "host", Value: q.Host})
			}
			if q.URL != "" {
				filter = append(filter, prefixed("url", q.URL)...)
			}
			got, err := findAll[versionAt](ctx, s.versions, filter, options.Find().SetProjection(theirNumbers).SetLimit(maxSorted+1))
			if err != nil || len(got) <= maxSorted {
				eachURL(got, err, yield)
				return
			}
		}
		var urls []text
		flush := func() bool {
			if len(urls) == 0 {
				return true
			}
			got, err := findAll[versionAt](ctx, s.versions, append(bson.D{{Key: "url", Value: bson.D{{Key: "$in", Value: urls}}}}, takenIn(q)...), options.Find().SetProjection(theirNumbers))
			urls = urls[:0]
			return eachURL(got, err, yield)
		}
		for _, some := range urlsOf(q) {
			for d, err := range byURL(ctx, s.pages, some, nil, bson.D{{Key: "url", Value: 1}, {Key: "host", Value: 1}}, page, func(d *pageDoc) text { return d.URL }) {
				if err != nil {
					yield(nil, err)
					return
				}
				if q.Host != "" && string(d.Host) != q.Host {
					continue
				}
				if urls = append(urls, d.URL); len(urls) == page/4 && !flush() {
					return
				}
			}
			if !flush() {
				return
			}
		}
	}
}

// eachURL yields versions by URL, in order of URLs, and reports whether to go on.
func eachURL(all []versionAt, err error, yield func([]versionAt, error) bool) bool {
	if err != nil {
		yield(nil, err)
		return false
	}
	slices.SortFunc(all, func(a, b versionAt) int { return strings.Compare(string(a.URL), string(b.URL)) })
	for len(all) > 0 {
		end := slices.IndexFunc(all, func(v versionAt) bool { return v.URL != all[0].URL })
		if end < 0 {
			end = len(all)
		}
		if !yield(all[:end], nil) {
			return false
		}
		all = all[end:]
	}
	return true
}

// changesOf returns the matching changes of a URL's versions, latest first.
func (s *Store) changesOf(ctx context.Context, q *storage.BlockQuery, at []versionAt) ([]storage.Found, error) {
	from, to := math.MaxInt, 0
	for _, v := range at {
		from, to = min(from, v.N), max(to, v.N)
	}
	var sections [][]storage.Found // by version
	var prev *plat.Version
	for v, err := range s.Trees(ctx, string(at[0].URL), from-1, to) {
		if err != nil {
			return nil, err
		}
		if v.N >= from {
			sections = append(sections, q.ChangesIn(v, prev))
		}
		prev = v
	}
	slices.Reverse(sections)
	return slices.Concat(sections...), nil
}
