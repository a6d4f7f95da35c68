package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"hash/fnv"
	"time"

	"plat/plat"
	"plat/storage"
	"plat/storage/tree"
)

// Commit stores a version and the visit that found it, in one transaction.
func (s *Store) Commit(ctx context.Context, c *storage.Commit) (storage.Written, error) {
	if err := c.Check(); err != nil {
		return storage.Written{}, fmt.Errorf("sqlite: %w", err)
	}
	var w storage.Written
	err := s.transact(ctx, func(tx *txn) (err error) {
		w, err = s.commit(ctx, tx, c)
		return err
	})
	if err != nil {
		return storage.Written{}, fmt.Errorf("sqlite: commit version %d of %s: %w", c.Version.N, c.Version.URL, err)
	}
	return w, nil
}

func (s *Store) commit(ctx context.Context, tx *txn, c *storage.Commit) (w storage.Written, err error) {
	v := c.Version
	u, err := s.ensureURL(ctx, tx, v.URL)
	if err != nil {
		return w, err
	}
	if v.N <= u.Head {
		var taken int64
		err := tx.QueryRowContext(ctx, "SELECT taken FROM versions WHERE url = ? AND n = ?", u.id, v.N).Scan(&taken)
		if err == nil && taken == millis(v.Taken) {
			return w, nil // committed before; transactions are atomic
		}
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return w, err
		}
	}
	if !storage.Takes(&u.URLState, &c.Visit) {
		return w, &plat.SettledError{URL: v.URL, Due: u.Due}
	}
	if !storage.Follows(v, &u.URLState) {
		return w, fmt.Errorf("the next is version %d: %w", u.Next(), plat.ErrConflict)
	}
	var prev *tree.Tree
	if u.Head > 0 {
		if prev, err = s.tree(ctx, tx, u.id, v.URL, u.Head); err != nil {
			return w, err
		}
	}
	t, err := s.newTree(ctx, tx, u, v, prev)
	if err != nil {
		return w, err
	}
	switch {
	case prev == nil:
		u.past = t.N
	case u.past == prev.N:
		rows, err := s.addPast(ctx, tx, u.id, t, prev)
		if err != nil {
			return w, err
		}
		u.past = t.N
		w.Bytes += pastBytes * rows
	}
	pack, err := s.addPack(ctx, tx, u.pack, c, prev, &w)
	if err != nil {
		return w, err
	}
	if err := s.addPicture(ctx, tx, c.Picture, v.Picture, &w); err != nil {
		return w, err
	}
	if err := s.addResources(ctx, tx, c.Resources, v.Resources, &w); err != nil {
		return w, err
	}
	if err := s.addVersion(ctx, tx, u.id, t, prev, &w); err != nil {
		return w, err
	}
	if err := s.addWords(ctx, tx, u.id, t, prev, &w); err != nil {
		return w, err
	}
	if err := s.fault("head"); err != nil {
		return w, err
	}
	_, err = tx.ExecContext(ctx, "UPDATE urls SET head = ?, changes = changes+1, level = ?, stored_bytes = stored_bytes+?, picture_bytes = picture_bytes+?, resource_bytes = resource_bytes+?, pack = ?, print = ?, past = ?, main = NULL WHERE id = ?",
		v.N, v.Level, w.Bytes, w.Pictures, w.Resources, pack, printOf(c.Fingerprint), u.past, u.id)
	if err != nil {
		return w, err
	}
	if _, err := s.visit(ctx, tx, u, &c.Visit, v.Capture.PageBytes); err != nil {
		return w, err
	}
	return w, s.settle(ctx, tx, u, &c.Visit)
}

// newTree returns the version with the store's own data on its blocks.
func (s *Store) newTree(ctx context.Context, tx *txn, u *urlRow, v *plat.Version, prev *tree.Tree) (*tree.Tree, error) {
	t := &tree.Tree{Version: *v}
	t.Capture.Duration = v.Capture.Duration.Truncate(time.Millisecond)
	var last *plat.Version
	var before []int32
	if prev != nil {
		last, before = &prev.Version, prev.Since
	}
	var err error
	t.Since, err = storage.Since(v, last, before, func(lineage int32, h plat.Hash) (int32, error) {
		if ok, err := s.stored(ctx, tx, kindBlock, h); err != nil || !ok {
			return 0, err
		}
		return s.earlier(ctx, tx, u, lineage, h)
	})
	return t, err
}

