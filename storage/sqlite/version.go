package sqlite

import (
	"context"
	"database/sql"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"iter"
	"math"
	"slices"
	"time"

	"plat/plat"
	"plat/storage"
	"plat/storage/tree"
	"plat/storage/wire"
)

// keyOf returns the number of the key version of version n, if versions up to forgotten are
// gone: the oldest remaining version is a key version.
func keyOf(n, forgotten int) int { return max(tree.KeyBefore(n), forgotten+1) }

// A version's row is a checksum of its data and key, four bytes, then the length of the tree,
// then the tree, encoded by package delta against the trees before it in the chain: changes
// tend to recur in the same place, and to be reverted. Contents are verified by their hash, but
// only the checksum detects a damaged box or label in a tree.
func (s *Store) packTree(b []byte, id int64, n int, taken int64, prev *tree.Tree) []byte {
	w := wire.Writer{B: make([]byte, sumLen, sumLen+len(b)+4)}
	w.Uint(uint64(len(b)))
	row := s.coder.Encode(w.B, b, dictionary(prev))
	setSum(row, id, int64(n), taken)
	return row
}

func (s *Store) unpackTree(row []byte, id int64, url string, n int, taken int64, prev *tree.Tree) (*tree.Tree, error) {
	if !hasSum(row, id, int64(n), taken) {
		return nil, fmt.Errorf("version %d of %s has a wrong checksum: %w", n, url, plat.ErrCorrupt)
	}
	r := &wire.Reader{B: row[sumLen:]}
	size := r.Uint()
	if r.Err != nil || size > maxPack {
		return nil, fmt.Errorf("version %d of %s: %w", n, url, plat.ErrCorrupt)
	}
	b, err := s.coder.Decode(r.B, dictionary(prev), int(size))
	if err != nil {
		return nil, fmt.Errorf("version %d of %s: %w", n, url, err)
	}
	t, err := tree.Decode(b, url, n, prev)
	if err != nil {
		return nil, err
	}
	t.Taken = instant(taken)
	t.Chain = append(dictionary(prev), b...)
	return t, nil
}

// dictionary returns the dictionary for compressing the version after t, which may be nil.
func dictionary(t *tree.Tree) []byte {
	if t == nil {
		return nil
	}
	return t.Chain
}

// sumLen is the length of a row's checksum.
const sumLen = 4

// setSum writes the checksum of a row and its key into the row's first bytes.
func setSum(row []byte, where ...int64) {
	binary.LittleEndian.PutUint32(row, sum(row[sumLen:], where))
}

func hasSum(row []byte, where ...int64) bool {
	return len(row) >= sumLen && binary.LittleEndian.Uint32(row) == sum(row[sumLen:], where)
}

func sum(row []byte, where []int64) uint32 {
	table := crc32.MakeTable(crc32.Castagnoli)
	c := uint32(0)
	for _, x := range where {
		c = crc32.Update(c, table, binary.LittleEndian.AppendUint64(nil, uint64(x)))
	}
	return crc32.Update(c, table, row)
}

// trees calls f for the versions from..to of a URL that are kept, in order, after reading the
// chain before them, until f returns false.
func (s *Store) trees(ctx context.Context, q querier, id int64, url string, from, to int, f func(*tree.Tree) (bool, error)) error {
	for at := max(1, from); at <= to; {
		// Read one chain at a time: f may be slow, and must not hold the connection.
		c, err := s.versionChain(ctx, q, id, at, to)
		if err != nil {
			return err
		}
		at = max(at, c.forgotten+1)
		end := min(to, tree.KeyBefore(at)+tree.KeyEvery-1)
		var prev *tree.Tree
		next := keyOf(at, c.forgotten)
		for _, x := range c.rows {
			if x.n != next {
				break
			}
			if prev, err = s.unpackTree(x.data, id, url, x.n, x.taken, prev); err != nil {
				return err
			}
			if next++; x.n < at {
				continue
			}
			prev.Oldest = x.n == c.forgotten+1
			if ok, err := f(prev); err != nil || !ok {
				return err // the caller's error
			}
			prev.Oldest = false
		}
		if next <= end {
			return fmt.Errorf("version %d of %s is missing: %w", next, url, plat.ErrCorrupt)
		}
		at = end + 1
	}
	return nil
}

