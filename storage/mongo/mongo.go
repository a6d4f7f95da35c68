// Package mongo keeps an archive in MongoDB: the store of a fleet, and of those
// who ask their own questions of it. The documents are meant to be read, from
// mongosh or any other tool; doc.go shows their fields, docs/mongo.md explains them:
//
//	db.versions.find({host: "a.org", taken: {$gt: ISODate("2026-11-13")},
//	                  blocks: {$elemMatch: {label: "main", new: true}}})
//
// gives the versions of a site in which a block labelled main changed last week.
//
// There are no transactions. A commit writes what is new of blocks, layout,
// picture and resources, then inserts the version under its URL and number, which succeeds for
// one writer only, then moves the head and counts the visit. Each step may be
// done again. A version whose writer died before it moved the head is finished
// by the next who commits to the URL, or by GC: its document holds the visit too.
// Head, visits and settled jobs of a URL are one document, of which every write
// names the revision that it replaces; finish says what follows from that.
//
// A content, a layout or a version that takes more than 16 MB compressed does
// not fit into a document; MongoDB refuses it, and the commit fails.
package mongo

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/event"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/x/mongo/driver/connstring"

	"plat"
	"plat/storage"
	"plat/storage/delta"
)

// Options of a store. The zero Options are good for most.
type Options struct {
	// Database overrides the one that the URI names; "plat" if neither does.
	Database string

	// Dialer opens the connections, if not nil. Tests use it to cut them.
	Dialer options.ContextDialer

	// Monitor hears of every command, if not nil: for measurements.
	Monitor *event.CommandMonitor

	// Patience is how long a command may wait for a server that does not
	// answer; 0 means 30 s.
	Patience time.Duration
}

// Store is an archive in a MongoDB database.
type Store struct {
	client *mongo.Client
	db     *mongo.Database
	urls, versions, blocks, layouts, visits,
	screenshots, manifests, resources, spans *mongo.Collection
	coder delta.Coder

	// retried says that Index tried URLs again that could not be read: somebody may
	// have mended them.
	retried atomic.Bool
}

var _ storage.Store = (*Store)(nil)

// Open connects to the server of a mongodb:// or mongodb+srv:// URI and makes
// sure that the indexes are there.
func Open(ctx context.Context, uri string, o Options) (*Store, error) {
	cs, err := connstring.ParseAndValidate(uri)
	if err != nil {
		return nil, fmt.Errorf("mongo: %w; write mongodb://HOST:PORT/DATABASE", err)
	}
	if o.Database == "" {
		if o.Database = cs.Database; o.Database == "" {
			o.Database = "plat"
		}
	}
	if o.Patience <= 0 {
		o.Patience = 30 * time.Second
	}
	// Every write here may be repeated, and is by who commits; the driver's own
	// repeats need sessions, which not every server has.
	co := options.Client().ApplyURI(uri).SetRetryWrites(false).SetServerSelectionTimeout(o.Patience).SetAppName("plat")
	if o.Dialer != nil {
		co.SetDialer(o.Dialer)
	}
	if o.Monitor != nil {
		co.SetMonitor(o.Monitor)
	}
	client, err := mongo.Connect(co)
	if err != nil {
		return nil, fmt.Errorf("mongo: %w", err)
	}
	s := &Store{client: client, db: client.Database(o.Database)}
	for name, c := range map[string]**mongo.Collection{"urls": &s.urls, "versions": &s.versions, "blocks": &s.blocks,
		"layouts": &s.layouts, "visits": &s.visits, "screenshots": &s.screenshots, "manifests": &s.manifests, "resources": &s.resources, "spans": &s.spans} {
		*c = s.db.Collection(name)
	}
	if err := s.EnsureIndexes(ctx); err != nil {
		return nil, errors.Join(s.told(err), client.Disconnect(context.WithoutCancel(ctx)))
	}
	return s, nil
}

