package mongo

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"plat/plat"
	"plat/storage/tree"
)

// Migrate gives an archive of an older format, opened with [Options.Migrate], the current one. It may
// be interrupted and repeated: a document is replaced at once, and both formats of a version can be
// read meanwhile. No other process may write. It reports progress in versions, and returns the
// formats before and after. Pages with damaged versions stay as they are: it migrates all others, then returns an error
// that names these.
func (s *Store) Migrate(ctx context.Context, progress func(done, total int64)) (from, to int, err error) {
	d, from, err := s.readFormat(ctx)
	if err == nil && from < format {
		err = s.migrate(ctx, d, from, progress)
	}
	if err != nil {
		return from, from, errorf("mongo: migrate: %w; what is done stays so: run plat migrate again", s.advise(err))
	}
	if from < format {
		err = s.tellDamaged(ctx)
	}
	return from, format, err
}

// tellDamaged returns an error if pages could not be migrated.
func (s *Store) tellDamaged(ctx context.Context) error {
	const told = 10
	var some []string
	more := 0
	err := s.pending(ctx, 0, func(urls []pendingURL) error {
		for i := range urls {
			if u := &urls[i]; u.Unreadable != u.Head {
				continue
			} else if len(some) < told {
				some = append(some, string(u.URL))
			} else {
				more++
			}
		}
		return nil
	})
	if err != nil || len(some) == 0 {
		return err
	}
	list := strings.Join(some, ", ")
	if more > 0 {
		list += fmt.Sprintf(", and %d more", more)
	}
	return fmt.Errorf("mongo: the archive is migrated and can be used, apart from pages with damaged versions: %s; plat verify says what is damaged: "+
		"restore these documents from a backup and run plat reindex, or remove such a page with plat forget URL; until then it gets no new version, and plat gc removes nothing: %w",
		list, plat.ErrCorrupt)
}

func (s *Store) migrate(ctx context.Context, note *formatDoc, from int, progress func(done, total int64)) error {
	total, err := s.versions.EstimatedDocumentCount(ctx)
	if err != nil {
		return err
	}
	if err := s.listJobs(ctx); err != nil {
		return err
	}
	if err := s.createCollections(ctx); err != nil {
		return err
	}
	if err := s.createIndexes(ctx); err != nil {
		return err
	}
	done, err := s.versions.CountDocuments(ctx, bson.D{{Key: "_id", Value: bson.D{{Key: "$lt", Value: note.Migrated + ";"}}}}) // of URLs up to it
	if err != nil {
		return err
	}
	count := func() {
		if done++; progress != nil {
			progress(min(done, total), total)
		}
	}
	last := time.Now()
	for {
		urls, err := findAll[urlDoc](ctx, s.urls, bson.D{{Key: "_id", Value: bson.D{{Key: "$gt", Value: note.Migrated}}}},
			options.Find().SetSort(bson.D{{Key: "_id", Value: 1}}).SetLimit(page).SetProjection(bson.D{{Key: "url", Value: 1}, {Key: "head", Value: 1}, {Key: "forgotten", Value: 1}}))
		if err != nil {
			return err
		}
		if len(urls) == 0 {
			break
		}
		for i := range urls {
			err := s.migrateURL(ctx, &urls[i], count)
			if errors.Is(err, plat.ErrCorrupt) || errors.Is(err, plat.ErrNotFound) {
				err = s.leaveDamaged(ctx, &urls[i])
			}
			if err != nil {
				return err
			}
			if note.Migrated = urls[i].ID; time.Since(last) > 5*time.Second || i == len(urls)-1 {
				last = time.Now()
				if err := s.putFormat(ctx, note, from); err != nil {
					return err
				}
			}
		}
	}
	if err := s.countAllHosts(ctx); err != nil {
		return err
	}
	if err := s.dropOld(ctx); err != nil {
		return err
	}
	note.Migrated = ""
	return s.putFormat(ctx, note, format)
}

