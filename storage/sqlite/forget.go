package sqlite

import (
	"context"
	"fmt"
	"slices"
	"time"

	"plat/plat"
	"plat/storage"
	"plat/storage/tree"
)

// Forget removes versions of a URL, and older data about it. It is one transaction; GC removes
// the contents.
func (s *Store) Forget(ctx context.Context, url string, cut storage.Cut, dry bool) (storage.Forgotten, error) {
	var out storage.Forgotten
	if dry {
		f := &forgetting{s: s, q: s.read, cut: cut}
		err := f.read(ctx, url)
		return f.out, forgetError(url, err)
	}
	var id, newest int64 // of the URL, and of the newest kept version
	var last int
	err := s.transact(ctx, func(tx *txn) error {
		f := &forgetting{s: s, q: tx, tx: tx, cut: cut}
		err := f.read(ctx, url)
		id, last = f.row.id, f.last
		if err == nil && (f.last > f.row.Forgotten || cut.Whole() && !cut.Done(&f.row.URLState)) {
			err = f.write(ctx)
		}
		if out = f.out; err == nil {
			err = tx.QueryRowContext(ctx, "SELECT ifnull(max(id), 0) FROM versions").Scan(&newest)
		}
		return err
	})
	if err != nil {
		return storage.Forgotten{}, forgetError(url, err)
	}
	if last > 0 {
		err = s.forgetIndexed(ctx, id, last, newest)
	}
	return out, forgetError(url, err)
}

func forgetError(url string, err error) error {
	if err != nil {
		err = notFound(err, "forget %q", url)
	}
	return err
}

// forgetting is the state of one call of Forget.
type forgetting struct {
	s   *Store
	q   querier
	tx  *txn // nil: only counts
	cut storage.Cut
	out storage.Forgotten

	row   urlRow
	last  int          // the last version that is forgotten
	trees []*tree.Tree // kept versions
	gone  []int64      // runs of visits that are forgotten
	kept  []plat.Visit // oldest first
}

// read divides versions and visits into forgotten and kept ones.
func (f *forgetting) read(ctx context.Context, url string) error {
	u := &f.row
	st, err := scanState(f.q.QueryRowContext(ctx, f.s.stateQuery("u.url = ?"), url).Scan)
	if err != nil {
		return err
	}
	u.URLState = st
	if err := f.q.QueryRowContext(ctx, "SELECT id, host FROM urls WHERE url = ?", url).Scan(&u.id, &u.host); err != nil {
		return err
	}
	taken, err := f.taken(ctx)
	if err != nil {
		return err
	}
	f.last = f.cut.Last(&u.URLState, taken)
	if f.cut.Whole() {
		f.last = max(u.Head, u.Forgotten)
	}
	f.out.Versions = max(0, f.last-u.Forgotten)
	if f.out.Versions == 0 && !f.cut.Whole() {
		return nil
	}
	if err := f.readVisits(ctx, taken); err != nil {
		return err
	}
	if f.s.format >= withSubscriptions {
		return f.q.QueryRowContext(ctx, "SELECT count(*) FROM items WHERE page = ? AND version <= ?", url, f.lastItem()).Scan(&f.out.Items)
	}
	return nil
}

// taken returns the capture times of the versions that are still kept. A damaged page can only
// be forgotten as a whole.
func (f *forgetting) taken(ctx context.Context) (all []time.Time, err error) {
	u, next := &f.row, f.row.Oldest()
	err = rows(ctx, f.q, func(scan func(...any) error) error {
		var n int
		var taken int64
		err := scan(&n, &taken)
		if err == nil && n != next && !f.cut.Whole() {
			err = fmt.Errorf("version %d of %s is missing: %w; run plat verify", next, u.URL, plat.ErrCorrupt)
		}
		all, next = append(all, instant(taken)), n+1
		return err
	}, "SELECT n, taken FROM versions WHERE url = ? AND n > ? AND n <= ? ORDER BY n", u.id, u.Forgotten, u.Head)
	if err == nil && next <= u.Head && !f.cut.Whole() {
		err = fmt.Errorf("version %d of %s is missing: %w; run plat verify", next, u.URL, plat.ErrCorrupt)
	}
	return all, err
}

