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
	"plat/storage"
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

// indexBytes is the amount of text per transaction: larger transactions give fewer
// index segments to merge.
const indexBytes = 8 << 20

// indexWriter batches spans of many URLs and writes them in order of time, which FTS5 processes
// fastest.
type indexWriter struct {
	s        *Store
	x        *searchFile
	epoch    int64 // epoch of the index when its plan was made
	progress func(done int64)

	done   int64 // number of versions done
	passed bool  // a different process indexed the same versions
	steps  []indexStep
	bytes  int // bytes of words in steps
}

// indexStep is the change of the index by the versions from+1 to to of one URL.
type indexStep struct {
	url      toIndex
	from, to int
	opened   []newSpan
	closed   []storage.Span // spans that were open and end in this step
}

// newSpan is a span at the end of a step, with its search terms.
type newSpan struct {
	storage.Span
	id                  int64  // assigned when written
	text, topic, facets string // words, separated by blanks
}

// url folds the versions of a URL that are not indexed.
func (w *indexWriter) url(ctx context.Context, u toIndex) error {
	from, standing, err := w.standing(ctx, u)
	if err != nil {
		return err
	}
	w.done += u.rows - int64(max(0, u.head-from))
	fold := storage.NewSpans(u.url, from, standing)
	for from < u.head {
		// One chain at a time bounds the memory for long histories.
		step := indexStep{url: u, from: from, to: min(u.head, keyBefore(from+1)+keyEvery-1)}
		if err := w.fold(ctx, fold, &step); err != nil {
			return err
		}
		w.steps = append(w.steps, step)
		w.done += int64(step.to - from)
		from = step.to
		if w.bytes >= indexBytes {
			if err := w.flush(ctx); err != nil {
				return err
			}
		}
		w.progress(w.done)
	}
	return nil
}

// standing returns the last indexed version of a URL and its open spans.
func (w *indexWriter) standing(ctx context.Context, u toIndex) (indexed int, spans []*storage.Span, err error) {
	indexed, err = w.x.indexed(ctx, w.x.read, u.id)
	if err != nil || indexed == 0 || indexed >= u.head {
		return indexed, nil, err
	}
	err = rows(ctx, w.x.read, func(scan func(...any) error) error {
		sp := &storage.Span{URL: u.url, Last: indexed}
		var hash []byte
		var since int64
		err := scan(&sp.Lineage, &hash, &sp.First, &since)
		copy(sp.Hash[:], hash)
		sp.Since = instant(since)
		spans = append(spans, sp)
		return err
	}, "SELECT lineage, hash, first, since FROM spans WHERE url = ? AND gone IS NULL", u.id)
	return indexed, spans, err
}

// indexed returns the last indexed version of a URL.
func (x *searchFile) indexed(ctx context.Context, q querier, id int64) (n int, err error) {
	err = q.QueryRowContext(ctx, "SELECT indexed FROM urls WHERE id = ?", id).Scan(&n)
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	return n, err
}

// fold reads the versions of a step.
func (w *indexWriter) fold(ctx context.Context, fold *storage.Spans, step *indexStep) error {
	var opened []*storage.Span
	err := w.s.trees(ctx, w.s.read, step.url.id, step.url.url, step.from+1, step.to, func(t *tree) (bool, error) {
		began, ended := fold.Add(&t.Version)
		opened = append(opened, began...)
		for _, sp := range ended {
			if sp.First <= step.from {
				step.closed = append(step.closed, *sp)
			}
		}
		return true, nil
	})
	if err != nil {
		return err
	}
	hashes := make([]plat.Hash, len(opened))
	for i, sp := range opened {
		hashes[i] = sp.Hash
	}
	contents, err := w.s.Contents(ctx, hashes)
	if err != nil {
		return err
	}
	facets := facetAll + " " + facet(facetHost, storage.Host(step.url.url)) + " " + facet(facetURL, step.url.url) + " "
	for i, sp := range opened {
		n := newSpan{
			Span:   *sp,
			text:   strings.Join(storage.Terms(storage.SearchText(&sp.Block, contents[i])), " "),
			topic:  strings.Join(storage.Terms(sp.Block.Topic), " "),
			facets: facets + facet(facetLabel, string(sp.Block.Label)),
		}
		w.bytes += len(n.text) + len(n.topic) + len(n.facets)
		step.opened = append(step.opened, n)
	}
	return nil
}

