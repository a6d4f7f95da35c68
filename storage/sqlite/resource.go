package sqlite

import (
	"context"
	"fmt"
	"time"

	"plat/plat"
	"plat/storage"
	"plat/storage/tree"
)

// The tables of resource.sql, one for each kind of content.
const (
	resources = "resources"
	manifests = "manifests"
)

// addResources writes those resources that are new, then their manifest.
func (s *Store) addResources(ctx context.Context, tx *txn, all []plat.Resource, manifest plat.Hash, w *storage.Written) error {
	if len(all) == 0 {
		return nil
	}
	seen := map[plat.Hash]bool{}
	for i := range all {
		r := &all[i]
		if r.Left != "" || seen[r.Hash] {
			continue
		}
		seen[r.Hash] = true
		if err := s.addData(ctx, tx, resources, r.Hash, r.Data, storage.Compressible(r.Type), w); err != nil {
			return fmt.Errorf("resource %s: %w", r.URL, err)
		}
	}
	return s.addData(ctx, tx, manifests, manifest, plat.ManifestOf(all).Marshal(), true, w)
}

// addData writes a row of a table, unless it exists. If it does not exist and data is nil, it
// returns plat.ErrNotFound.
func (s *Store) addData(ctx context.Context, tx *txn, table string, h plat.Hash, data []byte, compress bool, w *storage.Written) error {
	var n int
	if err := tx.QueryRowContext(ctx, "SELECT count(*) FROM "+table+" WHERE hash = ?", h[:]).Scan(&n); err != nil || n > 0 {
		return err
	}
	if data == nil {
		return fmt.Errorf("no data given, and none stored as %s: %w", h.Short(), plat.ErrNotFound)
	}
	row := data
	if compress {
		if z := s.coder.Compress(nil, data, nil); len(z) < len(data) {
			row = z
		}
	}
	if err := s.fault(table); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, "INSERT INTO "+table+" (hash, written, size, data) VALUES (?, ?, ?, ?)", h[:], millis(time.Now()), len(data), row)
	w.Resources += int64(len(row)) + 2*rowBytes + 2*int64(len(h))
	return err
}

// unpackData decodes the data of a row written by addData; it is never nil.
func (s *Store) unpackData(h plat.Hash, size int64, row []byte) (data []byte, err error) {
	if data = row; data == nil {
		data = []byte{}
	}
	if int64(len(row)) != size {
		if size > maxPack {
			return nil, plat.ErrCorrupt
		}
		if data, err = s.coder.Decompress(row, nil, int(size)); err != nil {
			return nil, err
		}
	}
	if plat.HashOf(data) != h {
		return nil, plat.ErrCorrupt
	}
	return data, nil
}

// Manifest returns the list of resources that a version refers to.
func (s *Store) Manifest(ctx context.Context, h plat.Hash) (plat.Manifest, error) {
	return s.manifest(ctx, s.read, h)
}

func (s *Store) manifest(ctx context.Context, q querier, h plat.Hash) (plat.Manifest, error) {
	b, err := s.data(ctx, q, manifests, "manifest", h)
	if err != nil {
		return nil, err
	}
	return plat.UnmarshalManifest(b)
}

// Resource returns the bytes of a resource.
func (s *Store) Resource(ctx context.Context, h plat.Hash) ([]byte, error) {
	return s.data(ctx, s.read, resources, "resource", h)
}

func (s *Store) data(ctx context.Context, q querier, table, what string, h plat.Hash) ([]byte, error) {
	if s.format < withResources {
		return nil, fmt.Errorf("sqlite: %s %s: %w", what, h.Short(), plat.ErrNotFound)
	}
	var size int64
	var row []byte
	err := q.QueryRowContext(ctx, "SELECT size, data FROM "+table+" WHERE hash = ?", h[:]).Scan(&size, &row)
	if err != nil {
		return nil, notFound(err, "%s %s", what, h.Short())
	}
	b, err := s.unpackData(h, size, row)
	if err != nil {
		return nil, fmt.Errorf("sqlite: %s %s: %w; run plat verify", what, h.Short(), err)
	}
	return b, nil
}

