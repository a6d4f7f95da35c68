package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"
	"strings"

	"plat/plat"
	"plat/storage"
)

func isNotFound(err error) bool { return errors.Is(err, plat.ErrNotFound) }
func isCorrupt(err error) bool  { return errors.Is(err, plat.ErrCorrupt) }

// page is the number of rows that a sequence reads at a time. Between two pages it holds no
// connection, so the loop's body may call any method.
const page = 256

// stateQuery returns a query for scanState.
func (s *Store) stateQuery(where string) string {
	return "SELECT u.url, h.host, u.first, u.last, u.visits, u.changes, u.head, u.level, u.status, u.outcome, u.page_bytes, u.stored_bytes, " +
		s.jobs + " FROM urls u JOIN hosts h ON h.id = u.host WHERE " + where
}

func scanState(scan func(...any) error) (plat.URLState, error) {
	var st plat.URLState
	var first, last int64
	var j jobRow
	err := scan(append([]any{&st.URL, &st.Host, &first, &last, &st.Visits, &st.Changes, &st.Head, &st.Level, &st.Status, &st.Outcome,
		&st.PageBytes, &st.StoredBytes}, j.into(&st)...)...)
	if st.Visits > 0 {
		st.First, st.Last = instant(first), instant(last)
	}
	if err == nil {
		err = j.set(&st)
	}
	return st, err
}

// State returns the state of a URL.
func (s *Store) State(ctx context.Context, url string) (plat.URLState, error) {
	return s.state(ctx, s.read, url)
}

func (s *Store) state(ctx context.Context, from querier, url string) (plat.URLState, error) {
	st, err := scanState(from.QueryRowContext(ctx, s.stateQuery("u.url = ?"), url).Scan)
	if err != nil {
		return plat.URLState{}, notFound(err, "state of %q", url)
	}
	if s.format >= withMemories {
		err := from.QueryRowContext(ctx, "SELECT data FROM memories WHERE url = (SELECT id FROM urls WHERE url = ?)", url).Scan(&st.Memory)
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return plat.URLState{}, fmt.Errorf("sqlite: state of %q: %w", url, advise(s.path, err))
		}
	}
	return st, nil
}

// within returns a condition for texts of a column with a prefix, as a range of its
// index: up to the prefix with its last byte incremented.
func within(column, prefix string) (cond string, args []any) {
	end := prefix
	for end != "" && end[len(end)-1] == 0xff {
		end = end[:len(end)-1]
	}
	if end == "" {
		return column + " >= ?", []any{prefix}
	}
	return column + " >= ? AND " + column + " < ?", []any{prefix, end[:len(end)-1] + string([]byte{end[len(end)-1] + 1})}
}

// rest is like within, for the texts after the text after, unless that is empty. It has one
// lower bound: with two, SQLite may use the lower one for the range, and scan all rows between.
func rest(column, prefix, after string) (cond string, args []any) {
	cond, args = within(column, prefix)
	if after != "" && after >= prefix {
		cond = strings.Replace(cond, ">=", ">", 1)
		args[0] = after
	}
	return cond, args
}

// States yields the states of all URLs with a prefix.
func (s *Store) States(ctx context.Context, prefix, after string) iter.Seq2[plat.URLState, error] {
	return func(yield func(plat.URLState, error) bool) {
		for {
			var got []plat.URLState
			cond, args := rest("u.url", prefix, after)
			err := rows(ctx, s.read, func(scan func(...any) error) error {
				st, err := scanState(scan)
				got = append(got, st)
				return err
			}, s.stateQuery(cond+" ORDER BY u.url LIMIT ?"), append(args, page)...)
			if err != nil {
				yield(plat.URLState{}, fmt.Errorf("sqlite: states: %w", err))
				return
			}
			for _, st := range got {
				if !yield(st, nil) {
					return
				}
			}
			if len(got) < page {
				return
			}
			after = got[len(got)-1].URL
		}
	}
}

// urlRow is the part of a URL's state that visits change.
type urlRow struct {
	plat.URLState
	id   int64
	host int64
	pack int64
	past int // see past.go
}

// ensureURL returns the row of a URL, inserting it if necessary. Its plan is not read.
func (s *Store) ensureURL(ctx context.Context, tx *txn, url string) (*urlRow, error) {
	u := &urlRow{URLState: plat.URLState{URL: url}}
	var first, last int64
	var j jobRow
	read := func() error {
		return tx.QueryRowContext(ctx, "SELECT u.id, u.host, u.head, u.pack, u.past, u.first, u.last, u.visits, u.status, u.outcome, u.page_bytes, "+jobColumns+" FROM urls u WHERE u.url = ?", url).
			Scan(append([]any{&u.id, &u.host, &u.Head, &u.pack, &u.past, &first, &last, &u.Visits, &u.Status, &u.Outcome, &u.PageBytes}, j.into(&u.URLState)...)...)
	}
	err := read()
	if errors.Is(err, sql.ErrNoRows) {
		if _, err = s.addURL(ctx, tx, 0, &plat.URLState{URL: url}, ""); err == nil {
			err = read()
		}
	}
	u.First, u.Last = instant(first), instant(last)
	j.times(&u.URLState)
	return u, err
}

