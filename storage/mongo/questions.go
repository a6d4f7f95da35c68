package mongo

import (
	"context"
	"errors"
	"iter"
	"time"

	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/mongo/readpref"
	"go.mongodb.org/mongo-driver/v2/mongo/writeconcern"

	"plat/plat"
	"plat/storage"
)

// secure sets the concerns of a client. Writes wait for the majority of a replica set, unless the address
// says otherwise: what a failover reverts would be lost, although a worker has settled its job. A server
// that is no replica set takes majority for itself. Reads are from the primary, because writes are decided by
// them; the read preference of the address, which it returns, is for questions: see [Store.ForPeople].
func secure(co *options.ClientOptions) *readpref.ReadPref {
	majority := writeconcern.Majority()
	if w := co.WriteConcern; w != nil {
		majority.Journal = w.Journal
		if w.W != nil {
			majority.W = w.W
		}
	}
	co.SetWriteConcern(majority)
	people := co.ReadPreference
	co.SetReadPreference(readpref.Primary())
	return people
}

// ForPeople returns the store with the read preference of its address for the questions of people: searches,
// block queries and statistics, and, if the store is only read, states, visits, versions and contents. Everything by
// which writes are decided is read from the primary.
func (s *Store) ForPeople(onlyRead bool) storage.Store {
	if s.people == nil || s.people.Mode() == readpref.PrimaryMode {
		return s
	}
	a := answering{s, s.reading(s.people)}
	if onlyRead {
		return readOnly{a}
	}
	return a
}

// reading returns the same store with a read preference.
func (s *Store) reading(p *readpref.ReadPref) *Store {
	r := &Store{client: s.client, db: s.client.Database(s.db.Name(), options.Database().SetReadPreference(p)), grace: s.grace, inline: s.inline, program: s.program, clock: s.clock, login: s.login, repeats: s.repeats, bulk: s.bulk}
	r.openCollections()
	return r
}

// answering is a store in which people's questions have a read preference of their own.
type answering struct {
	*Store
	people *Store
}

func (a answering) Find(ctx context.Context, q storage.BlockQuery) iter.Seq2[storage.Found, error] {
	return a.people.Find(ctx, q)
}

func (a answering) Search(ctx context.Context, q storage.Search) (storage.Results, error) {
	return a.people.Search(ctx, q)
}

func (a answering) Stats(ctx context.Context) ([]storage.SiteStats, error) {
	return a.people.Stats(ctx)
}

// readOnly is a store that answers questions only.
type readOnly struct{ answering }

func (a readOnly) State(ctx context.Context, url string) (plat.URLState, error) {
	return either(a, func(s *Store) (plat.URLState, error) { return s.State(ctx, url) })
}

func (a readOnly) States(ctx context.Context, prefix, after string) iter.Seq2[plat.URLState, error] {
	return a.people.States(ctx, prefix, after)
}

func (a readOnly) Visits(ctx context.Context, url string, limit int) iter.Seq2[plat.Visit, error] {
	return a.people.Visits(ctx, url, limit)
}

func (a readOnly) Version(ctx context.Context, url string, n int) (*plat.Version, error) {
	return either(a, func(s *Store) (*plat.Version, error) { return s.Version(ctx, url, n) })
}

func (a readOnly) Versions(ctx context.Context, url string) iter.Seq2[*plat.Version, error] {
	return a.people.Versions(ctx, url)
}

func (a readOnly) Trees(ctx context.Context, url string, from, to int) iter.Seq2[*plat.Version, error] {
	return a.people.Trees(ctx, url, from, to)
}

func (a readOnly) Times(ctx context.Context, url string) ([]time.Time, error) {
	return either(a, func(s *Store) ([]time.Time, error) { return s.Times(ctx, url) })
}

func (a readOnly) Contents(ctx context.Context, hashes []plat.Hash) ([][]byte, error) {
	return either(a, func(s *Store) ([][]byte, error) { return s.Contents(ctx, hashes) })
}

func (a readOnly) Layout(ctx context.Context, h plat.Hash) (plat.Layout, error) {
	return either(a, func(s *Store) (plat.Layout, error) { return s.Layout(ctx, h) })
}

func (a readOnly) Picture(ctx context.Context, h plat.Hash) (plat.Picture, error) {
	return either(a, func(s *Store) (plat.Picture, error) { return s.Picture(ctx, h) })
}

func (a readOnly) Manifest(ctx context.Context, h plat.Hash) (plat.Manifest, error) {
	return either(a, func(s *Store) (plat.Manifest, error) { return s.Manifest(ctx, h) })
}

func (a readOnly) Resource(ctx context.Context, h plat.Hash) ([]byte, error) {
	return either(a, func(s *Store) ([]byte, error) { return s.Resource(ctx, h) })
}

// either reads what people ask for, and from the primary what the member that answered does not have, or
// not whole: members lag behind each other, and two reads may have different ones.
func either[T any](a readOnly, read func(*Store) (T, error)) (T, error) {
	got, err := read(a.people)
	if errors.Is(err, plat.ErrNotFound) || errors.Is(err, plat.ErrCorrupt) {
		return read(a.Store)
	}
	return got, err
}

// openCollections names the collections of s.db.
func (s *Store) openCollections() {
	for name, c := range map[string]**mongo.Collection{"urls": &s.urls, "versions": &s.versions, "blocks": &s.blocks,
		"layouts": &s.layouts, "visits": &s.visits, "screenshots": &s.screenshots, "manifests": &s.manifests, "resources": &s.resources, "pages": &s.pages, "block_versions": &s.blockVersions, "hosts": &s.hosts, "notes": &s.notes,
		"subscriptions": &s.subscriptions, "memories": &s.memories, "items": &s.items, "channels": &s.channels, "messages": &s.messages, "sent": &s.sent,
		"crawls": &s.crawls, "crawl_pages": &s.crawlPages, "crawl_reports": &s.crawlReports} {
		*c = s.db.Collection(name)
	}
}
