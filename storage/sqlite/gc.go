package sqlite

import (
	"context"
	"fmt"
	"slices"
	"time"

	"plat/plat"
	"plat/storage"
	"plat/storage/tree"
	"plat/storage/wire"
)

// Now returns the time.
func (s *Store) Now(context.Context) (time.Time, error) { return time.Now(), nil }

// GC removes unreferenced data of any age: a commit is one transaction, so no data belongs to a
// commit in progress. Most of it is forgotten data: packs and pictures of removed versions. The
// rest are copies of contents written again because the first was damaged.
//
// It marks the referenced data during concurrent writes. Then, in one transaction, it marks the
// data that these wrote, and sweeps the rest. If a version cannot be read, its references are
// unknown, and nothing is removed.
//
// SQLite does not erase the bytes of removed rows until it reuses their place: see Vacuum.
func (s *Store) GC(ctx context.Context, _ time.Time) (storage.Swept, error) {
	m := &marker{s: s, pictures: map[plat.Hash]bool{}, manifests: map[plat.Hash]bool{}, resources: map[plat.Hash]bool{}}
	var out storage.Swept
	err := m.mark(ctx, s.read)
	if err == nil {
		err = s.transact(ctx, func(tx *txn) (err error) {
			if err = m.mark(ctx, tx); err == nil {
				out, err = s.sweep(ctx, tx, m)
			}
			if err == nil && out != (storage.Swept{}) {
				err = s.toVacuum(ctx, tx)
			}
			return err
		})
	}
	if err == nil && out != (storage.Swept{}) {
		err = s.busy.wait(ctx, s.path, func() error {
			_, err := s.write.ExecContext(ctx, "PRAGMA incremental_vacuum")
			return err
		})
	}
	if err != nil {
		return storage.Swept{}, fmt.Errorf("sqlite: gc: %w", err)
	}
	if m.damaged > 0 {
		return out, fmt.Errorf("sqlite: gc: %d chains of packs are damaged, and their unreferenced contents remain: %w; run plat verify, which lists the affected pages", m.damaged, plat.ErrCorrupt)
	}
	return out, nil
}

// marker collects the references of versions.
type marker struct {
	s         *Store
	keys      keySet // of contents and layouts
	pictures  map[plat.Hash]bool
	manifests map[plat.Hash]bool // true if read
	resources map[plat.Hash]bool
	heads     map[int64]int // by URL: the last version marked
	damaged   int           // number of trees of packs with unreferenced contents that cannot be decoded
}

// keySet is a set of keys that takes little more than their bytes.
type keySet struct {
	sorted, added []int64
}

func (s *keySet) add(key int64) {
	const least = 1 << 16
	if s.added = append(s.added, key); len(s.added) >= max(least, len(s.sorted)/4) {
		s.sort()
	}
}

func (s *keySet) sort() {
	s.sorted = append(s.sorted, s.added...)
	slices.Sort(s.sorted)
	s.sorted, s.added = slices.Compact(s.sorted), s.added[:0]
}

func (s *keySet) has(key int64) bool {
	if len(s.added) > 0 {
		s.sort()
	}
	_, is := slices.BinarySearch(s.sorted, key)
	return is
}

func (m *marker) mark(ctx context.Context, q querier) error {
	type row struct {
		id   int64
		url  string
		head int
	}
	var all []row
	err := rows(ctx, q, func(scan func(...any) error) error {
		var x row
		err := scan(&x.id, &x.url, &x.head)
		all = append(all, x)
		return err
	}, "SELECT u.id, u.url, max(v.n) FROM versions v JOIN urls u ON u.id = v.url GROUP BY v.url")
	if err != nil {
		return err
	}
	if m.heads == nil {
		m.heads = map[int64]int{}
	}
	for _, u := range all {
		if m.heads[u.id] >= u.head {
			continue
		}
		var last map[plat.Hash]bool // contents of the version before
		err := m.s.trees(ctx, q, u.id, u.url, m.heads[u.id]+1, u.head, func(t *tree.Tree) (bool, error) {
			m.keys.add(key(kindLayout, t.Layout))
			now := map[plat.Hash]bool{}
			for i := range t.Blocks {
				if b := &t.Blocks[i]; b.Leaf() {
					if now[b.Hash] = true; !last[b.Hash] {
						m.keys.add(key(kindBlock, b.Hash))
					}
				}
			}
			last = now
			m.pictures[t.Picture] = true
			if h := t.Resources; !h.IsZero() && !m.manifests[h] {
				m.manifests[h] = false // not yet
			}
			return true, nil
		})
		if err != nil {
			return fmt.Errorf("%w; nothing was removed: run plat verify", err)
		}
		m.heads[u.id] = u.head
	}
	return m.markResources(ctx, q)
}

