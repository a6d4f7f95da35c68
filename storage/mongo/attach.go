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

// attachDoc is the picture and the resources that a version gets after its commit: urls.attach.
type attachDoc struct {
	N         int    `bson:"n"`
	Picture   string `bson:"picture,omitempty"`   // _id in screenshots
	Resources string `bson:"resources,omitempty"` // _id in manifests
}

// fields returns the fields of the version and of its page.
func (d *attachDoc) fields() (set bson.D) {
	if d.Picture != "" {
		set = append(set, bson.E{Key: "picture", Value: d.Picture})
	}
	if d.Resources != "" {
		set = append(set, bson.E{Key: "resources", Value: d.Resources})
	}
	return set
}

// Attach adds a picture and resources to the last version of a URL. It writes the data, then decides by one
// compare-and-swap of the URL's document, which notes the attachment, then writes the fields of the version and
// of its page, then removes the note. After a crash the note remains, and the next Attach, Index or GC completes it.
//
// The packed tree of the version remains as it is: see unpack.
func (s *Store) Attach(ctx context.Context, url string, n int, a *storage.Attachment) (storage.Written, error) {
	err := a.Check()
	if err == nil {
		err = s.checkFormat(ctx)
	}
	w := newTally()
	if err == nil {
		err = s.survive(ctx, func() error { return s.attach(ctx, url, n, a, w) })
	}
	if err != nil {
		return storage.Written{}, errorf("mongo: attach to version %d of %s: %w", n, url, err)
	}
	return w.Written, nil
}

func (s *Store) attach(ctx context.Context, url string, n int, a *storage.Attachment, w *tally) error {
	for {
		if err := s.completeAttach(ctx, url); err != nil {
			return err
		}
		u, err := s.readURL(ctx, url)
		if err != nil {
			return err
		}
		if u == nil || u.Head != n || n <= u.Forgotten {
			return errNotLast(u)
		}
		note, err := s.prepareAttach(ctx, url, n, a, w)
		if err != nil {
			return err
		}
		if len(note.fields()) == 0 {
			s.recent.remove(url) // a different process has attached them
			return nil
		}
		noted := false
		err = s.changeURL(ctx, url, time.Time{}, func(is *urlDoc, _ bool) (bool, error) {
			if is.Head != n {
				return false, errNotLast(is)
			}
			if noted = is.Attach == nil && is.Derived == u.Derived; !noted {
				return false, nil // a different process attaches to it: look again
			}
			is.Attach, is.Pending = note, true
			is.PictureBytes += w.Pictures
			is.ResourceBytes += w.Resources
			return true, nil
		})
		if err != nil {
			return err
		}
		if noted {
			return s.completeAttach(ctx, url)
		}
	}
}

// errNotLast returns the error for an attachment to a version that is not the last one.
func errNotLast(u *urlDoc) error {
	head := 0
	if u != nil {
		head = u.Head
	}
	return fmt.Errorf("the last version is %d: %w", head, plat.ErrConflict)
}

// prepareAttach writes the data that version n lacks, and returns the note of it.
func (s *Store) prepareAttach(ctx context.Context, url string, n int, a *storage.Attachment, w *tally) (*attachDoc, error) {
	note := &attachDoc{N: n}
	var v versionDoc
	err := s.versions.FindOne(ctx, byID(versionID(url, n)), options.FindOne().SetProjection(
		bson.D{{Key: "picture", Value: 1}, {Key: "resources", Value: 1}})).Decode(&v)
	if errors.Is(err, mongo.ErrNoDocuments) {
		err = fmt.Errorf("its document is missing: %w; run plat verify", plat.ErrCorrupt)
	}
	if err == nil && a.Picture != nil && v.Picture == "" {
		h := plat.HashOf(a.Picture.Data)
		note.Picture = h.String()
		w.Pictures = 0
		err = s.putPicture(ctx, a.Picture, h, w)
	}
	if err == nil && len(a.Resources) > 0 && v.Resources == "" {
		h := plat.ManifestOf(a.Resources).Sum()
		note.Resources = h.String()
		w.Resources = 0
		err = s.putResources(ctx, a.Resources, h, w)
	}
	return note, err
}

// completeAttach writes the attachment that is noted in a URL's document, if any, to its version and page, and
// removes the note. It is idempotent; any process may call it.
func (s *Store) completeAttach(ctx context.Context, url string) error {
	u, err := s.readURL(ctx, url)
	if err != nil || u == nil || u.Attach == nil {
		return err
	}
	note := *u.Attach
	there, err := s.hasAttached(ctx, &note)
	if err != nil {
		return err
	}
	if there {
		set := bson.D{{Key: "$set", Value: note.fields()}}
		if _, err := s.updateOne(ctx, s.versions, byID(versionID(url, note.N)), set); err != nil {
			return err
		}
		// The page may have been derived from the version as it was, or not be written yet.
		if _, err := s.complete(ctx, url, func() {}); err != nil && !errors.Is(err, plat.ErrCorrupt) {
			return err
		}
		if _, err := s.updateOne(ctx, s.pages, bson.D{{Key: "_id", Value: urlID(url)}, {Key: "n", Value: note.N}}, set); err != nil {
			return err
		}
	}
	err = s.changeURL(ctx, url, time.Time{}, func(is *urlDoc, _ bool) (bool, error) {
		if is.Attach == nil || *is.Attach != note {
			return false, nil
		}
		is.Attach = nil
		is.Derived++ // no process may rely on the version that it remembers
		return true, nil
	})
	s.recent.remove(url)
	return err
}

// hasAttached reports whether the noted data exists, and refreshes its time. An older plat may have removed it after
// a crash.
func (s *Store) hasAttached(ctx context.Context, note *attachDoc) (bool, error) {
	var pictures, manifests []string
	if note.Picture != "" {
		pictures = append(pictures, note.Picture)
	}
	if note.Resources != "" {
		manifests = append(manifests, note.Resources)
	}
	got, err := s.touch(ctx, s.screenshots, pictures)
	if err != nil || len(got) < len(pictures) {
		return false, err
	}
	got, err = s.touch(ctx, s.manifests, manifests)
	if err != nil || len(got) < len(manifests) {
		return false, err
	}
	return s.hasResources(ctx, note.Resources)
}