// versionRow is a row of the table versions.
type versionRow struct {
	n     int
	taken int64
	data  []byte
}

// versionChain is a chain of versions, from the key version on.
type versionChain struct {
	forgotten int // versions up to this one are gone
	rows      []versionRow
}

// versionChain reads the chain of the first kept version from at to to, up to its end or to
// version to. It uses one query, because versions may be forgotten at any time.
func (s *Store) versionChain(ctx context.Context, q querier, id int64, at, to int) (c versionChain, err error) {
	const older = "SELECT n, taken, data, 0 FROM versions WHERE url = ?1 AND n BETWEEN ?2 AND ?3 ORDER BY n"
	// The number of forgotten versions is consistent with the rows. The first kept version may
	// be in a later chain than at.
	const query = `WITH u (gone) AS (SELECT forgotten FROM urls WHERE id = ?1),
		c (first, last, gone) AS (SELECT max(?2, gone + 1), min(?3, (max(?4, gone + 1) - 1) / ?5 * ?5 + ?5), gone FROM u)
		SELECT ifnull(v.n, 0), ifnull(v.taken, 0), v.data, c.gone FROM c LEFT JOIN versions v ON v.url = ?1 AND v.n BETWEEN c.first AND c.last ORDER BY v.n`
	read := func(scan func(...any) error) error {
		var x versionRow
		err := scan(&x.n, &x.taken, &x.data, &c.forgotten)
		if x.n > 0 { // otherwise no version is there
			c.rows = append(c.rows, x)
		}
		return err
	}
	if s.format < withForgetting {
		err = rows(ctx, q, read, older, id, tree.KeyBefore(at), min(to, tree.KeyBefore(at)+tree.KeyEvery-1))
	} else {
		err = rows(ctx, q, read, query, id, tree.KeyBefore(at), to, at, tree.KeyEvery)
	}
	return c, err
}

// tree reads one version.
func (s *Store) tree(ctx context.Context, q querier, id int64, url string, n int) (t *tree.Tree, err error) {
	err = s.trees(ctx, q, id, url, n, n, func(x *tree.Tree) (bool, error) {
		t = x
		return false, nil
	})
	if err == nil && t == nil {
		err = fmt.Errorf("version %d of %s: %w", n, url, plat.ErrForgotten) // in the meantime
	}
	return t, err
}

// Version returns a version with its block tree.
func (s *Store) Version(ctx context.Context, url string, n int) (*plat.Version, error) {
	u, err := s.numbers(ctx, url)
	if err != nil {
		return nil, notFound(err, "version %d of %q", n, url)
	}
	if err := storage.Kept(&u.URLState, &n); err != nil {
		return nil, fmt.Errorf("sqlite: %w", err)
	}
	t, err := s.tree(ctx, s.read, u.id, url, n)
	if err != nil {
		return nil, fmt.Errorf("sqlite: %w; run plat verify", err)
	}
	return alone(t), nil
}

// Last returns the last version of a URL.
func (s *Store) Last(ctx context.Context, st *plat.URLState) (*plat.Version, error) {
	n := 0
	if err := storage.Kept(st, &n); err != nil {
		return nil, fmt.Errorf("sqlite: %w", err)
	}
	return s.Version(ctx, st.URL, n)
}

// forgotten returns the column of urls u with the last forgotten version.
func (s *Store) forgotten() string {
	if s.format < withForgetting {
		return "0"
	}
	return "u.forgotten"
}

// numbers returns the range of versions of a URL.
func (s *Store) numbers(ctx context.Context, url string) (u urlRow, err error) {
	when := "forgotten_at"
	if s.format < withForgetting {
		when = "NULL"
	}
	var at sql.NullInt64
	u.URL = url
	err = s.read.QueryRowContext(ctx, "SELECT id, head, "+s.forgotten()+", "+when+" FROM urls u WHERE url = ?", url).Scan(&u.id, &u.Head, &u.Forgotten, &at)
	u.ForgottenAt = orZero(at)
	return u, err
}