// EnsureIndexes makes the indexes that are missing. All else is found by _id.
func (s *Store) EnsureIndexes(ctx context.Context) error {
	index := func(keys ...string) mongo.IndexModel {
		var d bson.D
		for _, k := range keys {
			d = append(d, bson.E{Key: k, Value: 1})
		}
		return mongo.IndexModel{Keys: d}
	}
	for _, x := range []struct {
		c      *mongo.Collection
		models []mongo.IndexModel
	}{
		// States and prefixes; hosts; what their last versions hold; what changed;
		// for people: what was not visited for long, and what is due.
		{s.urls, []mongo.IndexModel{index("url"), index("host", "url"), index("terms", "url"), index("newest"), index("last"), index("due"), index("unsearched")}},
		// The order of Find; what changed on a host, anywhere, or with some words.
		{s.versions, []mongo.IndexModel{index("url", "n"), index("host", "taken"), index("taken"), index("terms", "taken")}},
		{s.visits, []mongo.IndexModel{index("time")}}, // for people
		// Search by words, and without any; latest first.
		{s.spans, []mongo.IndexModel{index("terms", "since"), index("host", "since"), index("since")}},
	} {
		// Only what is missing is asked for: who may read and not write can open
		// an archive, and FerretDB 1.24 drops the connection of who makes an
		// index that is there.
		there, err := x.c.Indexes().ListSpecifications(ctx)
		if err != nil {
			return fmt.Errorf("mongo: indexes of %s: %w", x.c.Name(), err)
		}
		missing := slices.DeleteFunc(x.models, func(m mongo.IndexModel) bool {
			return slices.ContainsFunc(there, func(is mongo.IndexSpecification) bool { return sameKeys(is.KeysDocument, m.Keys.(bson.D)) })
		})
		if len(missing) == 0 {
			continue
		}
		if slices.ContainsFunc(missing, func(m mongo.IndexModel) bool { return m.Keys.(bson.D)[0].Key == "unsearched" }) {
			if err := s.markUnsearched(ctx); err != nil {
				return err
			}
		}
		if _, err := x.c.Indexes().CreateMany(ctx, missing); err != nil {
			return fmt.Errorf("mongo: indexes of %s: %w", x.c.Name(), err)
		}
	}
	return nil
}

// sameKeys reports whether an index has these keys, in this order.
func sameKeys(have bson.Raw, want bson.D) bool {
	keys, err := have.Elements()
	return err == nil && slices.EqualFunc(keys, want, func(k bson.RawElement, e bson.E) bool { return k.Key() == e.Key })
}

// Probe updates a document that cannot be there: that needs the right to write,
// and a primary.
func (s *Store) Probe(ctx context.Context) error {
	_, err := s.urls.UpdateOne(ctx, bson.D{{Key: "_id", Value: "plat:probe"}}, bson.D{{Key: "$set", Value: bson.D{{Key: "rev", Value: 0}}}})
	if err != nil {
		return fmt.Errorf("mongo: %w", s.told(err))
	}
	return nil
}

// told adds what to do about errors that people can do something about. The codes
// are those of MongoDB's error_codes.yml.
func (s *Store) told(err error) error {
	const unauthorized, authenticationFailed = 13, 18
	e, ok := errors.AsType[mongo.ServerError](err)
	switch {
	case ok && e.HasErrorCode(unauthorized):
		return fmt.Errorf("%w; give the user the role readWrite on the database %s", err, s.db.Name())
	case ok && e.HasErrorCode(authenticationFailed):
		return fmt.Errorf("%w; is the password right, and does the URI name the database of the user (?authSource=admin)", err)
	}
	return err
}

// Close ends the connections.
func (s *Store) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	return s.client.Disconnect(ctx)
}

// Size returns what the server says that the database takes, indexes included.
func (s *Store) Size(ctx context.Context) (int64, error) {
	var r struct {
		Storage number `bson:"storageSize"`
		Index   number `bson:"indexSize"`
	}
	if err := s.db.RunCommand(ctx, bson.D{{Key: "dbStats", Value: 1}}).Decode(&r); err != nil {
		return 0, fmt.Errorf("mongo: size: %w", err)
	}
	return int64(r.Storage) + int64(r.Index), nil
}

// number is an integer that a server may send as any type of number.
type number int64

// UnmarshalBSONValue reads a 32 or 64 bit integer or a double.
func (n *number) UnmarshalBSONValue(t byte, b []byte) error {
	v := bson.RawValue{Type: bson.Type(t), Value: b}
	if i, ok := v.AsInt64OK(); ok {
		*n = number(i)
		return nil
	}
	if f, ok := v.DoubleOK(); ok {
		*n = number(f)
		return nil
	}
	return fmt.Errorf("%s is no number", bson.Type(t))
}

// notFound turns the absence of a document into plat.ErrNotFound.
func notFound(err error, format string, args ...any) error {
	if errors.Is(err, mongo.ErrNoDocuments) {
		err = plat.ErrNotFound
	}
	return fmt.Errorf("mongo: "+format+": %w", append(args, err)...)
}

func instant(t time.Time) time.Time { return time.UnixMilli(t.UnixMilli()).UTC() }

// orZero is an instant that may be none.
func orZero(t time.Time) time.Time {
	if t.IsZero() {
		return time.Time{}
	}
	return instant(t)
}