// Record stores a visit that found no new version.
func (s *Store) Record(ctx context.Context, v plat.Visit, pageBytes int64) error {
	if v.URL == "" {
		return errors.New("sqlite: record: a visit without URL")
	}
	if err := storage.CheckMemory(v.Memory); err != nil {
		return fmt.Errorf("sqlite: record visit of %q: %w", v.URL, err)
	}
	err := s.transact(ctx, func(tx *txn) error {
		u, err := s.ensureURL(ctx, tx, v.URL)
		if err != nil {
			return err
		}
		if storage.Outlived(&v, &u.URLState) {
			return nil
		}
		isNew := true
		if v.Unkept {
			err = s.remember(ctx, tx, u.id, &v)
		} else {
			isNew, err = s.visit(ctx, tx, u, &v, pageBytes)
		}
		switch {
		case err != nil || !isNew:
			return err
		case !storage.Takes(&u.URLState, &v): // the transaction is rolled back
			return &plat.SettledError{URL: v.URL, Due: u.Due}
		}
		if err := s.settle(ctx, tx, u, &v); err != nil || v.Main == "" || u.Head > 0 {
			return err
		}
		return s.writeMain(ctx, tx, u.id, v.Main)
	})
	if err != nil {
		return fmt.Errorf("sqlite: record visit of %q: %w", v.URL, err)
	}
	return nil
}

// visit stores and counts v unless it exists, and reports whether it was new.
func (s *Store) visit(ctx context.Context, tx *txn, u *urlRow, v *plat.Visit, pageBytes int64) (bool, error) {
	isNew, err := s.addVisit(ctx, tx, u.id, v)
	if err != nil || !isNew {
		return false, err
	}
	if err := s.fault("state"); err != nil {
		return false, err
	}
	storage.Count(&u.URLState, v, pageBytes)
	_, err = tx.ExecContext(ctx, "UPDATE urls SET visits = ?, page_bytes = ?, status = ?, outcome = ?, first = ?, last = ? WHERE id = ?",
		u.Visits, u.PageBytes, u.Status, string(u.Outcome), millis(u.First), millis(u.Last), u.id)
	if err != nil {
		return true, err
	}
	return true, s.remember(ctx, tx, u.id, v)
}

// remember stores v's Memory, if it is not empty.
func (s *Store) remember(ctx context.Context, tx *txn, url int64, v *plat.Visit) error {
	if v.Memory == "" {
		return nil
	}
	if err := s.fault("memory"); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, "INSERT OR REPLACE INTO memories (url, data) VALUES (?, ?)", url, []byte(v.Memory))
	return err
}

// SwapMemory replaces the memory of a URL if it still equals was, in one transaction.
func (s *Store) SwapMemory(ctx context.Context, url, was, memory string) (swapped bool, err error) {
	if err = storage.CheckMemory(memory); err == nil {
		err = s.transact(ctx, func(tx *txn) error {
			var id int64
			if err := tx.QueryRowContext(ctx, "SELECT id FROM urls WHERE url = ?", url).Scan(&id); err != nil {
				return err
			}
			var is string
			if err := tx.QueryRowContext(ctx, "SELECT data FROM memories WHERE url = ?", id).Scan(&is); err != nil && !errors.Is(err, sql.ErrNoRows) {
				return err
			}
			if swapped = is == was; !swapped || is == memory {
				return nil
			}
			if memory == "" {
				_, err := tx.ExecContext(ctx, "DELETE FROM memories WHERE url = ?", id)
				return err
			}
			return s.remember(ctx, tx, id, &plat.Visit{Memory: memory})
		})
	}
	if err != nil {
		return false, notFound(err, "memory of %q", url)
	}
	return swapped, nil
}

// settle settles the job of v, if it has one.
func (s *Store) settle(ctx context.Context, tx *txn, u *urlRow, v *plat.Visit) error {
	tx.rest(u.host, storage.ClockAfter(v))
	if v.Settles.IsZero() {
		return nil
	}
	if err := s.fault("settled"); err != nil {
		return err
	}
	was := u.URLState
	storage.Settle(&u.URLState, v)
	tx.change(u.host, storage.ChangeOf(&was, &u.URLState))
	_, err := tx.ExecContext(ctx, "UPDATE urls SET settled = ?, due = ?, at = ?, attempts = ?, throttled = ?, died = ? WHERE id = ?",
		orNull(u.Settled), orNull(u.Due), orNull(storage.Timed(&u.URLState)), u.Attempts, u.Throttled, orNull(u.Dead), u.id)
	return err
}

// Stats returns one row per visited host.
func (s *Store) Stats(ctx context.Context) ([]storage.SiteStats, error) {
	var out []storage.SiteStats
	files := "sum(u.picture_bytes), sum(u.resource_bytes)"
	if s.format < withForgetting {
		files = "0, 0" // stored_bytes includes them
	}
	err := rows(ctx, s.read, func(scan func(...any) error) error {
		var x storage.SiteStats
		err := scan(&x.Host, &x.URLs, &x.Visits, &x.Versions, &x.PageBytes, &x.StoredBytes, &x.PictureBytes, &x.ResourceBytes)
		out = append(out, x)
		return err
	}, `SELECT h.host, count(*), sum(u.visits), sum(u.changes), sum(u.page_bytes), sum(u.stored_bytes), `+files+`
		FROM urls u JOIN hosts h ON h.id = u.host WHERE u.visits > 0 GROUP BY h.host ORDER BY h.host`)
	if err != nil {
		return nil, fmt.Errorf("sqlite: stats: %w", err)
	}
	return out, nil
}
