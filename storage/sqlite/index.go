package sqlite

import (
	"bytes"
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"plat/plat"
)

// Index adds the new commits to the search index.
func (s *Store) Index(ctx context.Context, progress func(done, total int64)) error {
	if progress == nil {
		progress = func(int64, int64) {}
	}
	x, err := s.search(ctx)
	for again := true; again && err == nil; {
		again, err = s.indexOnce(ctx, x, progress)
	}
	if err != nil {
		return fmt.Errorf("sqlite: index: %w", err)
	}
	return nil
}

// Reindex empties the search index, and fills it again.
func (s *Store) Reindex(ctx context.Context, progress func(done, total int64)) error {
	x, err := s.search(ctx)
	if err == nil {
		err = x.transact(ctx, func(tx *txn) error { return x.reset(ctx, tx) })
	}
	if err != nil {
		return fmt.Errorf("sqlite: reindex: %w", err)
	}
	x.retried.Store(false)
	return s.Index(ctx, progress)
}

// Migrate does nothing: opening an archive for writing has migrated it.
func (s *Store) Migrate(context.Context, func(done, total int64)) (from, to int, err error) {
	if s.format < format {
		return int(s.format), int(s.format), fmt.Errorf("sqlite: migrate: %w", ErrReadOnly)
	}
	return int(s.was), format, nil
}

// indexOnce indexes the versions committed before it begins. again requests a further pass,
// which detects versions that were committed since.
func (s *Store) indexOnce(ctx context.Context, x *searchFile, progress func(done, total int64)) (again bool, err error) {
	p, err := s.plan(ctx, x)
	if err != nil || p.top == p.done && !p.stale && x.retried.Load() {
		return false, err
	}
	if p.top > p.done || p.stale {
		if err := x.begin(ctx, &p); err != nil || p.stale {
			return p.stale, err
		}
	}
	urls, total, err := s.toIndex(ctx, x, &p)
	if err != nil {
		return false, err
	}
	if len(urls) == 0 && p.top == p.done {
		x.retried.Store(true)
		return false, nil
	}
	w := indexWriter{s: s, x: x, epoch: p.epoch, progress: func(done int64) { progress(done, total) }}
	var failed []toIndex
	var first error
	for _, u := range urls {
		switch err := w.url(ctx, u); {
		case errors.Is(err, plat.ErrCorrupt), errors.Is(err, plat.ErrNotFound):
			failed, first = append(failed, u), cmp.Or(first, err)
		case err != nil:
			return false, err
		}
	}
	if err := w.flush(ctx); err != nil {
		return false, err
	}
	if w.passed {
		return true, nil
	}
	if err := x.end(ctx, &p, failed); err != nil {
		return false, err
	}
	if len(failed) > 0 {
		return false, fmt.Errorf("%d of %d URLs cannot be read, the first: %w; run plat verify", len(failed), len(urls), first)
	}
	return false, nil
}

// plan is the pending work on the index.
type plan struct {
	done, top int64 // versions up to done are indexed; those up to top are to be indexed
	sum       []byte
	witness   int64
	stale     bool // the index belongs to a different archive
	epoch     int64
}

// toIndex is a URL with versions that may not be indexed.
type toIndex struct {
	id   int64
	url  string
	head int
	rows int64 // its number of versions in the total
}

// plan compares the index with the archive. Version ids grow with every commit, so
// only those after the mark are examined.
func (s *Store) plan(ctx context.Context, x *searchFile) (p plan, err error) {
	var sum []byte
	if err := x.read.QueryRowContext(ctx, "SELECT done, witness, sum, epoch FROM mark").Scan(&p.done, &p.witness, &sum, &p.epoch); err != nil {
		return p, err
	}
	if p.witness > 0 {
		is, err := s.versionSum(ctx, p.witness)
		if err != nil {
			return p, err
		}
		if p.stale = !bytes.Equal(is, sum); p.stale {
			p.done = 0
		}
	}
	err = s.read.QueryRowContext(ctx, "SELECT ifnull(max(id), 0) FROM versions").Scan(&p.top)
	if err != nil || p.top == p.done {
		return p, err
	}
	p.sum, err = s.versionSum(ctx, p.top)
	return p, err
}

// toIndex lists the URLs of a plan. Of those that could not be read it lists all once
// per opening of the index, for a retry. total is the number of their versions to
// index.
func (s *Store) toIndex(ctx context.Context, x *searchFile, p *plan) (urls []toIndex, total int64, err error) {
	unread, err := x.unread(ctx)
	if err != nil {
		return nil, 0, err
	}
	again := "[]"
	if !x.retried.Load() {
		again = jsonIDs(unread)
	}
	err = rows(ctx, s.read, func(scan func(...any) error) error {
		var u toIndex
		err := scan(&u.id, &u.url, &u.head, &u.rows)
		if from, ok := unread[u.id]; ok {
			u.rows = int64(u.head - from)
		}
		urls = append(urls, u)
		total += u.rows
		return err
	}, `SELECT u.id, u.url, u.head, sum(v.rows) FROM (
			SELECT url, count(*) AS rows FROM versions WHERE id > ? AND id <= ? GROUP BY url
			UNION ALL SELECT value, 0 FROM json_each(?)
		) v JOIN urls u ON u.id = v.url GROUP BY u.id ORDER BY u.id`, p.done, p.top, again)
	return urls, total, err
}

