package mongo

import (
	"context"
	"errors"
	"fmt"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"plat/plat"
)

// A content with a base is stored as a difference to it or, if the base is a
// difference itself, to the base's base, so that reading a content needs at most two
// documents. If the difference is larger than half of the compressed content, the
// content is stored in full, and becomes the base of its successors.
//
// encode fills a contentDoc. base is the content to encode against, or nil.
func (s *Store) encode(id string, content []byte, base *loaded) contentDoc {
	d := contentDoc{ID: id, Size: len(content), Enc: "raw", Content: content, Written: s.clock.now()}
	if len(content) == 0 {
		d.Content = []byte{}
		return d
	}
	alone := s.coder.Compress(nil, content, nil)
	if base != nil && len(base.content) > 0 {
		if diff := s.coder.Compress(nil, content, base.content); len(diff) < min(len(alone), len(content))/2 {
			d.Enc, d.Content, d.Base = "zstd", diff, base.id
			return d
		}
	}
	if len(content) > maxPlain && len(alone) < len(content) {
		d.Enc, d.Content = "zstd", alone
	}
	return d
}

// maxPlain is the size up to which contents are stored as they are: the server compresses many of
// them together, which takes half of what each takes alone. It does not compress larger values.
const maxPlain = 8 << 10

// loaded is a content with the id of the document that may serve as its base.
type loaded struct {
	id      string
	content []byte
}

// decode reads a document; base is the content of its Base.
func (s *Store) decode(d *contentDoc, base []byte) ([]byte, error) {
	switch d.Enc {
	case "raw":
		if len(d.Content) != d.Size {
			return nil, fmt.Errorf("%d bytes instead of %d: %w", len(d.Content), d.Size, plat.ErrCorrupt)
		}
		return d.Content, nil
	case "zstd":
		return s.coder.Decompress(d.Content, base, d.Size)
	}
	return nil, fmt.Errorf("coding %q: %w", d.Enc, plat.ErrCorrupt)
}

// batch is the number of documents requested by _id in one command.
const batch = 256

// documents reads content documents by _id, with their bases; missing ones are omitted. If a
// document or its base cannot be decoded, its unreadable field has the reason, and the
// remaining documents are still read.
func (s *Store) documents(ctx context.Context, c *mongo.Collection, ids []string) (map[string]*contentDoc, error) {
	docs := make(map[string]*contentDoc, len(ids))
	for len(ids) > 0 {
		var bases []string
		for len(ids) > 0 {
			n := min(batch, len(ids))
			cur, err := c.Find(ctx, byIDs(ids[:n]))
			if err != nil {
				return nil, err
			}
			for cur.Next(ctx) {
				d := new(contentDoc)
				if err := cur.Decode(d); err != nil {
					id, _ := cur.Current.Lookup("_id").StringValueOK()
					d = &contentDoc{ID: id, unreadable: fmt.Errorf("%w: %w", err, plat.ErrCorrupt)}
				}
				if !d.Large.IsZero() {
					var err error
					if d.Content, err = s.readLarge(ctx, d.Large); errors.Is(err, plat.ErrCorrupt) {
						d.unreadable = err
					} else if err != nil {
						cur.Close(context.WithoutCancel(ctx))
						return nil, err
					}
				}
				docs[d.ID] = d
				bases = append(bases, d.Base)
			}
			if err := errors.Join(cur.Err(), cur.Close(ctx)); err != nil {
				return nil, err
			}
			ids = ids[n:]
		}
		asked := map[string]bool{"": true}
		for _, id := range bases {
			if !asked[id] && docs[id] == nil {
				ids = append(ids, id)
			}
			asked[id] = true
		}
	}
	for _, d := range docs {
		if b := docs[d.Base]; b != nil && b.unreadable != nil {
			d.unreadable = fmt.Errorf("its base %.12s: %w", b.ID, b.unreadable)
		}
	}
	return docs, nil
}

// content returns the content of a document, verified by its hash.
func (s *Store) content(docs map[string]*contentDoc, id string) ([]byte, error) {
	d := docs[id]
	if d == nil {
		return nil, plat.ErrNotFound
	}
	if d.unreadable != nil {
		return nil, d.unreadable
	}
	var base []byte
	if d.Base != "" {
		b := docs[d.Base]
		if b == nil || b.Base != "" {
			return nil, fmt.Errorf("its base %.12s is missing or has a base itself: %w", d.Base, plat.ErrCorrupt)
		}
		var err error
		if base, err = s.decode(b, nil); err != nil {
			return nil, err
		}
	}
	content, err := s.decode(d, base)
	if err != nil {
		return nil, err
	}
	if d.hash(content) != id {
		return nil, plat.ErrCorrupt
	}
	return content, nil
}