// lastItem returns the last version whose items are forgotten. For a whole page, that includes
// items without a version.
func (f *forgetting) lastItem() int {
	if f.cut.Whole() {
		return 1 << 62
	}
	return f.last
}

// readVisits reads the visits. Those before the visit that found the oldest kept version are
// forgotten.
func (f *forgetting) readVisits(ctx context.Context, taken []time.Time) error {
	var all []plat.Visit
	err := rows(ctx, f.q, func(scan func(...any) error) error {
		var start int64
		var data []byte
		if err := scan(&start, &data); err != nil {
			return err
		}
		f.gone = append(f.gone, start)
		if f.cut.Whole() {
			return nil // even if they cannot be decoded
		}
		run, err := decodeVisits(data, f.row.id, f.row.URL, start)
		all = append(all, run...)
		return err
	}, "SELECT start, data FROM visits WHERE url = ? ORDER BY start", f.row.id)
	if f.out.Visits = f.row.Visits; f.cut.Whole() || err != nil {
		return err
	}
	from := slices.IndexFunc(all, func(v plat.Visit) bool { return v.Version == f.last+1 })
	if from < 0 {
		oldest := taken[f.last-f.row.Forgotten]
		from, _ = slices.BinarySearchFunc(all, oldest, func(v plat.Visit, t time.Time) int { return v.Time.Compare(t) })
	}
	f.out.Visits, f.kept = from, all[from:]
	return nil
}

