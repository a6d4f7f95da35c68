// Package mongo stores an archive in MongoDB. It suits fleets, and users who want to query the
// archive directly. The documents are readable with mongosh and similar tools. page.go, version.go and
// blockversion.go show their fields, docs/mongo.md explains them:
//
//	db.block_versions.find({host: "a.org", since: {$gt: ISODate("2026-11-13")}, label: "main"})
//
// returns the contents of blocks labelled main that are new on a site since a day.
//
// There are no transactions. A commit writes the new blocks, layout, picture and
// resources, then inserts the version under its URL and number, which succeeds for
// one writer only, then moves the head and counts the visit. Each step is idempotent.
// If a writer crashes before it moves the head, the next commit to the URL, or GC,
// completes the version, whose document contains the visit too. Head, visits and
// settled jobs of a URL are one document, and every write of it is a compare-and-swap on its
// revision; see moveHead for the consequences. The documents of the page and of its block
// versions are derived, and written last; see describe. The summary of the jobs of a host is
// derived from its URLs, and written before and after them; see hostDoc.
package mongo

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/event"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/mongo/readpref"
	"go.mongodb.org/mongo-driver/v2/x/mongo/driver/connstring"

	"plat/plat"
	"plat/storage"
	"plat/storage/delta"
)

// Options of a store. The zero value suits most uses.
type Options struct {
	// Database overrides the database in the URI. Without either, it is "plat".
	Database string

	// Dialer opens the connections, if not nil. Tests use it to interrupt them.
	Dialer options.ContextDialer

	// Monitor observes every command, if not nil, for measurements.
	Monitor *event.CommandMonitor

	// Existing makes Open return [ErrNoArchive] for an empty database, rather than create an archive in it.
	Existing bool

	// Migrate opens an archive of an older format, for [Store.Migrate] only.
	Migrate bool

	// Program is the name of the program and its version, for the note on the format.
	Program string

	// Patience limits the wait of a command for an unreachable server, for example during the
	// election of a new primary; 0 means 5 s. [Open] waits for at most 5 s.
	Patience time.Duration
}

// Store is an archive in a MongoDB database.
type Store struct {
	client *mongo.Client
	db     *mongo.Database
	people *readpref.ReadPref // of the address, see ForPeople; nil: none
	urls, versions, blocks, layouts, visits,
	screenshots, manifests, resources, pages, blockVersions, hosts, notes,
	subscriptions, memories, items, channels, messages, sent,
	crawls, crawlPages, crawlReports *mongo.Collection
	coder   delta.Coder
	recent  recent
	states  states
	written lastVisits

	clock   *clock
	login   bool          // the address has one
	bulk    bool          // see bulkWrites
	grace   time.Duration // see writeGrace
	inline  int           // see maxInline
	repeats int           // see maxRepeats
	program string        // that writes the note on the format
	checked atomic.Int64  // uptime at the last look at that note: see checkFormat

	// retried means that Index has retried unreadable URLs, which may have been repaired.
	retried atomic.Bool
}

var (
	_ storage.Store         = (*Store)(nil)
	_ storage.Subscriptions = (*Store)(nil)
	_ storage.Outbox        = (*Store)(nil)
	_ storage.Crawls        = (*Store)(nil)
)

// ErrNoArchive is returned for a database without an archive.
var ErrNoArchive = errors.New("there is no archive in the database")

// AddressError is the error of an address that cannot be used, whatever the server.
type AddressError struct{ text string }

func (e *AddressError) Error() string { return e.text }

// checkName returns an error if MongoDB refuses a name of a database.
func checkName(name string) error {
	if len(name) > maxName || strings.ContainsAny(name, "/\\. \"$\x00") {
		return &AddressError{fmt.Sprintf("MongoDB has no database with the name %.100q; write letters, digits, - and _, at most %d", name, maxName)}
	}
	return nil
}

// maxName is MongoDB's limit of the name of a database, in bytes.
const maxName = 63

// checkFiles returns an error if the certificates that an address names cannot be read.
func checkFiles(co *options.ClientOptions, cs *connstring.ConnString) error {
	err := co.Validate()
	if err == nil || !cs.SSLCaFileSet && !cs.SSLClientCertificateKeyFileSet && !cs.SSLCertificateFileSet && !cs.SSLPrivateKeyFileSet {
		return nil // Connect validates the rest
	}
	if _, ok := errors.AsType[*net.DNSError](err); ok { // of mongodb+srv; the name server may answer later
		return nil
	}
	return &AddressError{fmt.Sprintf("its certificates cannot be used: %v; check the files that tlsCAFile and tlsCertificateKeyFile name", err)}
}

