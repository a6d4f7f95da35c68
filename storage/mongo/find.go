package mongo

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"strings"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"plat/plat"
	"plat/storage"
)

// Find yields the block versions that match q.
func (s *Store) Find(ctx context.Context, q storage.BlockQuery) iter.Seq2[storage.Found, error] {
	return func(yield func(storage.Found, error) bool) {
		find := s.findNew
		switch {
		case q.Changes:
			find = s.findChanges
		case q.Head:
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

// urlsOf returns the ranges of URLs that q may match, in order: the addresses of a host begin
// with http:// or https://.
func urlsOf(q *storage.BlockQuery) (ranges []bson.D) {
	if q.Host == "" || strings.Contains(q.URL, "://"+q.Host+"/") {
		return []bson.D{prefixed("url", q.URL)}
	}
	for _, scheme := range []string{"http://", "https://"} {
		if site := scheme + q.Host; strings.HasPrefix(site, q.URL) {
			ranges = append(ranges, prefixed("url", site))
		}
	}
	return ranges
}

// blockFilter returns the conditions of q on block versions apart from the URL. terms are the words of its topic, all of
// which are terms of its block.
func blockFilter(q *storage.BlockQuery, terms []string) bson.D {
	f := bson.D{}
	if len(terms) > 0 {
		f = append(f, bson.E{Key: "terms", Value: bson.D{{Key: "$all", Value: terms}}})
	}
	if q.Host != "" {
		f = append(f, bson.E{Key: "host", Value: q.Host})
	}
	since := bson.D{}
	if !q.Since.IsZero() {
		since = append(since, bson.E{Key: "$gte", Value: instant(q.Since)})
	}
	if !q.Until.IsZero() {
		since = append(since, bson.E{Key: "$lt", Value: instant(q.Until.Add(time.Millisecond - 1))})
	}
	if len(since) > 0 {
		f = append(f, bson.E{Key: "since", Value: since})
	}
	return append(f, ofLabels("label", q.Labels)...)
}

// ofLabels returns the condition that a field is one of the labels.
func ofLabels(field string, labels []plat.Label) bson.D {
	switch len(labels) {
	case 0:
		return nil
	case 1:
		return bson.D{{Key: field, Value: text(labels[0])}}
	}
	return bson.D{{Key: field, Value: bson.D{{Key: "$in", Value: textsOf(labels)}}}}
}

// withoutWords excludes the large fields of block versions.
var withoutWords = bson.D{{Key: "text", Value: 0}, {Key: "terms", Value: 0}, {Key: "links", Value: 0}}

// maxSorted is the most matches that are read by time or words, and sorted here. Beyond it the block
// versions are read in the order of the result, and most do not match.
const maxSorted = 4000

// findNew yields the contents that match where they first appeared in their lineages.
func (s *Store) findNew(ctx context.Context, q *storage.BlockQuery) iter.Seq2[[]storage.Found, error] {
	return func(yield func([]storage.Found, error) bool) {
		terms := storage.Terms(q.Topic)
		if len(terms) > 1 {
			with, err := s.spansWith(ctx, terms, maxSorted+1)
			if err != nil {
				yield(nil, err)
			}
			if with == nil {
				return
			}
			terms = rarestFirst(terms, with)
		}
		filter := append(blockFilter(q, terms), bson.E{Key: "again", Value: bson.D{{Key: "$exists", Value: false}}})
		if q.SkipFirst {
			filter = append(filter, bson.E{Key: "began", Value: bson.D{{Key: "$ne", Value: text(storage.First)}}})
		}
		if !q.Since.IsZero() || len(terms) > 0 {
			found, few, err := s.few(ctx, q, filter)
			if err != nil || few {
				yield(found, err)
				return
			}
		}
		for _, urls := range urlsOf(q) {
			for d, err := range s.inOrder(ctx, urls, filter) {
				var found []storage.Found
				if err == nil {
					found, err = d.matching(q)
				}
				if !yield(found, err) || err != nil {
					return
				}
			}
		}
	}
}

// few returns the matches of q, if they are few.
func (s *Store) few(ctx context.Context, q *storage.BlockQuery, filter bson.D) (found []storage.Found, few bool, err error) {
	if q.URL != "" {
		filter = append(slices.Clip(filter), prefixed("url", q.URL)...)
	}
	got, err := findAll[blockVersionDoc](ctx, s.blockVersions, filter, options.Find().SetProjection(withoutWords).SetLimit(maxSorted+1))
	if err != nil || len(got) > maxSorted {
		return nil, false, err
	}
	slices.SortFunc(got, func(a, b blockVersionDoc) int {
		return cmp.Or(strings.Compare(string(a.URL), string(b.URL)), cmp.Compare(b.First, a.First), cmp.Compare(a.Order, b.Order))
	})
	for i := range got {
		one, err := got[i].matching(q)
		if err != nil {
			return nil, false, err
		}
		found = append(found, one...)
	}
	return found, true, nil
}

// inOrder yields block versions sorted by URL, then from the last to the first version, then in
// page order.
func (s *Store) inOrder(ctx context.Context, urls, filter bson.D) iter.Seq2[*blockVersionDoc, error] {
	return func(yield func(*blockVersionDoc, error) bool) {
		// Without the hint, the server might find the matches by time, and sort all of them for each read.
		order := bson.D{{Key: "url", Value: 1}, {Key: "first", Value: -1}, {Key: "order", Value: 1}}
		ranges := []bson.D{urls} // that are left, in order
		n := page / 16
		for len(ranges) > 0 {
			got, err := findAll[blockVersionDoc](ctx, s.blockVersions, append(slices.Clip(ranges[0]), filter...), options.Find().SetProjection(withoutWords).
				SetSort(order).SetHint(order).SetLimit(int64(n)).SetBatchSize(int32(n)))
			if err != nil {
				yield(nil, err)
				return
			}
			for i := range got {
				if !yield(&got[i], nil) {
					return
				}
			}
			if len(got) < n {
				ranges = ranges[1:]
				continue
			}
			// The rest of the version, of the URL, of the URLs: each is a range of the index.
			d := &got[n-1]
			url := bson.E{Key: "url", Value: d.URL}
			left := []bson.D{
				{url, {Key: "first", Value: d.First}, {Key: "order", Value: bson.D{{Key: "$gt", Value: d.Order}}}},
				{url, {Key: "first", Value: bson.D{{Key: "$lt", Value: d.First}}}},
			}
			rest := ranges[len(ranges)-1]
			if len(ranges) == 1 {
				rest = beyond(rest, d.URL)
			}
			ranges, n = append(left, rest), min(4*n, page)
		}
	}
}

// matching returns the block version if it matches q.
func (d *blockVersionDoc) matching(q *storage.BlockQuery) ([]storage.Found, error) {
	sp, err := d.span(0)
	if err != nil {
		return nil, err
	}
	f := storage.Found{URL: sp.URL, N: sp.First, Taken: sp.Since, Block: sp.Block, SelfChange: string(d.ByItself)}
	if !q.Match(&f) {
		return nil, nil
	}
	return []storage.Found{f}, nil
}

// findHead yields the matches in the last version of each URL.
func (s *Store) findHead(ctx context.Context, q *storage.BlockQuery) iter.Seq2[[]storage.Found, error] {
	return func(yield func([]storage.Found, error) bool) {
		for _, urls := range urlsOf(q) {
			filter := append(bson.D{}, ofLabels("blocks.label", q.Labels)...)
			for d, err := range byURL(ctx, s.pages, urls, filter, nil, page/4, func(d *pageDoc) text { return d.URL }) {
				var found []storage.Found
				if err == nil && (q.Host == "" || string(d.Host) == q.Host) {
					found, err = d.matching(q)
				}
				if err == nil && q.SkipFirst && len(found) > 0 {
					var st plat.URLState
					if st, err = s.numbersOf(ctx, string(d.URL)); err == nil {
						found = q.SkipOldest(found, st.Oldest())
					}
				}
				if !yield(found, err) || err != nil {
					return
				}
			}
		}
	}
}

// matching returns the blocks of a page that match q.
func (d *pageDoc) matching(q *storage.BlockQuery) ([]storage.Found, error) {
	v, err := d.standing()
	if err != nil {
		return nil, err
	}
	at := map[int32]int{}
	for i, n := range v.Since {
		at[n] = i
	}
	return q.StandingIn(&v.Version, v.Since, func(n int32) (taken time.Time) { return v.at[at[n]] }), nil
}

// valuesOf returns the different values of a field of texts. Only Err has the error of the command: Decode of the
// driver fails without it, for want of a reply.
func valuesOf(ctx context.Context, c *mongo.Collection, field string, filter bson.D) (values []string, err error) {
	r := c.Distinct(ctx, field, filter)
	if err := r.Err(); err != nil {
		return nil, err
	}
	err = r.Decode(&values)
	return values, err
}