func (s *Store) sweep(ctx context.Context, tx *txn, m *marker) (out storage.Swept, err error) {
	if err := s.fault("sweep"); err != nil {
		return out, err
	}
	needed, err := neededPacks(ctx, tx, func(key int64) (bool, error) { return m.keys.has(key), nil })
	if err != nil {
		return out, err
	}
	var gone []int64
	err = rows(ctx, tx, func(scan func(...any) error) error {
		var id, size int64
		err := scan(&id, &size)
		if !needed[id] {
			gone = append(gone, id)
			out.Bytes += size
		}
		return err
	}, "SELECT id, length(data) FROM packs")
	if err != nil {
		return out, err
	}
	if err := s.dropPacks(ctx, tx, gone, &out); err != nil {
		return out, err
	}
	if err := s.compact(ctx, tx, m, &out); err != nil {
		return out, err
	}
	if err := s.dropPictures(ctx, tx, m, &out); err != nil {
		return out, err
	}
	if err := s.dropData(ctx, tx, manifests, m.manifests, &out.Manifests, &out); err != nil {
		return out, err
	}
	return out, s.dropData(ctx, tx, resources, m.resources, &out.Resources, &out)
}

// dropPacks removes unreferenced packs and their index entries.
func (s *Store) dropPacks(ctx context.Context, tx *txn, gone []int64, out *storage.Swept) error {
	if len(gone) == 0 {
		return nil
	}
	dead := make(map[int64]bool, len(gone))
	for _, id := range gone {
		dead[id] = true
	}
	type row struct{ key, pack int64 }
	var index []row
	err := rows(ctx, tx, func(scan func(...any) error) error {
		var x row
		err := scan(&x.key, &x.pack)
		if dead[x.pack] {
			index = append(index, x)
		}
		return err
	}, "SELECT key, pack FROM contents")
	if err != nil {
		return err
	}
	for _, x := range index {
		if _, err := tx.ExecContext(ctx, "DELETE FROM contents WHERE key = ? AND pack = ?", x.key, x.pack); err != nil {
			return err
		}
	}
	for _, id := range gone {
		var row []byte
		if err := tx.QueryRowContext(ctx, "SELECT data FROM packs WHERE id = ?", id).Scan(&row); err != nil {
			return err
		}
		blocks, layouts := countPack(row)
		out.Blocks += blocks
		out.Layouts += layouts
		if _, err := tx.ExecContext(ctx, "DELETE FROM packs WHERE id = ?", id); err != nil {
			return err
		}
	}
	// New commits must not build on removed packs.
	_, err = tx.ExecContext(ctx, "UPDATE urls SET pack = 0 WHERE pack NOT IN (SELECT id FROM packs)")
	return err
}

// countPack counts the entries of each kind in a pack's row.
func countPack(row []byte) (blocks, layouts int64) {
	r := &wire.Reader{B: row}
	for range r.Count() {
		if v := r.Uint(); v&1 == kindLayout {
			layouts++
		} else {
			blocks++
		}
		r.Bytes(1)
	}
	return blocks, layouts
}

func (s *Store) dropPictures(ctx context.Context, tx *txn, m *marker, out *storage.Swept) error {
	var gone []int64
	err := rows(ctx, tx, func(scan func(...any) error) error {
		var id, size int64
		var hash []byte
		if err := scan(&id, &hash, &size); err != nil {
			return err
		}
		var h plat.Hash
		copy(h[:], hash)
		if !m.pictures[h] {
			gone = append(gone, id)
			out.Bytes += size
		}
		return nil
	}, "SELECT id, hash, length(data) FROM pictures")
	if err != nil {
		return err
	}
	for _, id := range gone {
		if _, err := tx.ExecContext(ctx, "DELETE FROM pictures WHERE id = ?", id); err != nil {
			return err
		}
		out.Pictures++
	}
	return nil
}
