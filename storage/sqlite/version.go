package sqlite

import (
	"context"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"iter"
	"math"
	"slices"
	"time"

	"plat"
)

// keyEvery is the length of a chain of versions: version 1, 1+keyEvery, … are written
// in full. On the recorded histories 32 takes 2 to 4 percent more space than 64 and
// halves the time to read the last version of a chain.
const keyEvery = 32

func keyBefore(n int) int { return (n-1)/keyEvery*keyEvery + 1 }

// A version's row is a checksum of its data and key, four bytes, then the length of
// the tree, then the tree, encoded by package delta against those of the chain before
// it: what changes once tends to change again in the same place, and back. Contents
// are verified by their hash, but nothing else would detect a damaged box or label in
// a tree.
func (s *Store) packTree(b []byte, id int64, n int, taken int64, prev *tree) []byte {
	w := writer{b: make([]byte, sumLen, sumLen+len(b)+4)}
	w.uint(uint64(len(b)))
	row := s.coder.Encode(w.b, b, prev.dictionary())
	setSum(row, id, int64(n), taken)
	return row
}

func (s *Store) unpackTree(row []byte, id int64, url string, n int, taken int64, prev *tree) (*tree, error) {
	if !hasSum(row, id, int64(n), taken) {
		return nil, fmt.Errorf("version %d of %s has a wrong checksum: %w", n, url, plat.ErrCorrupt)
	}
	r := &reader{b: row[sumLen:]}
	size := r.uint()
	if r.err != nil || size > maxPack {
		return nil, fmt.Errorf("version %d of %s: %w", n, url, plat.ErrCorrupt)
	}
	b, err := s.coder.Decode(r.b, prev.dictionary(), int(size))
	if err != nil {
		return nil, fmt.Errorf("version %d of %s: %w", n, url, err)
	}
	t, err := decodeTree(b, url, n, prev)
	if err != nil {
		return nil, err
	}
	t.Taken = instant(taken)
	t.chain = append(prev.dictionary(), b...)
	return t, nil
}

// dictionary is the dictionary for compressing the version after t; t may be nil.
func (t *tree) dictionary() []byte {
	if t == nil {
		return nil
	}
	return t.chain
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

// trees calls f for the versions from..to of a URL in order, after reading the chain
// before them, until f returns false.
func (s *Store) trees(ctx context.Context, q querier, id int64, url string, from, to int, f func(*tree) (bool, error)) error {
	type row struct {
		n     int
		taken int64
		data  []byte
	}
	var prev *tree
	for at := keyBefore(from); at <= to; {
		// Read one chain at a time: f may be slow, and must not hold the connection.
		start := at
		var got []row
		err := rows(ctx, q, func(scan func(...any) error) error {
			var x row
			err := scan(&x.n, &x.taken, &x.data)
			got = append(got, x)
			return err
		}, "SELECT n, taken, data FROM versions WHERE url = ? AND n BETWEEN ? AND ? ORDER BY n", id, at, min(to, at+keyEvery-1))
		if err != nil {
			return err
		}
		for _, x := range got {
			if x.n != at {
				break
			}
			if at == keyBefore(at) {
				prev = nil
			}
			if prev, err = s.unpackTree(x.data, id, url, x.n, x.taken, prev); err != nil {
				return err
			}
			if at >= from {
				if ok, err := f(prev); err != nil || !ok {
					return err
				}
			}
			at++
		}
		if at <= to && at < start+keyEvery {
			return fmt.Errorf("version %d of %s is missing: %w", at, url, plat.ErrCorrupt)
		}
	}
	return nil
}

// tree reads one version.
func (s *Store) tree(ctx context.Context, q querier, id int64, url string, n int) (t *tree, err error) {
	err = s.trees(ctx, q, id, url, n, n, func(x *tree) (bool, error) {
		t = x
		return false, nil
	})
	return t, err
}

// Version returns a version with its block tree.
func (s *Store) Version(ctx context.Context, url string, n int) (*plat.Version, error) {
	var id int64
	var head int
	err := s.read.QueryRowContext(ctx, "SELECT id, head FROM urls WHERE url = ?", url).Scan(&id, &head)
	if err != nil {
		return nil, notFound(err, "version %d of %q", n, url)
	}
	if n == 0 {
		n = head
	}
	if n < 1 || n > head {
		return nil, fmt.Errorf("sqlite: version %d of %q: %w", n, url, plat.ErrNotFound)
	}
	t, err := s.tree(ctx, s.read, id, url, n)
	if err != nil {
		return nil, fmt.Errorf("sqlite: %w; run plat verify", err)
	}
	return t.alone(), nil
}

// alone returns the version without its chain, which must not be kept in memory with
// it.
func (t *tree) alone() *plat.Version {
	v := t.Version
	return &v
}

// Versions yields the versions of url without their block trees.
func (s *Store) Versions(ctx context.Context, url string) iter.Seq2[*plat.Version, error] {
	return s.versions(ctx, url, 1, math.MaxInt, func(t *tree) *plat.Version {
		v := t.Version
		v.Blocks = nil
		v.Capture.Header = slices.Clone(v.Capture.Header)
		return &v
	})
}

// Trees yields versions with their block trees.
func (s *Store) Trees(ctx context.Context, url string, from, to int) iter.Seq2[*plat.Version, error] {
	return s.versions(ctx, url, from, to, func(t *tree) *plat.Version {
		// The next version is made of this one's blocks, into which the caller may load contents.
		v := t.alone()
		v.Blocks = slices.Clone(v.Blocks)
		return v
	})
}

// versions yields of(t) for the versions from..to of a URL.
func (s *Store) versions(ctx context.Context, url string, from, to int, of func(*tree) *plat.Version) iter.Seq2[*plat.Version, error] {
	return func(yield func(*plat.Version, error) bool) {
		var id int64
		var head int
		err := s.read.QueryRowContext(ctx, "SELECT id, head FROM urls WHERE url = ?", url).Scan(&id, &head)
		if err != nil {
			if err := notFound(err, "versions of %q", url); !isNotFound(err) {
				yield(nil, err)
			}
			return
		}
		err = s.trees(ctx, s.read, id, url, max(1, from), min(to, head), func(t *tree) (bool, error) { return yield(of(t), nil), nil })
		if err != nil {
			yield(nil, fmt.Errorf("sqlite: %w; run plat verify", err))
		}
	}
}

// Times returns when the versions of url were taken.
func (s *Store) Times(ctx context.Context, url string) ([]time.Time, error) {
	var all []time.Time
	err := rows(ctx, s.read, func(scan func(...any) error) error {
		var taken int64
		err := scan(&taken)
		all = append(all, instant(taken))
		return err
	}, "SELECT v.taken FROM versions v JOIN urls u ON u.id = v.url WHERE u.url = ? AND v.n <= u.head ORDER BY v.n", url)
	if err != nil {
		return nil, fmt.Errorf("sqlite: times of %q: %w", url, err)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("sqlite: versions of %q: %w", url, plat.ErrNotFound)
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