// hash returns the expected _id: for a layout, the hash of all its bytes.
func (d *contentDoc) hash(content []byte) string {
	if d.layout {
		l := plat.Layout{HTML: content, Slots: d.Slots}
		return l.Sum().String()
	}
	return plat.HashOf(content).String()
}

// Contents returns the content of blocks.
func (s *Store) Contents(ctx context.Context, hashes []plat.Hash) ([][]byte, error) {
	asked := make(map[plat.Hash]bool, len(hashes))
	var ids []string
	for _, h := range hashes {
		if !asked[h] {
			asked[h] = true
			ids = append(ids, h.String())
		}
	}
	docs, err := s.documents(ctx, s.blocks, ids)
	if err != nil {
		return nil, errorf("mongo: contents: %w", err)
	}
	out := make([][]byte, len(hashes))
	for i, h := range hashes {
		b, err := s.content(docs, h.String())
		if err != nil {
			return nil, errorf("mongo: block %s: %w; run plat verify if it should be there", h.Short(), err)
		}
		// Copy each, because callers may modify it.
		out[i] = append(make([]byte, 0, len(b)), b...)
	}
	return out, nil
}

// Layout returns a layout.
func (s *Store) Layout(ctx context.Context, h plat.Hash) (plat.Layout, error) {
	docs, err := s.documents(ctx, s.layouts, []string{h.String()})
	if err != nil {
		return plat.Layout{}, errorf("mongo: layout %s: %w", h.Short(), err)
	}
	for _, d := range docs {
		d.layout = true
	}
	html, err := s.content(docs, h.String())
	if err != nil {
		return plat.Layout{}, errorf("mongo: layout %s: %w; run plat verify if it should be there", h.Short(), err)
	}
	return plat.Layout{HTML: html, Slots: docs[h.String()].Slots}, nil
}

// Picture returns a screenshot.
func (s *Store) Picture(ctx context.Context, h plat.Hash) (plat.Picture, error) {
	var d pictureDoc
	if err := s.screenshots.FindOne(ctx, byID(h.String())).Decode(&d); err != nil {
		return plat.Picture{}, notFound(err, "picture %s", h.Short())
	}
	if !d.Large.IsZero() {
		var err error
		if d.Data, err = s.readLarge(ctx, d.Large); err != nil {
			return plat.Picture{}, errorf("mongo: picture %s: %w; run plat verify", h.Short(), err)
		}
	}
	if plat.HashOf(d.Data) != h {
		return plat.Picture{}, errorf("mongo: picture %s: %w; run plat verify", h.Short(), plat.ErrCorrupt)
	}
	return plat.Picture{Type: string(d.Type), Data: d.Data}, nil
}

// putContents inserts documents or, if they exist, refreshes their time, so that GC keeps
// them.
func (s *Store) putContents(ctx context.Context, c *mongo.Collection, docs []contentDoc) (written int, err error) {
	var models []mongo.WriteModel
	size := 0
	flush := func() error {
		if len(models) == 0 {
			return nil
		}
		r, err := c.BulkWrite(ctx, models, options.BulkWrite().SetOrdered(false))
		models, size = nil, 0
		if err != nil {
			return err
		}
		written += int(r.UpsertedCount)
		return nil
	}
	for i := range docs {
		d := &docs[i]
		set := bson.D{{Key: "size", Value: d.Size}, {Key: "enc", Value: d.Enc}}
		if d.Base != "" {
			set = append(set, bson.E{Key: "base", Value: d.Base})
		}
		if len(d.Slots) > 0 {
			set = append(set, bson.E{Key: "slots", Value: d.Slots})
		}
		if len(d.Content) > s.inline {
			switch stored, err := s.insertLarge(ctx, c, d.ID, d.Content, set); {
			case err != nil:
				return written, err
			case stored:
				written++
			}
			continue
		}
		set = append(set, bson.E{Key: "content", Value: d.Content})
		models = append(models, mongo.NewUpdateOneModel().SetFilter(byID(d.ID)).SetUpsert(true).SetUpdate(
			bson.D{{Key: "$set", Value: bson.D{{Key: "written", Value: d.Written}}}, {Key: "$setOnInsert", Value: set}}))
		if size += len(d.Content); size > 8<<20 || len(models) == batch {
			if err := flush(); err != nil {
				return written, err
			}
		}
	}
	return written, flush()
}
