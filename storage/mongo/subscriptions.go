package mongo

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
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
	Feeds  []string  `bson:"feeds,omitempty"`
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
	d.Match, d.Except, d.Tags, d.Tell, d.Feeds = s.Match, s.Except, s.Tags, s.Tell, s.Feeds
}

// subscribed converts the document, without memories.
func (d *subscriptionDoc) subscribed() *storage.Subscribed {
	s := &storage.Subscribed{
		Subscription: plat.Subscription{ID: d.ID, URL: d.URL, Title: d.Title, Depth: d.Depth, Blocks: d.Blocks, Muted: d.Muted, Labels: typed[plat.Label](d.Labels),
			Kinds: typed[plat.ItemKind](d.Kinds), Match: d.Match, Except: d.Except, Group: d.Group, Tags: d.Tags, Tell: d.Tell, Feeds: d.Feeds, Digest: d.Digest, Paused: d.Paused, Made: orZero(d.Made)},
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

// readSubscription returns the document of a subscription, which may be Gone, or nil.
func (s *Store) readSubscription(ctx context.Context, id string) (*subscriptionDoc, error) {
	var d subscriptionDoc
	err := s.subscriptions.FindOne(ctx, byID(id)).Decode(&d)
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

// changeSubscription changes the document of a subscription by f, which may be called several times: with mine if the document
// may have been changed by this call already, and by another process since.
func (s *Store) changeSubscription(ctx context.Context, id string, f func(d *subscriptionDoc, mine bool) error) error {
	for mine := false; ; {
		d, err := s.present(ctx, id)
		if err != nil {
			return err
		}
		rev := d.Rev
		if err := f(d, mine); err != nil {
			return err
		}
		d.Rev = nextRev(rev)
		done, err := s.replace(ctx, s.subscriptions, id, rev, d)
		if isUnknown(err) {
			mine = true
			continue
		}
		if err != nil || done {
			return err
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
		err := s.changeSubscription(ctx, sub.ID, func(d *subscriptionDoc, _ bool) error {
			if !storage.SamePages(&plat.Subscription{URL: d.URL, Depth: d.Depth, Feeds: d.Feeds}, sub) {
				old, d.Pages = append(old, d.memories()...), nil
			}
			old = without(old, d.memories())
			d.set(sub)
			return nil
		})
		if err == nil {
			return s.dropMemories(ctx, old)
		}
		if !errors.Is(err, plat.ErrNotFound) {
			return err
		}
		// Only the data of one that is gone is removed: if there is none, another process may store it now, and its data.
		switch gone, err := s.readSubscription(ctx, sub.ID); {
		case err != nil:
			return err
		case gone != nil && !gone.Gone:
			continue
		case gone != nil:
			if err := s.removeGone(ctx, sub.ID); err != nil {
				return err
			}
		}
		d := &subscriptionDoc{ID: sub.ID, Rev: time.Now().UnixMicro()}
		d.set(sub)
		if err = s.insert(ctx, s.subscriptions, d.ID, d); !mongo.IsDuplicateKeyError(err) { // a concurrent process was faster
			return err
		}
	}
}

func (s *Store) dropMemories(ctx context.Context, ids []string) error {
	if len(ids) == 0 {
		return nil
	}
	_, err := s.deleteMany(ctx, s.memories, byIDs(ids))
	return err
}

// Unsubscribe removes a subscription, its items and its messages.
func (s *Store) Unsubscribe(ctx context.Context, id string) error {
	gone, err := s.markGone(ctx, s.subscriptions, id, bson.D{{Key: "$set", Value: bson.D{{Key: "gone", Value: true}}}, {Key: "$inc", Value: bson.D{{Key: "rev", Value: nextRev(0)}}}})
	if err == nil && gone {
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
		if _, err := s.deleteMany(ctx, c, bson.D{{Key: "subscription", Value: id}}); err != nil {
			return err
		}
	}
	_, err := s.deleteOne(ctx, s.subscriptions, bson.D{{Key: "_id", Value: id}, {Key: "gone", Value: true}})
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
		got, err := findAll[memoryDoc](ctx, s.memories, byIDs(ids))
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
			got, err := findAll[subscriptionDoc](ctx, s.subscriptions, rest, o)
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

// insertNew inserts documents, except those whose _id already exists.
func (s *Store) insertNew(ctx context.Context, c *mongo.Collection, docs []any) error {
	if len(docs) == 0 {
		return nil
	}
	err := s.survive(ctx, func() error {
		_, err := c.InsertMany(ctx, docs, options.InsertMany().SetOrdered(false))
		return err
	})
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
	err := s.changeSubscription(ctx, id, func(d *subscriptionDoc, _ bool) error {
		d.ReadTo = orZero(to)
		return s.countItems(ctx, d)
	})
	if err != nil {
		return errorf("mongo: read items of the subscription %q: %w", id, s.advise(err))
	}
	return nil
}
