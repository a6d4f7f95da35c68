package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"
	"slices"
	"time"

	"plat/plat"
	"plat/storage"
)

// hostChange is the change of a host's row by a transaction.
type hostChange struct {
	storage.Change
	clock time.Time
}

// hostID returns the id of a host's row, inserting it if necessary.
func (t *txn) hostID(ctx context.Context, host string) (id int64, err error) {
	if id := t.hosts[host]; id != 0 {
		return id, nil
	}
	err = t.QueryRowContext(ctx, "SELECT id FROM hosts WHERE host = ?", host).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		var res sql.Result
		if res, err = t.ExecContext(ctx, "INSERT INTO hosts (host) VALUES (?)", host); err == nil {
			id, err = res.LastInsertId()
		}
	}
	if err != nil {
		return 0, err
	}
	t.hosts[host] = id
	return id, nil
}

func (t *txn) of(host int64) *hostChange {
	c := t.jobs[host]
	if c == nil {
		c = &hostChange{Change: storage.Change{Priority: -1}}
		t.jobs[host] = c
	}
	return c
}

// change records a change of a URL for its host's row.
func (t *txn) change(host int64, c storage.Change) {
	if c != (storage.Change{Priority: -1}) {
		t.of(host).Add(c)
	}
}

// rest records the earliest time of a host's next visit.
func (t *txn) rest(host int64, clock time.Time) {
	if c := t.of(host); clock.After(c.clock) {
		c.clock = clock
	}
}

// writeHosts writes the hosts' rows, once per transaction.
func (s *Store) writeHosts(ctx context.Context, t *txn) error {
	for id, c := range t.jobs {
		if c.Change == (storage.Change{Priority: -1}) && c.clock.IsZero() {
			continue
		}
		if err := s.fault("host"); err != nil {
			return err
		}
		clock := int64(0)
		if !c.clock.IsZero() {
			clock = millis(c.clock)
		}
		_, err := t.ExecContext(ctx, `UPDATE hosts SET backlog = backlog + ?1, timed = timed + ?2, dead = dead + ?3, clock = max(clock, ?4),
			next = CASE WHEN ?5 IS NULL THEN next WHEN next IS NULL THEN ?5 ELSE min(next, ?5) END,
			since = CASE WHEN ?6 >= 0 AND urgency IS NULL THEN ?7 ELSE since END,
			urgency = CASE WHEN backlog + ?1 + timed + ?2 <= 0 THEN NULL WHEN ?6 < 0 THEN urgency WHEN urgency IS NULL THEN ?6 ELSE max(urgency, ?6) END WHERE id = ?8`,
			c.Backlog, c.Timed, c.Dead, clock, orNull(c.Next), c.Priority, orNull(c.Since), id)
		if err != nil {
			return err
		}
	}
	return nil
}

// Wake makes hosts ready that have a job whose time has come.
func (s *Store) Wake(ctx context.Context, now time.Time, limit int) (woken map[string]float32, next time.Time, err error) {
	fail := func(err error) (map[string]float32, time.Time, error) {
		return nil, time.Time{}, fmt.Errorf("sqlite: wake hosts: %w", advise(s.path, err))
	}
	var first sql.NullInt64
	if err := s.read.QueryRowContext(ctx, "SELECT min(next) FROM hosts WHERE next IS NOT NULL").Scan(&first); err != nil {
		return fail(err)
	}
	if !first.Valid || first.Int64 > millis(now) {
		return nil, orZero(first), nil // the usual case: nothing to write
	}
	err = s.transact(ctx, func(tx *txn) error {
		var ids []int64
		err := rows(ctx, tx, func(scan func(...any) error) error {
			var id int64
			err := scan(&id)
			ids = append(ids, id)
			return err
		}, "SELECT id FROM hosts WHERE next <= ? ORDER BY next LIMIT ?", millis(now), limit)
		if err != nil {
			return err
		}
		woken = make(map[string]float32, len(ids))
		for _, id := range ids {
			host, urgency, err := s.wake(ctx, tx, id, millis(now))
			if err != nil {
				return err
			}
			woken[host] = urgency
		}
		return tx.QueryRowContext(ctx, "SELECT min(next) FROM hosts WHERE next IS NOT NULL").Scan(&first)
	})
	if err != nil {
		return fail(err)
	}
	return woken, orZero(first), nil
}