// Ids of spans grow with time, because queries read the latest first, from the
// highest id down. Every tick of 16 seconds has spanSlots ids, which are assigned
// from the last down; when all are taken, the previous tick's are used. Denser ids
// make a smaller index: ids by the millisecond, with room for all spans of one, would
// make it a third larger.
const (
	tickBits   = 14
	tickMillis = 1 << tickBits
	spanSlots  = 1 << 12
)

// spanIDs returns the range of ids for a time; ids after last are later.
func spanIDs(ms int64) (first, last int64) {
	first = ms >> tickBits * spanSlots
	return first, first + spanSlots - 1
}

// Filters are indexed as words: a letter for the kind, and a hash. Matches are not
// compared with the original value, and URLs are untrusted input, so the hash must be
// collision-resistant.
const (
	facetAll   = "a" // in every span
	facetHost  = "h"
	facetURL   = "u"
	facetLabel = "l"
)

func facet(kind, value string) string {
	h := plat.HashOf([]byte(value))
	return fmt.Sprintf("%s%x", kind, h[:16])
}

// flush writes the steps in one transaction, and skips a URL whose index changed
// since its step was computed.
func (w *indexWriter) flush(ctx context.Context) error {
	err := w.x.transact(ctx, func(tx *txn) error {
		if same, err := w.x.same(ctx, tx, w.epoch); err != nil || !same {
			w.passed = true
			return err
		}
		var steps []*indexStep
		for i := range w.steps {
			st := &w.steps[i]
			if is, err := w.x.indexed(ctx, tx, st.url.id); err != nil {
				return err
			} else if is != st.from {
				w.passed = true
				continue
			}
			_, err := tx.ExecContext(ctx, "INSERT INTO urls (id, url, indexed) VALUES (?, ?, ?) ON CONFLICT (id) DO UPDATE SET indexed = excluded.indexed, unread = 0",
				st.url.id, st.url.url, st.to)
			if err != nil {
				return err
			}
			steps = append(steps, st)
		}
		if err := insertSpans(ctx, tx, steps); err != nil {
			return err
		}
		return closeSpans(ctx, tx, steps)
	})
	w.steps, w.bytes = nil, 0
	return err
}

// insertSpans writes the new spans, ordered by id, which FTS5 processes fastest.
func insertSpans(ctx context.Context, tx *txn, steps []*indexStep) error {
	type row struct {
		*newSpan
		url int64
	}
	var all []row
	free := map[int64]int64{}
	for _, st := range steps {
		for i := range st.opened {
			sp := &st.opened[i]
			var err error
			if sp.id, err = nextID(ctx, tx, free, millis(sp.Since)); err != nil {
				return err
			}
			all = append(all, row{sp, st.url.id})
		}
	}
	slices.SortFunc(all, func(a, b row) int { return cmp.Compare(a.id, b.id) })
	for _, r := range all {
		gone := sql.NullInt64{Int64: int64(r.Gone), Valid: r.Gone > 0}
		_, err := tx.ExecContext(ctx, "INSERT INTO spans (id, url, lineage, hash, first, since, gone, until) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
			r.id, r.url, r.Lineage, r.Hash[:], r.First, millis(r.Since), gone, orNull(r.Until))
		if err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, "INSERT INTO words (rowid, text, topic, facets) VALUES (?, ?, ?, ?)", r.id, r.text, r.topic, r.facets); err != nil {
			return err
		}
	}
	return nil
}

// nextID assigns an id. free caches the highest free id per tick, by the tick's first
// id.
func nextID(ctx context.Context, tx *txn, free map[int64]int64, ms int64) (int64, error) {
	for ; ; ms -= tickMillis {
		first, last := spanIDs(ms)
		id, known := free[first]
		if !known {
			if err := tx.QueryRowContext(ctx, "SELECT ifnull(min(id) - 1, ?2) FROM spans WHERE id BETWEEN ?1 AND ?2", first, last).Scan(&id); err != nil {
				return 0, err
			}
		}
		if id >= first {
			free[first] = id - 1
			return id, nil
		}
		free[first] = id
	}
}

// closeSpans records the ends of spans that were open.
func closeSpans(ctx context.Context, tx *txn, steps []*indexStep) error {
	for _, st := range steps {
		for i := range st.closed {
			sp := &st.closed[i]
			_, err := tx.ExecContext(ctx, "UPDATE spans SET gone = ?, until = ? WHERE url = ? AND gone IS NULL AND first = ? AND lineage = ? AND hash = ?",
				sp.Gone, millis(sp.Until), st.url.id, sp.First, sp.Lineage, sp.Hash[:])
			if err != nil {
				return err
			}
		}
	}
	return nil
}
