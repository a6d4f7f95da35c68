package mongo

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"plat/plat"
	"plat/storage"
)

// Index completes the block versions that crashed writers left: a commit writes its own.
func (s *Store) Index(ctx context.Context, progress func(done, total int64)) error {
	if progress == nil {
		progress = func(int64, int64) {}
	}
	unread, err := s.index(ctx, progress)
	if err == nil {
		err = unread
	}
	if err != nil {
		return errorf("mongo: index: %w", s.advise(err))
	}
	return nil
}

// indexWritten is Index for all versions that can be read.
func (s *Store) indexWritten(ctx context.Context) error {
	_, err := s.index(ctx, func(int64, int64) {})
	return err
}

// index is Index. It returns an error of its own for versions that cannot be read.
func (s *Store) index(ctx context.Context, progress func(done, total int64)) (unread, err error) {
	retried := s.retried.Load()
	var urls []pendingURL
	var attaching []string
	var total int64
	err = s.pending(ctx, 0, func(some []pendingURL) error {
		for _, u := range some {
			if u.Attach != nil {
				attaching = append(attaching, string(u.URL))
			}
			if n := u.missing(); n > 0 && !(retried && u.Unreadable == u.Head) {
				urls = append(urls, u)
				total += int64(n)
			}
		}
		return s.settled(ctx, some)
	})
	for i := 0; err == nil && i < len(attaching); i++ {
		err = s.completeAttach(ctx, attaching[i])
	}
	if err != nil {
		return nil, err
	}
	var done int64
	var failed []error
	for _, u := range urls {
		_, err := s.complete(ctx, string(u.URL), func() {
			done++
			progress(done, max(done, total))
		})
		switch {
		case errors.Is(err, plat.ErrCorrupt), errors.Is(err, plat.ErrNotFound):
			failed = append(failed, err)
			err = s.unreadable(ctx, &u)
		case err == nil:
			u.page = u.Head
			err = s.settled(ctx, []pendingURL{u})
		}
		if err != nil {
			return nil, err
		}
	}
	s.retried.Store(true)
	if len(failed) > 0 {
		unread = fmt.Errorf("%d of %d URLs cannot be read, the first: %w; run plat verify", len(failed), len(urls), failed[0])
	}
	return unread, nil
}

// pendingURL is a URL whose block versions may be incomplete.
type pendingURL struct {
	ID         string `bson:"_id"`
	URL        text   `bson:"url"`
	Head       int    `bson:"head"`
	Forgotten  int    `bson:"forgotten"`
	Unreadable int    `bson:"unreadable"`

	Attach *attachDoc `bson:"attach"`

	Rev   int64 `bson:"rev"`
	Build int64 `bson:"build"`

	page int // the version of its document in pages
}

// missing returns the number of versions without block versions.
func (u *pendingURL) missing() int { return u.Head - max(u.page, u.Forgotten) }

// pending calls f for the URLs that are marked as pending, some at a time, at most limit (0: all).
func (s *Store) pending(ctx context.Context, limit int, f func([]pendingURL) error) error {
	cur, err := s.urls.Find(ctx, bson.D{{Key: "pending", Value: true}}, options.Find().SetLimit(int64(limit)).SetBatchSize(page).SetProjection(
		bson.D{{Key: "url", Value: 1}, {Key: "head", Value: 1}, {Key: "forgotten", Value: 1}, {Key: "unreadable", Value: 1}, {Key: "attach", Value: 1}, {Key: "rev", Value: 1}, {Key: "build", Value: 1}}))
	if err != nil {
		return err
	}
	defer cur.Close(context.WithoutCancel(ctx))
	for {
		var some []pendingURL
		for len(some) < page && cur.Next(ctx) {
			var u pendingURL
			if err := cur.Decode(&u); err != nil {
				return err
			}
			some = append(some, u)
		}
		if err := cur.Err(); err != nil || len(some) == 0 {
			return err
		}
		ids := make([]string, len(some))
		for i := range some {
			ids[i] = some[i].ID
		}
		pages, err := s.pagesOf(ctx, ids)
		if err != nil {
			return err
		}
		for i := range some {
			if d := pages[some[i].ID]; d.Oldest > some[i].Forgotten && d.Build >= some[i].Build {
				some[i].page = d.N
			}
		}
		if err := f(some); err != nil {
			return err
		}
	}
}

// pageFacts are fields of a document of pages.
type pageFacts struct {
	ID     string `bson:"_id"`
	N      int    `bson:"n"`
	Oldest int    `bson:"oldest"`
	Build  int64  `bson:"build"`
}

