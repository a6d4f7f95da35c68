package mongo

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"plat/plat"
	"plat/storage"
)

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
		got, err := findAll[urlDoc](ctx, s.urls, byIDs(ids), options.Find().SetProjection(bson.D{{Key: "head", Value: 1}}).SetBatchSize(most))
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
	used := (&subscriptionDoc{Pages: pages}).memories()
	err = s.changeSubscription(ctx, e.ID, func(d *subscriptionDoc, mine bool) error {
		stored := mine && slices.Equal(d.Pages, pages)
		if !stored && (!e.Fits(d.subscribed()) || !slices.Equal(d.memories(), was.memories())) {
			added = without(added, d.memories())
			return errExamined
		}
		f := &e.Following
		d.Pages, d.Broken, d.Since, d.Entries = pages, f.Broken, orZero(f.Since), f.Entries
		return s.countItems(ctx, d)
	})
	switch {
	case err == nil:
		return s.dropMemories(ctx, without(was.memories(), used))
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
	name, now := plat.NewID(), instant(s.clock.now())
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
	return docs, added, s.insertNew(ctx, s.memories, inserts)
}
