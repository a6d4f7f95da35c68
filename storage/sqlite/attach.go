package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"plat/plat"
	"plat/storage"
	"plat/storage/tree"
)

// Attach adds a picture and resources to the last version of a URL, in one transaction.
func (s *Store) Attach(ctx context.Context, url string, n int, a *storage.Attachment) (w storage.Written, err error) {
	if err = a.Check(); err == nil {
		err = s.transact(ctx, func(tx *txn) (err error) {
			w, err = s.attach(ctx, tx, url, n, a)
			return err
		})
	}
	if err != nil {
		return storage.Written{}, fmt.Errorf("sqlite: attach to version %d of %s: %w", n, url, err)
	}
	return w, nil
}

func (s *Store) attach(ctx context.Context, tx *txn, url string, n int, a *storage.Attachment) (w storage.Written, err error) {
	var id int64
	var head, forgotten int
	err = tx.QueryRowContext(ctx, "SELECT id, head, forgotten FROM urls WHERE url = ?", url).Scan(&id, &head, &forgotten)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return w, err
	}
	if head != n || head <= forgotten {
		return w, fmt.Errorf("the last version is %d: %w", head, plat.ErrConflict)
	}
	t, err := s.tree(ctx, tx, id, url, n)
	if err != nil {
		return w, err
	}
	is := *t
	if a.Picture != nil && t.Picture.IsZero() {
		is.Picture = plat.HashOf(a.Picture.Data)
		if err := s.addPicture(ctx, tx, a.Picture, is.Picture, &w); err != nil {
			return w, err
		}
	}
	if len(a.Resources) > 0 && t.Resources.IsZero() {
		is.Resources = plat.ManifestOf(a.Resources).Sum()
		if err := s.addResources(ctx, tx, a.Resources, is.Resources, &w); err != nil {
			return w, err
		}
	}
	if is.Picture == t.Picture && is.Resources == t.Resources {
		return w, nil
	}
	// No version depends on the row of the last one yet.
	var prev *tree.Tree
	if n != keyOf(n, forgotten) {
		if prev, err = s.tree(ctx, tx, id, url, n-1); err != nil {
			return w, err
		}
	}
	row := s.packTree(tree.Encode(&is, prev), id, n, millis(t.Taken), prev)
	if err := s.fault("version"); err != nil {
		return w, err
	}
	if _, err := tx.ExecContext(ctx, "UPDATE versions SET data = ? WHERE url = ? AND n = ?", row, id, n); err != nil {
		return w, err
	}
	if err := s.fault("head"); err != nil {
		return w, err
	}
	_, err = tx.ExecContext(ctx, "UPDATE urls SET picture_bytes = picture_bytes+?, resource_bytes = resource_bytes+? WHERE id = ?", w.Pictures, w.Resources, id)
	return w, err
}
