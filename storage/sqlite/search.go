package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"time"

	"plat/plat"
	"plat/storage"
	"plat/storage/tree"
)

// Search returns the indexed spans that match q.
func (s *Store) Search(ctx context.Context, q storage.Search) (r storage.Results, err error) {
	x, err := s.search(ctx)
	if err == nil {
		r, err = s.searchIn(ctx, x, &q)
	}
	if err != nil {
		return storage.Results{}, fmt.Errorf("sqlite: search: %w", err)
	}
	return r, nil
}

func (s *Store) searchIn(ctx context.Context, x *searchFile, q *storage.Search) (r storage.Results, err error) {
	p, err := s.plan(ctx, x)
	if err != nil {
		return r, err
	}
	if r.Behind, r.Unreadable, err = s.behind(ctx, x, &p); err != nil || p.stale {
		return r, err // the index belongs to a different archive
	}
	found, err := x.rank(ctx, q)
	if err != nil {
		return r, err
	}
	if r.Total = len(found); r.Total > storage.MaxRanked {
		r.Total, r.More = storage.MaxRanked, true
		found = found[:storage.MaxRanked]
	}
	slices.SortFunc(found, better)
	found = found[min(max(q.Offset, 0), len(found)):]
	if q.Limit > 0 {
		found = found[:min(q.Limit, len(found))]
	}
	r.Hits, err = s.hits(ctx, x, found)
	return r, err
}

// ranked is a matching span with its score.
type ranked struct {
	id, url, since int64
	score          float64
}

// better compares hits. Those of one version are in page order.
func better(a, b ranked) int {
	return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(b.since, a.since), cmp.Compare(a.url, b.url), cmp.Compare(b.id, a.id))
}

// rank returns the spans that match q, latest first, at most MaxRanked+1.
func (x *searchFile) rank(ctx context.Context, q *storage.Search) ([]ranked, error) {
	asked := storage.Ask(q.Words)
	// The order of the columns is that of the table words. bm25 returns lower values
	// for better matches.
	score := fmt.Sprintf("-bm25(words, %d, %d, 0)", storage.TextWeight, storage.TopicWeight)
	if len(asked.All) == 0 {
		score = "0.0"
	}
	where, args := []string{"words MATCH ?"}, []any{""}
	and := func(cond string, a ...any) {
		where = append(where, cond)
		args = append(args, a...)
	}
	var facets []string
	if q.Host != "" {
		facets = append(facets, facet(facetHost, q.Host))
	}
	if len(q.Labels) > 0 {
		var any []string
		for _, l := range q.Labels {
			any = append(any, facet(facetLabel, string(l)))
		}
		facets = append(facets, "("+strings.Join(any, " OR ")+")")
	}
	if q.URL != "" {
		under, err := x.under(ctx, q.URL)
		if err != nil {
			return nil, err
		}
		if under != nil {
			facets = append(facets, "("+strings.Join(under, " OR ")+")")
		} else {
			cond, bounds := within("u.url", q.URL)
			and("s.url IN (SELECT u.id FROM urls u WHERE "+cond+")", bounds...)
		}
	}
	if len(asked.All)+len(facets) == 0 {
		facets = []string{facetAll} // FTS5 requires a positive term
	}
	args[0] = matchExpr(asked, facets)
	if !q.Until.IsZero() {
		until := millis(q.Until.Add(time.Millisecond - 1)) // round up to whole milliseconds
		_, last := spanIDs(until)
		and("words.rowid <= ? AND s.since < ?", last, until)
	}
	if !q.Since.IsZero() {
		and("(s.gone IS NULL OR s.until > ?)", millis(q.Since))
	}
	if q.Gone {
		and("s.gone IS NOT NULL")
	}
	if q.Standing {
		and("s.gone IS NULL")
	}
	var found []ranked
	err := rows(ctx, x.read.DB, func(scan func(...any) error) error {
		var f ranked
		err := scan(&f.id, &f.url, &f.since, &f.score)
		found = append(found, f)
		return err
	}, "SELECT s.id, s.url, s.since, "+score+" FROM words CROSS JOIN spans s ON s.id = words.rowid WHERE "+strings.Join(where, " AND ")+
		" ORDER BY words.rowid DESC LIMIT ?", // CROSS fixes the join order
		append(args, storage.MaxRanked+1)...)
	return found, err
}

