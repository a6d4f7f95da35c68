package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"time"
)

// vacuumNote is the name of the note that bytes of removed rows are still in the file.
const vacuumNote = "sqlite: to be vacuumed"

func (s *Store) toVacuum(ctx context.Context, tx *txn) error {
	_, err := tx.ExecContext(ctx, "INSERT OR REPLACE INTO notes (name, text) VALUES (?, ?)", vacuumNote, time.Now().UTC().Format(time.RFC3339))
	return err
}

// Vacuum rewrites the files if rows were removed since the last Vacuum, and empties their logs.
func (s *Store) Vacuum(ctx context.Context) error {
	if err := s.vacuum(ctx); err != nil {
		return fmt.Errorf("sqlite: vacuum: %w", advise(s.path, err))
	}
	return nil
}

func (s *Store) vacuum(ctx context.Context) error {
	if s.write == nil {
		return ErrReadOnly
	}
	var n int
	err := s.read.QueryRowContext(ctx, "SELECT count(*) FROM notes WHERE name = ?", vacuumNote).Scan(&n)
	if err != nil || n == 0 {
		return err
	}
	if err := s.fault("vacuum"); err != nil {
		return err
	}
	if err := rewrite(ctx, s.busy, s.path, s.write, func() error { return s.fault("checkpoint") }); err != nil {
		return fmt.Errorf("removed data is still in the file: %w; run plat gc again", err)
	}
	if err := s.vacuumIndex(ctx); err != nil {
		return err
	}
	return s.transact(ctx, func(tx *txn) error {
		_, err := tx.ExecContext(ctx, "DELETE FROM notes WHERE name = ?", vacuumNote)
		return err
	})
}

// rewrite rewrites a file, and empties its log, which contains removed data as long as a
// different process reads it. between is called between these steps.
func rewrite(ctx context.Context, busy patience, path string, db interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}, between func() error) error {
	err := busy.wait(ctx, path, func() error {
		_, err := db.ExecContext(ctx, "VACUUM")
		return err
	})
	if err == nil {
		err = between()
	}
	if err != nil {
		return err
	}
	return busy.wait(ctx, path, func() error {
		var left, log, done int64 // SQLite reports an incomplete checkpoint here, not as an error
		err := db.QueryRowContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)").Scan(&left, &log, &done)
		if err == nil && left != 0 {
			err = errRead
		}
		return err
	})
}

// vacuumIndex empties the search index, because words of removed data may remain in parts of
// it.
func (s *Store) vacuumIndex(ctx context.Context) error {
	if !s.hasIndex() {
		return nil
	}
	x, err := s.search(ctx)
	if err == nil {
		err = x.transact(ctx, func(tx *txn) error { return x.reset(ctx, tx) })
	}
	if err == nil {
		err = rewrite(ctx, x.busy, x.path, x.write, func() error { return nil })
	}
	if err != nil {
		return fmt.Errorf("search index: %w; delete %s-search: it is filled again by the next search", err, s.path)
	}
	return nil
}
