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
	"plat/storage/sorted"
)

// manifestDoc is a document of manifests. Documents of resources are like those of blocks, but
// without bases.
type manifestDoc struct {
	ID        string        `bson:"_id"`       // SHA-256 of plat.Manifest's bytes
	Resources []resourceDoc `bson:"resources"` // in order of URL
	Written   time.Time     `bson:"written"`
}

// resourceDoc is an entry of manifests.resources.
type resourceDoc struct {
	URL    text   `bson:"url"`
	Type   text   `bson:"type"`
	Status int    `bson:"status,omitempty"`
	Left   text   `bson:"left,omitempty"` // reason for its omission
	Size   int64  `bson:"size,omitempty"`
	Hash   string `bson:"hash,omitempty"` // _id in resources; absent if omitted
}

func newManifestDoc(id string, m plat.Manifest, now time.Time) *manifestDoc {
	d := &manifestDoc{ID: id, Written: now}
	for i := range m {
		r := &m[i]
		d.Resources = append(d.Resources, resourceDoc{text(r.URL), text(r.Type), r.Status, text(r.Left), r.Size, hexOf(r.Hash)})
	}
	return d
}

// manifest converts a document back.
func (d *manifestDoc) manifest() (plat.Manifest, error) {
	m := make(plat.Manifest, len(d.Resources))
	for i, r := range d.Resources {
		h, err := hashOf(r.Hash)
		if err != nil {
			return nil, err
		}
		m[i] = plat.Resource{URL: string(r.URL), Type: string(r.Type), Status: r.Status, Left: plat.OmitReason(r.Left), Size: r.Size, Hash: h}
	}
	if m.Sum().String() != d.ID {
		return nil, plat.ErrCorrupt
	}
	return m, nil
}

// putResources writes those resources that are new, then their manifest.
func (s *Store) putResources(ctx context.Context, all []plat.Resource, manifest plat.Hash, w *tally) error {
	if len(all) == 0 {
		return nil
	}
	byHash := map[string]*plat.Resource{}
	var ids []string
	for i := range all {
		if r := &all[i]; r.Left == "" {
			id := r.Hash.String()
			if byHash[id] == nil {
				ids = append(ids, id)
				byHash[id] = r
			}
		}
	}
	there, err := s.touch(ctx, s.resources, ids)
	if err != nil {
		return err
	}
	var docs []contentDoc
	for _, id := range ids {
		r := byHash[id]
		switch {
		case there[id]:
			w.Resources += w.sent[keyOf(s.resources, id)]
			continue
		case r.Data == nil:
			return fmt.Errorf("resource %s has no data, and it is not stored as %s: %w", r.URL, r.Hash.Short(), plat.ErrNotFound)
		}
		d := contentDoc{ID: id, Size: len(r.Data), Enc: "raw", Content: r.Data, Written: s.clock.now()}
		if storage.Compressible(r.Type) {
			d = s.encode(id, r.Data, nil)
		}
		docs = append(docs, d)
		n := int64(len(d.Content)) + contentBytes
		w.Resources += n
		w.sent[keyOf(s.resources, id)] = n
	}
	if _, err := s.putContents(ctx, s.resources, docs); err != nil {
		return err
	}
	d := newManifestDoc(manifest.String(), plat.ManifestOf(all), s.clock.now())
	b, err := bson.Marshal(d)
	if err != nil {
		return err
	}
	r, err := s.manifests.UpdateOne(ctx, byID(d.ID), bson.D{
		{Key: "$set", Value: bson.D{{Key: "written", Value: d.Written}}},
		{Key: "$setOnInsert", Value: bson.D{{Key: "resources", Value: d.Resources}}}}, options.UpdateOne().SetUpsert(true))
	w.Resources += w.put(s.manifests, d.ID, int64(len(b)), err == nil && r.UpsertedCount > 0, err)
	return err
}