// maxUnder limits the URLs in a query: each adds a term list, whereas a prefix of more URLs is
// checked for every span.
const maxUnder = 64

// under returns the facets of the URLs with a prefix, or nil if there are too many.
func (x *searchFile) under(ctx context.Context, prefix string) ([]string, error) {
	cond, args := within("u.url", prefix)
	facets := []string{facet(facetURL, prefix)} // so that the list is never empty, even if no URL matches
	err := rows(ctx, x.read.DB, func(scan func(...any) error) error {
		var url string
		err := scan(&url)
		facets = append(facets, facet(facetURL, url))
		return err
	}, "SELECT u.url FROM urls u WHERE "+cond+" LIMIT ?", append(args, maxUnder+1)...)
	if err != nil || len(facets) > maxUnder {
		return nil, err
	}
	return facets, nil
}

// matchExpr returns the search as an FTS5 expression. Terms contain letters and
// digits only, so quoting them prevents their use as operators.
func matchExpr(asked storage.ParsedQuery, facets []string) string {
	phrase := func(p []string) string { return `"` + strings.Join(p, " ") + `"` }
	var all []string
	for _, p := range asked.All {
		all = append(all, "{text topic} : "+phrase(p))
	}
	for _, f := range facets {
		all = append(all, "facets : "+f)
	}
	expr := "(" + strings.Join(all, " AND ") + ")"
	for _, p := range asked.None {
		expr += " NOT {text topic} : " + phrase(p)
	}
	return expr
}

// hits loads spans, with their blocks from the archive.
func (s *Store) hits(ctx context.Context, x *searchFile, found []ranked) ([]storage.Hit, error) {
	hits := make([]storage.Hit, len(found))
	order := make([]int, len(found))
	for i, f := range found {
		sp, err := x.span(ctx, f.id)
		if err != nil {
			return nil, err
		}
		hits[i], order[i] = storage.Hit{Span: sp, Score: f.score}, i
	}
	// Sort by version, so that each version is read once.
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(found[a].url, found[b].url), cmp.Compare(hits[a].First, hits[b].First))
	})
	var t *tree.Tree
	for _, i := range order {
		h := &hits[i]
		if t == nil || t.URL != h.URL || t.N != h.First {
			var err error
			switch t, err = s.tree(ctx, s.read, found[i].url, h.URL, h.First); {
			case isNotFound(err):
				continue // forgotten since it was indexed
			case err != nil:
				return nil, err
			}
		}
		at := slices.IndexFunc(t.Blocks, func(b plat.Block) bool { return b.Leaf() && b.Lineage == h.Lineage && b.Hash == h.Hash })
		if at < 0 {
			return nil, fmt.Errorf("version %d of %s has no block %s, but the index has: %w; delete %s; it will be rebuilt", h.First, h.URL, h.Hash.Short(), plat.ErrCorrupt, x.path)
		}
		h.Block = storage.WithoutBase(&t.Blocks[at])
	}
	return slices.DeleteFunc(hits, func(h storage.Hit) bool { return h.Block.Hash.IsZero() }), nil
}

// span reads a span, without its block.
func (x *searchFile) span(ctx context.Context, id int64) (sp storage.Span, err error) {
	var hash []byte
	var since int64
	var gone, until sql.NullInt64
	err = x.read.QueryRowContext(ctx, `SELECT u.url, u.indexed, s.lineage, s.hash, s.first, s.since, s.gone, s.until
		FROM spans s JOIN urls u ON u.id = s.url WHERE s.id = ?`, id).
		Scan(&sp.URL, &sp.Last, &sp.Lineage, &hash, &sp.First, &since, &gone, &until)
	copy(sp.Hash[:], hash)
	sp.Since = instant(since)
	if gone.Valid {
		sp.Gone, sp.Last, sp.Until = int(gone.Int64), int(gone.Int64)-1, orZero(until)
	}
	return sp, err
}
