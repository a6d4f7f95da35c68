package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"plat"
	"plat/storage"
)

// The columns of a URL's jobs. Files of older formats that cannot be written are read
// without an upgrade: they have a column for each attribute of the plan, or, before
// jobs existed, none.
const (
	jobColumns    = "u.due, u.settled, u.priority, u.plan"
	oldJobColumns = "u.due, u.settled, u.priority, " + oldPlan
	noJobColumns  = "NULL, NULL, 0, ''"
)

// oldPlan converts the old columns to a plan in the encoding of plat.Plan.
const oldPlan = `CASE WHEN depth = 0 AND scope = '' AND every = 0 THEN '' ELSE
	json_object('v', 1, 'depth', depth, 'scope', scope, 'schedule', json_object('every', every || 'ms')) END`

// A jobRow holds the jobColumns that need conversion.
type jobRow struct {
	due, settled sql.NullInt64
	plan         string
}

// into returns the scan destinations of the columns; call set afterwards to complete
// the state.
func (j *jobRow) into(st *plat.URLState) []any {
	return []any{&j.due, &j.settled, &st.Priority, &j.plan}
}

func (j *jobRow) set(st *plat.URLState) (err error) {
	st.Due, st.Settled = orZero(j.due), orZero(j.settled)
	st.Plan, err = plat.DecodePlan(j.plan)
	return err
}

// Enlist adds jobs, in one transaction.
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
	if err := j.set(&st); err != nil {
		return err
	}
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
	_, err = tx.ExecContext(ctx, "UPDATE urls SET due = ?, priority = ?, plan = ? WHERE id = ?",
		orNull(st.Due), st.Priority, st.Plan.Encode(), id)
	return err
}
