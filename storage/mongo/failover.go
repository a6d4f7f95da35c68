package mongo

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/x/mongo/driver/topology"

	"plat/plat"
)

// A write fails if the primary changes, or if a connection breaks, and the server may have applied it
// nevertheless. With retryable writes the driver repeats it once, and the server applies it once. Without
// (?retryWrites=false, or a server that is no replica set), and after a second failure, the store repeats
// its own steps. Each of them is idempotent, because a process may also crash after any of them.

// interruptions are the codes of MongoDB's error_codes.yml after which a write may be repeated: the
// server is not, or no longer, the primary, it shuts down, or it lost a connection.
var interruptions = []int{
	6, 7, 89, 91, 189, 262, 9001, 10107, 11600, 11602, 13435, 13436,
}

// interrupted reports whether an error does not tell if the command was applied, or tells that a
// different server, or the same at a later time, will apply it.
func interrupted(err error) bool {
	if err == nil {
		return false
	}
	if e, ok := errors.AsType[mongo.ServerError](err); ok {
		if e.HasErrorLabel("RetryableWriteError") || e.HasErrorLabel("NetworkError") || slices.ContainsFunc(interruptions, e.HasErrorCode) {
			return true
		}
	}
	// That of a lost connection has no label where it is from a write of several collections.
	if _, lost := errors.AsType[topology.ConnectionError](err); lost {
		return true
	}
	// The driver closes all connections to a server after the failure of one.
	var pool interface{ Retryable() bool }
	return errors.As(err, &pool) && pool.Retryable()
}

// maxRepeats limits the repetitions of an interrupted write, to most of a second. Each waits for a primary.
const maxRepeats = 8

// survive repeats an idempotent write that is interrupted by a failover.
func (s *Store) survive(ctx context.Context, write func() error) error {
	for try := 1; ; try++ {
		err := write()
		if !interrupted(err) || try > s.repeats || ctx.Err() != nil {
			return err
		}
		pause(ctx, try)
	}
}

// deleteOne, deleteMany, updateOne and updateMany are those of a collection, and are repeated if they are interrupted: then they
// may be applied for a second time, after writes of other processes. So the filter selects what this call may still change then, by a
// revision, a claim or an _id that is not used again, or the effect is the one that a later call would have. Of an interrupted
// deletion that was applied, they count nothing.

func (s *Store) deleteOne(ctx context.Context, c *mongo.Collection, filter bson.D) (r *mongo.DeleteResult, err error) {
	err = s.survive(ctx, func() error { r, err = c.DeleteOne(ctx, filter); return err })
	return r, err
}

func (s *Store) deleteMany(ctx context.Context, c *mongo.Collection, filter bson.D) (r *mongo.DeleteResult, err error) {
	err = s.survive(ctx, func() error { r, err = c.DeleteMany(ctx, filter); return err })
	return r, err
}

func (s *Store) updateOne(ctx context.Context, c *mongo.Collection, filter, update bson.D) (r *mongo.UpdateResult, err error) {
	err = s.survive(ctx, func() error { r, err = c.UpdateOne(ctx, filter, update); return err })
	return r, err
}

func (s *Store) updateMany(ctx context.Context, c *mongo.Collection, filter, update bson.D) (r *mongo.UpdateResult, err error) {
	err = s.survive(ctx, func() error { r, err = c.UpdateMany(ctx, filter, update); return err })
	return r, err
}

