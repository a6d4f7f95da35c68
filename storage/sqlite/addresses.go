package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"plat/plat"
	"plat/storage"
)

// printOf returns a fingerprint in its stored form.
func printOf(fingerprint uint64) sql.NullInt64 {
	return sql.NullInt64{Int64: int64(fingerprint), Valid: fingerprint != 0}
}

// SetMain makes URLs aliases of a page, in one transaction.
func (s *Store) SetMain(ctx context.Context, main string, now time.Time, urls ...string) error {
	err := s.transact(ctx, func(tx *txn) error {
		for _, url := range urls {
			if err := s.setMain(ctx, tx, main, now, url); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("sqlite: other addresses of %q: %w", main, err)
	}
	return nil
}

func (s *Store) setMain(ctx context.Context, tx *txn, main string, now time.Time, url string) error {
	var id, host int64
	var j jobRow
	st := plat.URLState{URL: url}
	err := tx.QueryRowContext(ctx, "SELECT u.id, u.host, u.head, "+jobColumns+" FROM urls u WHERE u.url = ?", url).
		Scan(append([]any{&id, &host, &st.Head}, j.into(&st)...)...)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		if main == "" {
			return nil
		}
		if id, err = s.addURL(ctx, tx, 0, &st, ""); err == nil {
			host, err = tx.hostID(ctx, storage.Host(url))
		}
	case err == nil:
		err = j.set(&st)
	}
	if err != nil {
		return err
	}
	was := st
	if !storage.Alias(&st, main, now) {
		return nil
	}
	if err := s.fault("main"); err != nil {
		return err
	}
	tx.change(host, storage.ChangeOf(&was, &st))
	_, err = tx.ExecContext(ctx, "UPDATE urls SET due = ?, settled = ?, at = ?, attempts = ?, throttled = ? WHERE id = ?",
		orNull(st.Due), orNull(st.Settled), orNull(storage.Timed(&st)), st.Attempts, st.Throttled, id)
	if err != nil {
		return err
	}
	return s.writeMain(ctx, tx, id, main)
}

// writeMain stores the URL under which a page is archived.
func (s *Store) writeMain(ctx context.Context, tx *txn, id int64, main string) error {
	var to sql.NullInt64
	if main != "" {
		err := tx.QueryRowContext(ctx, "SELECT id FROM urls WHERE url = ?", main).Scan(&to)
		if errors.Is(err, sql.ErrNoRows) {
			return fmt.Errorf("nothing is known of %q: %w", main, plat.ErrNotFound)
		}
		if err != nil {
			return err
		}
	}
	if err := s.fault("main"); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, "UPDATE urls SET main = ? WHERE id = ?", to, id)
	return err
}

// Others returns the aliases of a page.
func (s *Store) Others(ctx context.Context, main string, limit int) ([]string, error) {
	return s.urlsOf(ctx, "other addresses", "SELECT url FROM urls WHERE main = (SELECT id FROM urls WHERE url = ?) ORDER BY url LIMIT ?", main, limit)
}

// Lookalikes returns the URLs of a host whose last version has a fingerprint.
func (s *Store) Lookalikes(ctx context.Context, host string, fingerprint uint64, limit int) ([]string, error) {
	return s.urlsOf(ctx, "pages that look alike", "SELECT url FROM urls WHERE host = (SELECT id FROM hosts WHERE host = ?) AND print = ? ORDER BY url LIMIT ?",
		host, int64(fingerprint), limit)
}

func (s *Store) urlsOf(ctx context.Context, what, query string, args ...any) ([]string, error) {
	if s.format < withAddresses {
		return nil, nil
	}
	var all []string
	err := rows(ctx, s.read, func(scan func(...any) error) error {
		var url string
		err := scan(&url)
		all = append(all, url)
		return err
	}, query, args...)
	if err != nil {
		return nil, fmt.Errorf("sqlite: %s: %w", what, advise(s.path, err))
	}
	return all, nil
}

// Known returns the number of URLs of a host.
func (s *Store) Known(ctx context.Context, host string, limit int) (n int, err error) {
	err = s.read.QueryRowContext(ctx, "SELECT count(*) FROM (SELECT 1 FROM urls WHERE host = (SELECT id FROM hosts WHERE host = ?) LIMIT ?)", host, limit).Scan(&n)
	if err != nil {
		return 0, fmt.Errorf("sqlite: URLs of %q: %w", host, advise(s.path, err))
	}
	return n, nil
}