// pagesOf returns the documents of pages, by _id.
func (s *Store) pagesOf(ctx context.Context, ids []string) (map[string]pageFacts, error) {
	got, err := findAll[pageFacts](ctx, s.pages, amongIDs(ids), options.Find().SetProjection(bson.D{{Key: "n", Value: 1}, {Key: "oldest", Value: 1}, {Key: "build", Value: 1}}))
	pages := make(map[string]pageFacts, len(got))
	for _, d := range got {
		pages[d.ID] = d
	}
	return pages, err
}

// settled removes the mark of URLs whose block versions are complete, unless they have changed since. A writer that
// replaces such a document meanwhile may set it again, which costs one more look.
func (s *Store) settled(ctx context.Context, urls []pendingURL) error {
	var models []mongo.WriteModel
	for i := range urls {
		if u := &urls[i]; u.missing() <= 0 {
			models = append(models, mongo.NewUpdateOneModel().SetFilter(bson.D{{Key: "_id", Value: u.ID}, {Key: "rev", Value: u.Rev}}).SetUpdate(
				bson.D{{Key: "$unset", Value: bson.D{{Key: "pending", Value: ""}, {Key: "unreadable", Value: ""}}}}))
		}
	}
	if len(models) == 0 {
		return nil
	}
	return s.survive(ctx, func() error {
		_, err := s.urls.BulkWrite(ctx, models, options.BulkWrite().SetOrdered(false))
		return err
	})
}

// unreadable records that versions of a URL could not be read.
func (s *Store) unreadable(ctx context.Context, u *pendingURL) error {
	_, err := s.updateOne(ctx, s.urls, bson.D{{Key: "_id", Value: u.ID}, {Key: "pending", Value: true}},
		bson.D{{Key: "$set", Value: bson.D{{Key: "unreadable", Value: u.Head}}}, {Key: "$inc", Value: bson.D{{Key: "rev", Value: nextRev(0)}}}})
	return err
}

// maxBehind is the most URLs that a search counts as not indexed.
const maxBehind = 1000

// unwritten counts the URLs with versions without block versions.
func (s *Store) unwritten(ctx context.Context, r *storage.Results) error {
	return s.pending(ctx, maxBehind, func(some []pendingURL) error {
		for i := range some {
			switch u := &some[i]; {
			case u.missing() <= 0:
			case u.Unreadable == u.Head:
				r.Unreadable++
			default:
				r.Behind++
			}
		}
		return nil
	})
}

// outdateAll makes all pages and block versions those of before: see outdate.
func (s *Store) outdateAll(ctx context.Context) error {
	now := time.Now().UnixMicro()
	pending := bson.E{Key: "$set", Value: bson.D{{Key: "pending", Value: true}}}
	stored := bson.E{Key: "head", Value: bson.D{{Key: "$gt", Value: 0}}}
	// First those of a build by a machine with a fast clock, which become later ones.
	return s.survive(ctx, func() error {
		_, err := s.urls.UpdateMany(ctx, bson.D{stored, {Key: "build", Value: bson.D{{Key: "$gte", Value: now}}}}, bson.D{
			pending, {Key: "$inc", Value: bson.D{{Key: "rev", Value: nextRev(0)}, {Key: "derived", Value: 1}, {Key: "build", Value: 1}}}})
		if err == nil {
			_, err = s.urls.UpdateMany(ctx, bson.D{stored, builtBefore(now)}, bson.D{
				{Key: "$set", Value: bson.D{{Key: "pending", Value: true}, {Key: "build", Value: now}}}, {Key: "$inc", Value: bson.D{{Key: "rev", Value: nextRev(0)}, {Key: "derived", Value: 1}}}})
		}
		return err
	})
}

// Reindex rebuilds the block versions and the pages from the trees of versions, and the sums of hosts.
// Searches do not find a page while it is rebuilt. It may be interrupted: whoever visits a page, searches or collects
// garbage continues it.
func (s *Store) Reindex(ctx context.Context, progress func(done, total int64)) error {
	if err := s.createIndexes(ctx); err != nil {
		return s.advise(err)
	}
	err := s.outdateAll(ctx)
	if err == nil {
		err = s.countAllHosts(ctx)
	}
	s.recent.clear()
	if err != nil {
		return errorf("mongo: reindex: %w", s.advise(err))
	}
	s.retried.Store(false)
	return s.Index(ctx, progress)
}
