package mongo

import (
	"context"
	"errors"
	"fmt"
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

// subscriptionDoc is a document of subscriptions. Every write of it is a compare-and-swap on
// its revision, so pages and counts change together.
//
// An examination writes items, messages and memories before it. If the process dies in between,
// the subscription remains behind, and the next examination finds them stored. Every write that
// may change counts computes them again from the stored items, so they are right after
// repetitions.
type subscriptionDoc struct {
	ID  string `bson:"_id"`
	Rev int64  `bson:"rev"` // starts at a time, so that a later subscription with the same ID has different revisions
	// Gone is set first when a subscription is removed, and the document is removed last. Until
	// then, all remaining data of the subscription is to be removed too.
	Gone bool `bson:"gone,omitempty"`

	URL    string    `bson:"url"`
	Title  string    `bson:"title,omitempty"`
	Depth  int       `bson:"depth,omitempty"`
	Blocks []int32   `bson:"blocks,omitempty"`
	Muted  []int32   `bson:"muted,omitempty"`
	Labels []string  `bson:"labels,omitempty"`
	Kinds  []string  `bson:"kinds,omitempty"`
	Match  []string  `bson:"match,omitempty"`
	Except []string  `bson:"except,omitempty"`
	Group  string    `bson:"group,omitempty"`
	Tags   []string  `bson:"tags,omitempty"`
	Tell   []string  `bson:"tell,omitempty"`
	Digest string    `bson:"digest,omitempty"`
	Paused bool      `bson:"paused,omitempty"`
	Made   time.Time `bson:"made,omitempty"`

	Pages   []followedDoc `bson:"pages,omitempty"`
	Broken  string        `bson:"broken,omitempty"`
	Since   time.Time     `bson:"since,omitempty"`
	Entries int           `bson:"entries,omitempty"`
	ReadTo  time.Time     `bson:"read_to,omitempty"`
	Items   int           `bson:"items,omitempty"`
	Latest  time.Time     `bson:"latest,omitempty"`
	Unread  int           `bson:"unread,omitempty"`
}

// followedDoc is a page of a subscription.
type followedDoc struct {
	URL      string `bson:"url"`
	Depth    int    `bson:"depth"`
	Examined int    `bson:"examined"`
	Memory   string `bson:"memory,omitempty"` // _id in memories: see memoryID
}

// memoryDoc is a document of memories: the memory of package watch about a page. It is written
// before a subscription refers to it, and removed after the last reference.
type memoryDoc struct {
	ID           string    `bson:"_id"`
	Subscription string    `bson:"subscription"`
	Data         []byte    `bson:"data"`
	Written      time.Time `bson:"written"`
}

// memoryID returns the _id of a memory: a random name of the examination that wrote it, so that
// no other process removes it, and the memory's hash, by which the next examination detects
// changes.
func memoryID(name string, memory []byte) string {
	return name + ":" + plat.HashOf(memory).String()[:32]
}

func textsOf[T ~string](list []T) []string {
	var out []string
	for _, x := range list {
		out = append(out, string(x))
	}
	return out
}

func typed[T ~string](list []string) []T {
	var out []T
	for _, x := range list {
		out = append(out, T(x))
	}
	return out
}

// set puts a subscription into the document.
func (d *subscriptionDoc) set(s *plat.Subscription) {
	d.URL, d.Title, d.Depth, d.Group, d.Digest, d.Paused, d.Made = s.URL, s.Title, s.Depth, s.Group, s.Digest, s.Paused, orZero(s.Made)
	d.Blocks, d.Muted, d.Labels, d.Kinds = s.Blocks, s.Muted, textsOf(s.Labels), textsOf(s.Kinds)
	d.Match, d.Except, d.Tags, d.Tell = s.Match, s.Except, s.Tags, s.Tell
}

// subscribed converts the document, without memories.
func (d *subscriptionDoc) subscribed() *storage.Subscribed {
	s := &storage.Subscribed{
		Subscription: plat.Subscription{ID: d.ID, URL: d.URL, Title: d.Title, Depth: d.Depth, Blocks: d.Blocks, Muted: d.Muted, Labels: typed[plat.Label](d.Labels),
			Kinds: typed[plat.ItemKind](d.Kinds), Match: d.Match, Except: d.Except, Group: d.Group, Tags: d.Tags, Tell: d.Tell, Digest: d.Digest, Paused: d.Paused, Made: orZero(d.Made)},
		Following: plat.Following{Broken: d.Broken, Since: orZero(d.Since), Items: d.Items, Latest: orZero(d.Latest), ReadTo: orZero(d.ReadTo), Unread: d.Unread, Entries: d.Entries},
	}
	for _, p := range d.Pages {
		s.Pages = append(s.Pages, plat.FollowedPage{URL: p.URL, Depth: p.Depth, Examined: p.Examined})
	}
	return s
}

// memories returns the _ids of the memories of the document's pages, without duplicates.
func (d *subscriptionDoc) memories() []string {
	var ids []string
	for _, p := range d.Pages {
		if p.Memory != "" {
			ids = append(ids, p.Memory)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// without returns the elements that are only in the first of two lists.
func without(list, other []string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(x string) bool { return slices.Contains(other, x) })
}

func byIDs(ids []string) bson.D {
	return bson.D{{Key: "_id", Value: bson.D{{Key: "$in", Value: ids}}}}
}

// readSubscription returns the document of a subscription, which may be Gone, or nil.
func (s *Store) readSubscription(ctx context.Context, id string) (*subscriptionDoc, error) {
	var d subscriptionDoc
	err := s.subscriptions.FindOne(ctx, bson.D{{Key: "_id", Value: id}}).Decode(&d)
	if errors.Is(err, mongo.ErrNoDocuments) {
		return nil, nil
	}
	return &d, err
}

// present returns the document of a subscription that is not Gone, or plat.ErrNotFound.
func (s *Store) present(ctx context.Context, id string) (*subscriptionDoc, error) {
	d, err := s.readSubscription(ctx, id)
	switch {
	case err != nil:
		return nil, err
	case d == nil || d.Gone:
		return nil, plat.ErrNotFound
	}
	return d, nil
}

// changeSubscription changes the document of a subscription by f, which may be called several
// times, and returns the previous document.
func (s *Store) changeSubscription(ctx context.Context, id string, f func(*subscriptionDoc) error) (was *subscriptionDoc, err error) {
	for {
		d, err := s.present(ctx, id)
		if err != nil {
			return nil, err
		}
		before := *d
		if err := f(d); err != nil {
			return nil, err
		}
		d.Rev++
		r, err := s.subscriptions.ReplaceOne(ctx, bson.D{{Key: "_id", Value: id}, {Key: "rev", Value: before.Rev}}, d)
		if err != nil {
			return nil, err
		}
		if r.MatchedCount == 1 {
			return &before, nil
		}
	}
}

// Subscribe stores a subscription.
func (s *Store) Subscribe(ctx context.Context, sub *plat.Subscription) error {
	err := storage.CheckSubscription(sub)
	if err == nil {
		err = s.subscribe(ctx, sub)
	}
	if err != nil {
		return errorf("mongo: subscribe: %w", s.advise(err))
	}
	return nil
}

func (s *Store) subscribe(ctx context.Context, sub *plat.Subscription) error {
	for {
		var old []string // memories without a reference
		_, err := s.changeSubscription(ctx, sub.ID, func(d *subscriptionDoc) error {
			if old = nil; d.URL != sub.URL || max(1, d.Depth) != storage.DepthOf(sub) {
				old, d.Pages = d.memories(), nil
			}
			d.set(sub)
			return nil
		})
		if err == nil {
			return s.dropMemories(ctx, old)
		}
		if !errors.Is(err, plat.ErrNotFound) {
			return err
		}
		if err := s.removeGone(ctx, sub.ID); err != nil {
			return err
		}
		d := &subscriptionDoc{ID: sub.ID, Rev: time.Now().UnixMicro()}
		d.set(sub)
		if _, err = s.subscriptions.InsertOne(ctx, d); !mongo.IsDuplicateKeyError(err) { // a concurrent process was faster
			return err
		}
	}
}

func (s *Store) dropMemories(ctx context.Context, ids []string) error {
	if len(ids) == 0 {
		return nil
	}
	_, err := s.memories.DeleteMany(ctx, byIDs(ids))
	return err
}

// Unsubscribe removes a subscription, its items and its messages.
func (s *Store) Unsubscribe(ctx context.Context, id string) error {
	d, err := s.readSubscription(ctx, id)
	if err == nil && d == nil {
		err = plat.ErrNotFound
	}
	if err == nil && !d.Gone {
		_, err = s.subscriptions.UpdateOne(ctx, bson.D{{Key: "_id", Value: id}},
			bson.D{{Key: "$set", Value: bson.D{{Key: "gone", Value: true}}}, {Key: "$inc", Value: bson.D{{Key: "rev", Value: int64(1)}}}})
	}
	if err == nil {
		err = s.removeGone(ctx, id)
	}
	if err != nil {
		return errorf("mongo: unsubscribe %q: %w", id, s.advise(err))
	}
	return nil
}

// removeGone removes the remaining data of a removed subscription.
func (s *Store) removeGone(ctx context.Context, id string) error {
	for _, c := range []*mongo.Collection{s.messages, s.items, s.memories} {
		if _, err := c.DeleteMany(ctx, bson.D{{Key: "subscription", Value: id}}); err != nil {
			return err
		}
	}
	_, err := s.subscriptions.DeleteOne(ctx, bson.D{{Key: "_id", Value: id}, {Key: "gone", Value: true}})
	return err
}

// maxReread limits the repeated reads of a subscription whose memories are replaced
// concurrently.
const maxReread = 20

// Subscription returns a subscription with the memories of its pages.
func (s *Store) Subscription(ctx context.Context, id string) (*storage.Subscribed, error) {
	sub, err := s.remembered(ctx, id)
	if err != nil {
		return nil, errorf("mongo: subscription %q: %w", id, s.advise(err))
	}
	return sub, nil
}

func (s *Store) remembered(ctx context.Context, id string) (*storage.Subscribed, error) {
	for try := 1; ; try++ {
		d, err := s.present(ctx, id)
		if err != nil {
			return nil, err
		}
		sub := d.subscribed()
		ids := d.memories()
		if len(ids) == 0 {
			return sub, nil
		}
		cur, err := s.memories.Find(ctx, byIDs(ids))
		var got []memoryDoc
		if err == nil {
			err = cur.All(ctx, &got)
		}
		if err != nil {
			return nil, err
		}
		if len(got) < len(ids) {
			if try < maxReread {
				continue
			}
			return nil, fmt.Errorf("the memory of a page is missing: %w; subscribe to it under a new ID", plat.ErrCorrupt)
		}
		byID := make(map[string][]byte, len(got))
		for _, m := range got {
			byID[m.ID] = m.Data
		}
		for i := range d.Pages {
			sub.Pages[i].Memory = byID[d.Pages[i].Memory]
		}
		return sub, nil
	}
}

// whichOf returns the filter of the selected subscriptions.
func whichOf(w *storage.Which) bson.D {
	f := bson.D{}
	if len(w.IDs) > 0 {
		f = append(f, bson.E{Key: "_id", Value: bson.D{{Key: "$in", Value: w.IDs}}})
	}
	for _, x := range []struct{ key, value string }{{"url", w.URL}, {"group", w.Group}, {"tags", w.Tag}} {
		if x.value != "" {
			f = append(f, bson.E{Key: x.key, Value: x.value})
		}
	}
	return f
}

// subscriptionDocs yields documents by _id, some at a time.
func (s *Store) subscriptionDocs(ctx context.Context, filter, projection bson.D) iter.Seq2[[]subscriptionDoc, error] {
	return func(yield func([]subscriptionDoc, error) bool) {
		for rest := filter; ; {
			o := options.Find().SetSort(bson.D{{Key: "_id", Value: 1}}).SetLimit(page).SetBatchSize(page)
			if projection != nil {
				o.SetProjection(projection)
			}
			cur, err := s.subscriptions.Find(ctx, rest, o)
			var got []subscriptionDoc
			if err == nil {
				err = cur.All(ctx, &got)
			}
			if err != nil {
				yield(nil, err)
				return
			}
			n := len(got)
			after := bson.D{}
			if n > 0 {
				after = bson.D{{Key: "_id", Value: bson.D{{Key: "$gt", Value: got[n-1].ID}}}}
			}
			if !yield(slices.DeleteFunc(got, func(d subscriptionDoc) bool { return d.Gone }), nil) || n < page {
				return
			}
			rest = bson.D{{Key: "$and", Value: bson.A{filter, after}}}
			if len(filter) == 0 {
				rest = after
			}
		}
	}
}

// Subscriptions yields subscriptions without the memories of their pages.
func (s *Store) Subscriptions(ctx context.Context, which storage.Which) iter.Seq2[*storage.Subscribed, error] {
	return func(yield func(*storage.Subscribed, error) bool) {
		for got, err := range s.subscriptionDocs(ctx, whichOf(&which), nil) {
			if err != nil {
				yield(nil, errorf("mongo: subscriptions: %w", s.advise(err)))
				return
			}
			for i := range got {
				if !yield(got[i].subscribed(), nil) {
					return
				}
			}
		}
	}
}

// Behind yields subscriptions that have pages with new versions.
func (s *Store) Behind(ctx context.Context, limit int) iter.Seq2[*storage.Subscribed, error] {
	return func(yield func(*storage.Subscribed, error) bool) {
		left := limit
		projection := bson.D{{Key: "url", Value: 1}, {Key: "paused", Value: 1}, {Key: "gone", Value: 1}, {Key: "pages", Value: 1}}
		for got, err := range s.subscriptionDocs(ctx, bson.D{}, projection) {
			var ids []string
			if err == nil {
				ids, err = s.behind(ctx, got)
			}
			for _, id := range ids {
				var sub *storage.Subscribed
				if sub, err = s.remembered(ctx, id); errors.Is(err, plat.ErrNotFound) { // removed meanwhile
					err = nil
					continue
				}
				if err != nil {
					break
				}
				if !yield(sub, nil) {
					return
				}
				if left--; left == 0 {
					return
				}
			}
			if err != nil {
				yield(nil, errorf("mongo: subscriptions that are behind: %w", s.advise(err)))
				return
			}
		}
	}
}

// behind returns the _ids of the documents that have pages with new versions.
func (s *Store) behind(ctx context.Context, docs []subscriptionDoc) (ids []string, err error) {
	heads := map[string]int{}
	for i := range docs {
		d := &docs[i]
		if d.Paused {
			continue
		}
		if len(d.Pages) == 0 {
			d.Pages = []followedDoc{{URL: d.URL}}
		}
		for _, p := range d.Pages {
			heads[p.URL] = 0
		}
	}
	if err := s.readHeads(ctx, heads); err != nil {
		return nil, err
	}
	for i := range docs {
		if slices.ContainsFunc(docs[i].Pages, func(p followedDoc) bool { return heads[p.URL] > p.Examined }) {
			ids = append(ids, docs[i].ID)
		}
	}
	return ids, nil
}

// readHeads reads the heads of the URLs of a map.
func (s *Store) readHeads(ctx context.Context, heads map[string]int) error {
	const most = 1000
	byID := make(map[string]string, min(len(heads), most))
	var ids []string
	read := func() error {
		cur, err := s.urls.Find(ctx, byIDs(ids), options.Find().SetProjection(bson.D{{Key: "head", Value: 1}}).SetBatchSize(most))
		var got []urlDoc
		if err == nil {
			err = cur.All(ctx, &got)
		}
		for i := range got {
			heads[byID[got[i].ID]] = got[i].Head
		}
		ids = ids[:0]
		return err
	}
	for url := range heads {
		id := urlID(url)
		byID[id] = url
		if ids = append(ids, id); len(ids) == most {
			if err := read(); err != nil {
				return err
			}
		}
	}
	if len(ids) == 0 {
		return nil
	}
	return read()
}

// Examined stores the result of examining a subscription.
func (s *Store) Examined(ctx context.Context, e *storage.Examination) error {
	err := e.Check()
	if err == nil {
		err = s.examined(ctx, e)
	}
	if err != nil {
		return errorf("mongo: examination of the subscription %q: %w", e.ID, s.advise(err))
	}
	return nil
}

var errExamined = fmt.Errorf("it was examined, or changed, meanwhile: %w", plat.ErrConflict)

func (s *Store) examined(ctx context.Context, e *storage.Examination) error {
	was, err := s.present(ctx, e.ID)
	if err != nil {
		return err
	}
	if !e.Fits(was.subscribed()) {
		return errExamined
	}
	if err := s.addItems(ctx, e.Items); err != nil {
		return err
	}
	if err := s.post(ctx, e.Messages); err != nil {
		return err
	}
	pages, added, err := s.addMemories(ctx, was, e.Following.Pages)
	if err != nil {
		return err
	}
	old, err := s.changeSubscription(ctx, e.ID, func(d *subscriptionDoc) error {
		if !e.Fits(d.subscribed()) || !slices.Equal(d.memories(), was.memories()) {
			return errExamined
		}
		f := &e.Following
		d.Pages, d.Broken, d.Since, d.Entries = pages, f.Broken, orZero(f.Since), f.Entries
		return s.countItems(ctx, d)
	})
	switch {
	case err == nil:
		return s.dropMemories(ctx, without(old.memories(), (&subscriptionDoc{Pages: pages}).memories()))
	case errors.Is(err, plat.ErrNotFound): // removed in the meantime, perhaps before the items were stored
		return errors.Join(err, s.removeRest(ctx, e.ID))
	case errors.Is(err, plat.ErrConflict):
		return errors.Join(err, s.dropMemories(ctx, added), s.dropForgotten(ctx, e.Items))
	}
	return err // it may be written, so that no data must be removed
}

// dropForgotten removes the written items of versions that were forgotten in the meantime.
func (s *Store) dropForgotten(ctx context.Context, items []plat.Item) error {
	done := map[string]bool{}
	for i := range items {
		url := items[i].Page
		if done[url] {
			continue
		}
		done[url] = true
		u, err := s.readURL(ctx, url)
		if err == nil && u != nil && u.Forgotten > 0 {
			err = s.finishItems(ctx, u, u.Head == 0)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// removeRest removes data that was written for a subscription after its removal, unless a new
// subscription has its ID.
func (s *Store) removeRest(ctx context.Context, id string) error {
	d, err := s.readSubscription(ctx, id)
	if err != nil || d != nil && !d.Gone {
		return err
	}
	return s.removeGone(ctx, id)
}

// addMemories stores the changed memories of pages, and returns the pages and the _ids of these
// memories.
func (s *Store) addMemories(ctx context.Context, was *subscriptionDoc, pages []plat.FollowedPage) (docs []followedDoc, added []string, err error) {
	known := map[string]string{} // _id by hash
	for _, id := range was.memories() {
		_, hash, _ := strings.Cut(id, ":")
		known[hash] = id
	}
	name, now := plat.NewID(), instant(time.Now())
	var inserts []any
	for i := range pages {
		p := &pages[i]
		d := followedDoc{URL: p.URL, Depth: p.Depth, Examined: p.Examined}
		if len(p.Memory) > 0 {
			id := memoryID(name, p.Memory)
			_, hash, _ := strings.Cut(id, ":")
			if known[hash] == "" {
				known[hash] = id
				added = append(added, id)
				inserts = append(inserts, memoryDoc{ID: id, Subscription: was.ID, Data: p.Memory, Written: now})
			}
			d.Memory = known[hash]
		}
		docs = append(docs, d)
	}
	return docs, added, insertNew(ctx, s.memories, inserts)
}

// insertNew inserts documents, except those whose _id already exists.
func insertNew(ctx context.Context, c *mongo.Collection, docs []any) error {
	if len(docs) == 0 {
		return nil
	}
	_, err := c.InsertMany(ctx, docs, options.InsertMany().SetOrdered(false))
	e, ok := errors.AsType[mongo.BulkWriteException](err)
	if !ok || e.WriteConcernError != nil {
		return err
	}
	for _, x := range e.WriteErrors {
		if !mongo.IsDuplicateKeyError(x) {
			return x
		}
	}
	return nil
}

// Read stores the time up to which items are read.
func (s *Store) Read(ctx context.Context, id string, to time.Time) error {
	_, err := s.changeSubscription(ctx, id, func(d *subscriptionDoc) error {
		d.ReadTo = orZero(to)
		return s.countItems(ctx, d)
	})
	if err != nil {
		return errorf("mongo: read items of the subscription %q: %w", id, s.advise(err))
	}
	return nil
}