// write removes the forgotten data.
func (f *forgetting) write(ctx context.Context) error {
	for _, step := range []func(context.Context) error{f.versions, f.visits, f.words, f.items, f.state} {
		if err := f.s.fault("forget"); err != nil {
			return err
		}
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// versions re-encodes the kept trees, as if they were the only ones: a content is as old as the
// first of them that has it.
func (f *forgetting) versions(ctx context.Context) error {
	oldest := f.last + 1
	ages := storage.Ages{}
	err := f.s.trees(ctx, f.tx, f.row.id, f.row.URL, oldest, f.row.Head, func(t *tree.Tree) (bool, error) {
		next := *t
		next.Blocks, next.Since = slices.Clone(t.Blocks), slices.Clone(t.Since)
		for i := range next.Blocks {
			b := &next.Blocks[i]
			if !b.Leaf() {
				continue
			}
			if next.Since[i] = ages.Of(b, next.N); next.N == oldest {
				b.Base = plat.Hash{}
			}
		}
		if next.N == oldest {
			next.SelfChanges = nil // its ranges refer to a text that is not kept
		}
		f.trees = append(f.trees, &next)
		return true, nil
	})
	if err != nil {
		return err
	}
	var prev *tree.Tree
	for _, t := range f.trees {
		if t.N == keyOf(t.N, f.last) {
			prev = nil
		}
		b := tree.Encode(t, prev)
		row := f.s.packTree(b, f.row.id, t.N, millis(t.Taken), prev)
		if _, err := f.tx.ExecContext(ctx, "UPDATE versions SET data = ? WHERE url = ? AND n = ?", row, f.row.id, t.N); err != nil {
			return err
		}
		t.Chain = append(slices.Clip(dictionary(prev)), b...)
		prev = t
	}
	if _, err = f.tx.ExecContext(ctx, "DELETE FROM versions WHERE url = ? AND n <= ?", f.row.id, f.last); err == nil {
		_, err = f.tx.ExecContext(ctx, "DELETE FROM past WHERE url = ?", f.row.id)
	}
	return err
}

// visits replaces all visits by the kept ones.
func (f *forgetting) visits(ctx context.Context) error {
	for _, start := range f.gone {
		if _, err := f.tx.ExecContext(ctx, "DELETE FROM visits WHERE url = ? AND start = ?", f.row.id, start); err != nil {
			return err
		}
	}
	for i := range f.kept {
		if _, err := f.s.addVisit(ctx, f.tx, f.row.id, &f.kept[i]); err != nil {
			return err
		}
	}
	return nil
}

// words writes the index of the kept blocks.
func (f *forgetting) words(ctx context.Context) error {
	if _, err := f.tx.ExecContext(ctx, "DELETE FROM words WHERE url = ?", f.row.id); err != nil {
		return err
	}
	var prev *tree.Tree
	for _, t := range f.trees {
		if err := f.s.addWords(ctx, f.tx, f.row.id, t, prev, &storage.Written{}); err != nil {
			return err
		}
		prev = t
	}
	return nil
}

// items removes the items of subscriptions and the readings of crawls about the page.
func (f *forgetting) items(ctx context.Context) error {
	ids, err := f.ids(ctx, "SELECT DISTINCT subscription FROM items WHERE page = ? AND version <= ?", f.row.URL, f.lastItem())
	if err != nil {
		return err
	}
	if _, err := f.tx.ExecContext(ctx, "DELETE FROM items WHERE page = ? AND version <= ?", f.row.URL, f.lastItem()); err != nil {
		return err
	}
	for _, id := range ids {
		_, err := f.tx.ExecContext(ctx, `UPDATE subscriptions AS s SET (items, latest, unread) = (SELECT count(*), max(seen),
			count(*) FILTER (WHERE seen > ifnull(s.read_to, -1 << 62)) FROM items WHERE subscription = s.id) WHERE id = ?`, id)
		if err != nil {
			return err
		}
	}
	// A running examination of forgotten versions no longer fits.
	if _, err := f.tx.ExecContext(ctx, "UPDATE followed SET examined = ?2 WHERE url = ?1 AND examined < ?2", f.row.URL, f.last); err != nil {
		return err
	}
	if !f.cut.Whole() {
		return nil
	}
	for _, query := range []string{
		"DELETE FROM followed_memories WHERE page IN (SELECT id FROM followed WHERE url = ?)",
		"DELETE FROM crawl_readings WHERE page IN (SELECT id FROM crawl_pages WHERE url = ?)",
		"UPDATE crawl_pages SET title = '' WHERE url = ?",
	} {
		if _, err := f.tx.ExecContext(ctx, query, f.row.URL); err != nil {
			return err
		}
	}
	return nil
}

func (f *forgetting) ids(ctx context.Context, query string, args ...any) (all []int64, err error) {
	err = rows(ctx, f.tx, func(scan func(...any) error) error {
		var id int64
		err := scan(&id)
		all = append(all, id)
		return err
	}, query, args...)
	return all, err
}

// state writes the row of the URL, and removes the memory of its visits.
func (f *forgetting) state(ctx context.Context) error {
	now := time.Now()
	was, st := f.row.URLState, &f.row.URLState
	var first, latest *plat.Visit
	if n := len(f.kept); n > 0 {
		first, latest = &f.kept[0], &f.kept[n-1]
	}
	storage.Forget(st, f.last, len(f.kept), first, latest, now)
	if f.cut.Whole() {
		storage.Drop(st, now)
		f.tx.change(f.row.host, storage.ChangeOf(&was, st))
	}
	zero := func(t time.Time) int64 {
		if t.IsZero() {
			return 0
		}
		return millis(t)
	}
	if err := f.s.toVacuum(ctx, f.tx); err != nil {
		return err
	}
	_, err := f.tx.ExecContext(ctx, `UPDATE urls SET first = ?, last = ?, visits = ?, changes = ?, head = ?, level = ?, status = ?, outcome = ?,
			page_bytes = ?, stored_bytes = ?, picture_bytes = ?, resource_bytes = ?, forgotten = ?, forgotten_at = ?, pack = 0, past = 0 WHERE id = ?`,
		zero(st.First), zero(st.Last), st.Visits, st.Changes, st.Head, st.Level, st.Status, string(st.Outcome),
		st.PageBytes, st.StoredBytes, st.PictureBytes, st.ResourceBytes, st.Forgotten, orNull(st.ForgottenAt), f.row.id)
	if err != nil {
		return err
	}
	if _, err := f.tx.ExecContext(ctx, "DELETE FROM memories WHERE url = ?", f.row.id); err != nil || !f.cut.Whole() {
		return err
	}
	_, err = f.tx.ExecContext(ctx, `UPDATE urls SET due = NULL, settled = ?, at = NULL, attempts = 0, throttled = 0, died = NULL, priority = 0, plan = '', main = NULL, print = NULL
		WHERE id = ?`, orNull(st.Settled), f.row.id)
	return err
}
