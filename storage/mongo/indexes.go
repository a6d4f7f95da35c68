package mongo

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

// index is an index of a collection.
type index struct {
	keys   bson.D
	unique bool
	// only is a field without which documents have no entry: most documents lack it.
	only string
}

func on(keys ...string) index {
	var x index
	for _, k := range keys {
		if down, ok := strings.CutPrefix(k, "-"); ok {
			x.keys = append(x.keys, bson.E{Key: down, Value: -1})
		} else {
			x.keys = append(x.keys, bson.E{Key: k, Value: 1})
		}
	}
	return x
}

// with returns the index with entries for documents that have its field only.
func (x index) with(only string) index {
	x.only = only
	return x
}

// model returns the index as the driver creates it. A sparse index of several fields has an entry for
// each document with one of them, so that such an index is partial instead, where the server has partial indexes.
func (x *index) model(partial bool) mongo.IndexModel {
	o := options.Index()
	if x.unique {
		o.SetUnique(true)
	}
	if x.only != "" && len(x.keys) == 1 {
		o.SetSparse(true)
	} else if x.only != "" && partial {
		o.SetPartialFilterExpression(bson.D{{Key: x.only, Value: bson.D{{Key: "$exists", Value: true}}}})
	}
	return mongo.IndexModel{Keys: x.keys, Options: o}
}

// indexes lists the indexes of the collections. All other queries are by _id. The plan check of the tests
// compares every command with them.
func indexes() map[string][]index {
	sparse := func(keys ...string) index { return on(keys...).with(keys[0]) }
	unique := func(keys ...string) index {
		x := on(keys...)
		x.unique = true
		return x
	}
	return map[string][]index{
		// States and prefixes; hosts; for users: overdue and due URLs. Incomplete URLs; the jobs of a
		// host; all timed jobs; dead URLs. Aliases of a page; similar pages.
		"urls": {on("url"), on("host", "url"), on("last"), on("due"), sparse("pending"),
			sparse("at"), sparse("died"), sparse("todo"), sparse("main", "url"), sparse("look", "url")},
		// Ready hosts by urgency, hosts to wake, and visited hosts.
		"hosts": {sparse("order"), sparse("next"), sparse("visits")},
		// Versions of a page; changes on a host, or on all hosts.
		"versions": {on("url", "n"), on("host", "taken"), on("taken")},
		"pages":    {on("url"), on("host", "taken")},
		// The order of Find; the life of a block; where a content is; what began on a host, on all
		// hosts, or with given words; for users: what ended on a host, or on all hosts.
		"block_versions": {on("url", "-first", "order"), on("url", "lineage", "first"), on("hash", "url"), on("host", "since"), on("since"), on("terms", "since"),
			on("host", "until").with("until"), sparse("until")},
		"visits": {on("time")}, // for users
		// Subscriptions of a page, of a folder, with a tag, in order; those that follow a page.
		"subscriptions": {on("url", "_id"), sparse("group", "_id"), sparse("tags", "_id"), on("pages.url")},
		"memories":      {on("subscription")},
		// Items of one subscription, and of all.
		"items": {on("subscription", "-seen", "_id"), on("-seen", "_id"), on("page", "version")},
		// Messages in order; those of a subscription, for removal.
		"messages": {on("channel", "made", "_id"), sparse("subscription")},
		"sent":     {on("at")},
		// Pages in order; unique, so that one of two concurrent processes of a crawl fails.
		"crawl_pages": {unique("crawl", "n")},
	}
}

// createIndexes creates missing indexes.
func (s *Store) createIndexes(ctx context.Context) error {
	all := indexes()
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if err := s.survive(ctx, func() error { return s.createIndexesOf(ctx, s.db.Collection(name), all[name]) }); err != nil {
			return errorf("mongo: indexes of %s: %w", name, err)
		}
	}
	return nil
}

func (s *Store) createIndexesOf(ctx context.Context, c *mongo.Collection, all []index) error {
	// Create only missing indexes, so that read-only users can open an archive. FerretDB
	// 1.24 also drops the connection on an attempt to create an existing index.
	there, err := c.Indexes().ListSpecifications(ctx)
	if err != nil {
		return err
	}
	var missing []index
	for _, x := range all {
		if !slices.ContainsFunc(there, func(is mongo.IndexSpecification) bool { return sameKeys(is.KeysDocument, x.keys) }) {
			missing = append(missing, x)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	create := func(partial bool) error {
		models := make([]mongo.IndexModel, len(missing))
		for i := range missing {
			models[i] = missing[i].model(partial)
		}
		_, err := c.Indexes().CreateMany(ctx, models)
		return err
	}
	err = create(true)
	if e, ok := errors.AsType[mongo.ServerError](err); ok && e.HasErrorCode(notImplemented) {
		err = create(false) // FerretDB 1.24 has no partial indexes
	}
	return err
}

// sameKeys reports whether an index has these keys, in this order.
func sameKeys(have bson.Raw, want bson.D) bool {
	keys, err := have.Elements()
	return err == nil && slices.EqualFunc(keys, want, func(k bson.RawElement, e bson.E) bool { return k.Key() == e.Key })
}
