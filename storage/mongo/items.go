package mongo

import (
	"context"
	"iter"
	"slices"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"plat/plat"
	"plat/storage"
)

// itemDoc is a document of items.
type itemDoc struct {
	ID           string    `bson:"_id"`
	Subscription string    `bson:"subscription"`
	Kind         string    `bson:"kind"`
	Title        string    `bson:"title,omitempty"`
	URL          string    `bson:"url,omitempty"`
	Excerpt      string    `bson:"excerpt,omitempty"`
	Dated        time.Time `bson:"dated,omitempty"`
	Page         string    `bson:"page"`
	Version      int       `bson:"version"`
	Lineage      int32     `bson:"lineage,omitempty"`
	Seen         time.Time `bson:"seen"`
}

func (d *itemDoc) item() *plat.Item {
	return &plat.Item{ID: d.ID, Subscription: d.Subscription, Kind: plat.ItemKind(d.Kind), Title: d.Title, URL: d.URL, Excerpt: d.Excerpt, Dated: orZero(d.Dated),
		Page: d.Page, Version: d.Version, Lineage: d.Lineage, Seen: d.Seen.UTC()}
}

// addItems stores the items that are not stored yet.
func (s *Store) addItems(ctx context.Context, items []plat.Item) error {
	docs := make([]any, len(items))
	for k := range items {
		i := &items[k]
		docs[k] = itemDoc{i.ID, i.Subscription, string(i.Kind), i.Title, i.URL, i.Excerpt, orZero(i.Dated), i.Page, i.Version, i.Lineage, instant(i.Seen)}
	}
	return s.insertNew(ctx, s.items, docs)
}

// latestFirst is the order of items.
var latestFirst = bson.D{{Key: "seen", Value: -1}, {Key: "_id", Value: 1}}

// countItems counts the stored items of a subscription.
func (s *Store) countItems(ctx context.Context, d *subscriptionDoc) error {
	of := bson.D{{Key: "subscription", Value: d.ID}}
	n, err := s.items.CountDocuments(ctx, of)
	if err != nil {
		return err
	}
	unread := n
	if !d.ReadTo.IsZero() {
		if unread, err = s.items.CountDocuments(ctx, append(of, bson.E{Key: "seen", Value: bson.D{{Key: "$gt", Value: d.ReadTo}}})); err != nil {
			return err
		}
	}
	d.Items, d.Unread, d.Latest = int(n), int(unread), time.Time{}
	if n == 0 {
		return nil
	}
	got, err := s.readItems(ctx, of, 1, false)
	if len(got) > 0 {
		d.Latest = got[0].Seen
	}
	return err
}

// readItems reads the first items that match. With walk, it uses the index of all items.
func (s *Store) readItems(ctx context.Context, filter bson.D, n int, walk bool) ([]itemDoc, error) {
	o := options.Find().SetSort(latestFirst).SetLimit(int64(n)).SetBatchSize(int32(n))
	if walk {
		o.SetHint(latestFirst)
	}
	return findAll[itemDoc](ctx, s.items, filter, o)
}

// Items of up to this number of subscriptions are read by the index of subscriptions, which
// MongoDB merges for a limited number at a time. For more subscriptions, which probably have a
// large part of all items, the index of all items is used: without a hint, the server might sort
// all items of the subscriptions for each page.
const (
	maxMerged  = 1000
	mergedOnce = 200 // internalQueryMaxScansToExplode
)

// Items yields items, latest first.
func (s *Store) Items(ctx context.Context, q storage.ItemQuery) iter.Seq2[*plat.Item, error] {
	return func(yield func(*plat.Item, error) bool) {
		filters, walk, err := s.itemFilters(ctx, &q)
		if err == nil && len(q.IDs) > 0 {
			s.itemsByID(ctx, &q, filters, yield)
			return
		}
		for left, after := q.Most(), q.After; err == nil && left > 0; {
			n := min(left, page)
			var got []itemDoc
			if got, err = s.itemsAfter(ctx, filters, after, n, walk); err != nil {
				break
			}
			for i := range got {
				if !yield(got[i].item(), nil) {
					return
				}
			}
			if len(got) < n {
				return
			}
			after = storage.ItemPlace{Seen: got[n-1].Seen, ID: got[n-1].ID}
			left -= n
		}
		if err != nil {
			yield(nil, errorf("mongo: items: %w", s.advise(err)))
		}
	}
}