// migrateURL packs the versions of a URL, then writes its page and block versions.
func (s *Store) migrateURL(ctx context.Context, u *urlDoc, did func()) error {
	url := string(u.URL)
	if err := s.packVersions(ctx, u, did); err != nil {
		return err
	}
	if u.Head > 0 {
		if _, err := s.complete(ctx, url, func() {}); err != nil {
			return err
		}
	}
	old := bson.D{}
	for _, f := range []string{"terms", "searched", "unsearched", "unreadable"} {
		old = append(old, bson.E{Key: f, Value: ""})
	}
	_, err := s.updateOne(ctx, s.urls, byID(u.ID), bson.D{{Key: "$unset", Value: old}, {Key: "$inc", Value: bson.D{{Key: "rev", Value: nextRev(0)}}}})
	return err
}

// leaveDamaged marks a URL with damaged versions as pending and unreadable. Its other versions can be read in either format.
func (s *Store) leaveDamaged(ctx context.Context, u *urlDoc) error {
	_, err := s.updateOne(ctx, s.urls, byID(u.ID), bson.D{
		{Key: "$set", Value: bson.D{{Key: "pending", Value: true}, {Key: "unreadable", Value: u.Head}}}, {Key: "$inc", Value: bson.D{{Key: "rev", Value: nextRev(0)}}}})
	return err
}

// packVersions replaces the plain versions of a URL, also one past the head, whose commit was
// interrupted. Those that are forgotten are left to the next GC.
func (s *Store) packVersions(ctx context.Context, u *urlDoc, did func()) error {
	url := string(u.URL)
	var prev *tree.Tree
	for from := u.Forgotten + 1; ; {
		got, err := findAll[bson.Raw](ctx, s.versions, bson.D{{Key: "_id", Value: bson.D{{Key: "$gte", Value: versionID(url, from)}, {Key: "$lt", Value: urlID(url) + ";"}}}},
			options.Find().SetSort(bson.D{{Key: "_id", Value: 1}}).SetLimit(tree.KeyEvery))
		if err != nil || len(got) == 0 {
			return err
		}
		for _, raw := range got {
			d, err := s.decodeVersion(ctx, raw)
			if err != nil {
				return err
			}
			if d.N < from {
				return fmt.Errorf("version %d of %s: %w", d.N, url, plat.ErrCorrupt)
			}
			if prev != nil && prev.N != d.N-1 {
				prev = nil
			}
			t, err := s.unpack(d, prev)
			if err != nil {
				return err
			}
			if raw.Lookup("blocks").Type != bson.TypeBinary {
				s.pack(d, t, prev)
				stored, err := s.outlined(ctx, d)
				if err == nil {
					err = s.survive(ctx, func() error {
						_, err := s.versions.ReplaceOne(ctx, bson.D{{Key: "_id", Value: d.ID}, {Key: "taken", Value: d.Taken}}, stored)
						return err
					})
				}
				if err != nil {
					return err
				}
			}
			prev, from = t, d.N+1
			did()
		}
	}
}

// dropOld removes the search index of format 1, and indexes that no command uses any more.
func (s *Store) dropOld(ctx context.Context) error {
	if err := s.survive(ctx, func() error { return s.db.Collection("spans").Drop(ctx) }); err != nil {
		return err
	}
	for c, names := range map[*mongo.Collection][]string{s.urls: {"terms_1_url_1", "unsearched_1"}, s.versions: {"terms_1_taken_1"}} {
		there, err := c.Indexes().ListSpecifications(ctx)
		if err != nil {
			return err
		}
		for i := range there {
			for _, name := range names {
				if there[i].Name != name {
					continue
				}
				if err := s.survive(ctx, func() error { return c.Indexes().DropOne(ctx, name) }); err != nil && !gone(err) {
					return err
				}
			}
		}
	}
	return nil
}

// gone reports whether an index does not exist. The code is that of MongoDB's error_codes.yml.
func gone(err error) bool {
	const indexNotFound = 27
	e, ok := errors.AsType[mongo.ServerError](err)
	return ok && e.HasErrorCode(indexNotFound)
}