// alone returns the version without its chain, so that the chain is not kept in memory.
func alone(t *tree.Tree) *plat.Version {
	v := t.Version
	return &v
}

// Versions yields the versions of url without their block trees.
func (s *Store) Versions(ctx context.Context, url string) iter.Seq2[*plat.Version, error] {
	return s.versions(ctx, url, 1, math.MaxInt, func(t *tree.Tree) *plat.Version {
		v := t.Version
		v.Blocks = nil
		v.Capture.Header = slices.Clone(v.Capture.Header)
		return &v
	})
}

// Trees yields versions with their block trees.
func (s *Store) Trees(ctx context.Context, url string, from, to int) iter.Seq2[*plat.Version, error] {
	return s.versions(ctx, url, from, to, func(t *tree.Tree) *plat.Version {
		// The next version is derived from the blocks of this one, into which the caller may
		// load contents.
		v := alone(t)
		v.Blocks = slices.Clone(v.Blocks)
		return v
	})
}

// versions yields of(t) for the versions from..to of a URL.
func (s *Store) versions(ctx context.Context, url string, from, to int, of func(*tree.Tree) *plat.Version) iter.Seq2[*plat.Version, error] {
	return func(yield func(*plat.Version, error) bool) {
		u, err := s.numbers(ctx, url)
		if err != nil {
			if err := notFound(err, "versions of %q", url); !isNotFound(err) {
				yield(nil, err)
			}
			return
		}
		err = s.trees(ctx, s.read, u.id, url, from, min(to, u.Head), func(t *tree.Tree) (bool, error) { return yield(of(t), nil), nil })
		if err != nil {
			yield(nil, fmt.Errorf("sqlite: %w; run plat verify", err))
		}
	}
}

// Times returns the capture times of the versions of url.
func (s *Store) Times(ctx context.Context, url string) ([]time.Time, error) {
	u, err := s.numbers(ctx, url)
	if err == nil && u.Head == 0 {
		n := 0
		return nil, fmt.Errorf("sqlite: %w", storage.Kept(&u.URLState, &n))
	}
	var all []time.Time
	if err == nil {
		err = rows(ctx, s.read, func(scan func(...any) error) error {
			var n int
			var taken int64
			err := scan(&n, &taken)
			for len(all) < n-1 {
				all = append(all, time.Time{})
			}
			all = append(all, instant(taken))
			return err
		}, "SELECT n, taken FROM versions WHERE url = ? AND n <= ? ORDER BY n", u.id, u.Head)
	}
	if err != nil {
		return nil, notFound(err, "times of %q", url)
	}
	return all, nil
}

// Contents returns the content of blocks.
func (s *Store) Contents(ctx context.Context, hashes []plat.Hash) ([][]byte, error) {
	return s.fetch(ctx, s.read, kindBlock, hashes)
}

// Layout returns a layout.
func (s *Store) Layout(ctx context.Context, h plat.Hash) (plat.Layout, error) {
	b, err := s.fetch(ctx, s.read, kindLayout, []plat.Hash{h})
	if err != nil {
		return plat.Layout{}, err
	}
	return plat.UnmarshalLayout(b[0])
}

// Picture returns a screenshot.
func (s *Store) Picture(ctx context.Context, h plat.Hash) (plat.Picture, error) {
	var p plat.Picture
	err := s.read.QueryRowContext(ctx, "SELECT type, data FROM pictures WHERE hash = ?", h[:]).Scan(&p.Type, &p.Data)
	if err != nil {
		return plat.Picture{}, notFound(err, "picture %s", h.Short())
	}
	if plat.HashOf(p.Data) != h {
		return plat.Picture{}, fmt.Errorf("sqlite: picture %s: %w; run plat verify", h.Short(), plat.ErrCorrupt)
	}
	return p, nil
}
