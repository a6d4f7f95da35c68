package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"plat"
	"plat/storage"
)

// What is known of a URL's jobs; files of format 1, which are read and not
// upgraded where they cannot be written, know nothing.
const (
	jobColumns   = "u.due, u.settled, u.priority, u.depth, u.scope, u.every"
	noJobColumns = "NULL, NULL, 0, 0, '', 0"
)

// A jobRow holds those of jobColumns that are not written into a state as they are.
type jobRow struct {
	due, settled sql.NullInt64
	every        int64
}

// into is where the columns go to; after that, set completes the state.
func (j *jobRow) into(st *plat.URLState) []any {
	return []any{&j.due, &j.settled, &st.Priority, &st.Depth, &st.Scope, &j.every}
}

func (j *jobRow) set(st *plat.URLState) {
	st.Due, st.Settled, st.Every = orZero(j.due), orZero(j.settled), time.Duration(j.every)*time.Millisecond
}

// Enlist makes URLs known that are to be visited, in one transaction.
func (s *Store) Enlist(ctx context.Context, jobs []plat.Job) error {
	if err := storage.CheckJobs(jobs); err != nil {
		return fmt.Errorf("sqlite: %w", err)
	}
	err := s.transact(ctx, func(tx *txn) error {
		for i := range jobs {
			if err := s.enlist(ctx, tx, &jobs[i]); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("sqlite: enlist %d jobs: %w", len(jobs), err)
	}
	return nil
}

func (s *Store) enlist(ctx context.Context, tx *txn, job *plat.Job) error {
	var id int64
	var st plat.URLState
	var j jobRow
	err := tx.QueryRowContext(ctx, "SELECT u.id, "+jobColumns+" FROM urls u WHERE u.url = ?", job.URL).Scan(append([]any{&id}, j.into(&st)...)...)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	j.set(&st)
	switch {
	case !storage.Merge(&st, job):
		return nil
	case err != nil:
		_, err := s.addURL(ctx, tx, job.URL, &st)
		return err
	}
	if err := s.fault("job"); err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, "UPDATE urls SET due = ?, priority = ?, depth = ?, scope = ?, every = ? WHERE id = ?",
		orNull(st.Due), st.Priority, st.Depth, st.Scope, st.Every.Milliseconds(), id)
	return err
}