// maxWoken limits the due jobs of a host that determine its urgency.
const maxWoken = 100

func (s *Store) wake(ctx context.Context, tx *txn, id, now int64) (host string, urgency float32, err error) {
	if err := s.fault("wake"); err != nil {
		return "", 0, err
	}
	err = tx.QueryRowContext(ctx, `UPDATE hosts SET since = CASE WHEN urgency IS NULL THEN ?1 ELSE since END, urgency = max(coalesce(urgency, -1),
			coalesce((SELECT max(priority) FROM (SELECT priority FROM urls WHERE host = ?2 AND at <= ?1 ORDER BY at LIMIT ?3)), 0),
			coalesce((SELECT priority FROM urls WHERE host = ?2 AND due IS NOT NULL AND at IS NULL ORDER BY priority DESC LIMIT 1), 0)),
		next = (SELECT min(at) FROM urls WHERE host = ?2 AND at > ?1) WHERE id = ?2 RETURNING host, urgency`, now, id, maxWoken).Scan(&host, &urgency)
	return host, urgency, err
}

// Ready returns ready hosts in order.
func (s *Store) Ready(ctx context.Context, after storage.ReadyHost, limit int) ([]storage.ReadyHost, error) {
	var all []storage.ReadyHost
	read := func(where string, args ...any) error {
		return rows(ctx, s.read, func(scan func(...any) error) error {
			var h storage.ReadyHost
			var since int64
			err := scan(&h.Host, &h.Priority, &since, &h.Row)
			h.Since = instant(since)
			all = append(all, h)
			return err
		}, "SELECT host, urgency, since, id FROM hosts WHERE "+where+" ORDER BY urgency DESC, since, id LIMIT ?1", append([]any{limit - len(all)}, args...)...)
	}
	var err error
	if after.Row == 0 {
		err = read("urgency IS NOT NULL")
	} else {
		// Two queries, which both start at their position in the index: a row value would need
		// all columns in one direction, and many hosts may have the same urgency.
		err = read("urgency = ?2 AND (since, id) > (?3, ?4)", after.Priority, millis(after.Since), after.Row)
		if err == nil && len(all) < limit {
			err = read("urgency < ?2", after.Priority)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("sqlite: ready hosts: %w", advise(s.path, err))
	}
	return all, nil
}

// Load returns the jobs of hosts, in one transaction: enlisting a URL after it makes its host
// ready again.
func (s *Store) Load(ctx context.Context, now time.Time, hosts []storage.HostLimit) (all []storage.HostJobs, err error) {
	err = s.transact(ctx, func(tx *txn) error {
		all = all[:0]
		for _, h := range hosts {
			jobs, err := s.load(ctx, tx, now, h)
			if err != nil {
				return err
			}
			all = append(all, jobs)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("sqlite: load jobs: %w", advise(s.path, err))
	}
	return all, nil
}

// errEnough ends the reading of a host's jobs.
var errEnough = errors.New("enough jobs are read")

func (s *Store) load(ctx context.Context, tx *txn, now time.Time, h storage.HostLimit) (storage.HostJobs, error) {
	out := storage.HostJobs{Host: h.Host}
	var id, clock int64
	err := tx.QueryRowContext(ctx, "SELECT id, clock FROM hosts WHERE host = ?", h.Host).Scan(&id, &clock)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return out, nil
	case err != nil:
		return out, err
	case clock > 0:
		out.Clock = instant(clock)
	}
	var timed, backlog []storage.Waiting
	var next sql.NullInt64 // earliest Due of the backlog's jobs that are not due yet
	read := func(into *[]storage.Waiting, query string, args ...any) error {
		return rows(ctx, tx, func(scan func(...any) error) error {
			var w storage.Waiting
			var due, since int64
			var budget bool
			if err := scan(&w.URL, &due, &since, &w.Priority, &w.Attempts, &w.Throttled, &budget); err != nil {
				return err
			}
			if budget {
				w.State = &plat.URLState{} // to be read
			}
			if w.Due, w.Since = instant(due), instant(since); since > millis(now) {
				if !next.Valid || since < next.Int64 {
					next = sql.NullInt64{Int64: since, Valid: true}
				}
				return nil
			}
			if *into = append(*into, w); len(*into) > h.Limit {
				return errEnough
			}
			return nil
		}, query, args...)
	}
	const columns = `SELECT url, due, coalesce(at, due), priority, attempts, throttled, visits > 0 AND instr(plan, '"budget"') > 0 FROM urls `
	if err := read(&timed, columns+"WHERE host = ? AND at <= ? ORDER BY at LIMIT ?", id, millis(now), h.Limit+1); err != nil && err != errEnough {
		return out, err
	}
	// No limit: some of the backlog may not be due yet, and must not hide jobs that are. The
	// index has no due times, as backlogs are due almost always.
	if err := read(&backlog, columns+"WHERE host = ? AND due IS NOT NULL AND at IS NULL ORDER BY priority DESC, id", id); err != nil && err != errEnough {
		return out, err
	}
	out.Jobs, out.More = storage.InOrder(h.Limit, timed, backlog)
	for i := range out.Jobs {
		if j := &out.Jobs[i]; j.State != nil {
			st, err := s.state(ctx, tx, j.URL)
			switch j.State = &st; {
			case errors.Is(err, plat.ErrCorrupt), errors.Is(err, plat.ErrNewer): // its visit will report that
				j.State = nil
			case err != nil:
				return out, err
			}
		}
	}
	urgency := sql.NullFloat64{Valid: len(out.Jobs) > 0 || out.More}
	if urgency.Valid {
		urgency.Float64 = float64(max(first(timed), first(backlog)))
	}
	if err := s.fault("load"); err != nil {
		return out, err
	}
	_, err = tx.ExecContext(ctx, `UPDATE hosts SET urgency = ?1, since = ?2, next = (SELECT min(x) FROM
		(SELECT min(at) x FROM urls WHERE host = ?4 AND at > ?2 UNION ALL SELECT ?3) WHERE x IS NOT NULL) WHERE id = ?4`, urgency, millis(now), next, id)
	return out, err
}

// first returns the highest priority of waiting jobs.
func first(all []storage.Waiting) float32 {
	if len(all) == 0 {
		return 0
	}
	return slices.MaxFunc(all, func(a, b storage.Waiting) int { return storage.Rank(b.Priority) - storage.Rank(a.Priority) }).Priority
}

// Counts returns the numbers of jobs, from the rows of hosts.
func (s *Store) Counts(ctx context.Context, now time.Time) (c storage.JobCounts, err error) {
	if s.format < withHosts {
		return c, fmt.Errorf("sqlite: count jobs: %w: a file of an older plat counts no jobs until it is opened for writing", ErrReadOnly)
	}
	var timed int64
	err = s.read.QueryRowContext(ctx, `SELECT count(*) FILTER (WHERE backlog + timed > 0), coalesce(sum(backlog), 0), coalesce(sum(timed), 0), coalesce(sum(dead), 0) FROM hosts`).
		Scan(&c.Hosts, &c.Backlog, &timed, &c.Dead)
	if err == nil {
		err = s.read.QueryRowContext(ctx, "SELECT count(*) FROM (SELECT 1 FROM urls WHERE at <= ? LIMIT ?)", millis(now), storage.MaxDue).Scan(&c.Due)
	}
	if err != nil {
		return c, fmt.Errorf("sqlite: count jobs: %w", advise(s.path, err))
	}
	c.Later = max(0, timed-c.Due)
	return c, nil
}

// HostCounts returns the numbers of jobs of hosts.
func (s *Store) HostCounts(ctx context.Context, limit int) ([]storage.HostCount, error) {
	if s.format < withHosts {
		return nil, nil
	}
	var all []storage.HostCount
	err := rows(ctx, s.read, func(scan func(...any) error) error {
		var h storage.HostCount
		var clock int64
		err := scan(&h.Host, &h.Backlog, &h.Timed, &h.Dead, &clock)
		if clock > 0 {
			h.Clock = instant(clock)
		}
		all = append(all, h)
		return err
	}, "SELECT host, backlog, timed, dead, clock FROM hosts WHERE backlog + timed + dead > 0 ORDER BY backlog + timed DESC, dead DESC, host LIMIT ?", limit)
	if err != nil {
		return nil, fmt.Errorf("sqlite: count jobs: %w", advise(s.path, err))
	}
	return all, nil
}

// Dead yields the dead URLs.
func (s *Store) Dead(ctx context.Context) iter.Seq2[storage.DeadURL, error] {
	return func(yield func(storage.DeadURL, error) bool) {
		if s.format < withHosts {
			return
		}
		before, row := int64(1<<63-1), int64(0)
		for {
			var got []storage.DeadURL
			err := rows(ctx, s.read, func(scan func(...any) error) error {
				var d storage.DeadURL
				var died int64
				err := scan(&d.URL, &d.Outcome, &d.Attempts, &died, &row)
				d.Time = instant(died)
				got = append(got, d)
				before = died
				return err
			}, "SELECT url, outcome, attempts, died, id FROM urls WHERE died IS NOT NULL AND (died < ?1 OR died = ?1 AND id > ?2) ORDER BY died DESC, id LIMIT ?3", before, row, page)
			if err != nil {
				yield(storage.DeadURL{}, fmt.Errorf("sqlite: dead URLs: %w", advise(s.path, err)))
				return
			}
			for _, d := range got {
				for v, err := range s.Visits(ctx, d.URL, 1) {
					if err == nil {
						d.Error = v.Error
					}
				}
				if !yield(d, nil) {
					return
				}
			}
			if len(got) < page {
				return
			}
		}
	}
}

// Notes returns the notes whose names begin with prefix.
func (s *Store) Notes(ctx context.Context, prefix string) (map[string]string, error) {
	all := map[string]string{}
	if s.format < withHosts {
		return all, nil
	}
	cond, bounds := within("name", prefix)
	err := rows(ctx, s.read, func(scan func(...any) error) error {
		var name, text string
		err := scan(&name, &text)
		all[name] = text
		return err
	}, "SELECT name, text FROM notes WHERE "+cond, bounds...)
	if err != nil {
		return nil, fmt.Errorf("sqlite: notes: %w", advise(s.path, err))
	}
	return all, nil
}

// SetNote writes a note.
func (s *Store) SetNote(ctx context.Context, name, text string) error {
	err := s.transact(ctx, func(tx *txn) error {
		if err := s.fault("note"); err != nil {
			return err
		}
		if text == "" {
			_, err := tx.ExecContext(ctx, "DELETE FROM notes WHERE name = ?", name)
			return err
		}
		_, err := tx.ExecContext(ctx, "INSERT OR REPLACE INTO notes (name, text) VALUES (?, ?)", name, text)
		return err
	})
	if err != nil {
		return fmt.Errorf("sqlite: note %q: %w", name, advise(s.path, err))
	}
	return nil
}

// ReplaceNote writes a note if its text is old, or if old is empty and there is none.
func (s *Store) ReplaceNote(ctx context.Context, name, old, text string) (replaced bool, err error) {
	err = s.transact(ctx, func(tx *txn) error {
		if err := s.fault("note"); err != nil {
			return err
		}
		statement := "UPDATE notes SET text = ?2 WHERE name = ?1 AND text = ?3"
		if old == "" {
			statement = "INSERT OR IGNORE INTO notes (name, text) VALUES (?1, ?2)"
		}
		r, err := tx.ExecContext(ctx, statement, name, text, old)
		if err != nil {
			return err
		}
		n, err := r.RowsAffected()
		replaced = n > 0
		return err
	})
	if err != nil {
		return false, fmt.Errorf("sqlite: note %q: %w", name, advise(s.path, err))
	}
	return replaced, nil
}
