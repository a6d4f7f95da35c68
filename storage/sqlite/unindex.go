package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// hasIndex reports whether a search index exists.
func (s *Store) hasIndex() bool {
	_, err := os.Stat(s.path + "-search")
	return !errors.Is(err, fs.ErrNotExist)
}

// forgetIndexed removes the versions of a URL up to last from the search index, if it exists.
// newest is the id of the newest version before that.
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

// cutSpans removes the spans that ended by version last+1. Spans that also contain that version
// begin with it now.
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
		gone = "url = ?1 AND ?2 = ?2" // no version is kept, or no kept version was indexed
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

// newWitness replaces the witness, or its checksum, if Forget has removed or rewritten that
// version. The next version may get the id of a removed one, so the indexed range ends with the
// newest remaining version.
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