// Open connects to the server of a mongodb:// or mongodb+srv:// URI. In an empty database it creates
// an archive, unless the options say Existing. The error is plat.ErrOlder for an archive that has to be migrated, and plat.ErrNewer for
// one of a newer plat, and an [*AddressError] for an address that cannot be used.
func Open(ctx context.Context, uri string, o Options) (*Store, error) {
	cs, err := connstring.ParseAndValidate(uri)
	if err != nil {
		return nil, errorf("mongo: %w; write mongodb://HOST:PORT/DATABASE", err)
	}
	if o.Database == "" {
		if o.Database = cs.Database; o.Database == "" {
			o.Database = "plat"
		}
	}
	if err := checkName(o.Database); err != nil {
		return nil, errorf("mongo: %w", err)
	}
	if o.Patience <= 0 {
		o.Patience = openPatience
	}
	co := options.Client().ApplyURI(uri).SetServerSelectionTimeout(o.Patience).SetAppName("plat")
	if err := checkFiles(co, cs); err != nil {
		return nil, errorf("mongo: %w", err)
	}
	if o.Dialer != nil {
		co.SetDialer(o.Dialer)
	}
	if o.Monitor != nil {
		co.SetMonitor(o.Monitor)
	}
	people := secure(co)
	client, err := mongo.Connect(co)
	if err != nil {
		return nil, errorf("mongo: %w", err)
	}
	s := &Store{client: client, db: client.Database(o.Database), grace: writeGrace, inline: maxInline, repeats: maxRepeats, program: cmp.Or(o.Program, "plat"), people: people, clock: newClock()}
	s.login = cs.Username != "" || cs.AuthMechanism != "" // by a certificate, or by the machine
	s.openCollections()
	if err = s.ping(ctx, min(o.Patience, openPatience)); err == nil {
		err = s.learnServer(ctx)
	}
	if err == nil {
		err = s.prepareFormat(ctx, o)
	}
	if err != nil {
		return nil, errors.Join(s.advise(err), client.Disconnect(context.WithoutCancel(ctx)))
	}
	return s, nil
}

// openPatience limits the first wait for a server: a mistyped address at a terminal is more
// frequent than a replica set without a primary.
const openPatience = 5 * time.Second

// ping waits for the server to answer.
func (s *Store) ping(ctx context.Context, patience time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if err := s.client.Ping(ctx, nil); err != nil {
		return errorf("mongo: %w", err)
	}
	return nil
}

// createCollections creates the collections that take most of the space, compressed by zstd: they
// take a fifth less than with snappy, the default. A server that does not know the option creates
// them without it.
func (s *Store) createCollections(ctx context.Context) error {
	there, err := s.db.ListCollectionNames(ctx, bson.D{})
	if err != nil {
		return errorf("mongo: %w", err)
	}
	engine := bson.D{{Key: "wiredTiger", Value: bson.D{{Key: "configString", Value: "block_compressor=zstd"}}}}
	for _, c := range []*mongo.Collection{s.pages, s.versions, s.blockVersions, s.blocks, s.layouts, s.visits, s.urls} {
		if slices.Contains(there, c.Name()) {
			continue
		}
		err := s.survive(ctx, func() error {
			return s.db.CreateCollection(ctx, c.Name(), options.CreateCollection().SetStorageEngine(engine))
		})
		if e, ok := errors.AsType[mongo.ServerError](err); ok && !e.HasErrorCode(unauthorized) {
			continue // it is there, by a repetition, or created with its first document
		}
		if err != nil {
			return errorf("mongo: create %s: %w", c.Name(), err)
		}
	}
	return nil
}

// Codes of MongoDB's error_codes.yml.
const unauthorized, authenticationFailed, notImplemented = 13, 18, 238

// Probe updates a document that cannot exist, which requires write permission and a
// primary.
func (s *Store) Probe(ctx context.Context) error {
	_, err := s.urls.UpdateOne(ctx, byID("plat:probe"), bson.D{{Key: "$set", Value: bson.D{{Key: "rev", Value: 0}}}})
	if err != nil {
		return errorf("mongo: %w", s.advise(err))
	}
	return nil
}

// advised is an error with advice, which is given once.
type advised struct {
	error
	advice string
}

func (e *advised) Error() string { return e.error.Error() + "; " + e.advice }

func (e *advised) Unwrap() error { return e.error }

// advise adds advice to errors that users can fix. The codes are those of MongoDB's
// error_codes.yml.
func (s *Store) advise(err error) error {
	if _, done := errors.AsType[*advised](err); done {
		return err
	}
	e, ok := errors.AsType[mongo.ServerError](err)
	switch {
	case ok && e.HasErrorCode(unauthorized) && !s.login:
		return &advised{err, fmt.Sprintf("the address has no user and password: write mongodb://USER:PASSWORD@HOST/DATABASE, of a user with the role readWrite on the database %s (see docs/docker.md)", s.db.Name())}
	case ok && e.HasErrorCode(unauthorized):
		return &advised{err, "give the user the role readWrite on the database " + s.db.Name()}
	case ok && e.HasErrorCode(authenticationFailed):
		return &advised{err, "check the password, and that the URI names the user's database (?authSource=admin)"}
	}
	return err
}

// Close closes the connections.
func (s *Store) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	return s.client.Disconnect(ctx)
}

// Size returns the size of the database as reported by the server, indexes included.
func (s *Store) Size(ctx context.Context) (int64, error) {
	var r struct {
		Storage number `bson:"storageSize"`
		Index   number `bson:"indexSize"`
	}
	if err := s.db.RunCommand(ctx, bson.D{{Key: "dbStats", Value: 1}}).Decode(&r); err != nil {
		return 0, errorf("mongo: size: %w", err)
	}
	return int64(r.Storage) + int64(r.Index), nil
}

// number is an integer that a server may return as any numeric type.
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
	return fmt.Errorf("%s is not a number", bson.Type(t))
}

// notFound converts mongo.ErrNoDocuments to plat.ErrNotFound.
func notFound(err error, format string, args ...any) error {
	if errors.Is(err, mongo.ErrNoDocuments) {
		err = plat.ErrNotFound
	}
	return errorf("mongo: "+format+": %w", append(args, err)...)
}

func instant(t time.Time) time.Time { return time.UnixMilli(t.UnixMilli()).UTC() }

// orZero converts an instant, preserving the zero time.
func orZero(t time.Time) time.Time {
	if t.IsZero() {
		return time.Time{}
	}
	return instant(t)
}
