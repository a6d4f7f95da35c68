package sqlite

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"plat/plat"
	"plat/storage"
	"plat/storage/tree"
)

// Find yields the block versions that match q. The indexes of hosts, words, labels
// and times give the candidate URLs; only their trees are read.
func (s *Store) Find(ctx context.Context, q storage.BlockQuery) iter.Seq2[storage.Found, error] {
	return func(yield func(storage.Found, error) bool) {
		left := q.Limit
		err := s.candidates(ctx, &q, func(id int64, url string, head int) (bool, error) {
			found, err := s.findIn(ctx, &q, id, url, head)
			if err != nil {
				return false, err
			}
			for _, f := range found {
				if !yield(f, nil) {
					return false, nil
				}
				if left--; left == 0 {
					return false, nil
				}
			}
			return true, nil
		})
		if err != nil {
			yield(storage.Found{}, fmt.Errorf("sqlite: find: %w", err))
		}
	}
}

// candidates calls f for the URLs that may match q, in order.
func (s *Store) candidates(ctx context.Context, q *storage.BlockQuery, f func(id int64, url string, head int) (bool, error)) error {
	where := []string{"u.head > 0"}
	var args []any
	and := func(cond string, a ...any) {
		where = append(where, cond)
		args = append(args, a...)
	}
	if q.Host != "" {
		and("u.host = (SELECT id FROM hosts WHERE host = ?)", q.Host)
	}
	if len(q.Labels) > 0 {
		keys := make([]any, len(q.Labels))
		for i, l := range q.Labels {
			keys[i] = labelKey(l)
		}
		and("u.id IN (SELECT url FROM words WHERE word IN (?"+strings.Repeat(", ?", len(keys)-1)+"))", keys...)
	}
	for _, word := range storage.Words(q.Topic) {
		and("u.id IN (SELECT url FROM words WHERE word = ?)", wordKey(word))
	}
	// With Head, too, the age of a content is that of the version that introduced it.
	switch since, until := millis(q.Since), millis(q.Until); {
	case !q.Since.IsZero() && !q.Until.IsZero():
		and("u.id IN (SELECT url FROM versions WHERE taken >= ? AND taken <= ?)", since, until)
	case !q.Since.IsZero():
		and("u.id IN (SELECT url FROM versions WHERE taken >= ?)", since)
	case !q.Until.IsZero():
		and("u.id IN (SELECT url FROM versions WHERE taken <= ?)", until)
	}
	type candidate struct {
		id   int64
		url  string
		head int
	}
	query := "SELECT u.id, u.url, u.head FROM urls u WHERE " + strings.Join(where, " AND ") + " AND "
	for after := ""; ; {
		var got []candidate
		cond, bounds := rest("u.url", q.URL, after)
		err := rows(ctx, s.read.DB, func(scan func(...any) error) error {
			var c candidate
			err := scan(&c.id, &c.url, &c.head)
			got = append(got, c)
			return err
		}, query+cond+" ORDER BY u.url LIMIT ?", slices.Concat(args, bounds, []any{page})...)
		if err != nil {
			return err
		}
		for _, c := range got {
			if ok, err := f(c.id, c.url, c.head); err != nil || !ok {
				return err
			}
		}
		if len(got) < page {
			return nil
		}
		after = got[len(got)-1].url
	}
}

// findIn returns the matches in one URL, latest first.
func (s *Store) findIn(ctx context.Context, q *storage.BlockQuery, id int64, url string, head int) ([]storage.Found, error) {
	if q.Head {
		return s.findHead(ctx, q, id, url, head)
	}
	from, to := 1, head
	// Without Head, only versions in the requested time range matter.
	err := s.read.QueryRowContext(ctx, `SELECT ifnull(min(n), 1), ifnull(max(n), 0) FROM versions WHERE url = ? AND n <= ? AND taken >= ? AND taken <= ?`,
		id, head, bound(q.Since.IsZero(), millis(q.Since), -1<<62), bound(q.Until.IsZero(), millis(q.Until), 1<<62)).Scan(&from, &to)
	if err != nil {
		return nil, err
	}
	var out []storage.Found
	var ends []int // end of each version's section of out
	first := from
	if q.Changes {
		first-- // the version before
	}
	var prev *plat.Version
	err = s.trees(ctx, s.read, id, url, first, to, func(t *tree.Tree) (bool, error) {
		switch v := &t.Version; {
		case !q.Changes:
			out = append(out, q.NewIn(v, t.Since)...)
		case t.N >= from:
			out = append(out, q.ChangesIn(v, prev)...)
		}
		prev = &t.Version
		ends = append(ends, len(out))
		return true, nil
	})
	if err != nil {
		return nil, err
	}
	latest := make([]storage.Found, 0, len(out))
	for k := len(ends) - 1; k >= 0; k-- {
		start := 0
		if k > 0 {
			start = ends[k-1]
		}
		latest = append(latest, out[start:ends[k]]...)
	}
	return latest, nil
}

func bound(open bool, v, otherwise int64) int64 {
	if open {
		return otherwise
	}
	return v
}

// findHead returns the matching blocks of the last version.
func (s *Store) findHead(ctx context.Context, q *storage.BlockQuery, id int64, url string, head int) ([]storage.Found, error) {
	t, err := s.tree(ctx, s.read, id, url, head)
	if err != nil {
		return nil, err
	}
	taken, oldest := map[int32]int64{}, head
	err = rows(ctx, s.read, func(scan func(...any) error) error {
		var n int32
		var at int64
		err := scan(&n, &at)
		taken[n], oldest = at, min(oldest, int(n))
		return err
	}, "SELECT n, taken FROM versions WHERE url = ? AND n <= ?", id, head)
	if err != nil {
		return nil, err
	}
	found := q.StandingIn(&t.Version, t.Since, func(n int32) time.Time { return instant(taken[n]) })
	return q.SkipOldest(found, oldest), nil
}
