package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"

	"plat/plat"
	"plat/storage"
	"plat/storage/tree"
)

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
	fold := storage.NewSpans(u.url, standing)
	for from < u.head {
		// One chain at a time bounds the memory for long histories.
		step := indexStep{url: u, from: from, to: min(u.head, tree.KeyBefore(from+1)+tree.KeyEvery-1)}
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

// fold reads the versions of a step.
func (w *indexWriter) fold(ctx context.Context, fold *storage.Spans, step *indexStep) error {
	var opened []*storage.Span
	err := w.s.trees(ctx, w.s.read, step.url.id, step.url.url, step.from+1, step.to, func(t *tree.Tree) (bool, error) {
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
