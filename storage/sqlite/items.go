package sqlite

import (
	"cmp"
	"container/heap"
	"context"
	"database/sql"
	"fmt"
	"iter"
	"math"
	"slices"

	"plat/plat"
	"plat/storage"
)

const itemColumns = "i.name, s.name, i.kind, i.title, i.url, i.excerpt, i.dated, i.page, i.version, i.lineage, i.seen"

// limits is a range of items: seen from since to until, and at until only those after an ID.
type limits struct {
	since, until int64
	after        string
}

func limitsOf(q *storage.ItemQuery) limits {
	l := limits{since: bound(q.Since.IsZero(), millis(q.Since), math.MinInt64), until: bound(q.Until.IsZero(), millis(q.Until)-1, math.MaxInt64)}
	if p := q.After; p != (storage.ItemPlace{}) && millis(p.Seen) <= l.until {
		l.until, l.after = millis(p.Seen), p.ID
	}
	return l
}

// from returns the limits that begin after an item.
func (l limits) from(i *plat.Item) limits {
	l.until, l.after = millis(i.Seen), i.ID
	return l
}

// Items yields items, latest first.
func (s *Store) Items(ctx context.Context, q storage.ItemQuery) iter.Seq2[*plat.Item, error] {
	return func(yield func(*plat.Item, error) bool) {
		if s.format < withSubscriptions {
			return
		}
		read := s.itemsOf
		switch {
		case len(q.IDs) > 0:
			read = s.itemsNamed
		case q.Of.All():
			read = s.allItems
		}
		left := q.Most()
		for got, err := range read(ctx, &q) {
			if err != nil {
				yield(nil, fmt.Errorf("sqlite: items: %w", advise(s.path, err)))
				return
			}
			for _, i := range got {
				if !yield(i, nil) {
					return
				}
				if left--; left == 0 {
					return
				}
			}
		}
	}
}

// readItems reads some items; each row begins with itemColumns.
func readItems(ctx context.Context, q querier, query string, args ...any) ([]*plat.Item, error) {
	var all []*plat.Item
	err := rows(ctx, q, func(scan func(...any) error) error {
		i := new(plat.Item)
		var dated sql.NullInt64
		var seen int64
		err := scan(&i.ID, &i.Subscription, &i.Kind, &i.Title, &i.URL, &i.Excerpt, &dated, &i.Page, &i.Version, &i.Lineage, &seen)
		i.Dated, i.Seen = orZero(dated), instant(seen)
		all = append(all, i)
		return err
	}, query, args...)
	return all, err
}

// inLimits is the condition of limits ?1 to ?3 and the order; ?4 is the number of items. The
// index is in order of seen, so only items with equal times are sorted.
const inLimits = ` i.seen >= ?1 AND i.seen <= ?2 AND (i.seen < ?2 OR i.name > ?3) ORDER BY i.seen DESC, i.name LIMIT ?4`

// allItems yields the items of all subscriptions.
func (s *Store) allItems(ctx context.Context, q *storage.ItemQuery) iter.Seq2[[]*plat.Item, error] {
	return func(yield func([]*plat.Item, error) bool) {
		l := limitsOf(q)
		for left := q.Most(); left > 0; {
			n := min(left, page)
			got, err := readItems(ctx, s.read, "SELECT "+itemColumns+" FROM items i JOIN subscriptions s ON s.id = i.subscription WHERE"+inLimits, l.since, l.until, l.after, n)
			if !yield(got, err) || err != nil || len(got) < n {
				return
			}
			l = l.from(got[n-1])
			left -= n
		}
	}
}

// itemsNamed yields items by ID.
func (s *Store) itemsNamed(ctx context.Context, q *storage.ItemQuery) iter.Seq2[[]*plat.Item, error] {
	return func(yield func([]*plat.Item, error) bool) {
		l := limitsOf(q)
		cond, args := whichOf(&q.Of)
		yield(readItems(ctx, s.read.DB, "SELECT "+itemColumns+` FROM items i JOIN subscriptions s ON s.id = i.subscription
			WHERE i.name IN (SELECT value FROM json_each(?)) AND i.seen >= ? AND i.seen <= ? AND (i.seen < ? OR i.name > ?) AND `+cond+" ORDER BY i.seen DESC, i.name LIMIT ?",
			slices.Concat([]any{jsonOf(q.IDs), l.since, l.until, l.until, l.after}, args, []any{q.Most()})...))
	}
}

// stream yields the remaining items of a subscription.
type stream struct {
	sub  int64
	next int64 // time at which the next item was seen
	read []*plat.Item
	limits
}

// streams is a heap of streams, the one with the latest item first. Among equal times, streams
// that have not read their item yet come first, because its ID is unknown.
type streams []*stream

func (h streams) Len() int      { return len(h) }
func (h streams) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *streams) Push(x any)   { *h = append(*h, x.(*stream)) }
func (h *streams) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}

func (h streams) Less(i, j int) bool {
	id := func(s *stream) string {
		if len(s.read) == 0 {
			return ""
		}
		return s.read[0].ID
	}
	return cmp.Or(cmp.Compare(h[j].next, h[i].next), cmp.Compare(id(h[i]), id(h[j]))) < 0
}

// streamStep is the number of items of a subscription that are read at a time.
const streamStep = 16

// itemsOf yields the items of some subscriptions: it merges the items of each, which the index
// yields latest first. Scanning the items of all subscriptions would take long if few match.
func (s *Store) itemsOf(ctx context.Context, q *storage.ItemQuery) iter.Seq2[[]*plat.Item, error] {
	return func(yield func([]*plat.Item, error) bool) {
		l := limitsOf(q)
		cond, args := whichOf(&q.Of)
		var all streams
		err := rows(ctx, s.read.DB, func(scan func(...any) error) error {
			x := &stream{limits: l}
			var next sql.NullInt64
			err := scan(&x.sub, &next)
			if x.next = next.Int64; next.Valid {
				all = append(all, x)
			}
			return err
		}, "SELECT s.id, (SELECT max(i.seen) FROM items i WHERE i.subscription = s.id AND i.seen >= ? AND i.seen <= ?) FROM subscriptions s WHERE "+cond,
			slices.Concat([]any{l.since, l.until}, args)...)
		if err != nil {
			yield(nil, err)
			return
		}
		heap.Init(&all)
		for left := q.Most(); left > 0 && len(all) > 0; {
			x := all[0]
			if len(x.read) == 0 {
				x.read, err = readItems(ctx, s.read, "SELECT "+itemColumns+" FROM items i JOIN subscriptions s ON s.id = i.subscription WHERE i.subscription = ?5 AND"+inLimits,
					x.since, x.until, x.after, min(left, streamStep), x.sub)
				if err != nil {
					yield(nil, err)
					return
				}
				if len(x.read) == 0 {
					heap.Pop(&all)
					continue
				}
				x.next = millis(x.read[0].Seen)
				x.limits = x.from(x.read[len(x.read)-1])
				heap.Fix(&all, 0)
				continue
			}
			if !yield(x.read[:1], nil) {
				return
			}
			left--
			if x.read = x.read[1:]; len(x.read) > 0 {
				x.next = millis(x.read[0].Seen)
			} else {
				x.next = x.until
			}
			heap.Fix(&all, 0)
		}
	}
}
