package mongo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"plat/plat"
)

// maxInline is the most bytes of data that a document holds itself: MongoDB limits documents to 16 MiB.
// Larger data are files of GridFS, in the bucket large. Each file belongs to one document, which has
// its _id in large, and is written before it.
const maxInline = 12 << 20

func (s *Store) bucket() *mongo.GridFSBucket {
	return s.db.GridFSBucket(options.GridFSBucket().SetName("large"))
}

// putLarge stores the data of a document as a file, and returns its _id. The parts of an interrupted attempt remain until the
// next GC: see sweepLarge and sweepChunks.
func (s *Store) putLarge(ctx context.Context, c *mongo.Collection, id string, data []byte) (file bson.ObjectID, err error) {
	err = s.survive(ctx, func() error {
		file = bson.NewObjectIDFromTimestamp(s.clock.now())
		return s.bucket().UploadFromStreamWithID(ctx, file, c.Name()+"/"+id, bytes.NewReader(data))
	})
	return file, err
}

// insertLarge stores a document with large data, unless it exists: then it only refreshes its time. It
// reports whether it has stored it.
func (s *Store) insertLarge(ctx context.Context, c *mongo.Collection, id string, data []byte, fields bson.D) (bool, error) {
	there, err := s.touch(ctx, c, []string{id})
	if err != nil || there[id] {
		return false, err
	}
	file, err := s.putLarge(ctx, c, id, data)
	if err != nil {
		return false, err
	}
	r, err := c.UpdateOne(ctx, byID(id), bson.D{
		{Key: "$set", Value: bson.D{{Key: "written", Value: s.clock.now()}}},
		{Key: "$setOnInsert", Value: append(fields, bson.E{Key: "large", Value: file})}}, options.UpdateOne().SetUpsert(true))
	if err != nil || r.UpsertedCount > 0 {
		return err == nil, err
	}
	return false, s.dropLarge(ctx, file) // another process has stored it meanwhile
}

// readLarge reads a file.
func (s *Store) readLarge(ctx context.Context, file bson.ObjectID) ([]byte, error) {
	r, err := s.bucket().OpenDownloadStream(ctx, file)
	if errors.Is(err, mongo.ErrFileNotFound) {
		return nil, fmt.Errorf("its data, %s of the bucket large, is missing: %w", file.Hex(), plat.ErrCorrupt)
	}
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(r)
	err = errors.Join(err, r.Close())
	if errors.Is(err, mongo.ErrMissingChunk) || errors.Is(err, mongo.ErrWrongSize) {
		err = fmt.Errorf("%w: %w", err, plat.ErrCorrupt)
	}
	return data, err
}

// dropLarge removes a file, if it exists.
func (s *Store) dropLarge(ctx context.Context, file bson.ObjectID) error {
	if file.IsZero() {
		return nil
	}
	// A repetition removes the parts of a file that is removed already.
	err := s.survive(ctx, func() error { return s.bucket().Delete(ctx, file) })
	if errors.Is(err, mongo.ErrFileNotFound) {
		return nil
	}
	return err
}

// sweepLarge removes the files from before a time to which no document refers: of writers that
// crashed, and of removed documents.
func (s *Store) sweepLarge(ctx context.Context, before time.Time) error {
	// An _id begins with the time at which its upload began, in seconds.
	type file struct {
		ID   bson.ObjectID `bson:"_id"`
		Name string        `bson:"filename"`
	}
	if before.Unix() <= 0 {
		return nil
	}
	var last bson.ObjectID
	for end := bson.NewObjectIDFromTimestamp(before); ; {
		files, err := findAll[file](ctx, s.bucket().GetFilesCollection(), bson.D{{Key: "_id", Value: bson.D{{Key: "$gt", Value: last}, {Key: "$lt", Value: end}}}},
			options.Find().SetSort(bson.D{{Key: "_id", Value: 1}}).SetLimit(page).SetProjection(bson.D{{Key: "filename", Value: 1}}))
		if err != nil || len(files) == 0 {
			return err
		}
		owners := map[string][]string{} // _ids of documents by collection
		for _, f := range files {
			collection, id, _ := strings.Cut(f.Name, "/")
			owners[collection] = append(owners[collection], id)
		}
		used := map[bson.ObjectID]bool{}
		for collection, ids := range owners {
			got, err := findAll[struct {
				Large bson.ObjectID `bson:"large"`
			}](ctx, s.db.Collection(collection), amongIDs(ids), options.Find().SetProjection(bson.D{{Key: "large", Value: 1}}))
			if err != nil {
				return err
			}
			for _, d := range got {
				used[d.Large] = true
			}
		}
		for _, f := range files {
			if !used[f.ID] {
				if err := s.dropLarge(ctx, f.ID); err != nil {
					return err
				}
			}
		}
		last = files[len(files)-1].ID
	}
}

// sweepChunks removes the chunks from before a time without a file, which is written after its chunks: of writers that
// crashed in between.
func (s *Store) sweepChunks(ctx context.Context, before time.Time) error {
	if before.Unix() <= 0 {
		return nil
	}
	type chunk struct {
		File bson.ObjectID `bson:"files_id"`
	}
	var last bson.ObjectID
	for end := bson.NewObjectIDFromTimestamp(before); ; {
		// The index of GridFS, on files_id and n, has all that is read.
		chunks, err := findAll[chunk](ctx, s.bucket().GetChunksCollection(), bson.D{{Key: "files_id", Value: bson.D{{Key: "$gt", Value: last}, {Key: "$lt", Value: end}}}},
			options.Find().SetSort(bson.D{{Key: "files_id", Value: 1}, {Key: "n", Value: 1}}).SetLimit(page).SetProjection(bson.D{{Key: "files_id", Value: 1}, {Key: "_id", Value: 0}}))
		if err != nil || len(chunks) == 0 {
			return err
		}
		lost := map[bson.ObjectID]bool{}
		for _, c := range chunks {
			lost[c.File], last = true, c.File
		}
		files, err := findAll[struct {
			ID bson.ObjectID `bson:"_id"`
		}](ctx, s.bucket().GetFilesCollection(), bson.D{{Key: "_id", Value: bson.D{{Key: "$in", Value: slices.Collect(maps.Keys(lost))}}}}, options.Find().SetProjection(bson.D{{Key: "_id", Value: 1}}))
		if err != nil {
			return err
		}
		for _, f := range files {
			delete(lost, f.ID)
		}
		for id := range lost {
			if _, err := s.deleteMany(ctx, s.bucket().GetChunksCollection(), bson.D{{Key: "files_id", Value: id}}); err != nil {
				return err
			}
		}
	}
}
