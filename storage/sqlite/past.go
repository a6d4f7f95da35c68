package sqlite

import (
	"context"
	"database/sql"
	"errors"

	"plat/plat"
	"plat/storage"
	"plat/storage/tree"
)

// A content that returns to its lineage is as old as it was. The table past has the contents that left their lineage, so
// that a commit does not read older versions for each content that is stored already: a new footer of a site is,
// on all its pages but the first. Commits fill it from the trees at hand. For URLs of an archive from before
// format 16, and after versions were forgotten, the first commit that asks for a content fills it.

// pastBytes is the size of a row, about.
const pastBytes = 16

// addPast adds the contents that left their lineage with t; prev is the version before.
func (s *Store) addPast(ctx context.Context, tx *txn, id int64, t, prev *tree.Tree) (rows int64, err error) {
	is := storage.KeysOf(t.Blocks)
	for i := range prev.Blocks {
		b := &prev.Blocks[i]
		k := storage.KeyOf(b)
		if !b.Leaf() || is[k] {
			continue
		}
		is[k] = true
		if rows == 0 {
			if err := s.fault("past"); err != nil {
				return 0, err
			}
		}
		if _, err := tx.ExecContext(ctx, "INSERT INTO past (url, lineage, key, since) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
			id, k.Lineage, key(kindBlock, k.Hash), prev.Since[i]); err != nil {
			return rows, err
		}
		rows++
	}
	return rows, nil
}

// fillPast completes the table up to the head of a URL.
func (s *Store) fillPast(ctx context.Context, tx *txn, u *urlRow) error {
	var prev *tree.Tree
	err := s.trees(ctx, tx, u.id, u.URL, max(u.past, u.Oldest()), u.Head, func(t *tree.Tree) (bool, error) {
		if prev != nil {
			if _, err := s.addPast(ctx, tx, u.id, t, prev); err != nil {
				return false, err
			}
		}
		prev = t
		return true, nil
	})
	if err == nil {
		u.past = u.Head
	}
	return err
}

// earlier returns the version in which a lineage first had a content that the head does not have, or 0.
func (s *Store) earlier(ctx context.Context, tx *txn, u *urlRow, lineage int32, h plat.Hash) (since int32, err error) {
	if u.past < u.Head {
		if err := s.fillPast(ctx, tx, u); err != nil {
			return 0, err
		}
	}
	err = tx.QueryRowContext(ctx, "SELECT since FROM past WHERE url = ? AND lineage = ? AND key = ?", u.id, lineage, key(kindBlock, h)).Scan(&since)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	// Keys may collide, and a process of an older plat may have forgotten versions: so look at the content.
	if int(since) >= u.Oldest() {
		t, err := s.tree(ctx, tx, u.id, u.URL, int(since))
		if err != nil {
			return 0, err
		}
		if hasContent(t, lineage, h) {
			return since, nil
		}
	}
	return s.searchEarlier(ctx, tx, u, lineage, h)
}

func hasContent(t *tree.Tree, lineage int32, h plat.Hash) bool {
	for i := range t.Blocks {
		if b := &t.Blocks[i]; b.Lineage == lineage && b.Hash == h && b.Leaf() {
			return true
		}
	}
	return false
}

// searchEarlier is earlier for a content whose key is that of a different one in its lineage: it reads all versions.
func (s *Store) searchEarlier(ctx context.Context, tx *txn, u *urlRow, lineage int32, h plat.Hash) (since int32, err error) {
	err = s.trees(ctx, tx, u.id, u.URL, u.Oldest(), u.Head, func(t *tree.Tree) (bool, error) {
		if hasContent(t, lineage, h) {
			since = int32(t.N)
		}
		return since == 0, nil
	})
	return since, err
}
