package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"

	"plat/plat"
	"plat/storage"
)

// The columns of a URL's jobs. Files of older formats that cannot be written are read without
// an upgrade: they have a column for each attribute of the plan, or no such columns before jobs
// existed.
const (
	jobColumns       = mainJobColumns + ", u.forgotten, u.forgotten_at, u.picture_bytes, u.resource_bytes"
	mainJobColumns   = atJobColumns + ", (SELECT m.url FROM urls m WHERE m.id = u.main)"
	atJobColumns     = "u.due, u.settled, u.priority, u.plan, u.at, u.attempts, u.throttled, u.died"
	withoutForgotten = ", 0, NULL, 0, 0"
	withoutMain      = ", NULL" + withoutForgotten
	withoutAt        = ", NULL, 0, 0, NULL" + withoutMain

	addressJobColumns = mainJobColumns + withoutForgotten
	hostJobColumns    = atJobColumns + withoutMain
	planJobColumns    = "u.due, u.settled, u.priority, u.plan" + withoutAt
	oldJobColumns     = "u.due, u.settled, u.priority, " + oldPlan + withoutAt
	noJobColumns      = "NULL, NULL, 0, ''" + withoutAt
)

// oldPlan converts the old columns to a plan in the encoding of plat.Plan.
const oldPlan = `CASE WHEN depth = 0 AND scope = '' AND every = 0 THEN '' ELSE
	json_object('v', 1, 'depth', depth, 'scope', scope, 'schedule', json_object('every', every || 'ms')) END`

// jobRow holds the jobColumns that need conversion.
type jobRow struct {
	due, settled, at, died, forgotten sql.NullInt64
	plan                              string
	main                              sql.NullString
}

// into returns the scan destinations of the columns; call set afterwards to complete
// the state.
func (j *jobRow) into(st *plat.URLState) []any {
	return []any{&j.due, &j.settled, &st.Priority, &j.plan, &j.at, &st.Attempts, &st.Throttled, &j.died, &j.main, &st.Forgotten, &j.forgotten, &st.PictureBytes, &st.ResourceBytes}
}

func (j *jobRow) set(st *plat.URLState) (err error) {
	j.times(st)
	st.Plan, err = plat.DecodePlan(j.plan)
	return err
}

// times sets the times of a state; its plan stays unread.
func (j *jobRow) times(st *plat.URLState) {
	st.Due, st.Settled, st.Dead = orZero(j.due), orZero(j.settled), orZero(j.died)
	st.Main, st.ForgottenAt = j.main.String, orZero(j.forgotten)
	if j.at.Valid && j.at != j.due {
		st.NotBefore = orZero(j.at)
	}
}

// Enlist adds jobs, in one transaction. URLs that need no change are found by reading, so that
// pages whose links are known do not wait for the writer.
func (s *Store) Enlist(ctx context.Context, jobs []plat.Job, how storage.Intake) (e storage.Enlisted, err error) {
	if err := storage.CheckJobs(jobs); err != nil {
		return e, fmt.Errorf("sqlite: %w", err)
	}
	if how == storage.IfNew || how.Known() {
		if jobs, err = s.those(ctx, jobs, how.Known()); err != nil {
			return e, fmt.Errorf("sqlite: enlist: %w", err)
		}
	}
	if len(jobs) == 0 {
		return e, nil
	}
	err = s.transact(ctx, func(tx *txn) error {
		in := intake{how: how}
		if err := tx.QueryRowContext(ctx, "SELECT coalesce(max(id), 0) + 1 FROM urls").Scan(&in.first); err != nil {
			return err
		}
		for _, i := range byURL(jobs) {
			in.at = i
			if err := s.enlist(ctx, tx, &in, &jobs[i]); err != nil {
				return err
			}
		}
		e = in.enlisted()
		return nil
	})
	if err != nil {
		return storage.Enlisted{}, fmt.Errorf("sqlite: enlist %d jobs: %w", len(jobs), err)
	}
	return e, nil
}

// byURL returns the order in which a list is written: by URL, so that each page of the
// indexes is touched once. A list of a million URLs in no order is taken twice as fast
// so.
func byURL(jobs []plat.Job) []int {
	order := make([]int, len(jobs))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(strings.Compare(jobs[a].URL, jobs[b].URL), a-b) })
	return order
}

// those returns the jobs whose URLs have, or had, a job, or if known is false, the jobs whose
// URLs have not.
func (s *Store) those(ctx context.Context, jobs []plat.Job, known bool) ([]plat.Job, error) {
	some := jobs[:0:0]
	for i := range jobs {
		var is bool
		err := s.read.QueryRowContext(ctx, "SELECT due IS NOT NULL OR settled IS NOT NULL FROM urls WHERE url = ?", jobs[i].URL).Scan(&is)
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return nil, err
		}
		if is == known {
			some = append(some, jobs[i])
		}
	}
	return some, nil
}

// intake is the state of one call of Enlist. Jobs of a list often have the same plan.
type intake struct {
	how   storage.Intake
	first int64 // id of the first job, if it is new: the order of ids is that of the list
	at    int   // the job that is written

	sooner   []int // jobs that are to be visited sooner than before
	jobs     []plat.Job
	fresh    int
	plan     plat.Plan // the last one encoded
	planText string
}