// pause waits before a repetition, longer after each, so that the driver learns which server is the primary.
func pause(ctx context.Context, try int) {
	timer := time.NewTimer(time.Duration(try) * 20 * time.Millisecond)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// replace replaces a document if it has a revision (compare-and-swap), and reports whether it did. It repeats an interrupted
// replacement. If the document differs from both then, the error is an unknownError.
func (s *Store) replace(ctx context.Context, c *mongo.Collection, id string, rev, d any) (done bool, err error) {
	var lost error
	err = s.survive(ctx, func() error {
		r, err := c.ReplaceOne(ctx, append(byID(id), bson.E{Key: "rev", Value: rev}), d)
		if err == nil {
			done = r.MatchedCount == 1
		} else if interrupted(err) {
			lost = err
		}
		return err
	})
	if err != nil || done || lost == nil {
		return done, err
	}
	if done, err = s.wrote(ctx, c, id, d); err == nil && !done {
		err = &unknownError{lost}
	}
	return done, err
}

// markGone marks the document of an _id as gone, by an update that does so at the revision that it has read. It reports whether it is
// gone, and plat.ErrNotFound if there was none. After an interruption, one that was removed since may have been stored again, and
// stays: if that cannot be told from one that was changed, the error is an unknownError.
func (s *Store) markGone(ctx context.Context, c *mongo.Collection, id string, update bson.D) (gone bool, err error) {
	var lost error
	for {
		var d struct {
			Rev  int64 `bson:"rev"`
			Gone bool  `bson:"gone"`
		}
		err := s.survive(ctx, func() error { return c.FindOne(ctx, byID(id)).Decode(&d) })
		switch {
		case errors.Is(err, mongo.ErrNoDocuments) && lost != nil:
			return false, nil
		case errors.Is(err, mongo.ErrNoDocuments):
			return false, plat.ErrNotFound
		case err != nil || d.Gone:
			return d.Gone, err
		case lost != nil:
			return false, &unknownError{lost}
		}
		var r *mongo.UpdateResult
		err = s.survive(ctx, func() (err error) {
			if r, err = c.UpdateOne(ctx, append(byID(id), bson.E{Key: "rev", Value: d.Rev}), update); interrupted(err) {
				lost = err
			}
			return err
		})
		if err != nil || r.MatchedCount > 0 {
			return err == nil, err
		}
	}
}

// unknownError is the interruption of a write to a document that another process has written since, so that it cannot be seen
// whether this one was applied before. It is not applied any more: the document has a different revision.
type unknownError struct{ error }

func (e *unknownError) Unwrap() error { return e.error }

func isUnknown(err error) bool {
	_, ok := errors.AsType[*unknownError](err)
	return ok
}

// insert inserts a document. After an interruption, a document with its _id that is the same counts as inserted; if it differs,
// the error is an unknownError.
func (s *Store) insert(ctx context.Context, c *mongo.Collection, id string, d any) error {
	var lost error
	err := s.survive(ctx, func() error {
		_, err := c.InsertOne(ctx, d)
		if interrupted(err) {
			lost = err
		}
		return err
	})
	if lost == nil || !mongo.IsDuplicateKeyError(err) {
		return err
	}
	is, failed := s.wrote(ctx, c, id, d)
	if failed == nil && !is {
		failed = &unknownError{errors.Join(lost, err)}
	}
	return failed
}

// upsert replaces a document by its _id, or inserts it.
func (s *Store) upsert(ctx context.Context, c *mongo.Collection, id string, d any) error {
	put := func() error {
		_, err := c.ReplaceOne(ctx, byID(id), d, options.Replace().SetUpsert(true))
		return err
	}
	err := s.survive(ctx, put)
	if mongo.IsDuplicateKeyError(err) { // concurrent upserts
		err = s.survive(ctx, put)
	}
	return err
}

// wrote reports whether a document is the one that an interrupted write has put.
func (s *Store) wrote(ctx context.Context, c *mongo.Collection, id string, d any) (is bool, err error) {
	want, err := bson.Marshal(d)
	if err != nil {
		return false, err
	}
	err = s.survive(ctx, func() error {
		raw, err := c.FindOne(ctx, byID(id)).Raw()
		if errors.Is(err, mongo.ErrNoDocuments) {
			return nil
		}
		is = bytes.Equal(raw, want)
		return err
	})
	return is, err
}
