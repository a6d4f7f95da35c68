package mongo

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"plat/plat"
)

// format is the number of the documents' format. Format 1, which had no note, kept the tree of every
// version plain, and a search index of its own in spans.
const format = 2

// formatNote is the _id of the note with the format.
const formatNote = "format"

// formatDoc is the note with the format.
type formatDoc struct {
	ID   string `bson:"_id"`
	Text text   `bson:"text"` // the number
	// By is the program that wrote the note last, and At the time.
	By text      `bson:"by"`
	At time.Time `bson:"at"`
	// Migrated is the _id of the last URL whose documents have been migrated.
	Migrated string `bson:"migrated,omitempty"`
}

// readFormat returns the note with the format. An archive without a note has format 1, and an
// empty database 0.
func (s *Store) readFormat(ctx context.Context) (*formatDoc, int, error) {
	d := &formatDoc{ID: formatNote}
	err := s.notes.FindOne(ctx, byID(formatNote)).Decode(d)
	if err == nil {
		n, err := strconv.Atoi(string(d.Text))
		if err != nil {
			return nil, 0, fmt.Errorf("the note on the format is %q: %w", d.Text, plat.ErrCorrupt)
		}
		return d, n, nil
	}
	if !errors.Is(err, mongo.ErrNoDocuments) {
		return nil, 0, err
	}
	err = s.urls.FindOne(ctx, bson.D{}, options.FindOne().SetProjection(bson.D{{Key: "_id", Value: 1}})).Err()
	if errors.Is(err, mongo.ErrNoDocuments) {
		return d, 0, nil
	}
	return d, 1, err
}

// putFormat writes the note.
func (s *Store) putFormat(ctx context.Context, d *formatDoc, n int) error {
	d.Text, d.By, d.At = text(strconv.Itoa(n)), text(s.program), instant(time.Now())
	return s.upsert(ctx, s.notes, formatNote, d)
}

// prepareFormat makes an empty database an archive, unless one must exist, and returns an error for
// an archive of a different format.
func (s *Store) prepareFormat(ctx context.Context, o Options) error {
	d, n, err := s.readFormat(ctx)
	switch {
	case err != nil:
		return errorf("mongo: %w", err)
	case n == 0 && o.Existing:
		return ErrNoArchive
	case n == 0:
		if err := s.createCollections(ctx); err != nil {
			return s.advise(err)
		}
		if err := s.createIndexes(ctx); err != nil {
			return err
		}
		if err := s.putFormat(ctx, d, format); err != nil {
			return errorf("mongo: %w", err)
		}
	case n < format && !o.Migrate:
		return errorf("mongo: the archive has format %d, %w, and this plat writes format %d: stop the processes of older plats that use it, then run plat migrate", n, plat.ErrOlder, format)
	case n > format:
		return errorf("mongo: the archive has format %d: %w (%s)", n, plat.ErrNewer, d.By)
	}
	s.checked.Store(int64(uptime()))
	return nil
}

// formatCheck is the time after which a writer looks again whether the archive has been migrated to a
// newer format.
const formatCheck = 30 * time.Second

// checkFormat returns an error if the archive has been migrated since it was opened.
func (s *Store) checkFormat(ctx context.Context) error {
	last := s.checked.Load()
	if now := int64(uptime()); now-last < int64(formatCheck) || !s.checked.CompareAndSwap(last, now) {
		return nil
	}
	if _, err := s.hello(ctx); err != nil { // its clock may be another one since
		return err
	}
	d, n, err := s.readFormat(ctx)
	if err == nil && n > format {
		s.checked.Store(0) // every later write fails, too
		err = fmt.Errorf("the archive has format %d since %v: %w (%s)", n, d.At.Format(time.DateTime), plat.ErrNewer, d.By)
	}
	return err
}