// touch refreshes the time of existing documents, and returns their ids. A concurrent GC keeps
// them, because it rechecks the time when it removes a document.
func (s *Store) touch(ctx context.Context, c *mongo.Collection, ids []string) (map[string]bool, error) {
	there := map[string]bool{}
	for len(ids) > 0 {
		n := min(batch, len(ids))
		these := byIDs(ids[:n])
		if _, err := s.updateMany(ctx, c, these, bson.D{{Key: "$set", Value: bson.D{{Key: "written", Value: s.clock.now()}}}}); err != nil {
			return nil, err
		}
		got, err := findIDs(ctx, c, these, 0)
		if err != nil {
			return nil, err
		}
		for _, id := range got {
			there[id] = true
		}
		ids = ids[n:]
	}
	return there, nil
}

// Manifest returns the list of resources that a version refers to.
func (s *Store) Manifest(ctx context.Context, h plat.Hash) (plat.Manifest, error) {
	var d manifestDoc
	err := s.manifests.FindOne(ctx, byID(h.String())).Decode(&d)
	if err != nil {
		return nil, notFound(err, "manifest %s", h.Short())
	}
	m, err := d.manifest()
	if err != nil {
		return nil, errorf("mongo: manifest %s: %w; run plat verify", h.Short(), err)
	}
	return m, nil
}

// Resource returns the bytes of a resource.
func (s *Store) Resource(ctx context.Context, h plat.Hash) ([]byte, error) {
	docs, err := s.documents(ctx, s.resources, []string{h.String()})
	var b []byte
	if err == nil {
		b, err = s.content(docs, h.String())
	}
	if err != nil {
		return nil, errorf("mongo: resource %s: %w; run plat verify if it should be there", h.Short(), err)
	}
	return b, nil
}

// hasResources reports whether a manifest and the resources it lists as stored exist. An empty
// id means no manifest.
func (s *Store) hasResources(ctx context.Context, id string) (bool, error) {
	if id == "" {
		return true, nil
	}
	h, err := hashOf(id)
	var m plat.Manifest
	if err == nil {
		m, err = s.Manifest(ctx, h)
	}
	if errors.Is(err, plat.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	want := map[string]bool{}
	var ids []string
	for i := range m {
		if id := hexOf(m[i].Hash); id != "" && !want[id] {
			want[id] = true
			ids = append(ids, id)
		}
	}
	there, err := s.touch(ctx, s.resources, ids)
	return len(there) == len(ids), err
}

// markResources adds to refs the resources listed by referenced manifests.
func (s *Store) markResources(ctx context.Context, listed *sorted.Reader, refs *sorted.Set) error {
	missing := 0
	skip := func(string, string) { missing++ }
	err := each(ctx, s.manifests, nil, nil, func(d *manifestDoc) error {
		if n, err := listed.To(d.ID, skip, nil); err != nil || n == 0 {
			return err
		}
		if _, err := d.manifest(); err != nil {
			return fmt.Errorf("manifest %.12s: %w; nothing was removed: run plat verify", d.ID, err)
		}
		for i := range d.Resources {
			refs.Add(d.Resources[i].Hash, "")
		}
		return nil
	})
	if err == nil {
		err = listed.End(skip)
	}
	if err == nil && missing > 0 {
		err = fmt.Errorf("%d manifests are missing: %w; nothing was removed: run plat verify", missing, plat.ErrCorrupt)
	}
	return err
}

// checkManifests reads every manifest, and adds the resources of those that a version refers to.
func (c *checker) checkManifests(ctx context.Context, refs *references) error {
	use := c.newUsage(ctx, refs.manifests, "manifest", "the version is shown without its resources")
	defer use.close()
	err := each(ctx, c.s.manifests, nil, c.unreadable, func(d *manifestDoc) error {
		c.Step(1)
		c.Report.Manifests++
		who, err := use.see(d.ID, "")
		if err != nil {
			return err
		}
		m, err := d.manifest()
		if err != nil {
			c.Broke("the manifest %.12s does not match its hash; remove its document from %s, and the next visit that finds it stores it again", d.ID, c.s.manifests.Name())
			return nil
		}
		for i := range m {
			if h := hexOf(m[i].Hash); who != "" && h != "" {
				refs.resources.Add(h, who)
			}
		}
		return nil
	})
	if err == nil {
		err = use.end()
	}
	return err
}