// addPack writes the new contents of a commit and returns the last pack of the URL.
func (s *Store) addPack(ctx context.Context, tx *txn, last int64, c *storage.Commit, prev *tree.Tree, w *storage.Written) (int64, error) {
	var entries []entry
	var hashes []plat.Hash
	seen := map[plat.Hash]bool{}
	if prev != nil {
		for i := range prev.Blocks {
			seen[prev.Blocks[i].Hash] = true
		}
	}
	if prev == nil || prev.Layout != c.Version.Layout {
		if ok, err := s.stored(ctx, tx, kindLayout, c.Version.Layout); err != nil && !errors.Is(err, plat.ErrCorrupt) {
			return 0, err
		} else if !ok {
			entries = append(entries, entryOf(kindLayout, c.Version.Layout, c.Layout.Marshal()))
			hashes = append(hashes, c.Version.Layout)
		}
	}
	for i := range c.Version.Blocks {
		b := &c.Version.Blocks[i]
		if !b.Leaf() || seen[b.Hash] {
			continue
		}
		seen[b.Hash] = true
		// Damaged contents are written again if the commit contains them.
		ok, err := s.stored(ctx, tx, kindBlock, b.Hash)
		switch {
		case ok:
			continue
		case err != nil && !errors.Is(err, plat.ErrCorrupt):
			return 0, err
		case b.Content == nil && err != nil:
			return 0, err
		case b.Content == nil:
			return 0, fmt.Errorf("block %d has no content, and it is not stored as %s: %w", i, b.Hash.Short(), plat.ErrNotFound)
		}
		entries = append(entries, entryOf(kindBlock, b.Hash, b.Content))
		hashes = append(hashes, b.Hash)
		w.Blocks++
	}
	if len(entries) == 0 {
		return last, nil
	}
	base, err := s.chain(ctx, tx, last)
	if err != nil {
		if !errors.Is(err, plat.ErrCorrupt) {
			return 0, err
		}
		base = &chain{} // Verify reports the damage; start a new chain
	}
	for len(entries) > 0 {
		// Split a large page into several packs, so that reading a block does not
		// decode the whole page.
		n, size := 1, len(entries[0].data)
		for n < len(entries) && size+len(entries[n].data) <= maxChain {
			size += len(entries[n].data)
			n++
		}
		if len(base.ids) == 0 || len(base.ids) >= maxLinks || len(base.raw)+size > maxChain {
			base, last = &chain{}, 0
		}
		if last, err = s.writePack(ctx, tx, base, last, entries[:n], hashes[:n], w); err != nil {
			return 0, err
		}
		entries, hashes = entries[n:], hashes[n:]
	}
	return last, nil
}

// writePack writes a pack delta-encoded against base, whose last pack is parent, and
// adds it to base.
func (s *Store) writePack(ctx context.Context, tx *txn, base *chain, parent int64, entries []entry, hashes []plat.Hash, w *storage.Written) (int64, error) {
	row := encodePack(&s.coder, entries, base.raw)
	if err := s.fault("pack"); err != nil {
		return 0, err
	}
	res, err := tx.ExecContext(ctx, "INSERT INTO packs (parent, written, data) VALUES (?, ?, ?)", parent, millis(time.Now()), row)
	if err != nil {
		return 0, err
	}
	id, err := res.LastInsertId()
	if err != nil {
		return 0, err
	}
	if err := s.fault("contents"); err != nil {
		return 0, err
	}
	base.ids = append(base.ids, id)
	for i, e := range entries {
		base.raw = append(base.raw, e.data...)
		_, err := tx.ExecContext(ctx, "INSERT INTO contents (key, pack) VALUES (?, ?) ON CONFLICT DO NOTHING", key(e.kind, hashes[i]), id)
		if err != nil {
			return 0, err
		}
	}
	w.Bytes += int64(len(row)) + rowBytes + contentBytes*int64(len(entries))
	return id, nil
}

// Overhead in bytes of a row and of a row of the index tables, measured on the
// recorded histories.
const (
	rowBytes     = 24
	contentBytes = 20
	wordBytes    = 16
)

// addPicture writes a picture with the hash h, unless it is nil.
func (s *Store) addPicture(ctx context.Context, tx *txn, p *plat.Picture, h plat.Hash, w *storage.Written) error {
	if p == nil {
		return nil
	}
	if err := s.fault("picture"); err != nil {
		return err
	}
	res, err := tx.ExecContext(ctx, "INSERT INTO pictures (hash, type, written, data) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
		h[:], p.Type, millis(time.Now()), p.Data)
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err == nil && n > 0 {
		w.Pictures += int64(len(p.Data)) + rowBytes + int64(len(h))
	}
	return nil
}

func (s *Store) addVersion(ctx context.Context, tx *txn, id int64, t, prev *tree.Tree, w *storage.Written) error {
	if t.N == tree.KeyBefore(t.N) {
		prev = nil
	}
	row := s.packTree(tree.Encode(t, prev), id, t.N, millis(t.Taken), prev)
	if err := s.fault("version"); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, "INSERT INTO versions (url, n, taken, data) VALUES (?, ?, ?, ?)", id, t.N, millis(t.Taken), row)
	w.Bytes += int64(len(row)) + 2*rowBytes
	return err
}

// addWords indexes the labels and topic words that are new in this version.
func (s *Store) addWords(ctx context.Context, tx *txn, id int64, t, prev *tree.Tree, w *storage.Written) error {
	words := wordsOf(t)
	if prev != nil {
		for word := range wordsOf(prev) {
			delete(words, word)
		}
	}
	if len(words) == 0 {
		return nil
	}
	if err := s.fault("words"); err != nil {
		return err
	}
	for word := range words {
		res, err := tx.ExecContext(ctx, "INSERT INTO words (word, url) VALUES (?, ?) ON CONFLICT DO NOTHING", word, id)
		if err != nil {
			return err
		}
		if n, err := res.RowsAffected(); err == nil {
			w.Bytes += wordBytes * n
		}
	}
	return nil
}

// wordsOf returns the index keys of the leaf blocks.
func wordsOf(t *tree.Tree) map[int32]bool {
	words := map[int32]bool{}
	for i := range t.Blocks {
		b := &t.Blocks[i]
		if !b.Leaf() {
			continue
		}
		if b.Label != "" {
			words[labelKey(b.Label)] = true
		}
		for _, word := range storage.Words(b.Topic) {
			words[wordKey(word)] = true
		}
	}
	return words
}

func wordKey(word string) int32 {
	h := fnv.New32a()
	h.Write([]byte(word))
	return int32(h.Sum32())
}

// labelKey cannot collide with a word, because words contain no blank.
func labelKey(l plat.Label) int32 { return wordKey("label " + string(l)) }
