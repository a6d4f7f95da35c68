package mongo

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"plat/plat"
	"plat/storage"
	"plat/storage/tree"
)

// versionAt names a version.
type versionAt struct {
	URL text `bson:"url"`
	N   int  `bson:"n"`
}

// findChanges yields the changes that match, URL by URL, the latest first. It reads the trees of the versions in the time
// of q, and of one before them, as far as the caller asks for more.
func (s *Store) findChanges(ctx context.Context, q *storage.BlockQuery) iter.Seq2[[]storage.Found, error] {
	return func(yield func([]storage.Found, error) bool) {
		for in, err := range s.versionsWithin(ctx, q) {
			if err != nil {
				yield(nil, err)
				return
			}
			for found, err := range s.changesOf(ctx, q, in) {
				if !yield(found, err) || err != nil {
					return
				}
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

// versionRange is some versions of a URL in a row.
type versionRange struct {
	url      string
	from, to int
}

// theirNumbers is the projection to a versionAt.
var theirNumbers = bson.D{{Key: "_id", Value: 0}, {Key: "url", Value: 1}, {Key: "n", Value: 1}}

// versionsWithin yields, for each URL in order, its versions in the time of q.
func (s *Store) versionsWithin(ctx context.Context, q *storage.BlockQuery) iter.Seq2[versionRange, error] {
	return func(yield func(versionRange, error) bool) {
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
			if len(takenIn(q)) == 0 {
				for _, url := range urls {
					if !yield(versionRange{string(url), 1, math.MaxInt}, nil) {
						return false
					}
				}
				urls = urls[:0]
				return true
			}
			got, err := findAll[versionAt](ctx, s.versions, append(bson.D{{Key: "url", Value: bson.D{{Key: "$in", Value: urls}}}}, takenIn(q)...), options.Find().SetProjection(theirNumbers))
			urls = urls[:0]
			return eachURL(got, err, yield)
		}
		for _, some := range urlsOf(q) {
			for d, err := range byURL(ctx, s.pages, some, nil, bson.D{{Key: "url", Value: 1}, {Key: "host", Value: 1}}, page, func(d *pageDoc) text { return d.URL }) {
				if err != nil {
					yield(versionRange{}, err)
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

// eachURL yields the range of versions of each URL, in order of URLs, and reports whether to go on.
func eachURL(all []versionAt, err error, yield func(versionRange, error) bool) bool {
	if err != nil {
		yield(versionRange{}, err)
		return false
	}
	slices.SortFunc(all, func(a, b versionAt) int {
		return cmp.Or(strings.Compare(string(a.URL), string(b.URL)), cmp.Compare(a.N, b.N))
	})
	for len(all) > 0 {
		end := slices.IndexFunc(all, func(v versionAt) bool { return v.URL != all[0].URL })
		if end < 0 {
			end = len(all)
		}
		if !yield(versionRange{string(all[0].URL), all[0].N, all[end-1].N}, nil) {
			return false
		}
		all = all[end:]
	}
	return true
}

// changesOf yields the matching changes of a URL's versions, latest first. It reads one chain of versions after the
// other, the last first: each begins with a version that depends on none.
func (s *Store) changesOf(ctx context.Context, q *storage.BlockQuery, in versionRange) iter.Seq2[[]storage.Found, error] {
	return func(yield func([]storage.Found, error) bool) {
		st, err := s.numbersOf(ctx, in.url)
		if err != nil {
			yield(nil, err)
			return
		}
		var after *plat.Version // the first of the chain after, which changed the last of this one
		for end := min(in.to, st.Head); ; {
			var sections [][]storage.Found // by version
			var first, prev *plat.Version
			changed := func(v *plat.Version) {
				if v != nil && v.N >= in.from {
					sections = append(sections, q.ChangesIn(v, prev))
				}
			}
			if end >= st.Oldest() {
				for t, err := range s.trees(ctx, in.url, st.Oldest(), tree.KeyBefore(end), end) {
					if err != nil {
						yield(nil, fmt.Errorf("%w; run plat verify", err))
						return
					}
					v := &t.Version
					if first == nil {
						first = v
					} else {
						changed(v)
					}
					prev = v
				}
			}
			changed(after)
			slices.Reverse(sections)
			if !yield(slices.Concat(sections...), nil) || first == nil || first.N < in.from {
				return
			}
			after, end = first, first.N-1
		}
	}
}