// markResources marks the references of the manifests marked in m.
func (m *marker) markResources(ctx context.Context, q querier) error {
	for h, known := range m.manifests {
		if known {
			continue
		}
		list, err := m.s.manifest(ctx, q, h)
		if err != nil {
			return fmt.Errorf("%w; nothing was removed: run plat verify", err)
		}
		for i := range list {
			m.resources[list[i].Hash] = true
		}
		m.manifests[h] = true
	}
	return nil
}

// dropData removes the unreferenced rows of a table.
func (s *Store) dropData(ctx context.Context, tx *txn, table string, needed map[plat.Hash]bool, n *int64, out *storage.Swept) error {
	var gone []int64
	err := rows(ctx, tx, func(scan func(...any) error) error {
		var id, size int64
		var h []byte
		if err := scan(&id, &h, &size); err != nil {
			return err
		}
		if _, ok := needed[hashFrom(h)]; !ok {
			gone = append(gone, id)
			out.Bytes += size
		}
		return nil
	}, "SELECT id, hash, length(data) FROM "+table)
	if err != nil {
		return err
	}
	for _, id := range gone {
		if _, err := tx.ExecContext(ctx, "DELETE FROM "+table+" WHERE id = ?", id); err != nil {
			return err
		}
		*n++
	}
	return nil
}

// hashFrom returns the hash in a row; for damaged bytes it matches nothing.
func hashFrom(b []byte) (h plat.Hash) {
	copy(h[:], b)
	return h
}

// checkResources reads every manifest and resource.
func (c *checker) checkResources(ctx context.Context) error {
	if c.s.format < withResources {
		return nil
	}
	for _, x := range []struct {
		table, what, lost string
		n                 *int64
		there             func(h plat.Hash, data []byte) error
	}{
		{resources, "resource", "its content is lost; the versions that used it remain", &c.Report.Resources, func(h plat.Hash, _ []byte) error {
			c.resources[h] = false
			return nil
		}},
		{manifests, "manifest", "the versions that refer to it are shown without their resources", &c.Report.Manifests, func(h plat.Hash, data []byte) (err error) {
			c.manifests[h], err = plat.UnmarshalManifest(data)
			return err
		}},
	} {
		err := rows(ctx, c.q, func(scan func(...any) error) error {
			var id, size int64
			var hash, row []byte
			if err := scan(&id, &hash, &size, &row); err != nil {
				return err
			}
			c.Step(1)
			*x.n++
			h := hashFrom(hash)
			data, err := c.s.unpackData(h, size, row)
			if lost := x.there(h, data); err == nil { // it exists, but is damaged
				err = lost
			}
			if err != nil {
				c.Broke("%s %d, stored as %s, cannot be read (%v); %s", x.what, id, h.Short(), err, x.lost)
			}
			return nil
		}, "SELECT id, hash, size, data FROM "+x.table)
		if err != nil {
			return err
		}
	}
	return nil
}

// usesResources checks that the resources of a version exist.
func (c *checker) usesResources(t *tree.Tree) {
	if t.Resources.IsZero() {
		return
	}
	list, ok := c.manifests[t.Resources]
	if !ok {
		c.Broke("the manifest %s of version %d of %s is missing; the version is shown without its resources", t.Resources.Short(), t.N, t.URL)
		return
	}
	c.listed[t.Resources] = true
	for i := range list {
		r := &list[i]
		if r.Left != "" {
			continue
		}
		if _, ok := c.resources[r.Hash]; !ok {
			c.Broke("the resource %s (%s) of version %d of %s is missing; the version is shown without it", r.Hash.Short(), r.URL, t.N, t.URL)
		}
		c.resources[r.Hash] = true
	}
}
