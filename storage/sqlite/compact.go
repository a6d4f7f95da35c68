package sqlite

import (
	"context"

	"plat/plat"
	"plat/storage"
)

// A pack is the dictionary of the later packs of its chain. Unreferenced contents can therefore
// not be removed from a single pack: compact re-encodes the whole tree of packs with the same
// root.

// packRow is a row of packs.
type packRow struct {
	id, parent int64
	data       []byte
	dead       []int64 // keys of its unreferenced entries
	empty      bool
}

// compact removes unreferenced contents from packs that are needed by later packs. Trees of
// packs that cannot be decoded do not change, and are counted.
func (s *Store) compact(ctx context.Context, tx *txn, m *marker, out *storage.Swept) error {
	dead := map[int64]bool{} // packs with such a content
	err := rows(ctx, tx, func(scan func(...any) error) error {
		var key, pack int64
		err := scan(&key, &pack)
		if !m.keys.has(key) {
			dead[pack] = true
		}
		return err
	}, "SELECT key, pack FROM contents")
	if err != nil || len(dead) == 0 {
		return err
	}
	parents, children := map[int64]int64{}, map[int64][]int64{}
	err = rows(ctx, tx, func(scan func(...any) error) error {
		var id, parent int64
		err := scan(&id, &parent)
		parents[id] = parent
		children[parent] = append(children[parent], id)
		return err
	}, "SELECT id, parent FROM packs ORDER BY id")
	if err != nil {
		return err
	}
	done := map[int64]bool{}
	for id := range dead {
		root, whole := rootOf(parents, id)
		if !whole || done[root] {
			continue
		}
		done[root] = true
		if err := s.compactTree(ctx, tx, m, children, root, out); err != nil {
			return err
		}
	}
	return nil
}

// rootOf returns the first pack of a chain, and reports whether the chain is complete.
func rootOf(parents map[int64]int64, id int64) (root int64, whole bool) {
	for range len(parents) + 1 {
		parent, ok := parents[id]
		if !ok || parent == 0 {
			return id, ok
		}
		id = parent
	}
	return id, false // a cycle, which is a sign of damage
}

// compactTree re-encodes the packs of one tree without unreferenced contents.
func (s *Store) compactTree(ctx context.Context, tx *txn, m *marker, children map[int64][]int64, root int64, out *storage.Swept) error {
	var all []packRow
	var walk func(id, parent int64, was, is []byte) error
	walk = func(id, parent int64, was, is []byte) error {
		p := packRow{id: id, parent: parent}
		var row []byte
		if err := tx.QueryRowContext(ctx, "SELECT data FROM packs WHERE id = ?", id).Scan(&row); err != nil {
			return err
		}
		entries, raw, err := decodePack(&s.coder, row, was)
		if err != nil {
			return err
		}
		var live []entry
		next := is[:len(is):len(is)]
		for _, e := range entries {
			k := key(e.kind, plat.HashOf(e.data))
			if m.keys.has(k) {
				live = append(live, e)
				next = append(next, e.data...)
				continue
			}
			var n int
			if err := tx.QueryRowContext(ctx, "SELECT count(*) FROM contents WHERE key = ? AND pack = ?", k, id).Scan(&n); err != nil {
				return err
			} else if n == 0 {
				return plat.ErrCorrupt // it was stored under a different hash
			}
			p.dead = append(p.dead, k)
			if e.kind == kindLayout {
				out.Layouts++
			} else {
				out.Blocks++
			}
		}
		if p.empty = len(live) == 0; p.empty {
			out.Bytes += int64(len(row))
		} else {
			p.data = encodePack(&s.coder, live, is)
			out.Bytes += int64(len(row) - len(p.data))
			parent = id
		}
		all = append(all, p)
		was = append(was[:len(was):len(was)], raw...)
		for _, child := range children[id] {
			if err := walk(child, parent, was, next); err != nil {
				return err
			}
		}
		return nil
	}
	before := *out
	switch err := walk(root, 0, nil, nil); {
	case isCorrupt(err):
		*out = before
		m.damaged++
		return nil
	case err != nil:
		return err
	}
	for i := range all {
		if err := s.writeCompact(ctx, tx, &all[i]); err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) writeCompact(ctx context.Context, tx *txn, p *packRow) error {
	if err := s.fault("compact"); err != nil {
		return err
	}
	for _, k := range p.dead {
		if _, err := tx.ExecContext(ctx, "DELETE FROM contents WHERE key = ? AND pack = ?", k, p.id); err != nil {
			return err
		}
	}
	if !p.empty {
		_, err := tx.ExecContext(ctx, "UPDATE packs SET parent = ?, data = ? WHERE id = ?", p.parent, p.data, p.id)
		return err
	}
	if _, err := tx.ExecContext(ctx, "DELETE FROM packs WHERE id = ?", p.id); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, "UPDATE urls SET pack = 0 WHERE pack = ?", p.id)
	return err
}
