package mongo

import (
	"bytes"
	"context"
	"errors"
	"slices"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"plat/plat"
	"plat/storage"
	"plat/storage/tree"
)

// maxTries bounds how often Forget begins again because of other calls for the same page.
const maxTries = 50

// errRedated reports that another process removes versions of the same page, or adds some.
var errRedated = errors.New("the page is changed all the time; try again later")

// disturbed reports whether a call of forget failed because another process removes versions of the same page. Which of the two
// removes more is not known, so it has to begin again, with what the other has left.
func (s *Store) disturbed(ctx context.Context, url string, begun int, err error) bool {
	if errors.Is(err, errRedated) {
		return true
	}
	if !errors.Is(err, plat.ErrCorrupt) { // of a version that was there
		return false
	}
	u, err := s.readURL(ctx, url)
	return err == nil && u != nil && u.Forgotten != begun
}

// date encodes the versions after last as if these were the only ones: the first of them in full,
// and a content is as old as the first of them that has it. After a crash it can be repeated: a tree
// differs from the one that it replaces in these dates alone, so that the next one can be decoded
// against either. The first one also loses what refers to the version before it, so the second is written
// in full before it.
func (s *Store) date(ctx context.Context, u *urlDoc, last int) error {
	ages := storage.Ages{}
	var prev, was *tree.Tree      // the version before, as it is and as it was
	var first, stored *versionDoc // the first version, until it is written, and as it is stored
	oldest := u.Forgotten + 1
	for d, err := range s.versionDocs(ctx, string(u.URL), max(oldest, tree.KeyBefore(last+1)), u.Head, bson.D{}) {
		var t *tree.Tree
		if err == nil {
			t, err = s.unpack(d, was)
		}
		if err != nil {
			return err
		}
		if was = t; d.N <= last {
			continue
		}
		is := *t
		is.Since = slices.Clone(t.Since)
		if is.Blocks = slices.Clone(t.Blocks); d.N == last+1 {
			for i := range is.Blocks {
				is.Blocks[i].Base = plat.Hash{}
			}
			is.SelfChanges = nil // their ranges refer to a text that is not kept
		}
		for i := range is.Blocks {
			if b := &is.Blocks[i]; b.Leaf() {
				is.Since[i] = ages.Of(b, d.N)
			}
		}
		dated := s.newVersionDoc(&is, prev)
		if d.Base == 0 { // the version before may be removed: another call for the page may have written it in full
			dated = s.newVersionDoc(&is, nil)
		}
		prev = &is
		if bytes.Equal(dated.Tree, d.Tree) && dated.Base == d.Base {
			continue
		}
		if d.N == last+1 {
			first, stored = dated, d
			continue
		}
		if first != nil && d.N == last+2 {
			if d, err = s.redate(ctx, d, s.newVersionDoc(&is, nil)); err == nil {
				_, err = s.redate(ctx, stored, first)
			}
			if err != nil {
				return err
			}
			first = nil
		}
		if _, err := s.redate(ctx, d, dated); err != nil {
			return err
		}
	}
	if first != nil {
		_, err := s.redate(ctx, stored, first)
		return err
	}
	return nil
}

// redate replaces the tree of a version, as it was read, by one with other dates, and returns what is stored then. If another
// process has replaced it, the error is errRedated: this one's next trees may differ from trees that the other has removed.
func (s *Store) redate(ctx context.Context, was, dated *versionDoc) (*versionDoc, error) {
	stored, err := s.outlined(ctx, dated)
	if err != nil {
		return nil, err
	}
	fields := bson.D{{Key: "blocks", Value: stored.Tree}, {Key: "size", Value: dated.Size}, {Key: "base", Value: dated.Base}, {Key: "oldest", Value: dated.Oldest}}
	set := bson.D{{Key: "$set", Value: fields}, {Key: "$unset", Value: bson.D{{Key: "large", Value: ""}}}}
	if !stored.Large.IsZero() {
		set = bson.D{{Key: "$set", Value: append(fields, bson.E{Key: "large", Value: stored.Large})}}
	}
	same := bson.E{Key: "blocks", Value: was.Tree}
	if !was.Large.IsZero() {
		same = bson.E{Key: "large", Value: was.Large}
	}
	as := func(same bson.E) bson.D {
		return bson.D{{Key: "_id", Value: dated.ID}, {Key: "taken", Value: dated.Taken}, same}
	}
	r, err := s.updateOne(ctx, s.versions, as(same), set)
	if err == nil && r.MatchedCount == 0 {
		now := bson.E{Key: "blocks", Value: stored.Tree} // by an interrupted attempt, or a process that does the same
		if !stored.Large.IsZero() {
			now = bson.E{Key: "large", Value: stored.Large}
		}
		err = s.versions.FindOne(ctx, as(now), options.FindOne().SetProjection(bson.D{{Key: "_id", Value: 1}})).Err()
		if errors.Is(err, mongo.ErrNoDocuments) {
			err = errRedated
		}
	}
	return stored, err
}