// unread returns the URLs that could not be read, with their last indexed version.
func (x *searchFile) unread(ctx context.Context) (map[int64]int, error) {
	indexed := map[int64]int{}
	err := rows(ctx, x.read, func(scan func(...any) error) error {
		var id int64
		var n int
		err := scan(&id, &n)
		indexed[id] = n
		return err
	}, "SELECT id, indexed FROM urls WHERE unread")
	return indexed, err
}

// jsonIDs formats URL ids for json_each.
func jsonIDs(urls map[int64]int) string {
	return strings.ReplaceAll(fmt.Sprint(slices.Collect(maps.Keys(urls))), " ", ",")
}

// behind counts the URLs with versions that are not indexed, and those that could not
// be read. It never queries URLs one by one, because there may be many: while a plan
// is pending it counts the URLs after the mark or, without a mark, the missing ones,
// and at least 1.
func (s *Store) behind(ctx context.Context, x *searchFile, p *plan) (behind, unreadable int, err error) {
	if p.stale {
		err = s.read.QueryRowContext(ctx, "SELECT count(*) FROM urls WHERE head > 0").Scan(&behind)
		return behind, 0, err
	}
	unread, err := x.unread(ctx)
	switch {
	case err != nil || p.top == p.done:
	case p.done == 0: // all versions are after the mark; counting URLs is cheaper
		var in int
		err = errors.Join(
			x.read.QueryRowContext(ctx, "SELECT count(*) FROM urls").Scan(&in),
			s.read.QueryRowContext(ctx, "SELECT count(*) FROM urls WHERE head > 0").Scan(&behind))
		behind = max(1, behind-in)
	default:
		err = s.read.QueryRowContext(ctx, "SELECT count(DISTINCT url) FROM versions WHERE id > ? AND id <= ? AND url NOT IN (SELECT value FROM json_each(?))",
			p.done, p.top, jsonIDs(unread)).Scan(&behind)
	}
	return behind, len(unread), err
}

// versionSum returns the checksum of a version's row, or nil without a row. It depends on URL,
// number, time and content.
func (s *Store) versionSum(ctx context.Context, id int64) (sum []byte, err error) {
	err = s.read.QueryRowContext(ctx, "SELECT substr(data, 1, ?) FROM versions WHERE id = ?", sumLen, id).Scan(&sum)
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	return sum, err
}

// begin records the archive's fingerprint, or empties the index of a different archive, unless
// a concurrent process did.
func (x *searchFile) begin(ctx context.Context, p *plan) error {
	return x.transact(ctx, func(tx *txn) error {
		if !p.stale {
			_, err := tx.ExecContext(ctx, "UPDATE mark SET witness = ?, sum = ?", p.top, p.sum)
			return err
		}
		var is int64
		if err := tx.QueryRowContext(ctx, "SELECT witness FROM mark").Scan(&is); err != nil || is != p.witness {
			return err
		}
		return x.reset(ctx, tx)
	})
}

// same reports whether the index still has an epoch, which means that nothing was removed
// since.
func (x *searchFile) same(ctx context.Context, q querier, epoch int64) (bool, error) {
	var is int64
	err := q.QueryRowContext(ctx, "SELECT epoch FROM mark").Scan(&is)
	return is == epoch, err
}

// end marks the plan as done, except for failed URLs. These are retried when they
// have a new version, and when the index is opened again.
func (x *searchFile) end(ctx context.Context, p *plan, failed []toIndex) error {
	err := x.transact(ctx, func(tx *txn) error {
		for _, u := range failed {
			_, err := tx.ExecContext(ctx, "INSERT INTO urls (id, url, indexed, unread) VALUES (?, ?, 0, 1) ON CONFLICT (id) DO UPDATE SET unread = 1 WHERE indexed < ?",
				u.id, u.url, u.head)
			if err != nil {
				return err
			}
		}
		if same, err := x.same(ctx, tx, p.epoch); err != nil || !same {
			return err // data was forgotten, or the index was emptied
		}
		_, err := tx.ExecContext(ctx, "UPDATE mark SET done = max(done, ?)", p.top)
		return err
	})
	if err == nil {
		x.retried.Store(true)
	}
	return err
}

// indexed returns the last indexed version of a URL.
func (x *searchFile) indexed(ctx context.Context, q querier, id int64) (n int, err error) {
	err = q.QueryRowContext(ctx, "SELECT indexed FROM urls WHERE id = ?", id).Scan(&n)
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	return n, err
}