// enlisted returns the result, in the order of the list.
func (in *intake) enlisted() storage.Enlisted {
	order := make([]int, len(in.sooner))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return in.sooner[a] - in.sooner[b] })
	e := storage.Enlisted{New: in.fresh, Jobs: make([]plat.Job, len(order))}
	for i, k := range order {
		e.Jobs[i] = in.jobs[k]
	}
	return e
}

func (in *intake) encode(p plat.Plan) string {
	if p != in.plan {
		in.plan, in.planText = p, p.Encode()
	}
	return in.planText
}

func (s *Store) enlist(ctx context.Context, tx *txn, in *intake, job *plat.Job) error {
	// Most URLs of a list are new: insert first, and read only existing ones.
	st := plat.URLState{URL: job.URL}
	storage.Merge(&st, job, in.how)
	id, err := s.addURL(ctx, tx, in.first+int64(in.at), &st, in.encode(st.Plan))
	switch {
	case err != nil:
		return err
	case id != 0:
		in.took(&st, true)
		return nil
	}
	var host int64
	var last sql.NullInt64
	var j jobRow
	st = plat.URLState{URL: job.URL}
	err = tx.QueryRowContext(ctx, "SELECT u.id, u.host, u.last, "+jobColumns+" FROM urls u WHERE u.url = ?", job.URL).Scan(append([]any{&id, &host, &last}, j.into(&st)...)...)
	st.Last = orZero(last)
	if err == nil {
		err = j.set(&st)
	}
	if err != nil {
		return err
	}
	was := st
	if !storage.Merge(&st, job, in.how) {
		return nil
	}
	if err := s.fault("job"); err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, "UPDATE urls SET due = ?, priority = ?, plan = ?, at = ?, attempts = ?, throttled = ?, died = ? WHERE id = ?",
		orNull(st.Due), st.Priority, in.encode(st.Plan), orNull(storage.Timed(&st)), st.Attempts, st.Throttled, orNull(st.Dead), id)
	tx.change(host, storage.ChangeOf(&was, &st))
	if storage.Sooner(&was, &st) {
		in.took(&st, was.Due.IsZero() && was.Settled.IsZero())
	}
	return err
}

// took notes a job that is to be visited sooner than before.
func (in *intake) took(st *plat.URLState, isNew bool) {
	in.sooner = append(in.sooner, in.at)
	in.jobs = append(in.jobs, plat.Job{URL: st.URL, Due: st.Due, Priority: st.Priority})
	if isNew {
		in.fresh++
	}
}

// addURL inserts an unvisited URL with the job of st, and returns its id, or 0 if it already
// exists. If id is not 0, it must be larger than all existing ids.
func (s *Store) addURL(ctx context.Context, tx *txn, id int64, st *plat.URLState, plan string) (int64, error) {
	if err := s.fault("url"); err != nil {
		return 0, err
	}
	host, err := tx.hostID(ctx, storage.Host(st.URL))
	if err != nil {
		return 0, err
	}
	res, err := tx.ExecContext(ctx, `INSERT INTO urls (id, url, host, first, last, status, outcome, due, priority, plan)
		VALUES (?, ?, ?, 0, 0, 0, '', ?, ?, ?) ON CONFLICT (url) DO NOTHING`,
		sql.NullInt64{Int64: id, Valid: id != 0}, st.URL, host, orNull(st.Due), st.Priority, plan)
	if err != nil {
		return 0, err
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		return 0, err
	}
	tx.change(host, storage.ChangeOf(&plat.URLState{}, st))
	return res.LastInsertId()
}

// Defer puts off jobs that failed or are not worth a visit yet, or gives them up, in one
// transaction.
func (s *Store) Defer(ctx context.Context, all ...storage.Deferral) error {
	var passed error // over jobs that are not there
	err := s.transact(ctx, func(tx *txn) error {
		passed = nil
		for i := range all {
			err := s.put(ctx, tx, &all[i])
			switch {
			case err == nil:
			case errors.Is(err, plat.ErrNotFound), errors.Is(err, plat.ErrSettled):
				passed = errors.Join(passed, fmt.Errorf("sqlite: put off %q: %w", all[i].URL, err))
			default:
				return fmt.Errorf("sqlite: put off %q: %w", all[i].URL, err)
			}
		}
		return nil
	})
	return cmp.Or(err, passed)
}

// put puts off a job.
func (s *Store) put(ctx context.Context, tx *txn, d *storage.Deferral) error {
	var id, host int64
	var j jobRow
	st := plat.URLState{URL: d.URL}
	err := tx.QueryRowContext(ctx, "SELECT u.id, u.host, "+jobColumns+" FROM urls u WHERE u.url = ?", d.URL).Scan(append([]any{&id, &host}, j.into(&st)...)...)
	if errors.Is(err, sql.ErrNoRows) {
		return plat.ErrNotFound
	}
	if err != nil {
		return err
	}
	j.times(&st) // a URL with an unreadable plan can become dead too
	was := st
	if !d.Put(&st) {
		return &plat.SettledError{URL: d.URL, Due: st.Due}
	}
	if err := s.fault("deferred"); err != nil {
		return err
	}
	tx.change(host, storage.ChangeOf(&was, &st))
	tx.rest(host, d.Clock)
	_, err = tx.ExecContext(ctx, "UPDATE urls SET due = ?, settled = ?, at = ?, attempts = ?, throttled = ?, died = ? WHERE id = ?",
		orNull(st.Due), orNull(st.Settled), orNull(storage.Timed(&st)), st.Attempts, st.Throttled, orNull(st.Dead), id)
	return err
}
