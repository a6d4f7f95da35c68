package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// hasIndex reports whether there is a search index.
func (s *Store) hasIndex() bool {
	_, err := os.Stat(s.path + "-search")
	return !errors.Is(err, fs.ErrNotExist)
}

// forgetIndexed removes what the search index has of the versions of a URL up to last, if there
// is an index. newest was the id of the newest version that was left.
func (s *Store) forgetIndexed(ctx context.Context, id int64, last int, newest int64) error {
	if !s.hasIndex() {
		return nil
	}
	x, err := s.search(ctx)
	if err == nil {
		err = x.transact(ctx, func(tx *txn) error {
			if err := s.cutSpans(ctx, tx, id, last); err != nil {
				return err
			}
			return s.newWitness(ctx, tx, newest)
		})
	}
	if err != nil {
		return fmt.Errorf("search index: %w", err)
	}
	return nil
}

// cutSpans removes the spans that ended by version last+1. Those that it has too begin with it.
func (s *Store) cutSpans(ctx context.Context, tx *txn, id int64, last int) error {
	var taken sql.NullInt64
	err := s.read.QueryRowContext(ctx, "SELECT max(taken) FROM versions WHERE url = ? AND n = ?", id, last+1).Scan(&taken)
	if err != nil {
		return err
	}
	indexed, err := s.index.indexed(ctx, tx, id)
	if err != nil || indexed == 0 {
		return err
	}
	gone := "url = ?1 AND (gone IS NOT NULL AND gone <= ?2 + 1)"
	if !taken.Valid || indexed <= last {
		gone = "url = ?1 AND ?2 = ?2" // none of its versions is kept, or none that is kept was indexed
	}
	if _, err := tx.ExecContext(ctx, "DELETE FROM words WHERE rowid IN (SELECT id FROM spans WHERE "+gone+")", id, last); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, "DELETE FROM spans WHERE "+gone, id, last); err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, "UPDATE spans SET first = ?2 + 1, since = ?3 WHERE url = ?1 AND first <= ?2", id, last, taken)
	return err
}

// newWitness takes another version for the witness, or another checksum, if Forget has removed or
// rewritten the one of before. The next version may get the id of one that was removed, so what is
// indexed ends with the newest that was left.
func (s *Store) newWitness(ctx context.Context, tx *txn, newest int64) error {
	var done, witness int64
	if err := tx.QueryRowContext(ctx, "SELECT done, witness FROM mark").Scan(&done, &witness); err != nil {
		return err
	}
	if err := s.read.QueryRowContext(ctx, "SELECT ifnull(max(id), 0) FROM versions WHERE id <= ?", min(witness, newest)).Scan(&witness); err != nil {
		return err
	}
	sum, err := s.versionSum(ctx, witness)
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, "UPDATE mark SET done = min(done, ?), witness = ?, sum = ?, epoch = random()", newest, witness, sum)
	return err
}
