package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"

	"plat"
	"plat/storage"
)

func isNotFound(err error) bool { return errors.Is(err, plat.ErrNotFound) }

// page is how many rows a sequence reads at a time: between two pages it holds
// no connection, so the loop over it may call any method.
const page = 256

const stateColumns = `u.url, h.host, u.first, u.last, u.visits, u.changes, u.head, u.level, u.status, u.outcome, u.page_bytes, u.stored_bytes
	FROM urls u JOIN hosts h ON h.id = u.host`

func scanState(scan func(...any) error, more ...any) (plat.URLState, error) {
	var st plat.URLState
	var first, last int64
	err := scan(append([]any{&st.URL, &st.Host, &first, &last, &st.Visits, &st.Changes, &st.Head, &st.Level, &st.Status, &st.Outcome,
		&st.PageBytes, &st.StoredBytes}, more...)...)
	st.First, st.Last = instant(first), instant(last)
	return st, err
}

// State returns what is known of a URL.
func (s *Store) State(ctx context.Context, url string) (plat.URLState, error) {
	st, err := scanState(s.read.QueryRowContext(ctx, "SELECT "+stateColumns+" WHERE u.url = ?", url).Scan)
	if err != nil {
		return plat.URLState{}, notFound(err, "state of %q", url)
	}
	return st, nil
}

// within is a condition for URLs with a prefix, as a range of the index: up to the
// prefix with its last byte one higher.
func within(prefix string) (cond string, args []any) {
	end := prefix
	for end != "" && end[len(end)-1] == 0xff {
		end = end[:len(end)-1]
	}
	if end == "" {
		return "u.url >= ?", []any{prefix}
	}
	return "u.url >= ? AND u.url < ?", []any{prefix, end[:len(end)-1] + string([]byte{end[len(end)-1] + 1})}
}

// States yields the states of all URLs with a prefix.
func (s *Store) States(ctx context.Context, prefix string) iter.Seq2[plat.URLState, error] {
	return func(yield func(plat.URLState, error) bool) {
		within, bounds := within(prefix)
		from, op := prefix, ">="
		for {
			var got []plat.URLState
			err := rows(ctx, s.read, func(scan func(...any) error) error {
				st, err := scanState(scan)
				got = append(got, st)
				return err
			}, "SELECT "+stateColumns+" WHERE "+within+" AND u.url "+op+" ? ORDER BY u.url LIMIT ?", append(bounds[:len(bounds):len(bounds)], from, page)...)
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
			from, op = got[len(got)-1].URL, ">"
		}
	}
}

// A urlRow is what a writer needs of a URL.
type urlRow struct {
	id   int64
	head int
	pack int64
}

// ensureURL returns the row of a URL, made if it is not there.
func (s *Store) ensureURL(ctx context.Context, tx *txn, v *plat.Visit) (u urlRow, err error) {
	const find = "SELECT id, head, pack FROM urls WHERE url = ?"
	err = tx.QueryRowContext(ctx, find, v.URL).Scan(&u.id, &u.head, &u.pack)
	if !errors.Is(err, sql.ErrNoRows) {
		return u, err
	}
	if err := s.fault("url"); err != nil {
		return u, err
	}
	host := storage.Host(v.URL)
	if _, err := tx.ExecContext(ctx, "INSERT INTO hosts (host) VALUES (?) ON CONFLICT DO NOTHING", host); err != nil {
		return u, err
	}
	at := millis(v.Time)
	_, err = tx.ExecContext(ctx, `INSERT INTO urls (url, host, first, last, status, outcome)
		VALUES (?, (SELECT id FROM hosts WHERE host = ?), ?, ?, ?, ?)`, v.URL, host, at, at, v.Status, string(v.Outcome))
	if err != nil {
		return u, err
	}
	return u, tx.QueryRowContext(ctx, find, v.URL).Scan(&u.id, &u.head, &u.pack)
}

// Record stores a visit that found no new version.
func (s *Store) Record(ctx context.Context, v plat.Visit, pageBytes int64) error {
	if v.URL == "" {
		return errors.New("sqlite: record: a visit without URL")
	}
	err := s.transact(ctx, func(tx *txn) error {
		u, err := s.ensureURL(ctx, tx, &v)
		if err != nil {
			return err
		}
		return s.visit(ctx, tx, u.id, &v, pageBytes)
	})
	if err != nil {
		return fmt.Errorf("sqlite: record visit of %q: %w", v.URL, err)
	}
	return nil
}

// visit stores v and counts it, unless it is there.
func (s *Store) visit(ctx context.Context, tx *txn, url int64, v *plat.Visit, pageBytes int64) error {
	isNew, err := s.addVisit(ctx, tx, url, v)
	if err != nil || !isNew {
		return err
	}
	if err := s.fault("state"); err != nil {
		return err
	}
	at := millis(v.Time)
	_, err = tx.ExecContext(ctx, `UPDATE urls SET visits = visits+1, page_bytes = page_bytes+?,
		status  = CASE WHEN ?2 >= last THEN ?3 ELSE status END,
		outcome = CASE WHEN ?2 >= last THEN ?4 ELSE outcome END,
		first = min(first, ?2), last = max(last, ?2) WHERE id = ?5`, pageBytes, at, v.Status, string(v.Outcome), url)
	return err
}

// Stats returns one row per host.
func (s *Store) Stats(ctx context.Context) ([]storage.SiteStats, error) {
	var out []storage.SiteStats
	err := rows(ctx, s.read, func(scan func(...any) error) error {
		var x storage.SiteStats
		err := scan(&x.Host, &x.URLs, &x.Visits, &x.Versions, &x.PageBytes, &x.StoredBytes)
		out = append(out, x)
		return err
	}, `SELECT h.host, count(*), sum(u.visits), sum(u.head), sum(u.page_bytes), sum(u.stored_bytes)
		FROM urls u JOIN hosts h ON h.id = u.host GROUP BY h.host ORDER BY h.host`)
	if err != nil {
		return nil, fmt.Errorf("sqlite: stats: %w", err)
	}
	return out, nil
}