// itemsByID yields the items of a query that names them. It sorts them here: the server would sort all of them
// for each page.
func (s *Store) itemsByID(ctx context.Context, q *storage.ItemQuery, filters []bson.D, yield func(*plat.Item, error) bool) {
	var all []*plat.Item
	for _, f := range filters {
		for ids := range slices.Chunk(q.IDs, page) {
			got, err := findAll[itemDoc](ctx, s.items, append(byIDs(ids), f...))
			if err != nil {
				yield(nil, errorf("mongo: items: %w", s.advise(err)))
				return
			}
			for i := range got {
				all = append(all, got[i].item())
			}
		}
	}
	slices.SortFunc(all, func(a, b *plat.Item) int { return storage.PlaceOf(a).Compare(storage.PlaceOf(b)) })
	// An ID may be named twice, also in different pages.
	all = slices.CompactFunc(all, func(a, b *plat.Item) bool { return a.ID == b.ID })
	if q.After != (storage.ItemPlace{}) {
		all = slices.DeleteFunc(all, func(i *plat.Item) bool { return storage.PlaceOf(i).Compare(q.After) <= 0 })
	}
	for _, i := range all[:min(q.Most(), len(all))] {
		if !yield(i, nil) {
			return
		}
	}
}

// itemFilters returns filters that together select the items of a query, apart from their IDs. walk reports that they
// are too many for the index of subscriptions.
func (s *Store) itemFilters(ctx context.Context, q *storage.ItemQuery) (all []bson.D, walk bool, err error) {
	common := bson.D{}
	seen := bson.D{}
	if !q.Since.IsZero() {
		seen = append(seen, bson.E{Key: "$gte", Value: instant(q.Since)})
	}
	if !q.Until.IsZero() {
		seen = append(seen, bson.E{Key: "$lt", Value: instant(q.Until)})
	}
	if len(seen) > 0 {
		common = append(common, bson.E{Key: "seen", Value: seen})
	}
	if q.Of.All() {
		return []bson.D{common}, false, nil
	}
	var ids []string
	for got, err := range s.subscriptionDocs(ctx, whichOf(&q.Of), bson.D{{Key: "gone", Value: 1}}) {
		if err != nil {
			return nil, false, err
		}
		for i := range got {
			ids = append(ids, got[i].ID)
		}
	}
	step := mergedOnce
	if walk = len(ids) > maxMerged; walk {
		step = len(ids)
	}
	for part := range slices.Chunk(ids, step) {
		all = append(all, append(bson.D{{Key: "subscription", Value: bson.D{{Key: "$in", Value: part}}}}, common...))
	}
	return all, walk, nil
}

// itemsAfter returns the first n items after a place that match one of the filters.
func (s *Store) itemsAfter(ctx context.Context, filters []bson.D, after storage.ItemPlace, n int, walk bool) ([]itemDoc, error) {
	var all []itemDoc
	for _, f := range filters {
		if after != (storage.ItemPlace{}) {
			at := instant(after.Seen)
			place := bson.A{
				bson.D{{Key: "seen", Value: bson.D{{Key: "$lt", Value: at}}}},
				bson.D{{Key: "seen", Value: at}, {Key: "_id", Value: bson.D{{Key: "$gt", Value: after.ID}}}},
			}
			// The first condition bounds the index.
			f = bson.D{{Key: "$and", Value: bson.A{bson.D{{Key: "seen", Value: bson.D{{Key: "$lte", Value: at}}}}, f, bson.D{{Key: "$or", Value: place}}}}}
		}
		got, err := s.readItems(ctx, f, n, walk)
		if err != nil {
			return nil, err
		}
		all = append(all, got...)
	}
	slices.SortFunc(all, func(a, b itemDoc) int {
		return storage.ItemPlace{Seen: a.Seen, ID: a.ID}.Compare(storage.ItemPlace{Seen: b.Seen, ID: b.ID})
	})
	return all[:min(n, len(all))], nil
}
