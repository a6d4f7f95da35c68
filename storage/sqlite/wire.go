package sqlite

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"time"

	"plat/plat"
)

// writer appends the numbers and texts of rows.
type writer struct{ b []byte }

func (w *writer) uint(v uint64)    { w.b = binary.AppendUvarint(w.b, v) }
func (w *writer) int(v int64)      { w.b = binary.AppendVarint(w.b, v) }
func (w *writer) hash(h plat.Hash) { w.b = append(w.b, h[:]...) }

func (w *writer) text(s string) {
	w.uint(uint64(len(s)))
	w.b = append(w.b, s...)
}

// textAs writes s as a difference to ref: an odd length means that a common prefix
// and suffix follow.
func (w *writer) textAs(s, ref string) {
	p := 0
	for p < len(s) && p < len(ref) && s[p] == ref[p] {
		p++
	}
	q := 0
	for q < len(s)-p && q < len(ref)-p && s[len(s)-1-q] == ref[len(ref)-1-q] {
		q++
	}
	if p+q < 4 { // two numbers cost two bytes
		w.uint(uint64(len(s)) << 1)
		w.b = append(w.b, s...)
		return
	}
	w.uint(uint64(len(s)-p-q)<<1 | 1)
	w.uint(uint64(p))
	w.uint(uint64(q))
	w.b = append(w.b, s[p:len(s)-q]...)
}

// putName writes the rank of a name among known ones, from 1, or 0 and the text of an unknown
// name.
func putName[T ~string](w *writer, known []T, name T) {
	w.uint(uint64(slices.Index(known, name) + 1))
	if !slices.Contains(known, name) {
		w.text(string(name))
	}
}

// nameOf reads the output of putName. Errors contain the kind of name, what.
func nameOf[T ~string](r *reader, known []T, what string) T {
	i := r.uint()
	switch {
	case i == 0:
		return T(r.text())
	case i <= uint64(len(known)):
		return known[i-1]
	}
	r.fail("unknown " + what)
	return ""
}

// Encodings of a float, in the two low bits of a varint.
const (
	float64ths    = 0 // a signed multiple of 1/64, the layout unit of Chrome
	floatThousand = 1 // a multiple of 1/1000, as for confidences
	floatBits     = 2 // followed by its four bytes
)

func (w *writer) float(f float32) {
	if n, ok := fixed(f); ok {
		w.uint(zigzag(n)<<2 | float64ths)
		return
	}
	if n := math.Round(float64(f) * 1000); n > 0 && n < 1<<16 && float32(n)/1000 == f {
		w.uint(uint64(n)<<2 | floatThousand)
		return
	}
	w.uint(floatBits)
	w.b = binary.LittleEndian.AppendUint32(w.b, math.Float32bits(f))
}

// fixed returns f in 1/64, if that is exact.
func fixed(f float32) (int64, bool) {
	x := float64(f) * 64
	if math.Abs(x) >= 1<<40 || x != math.Trunc(x) || f == 0 && math.Signbit(float64(f)) {
		return 0, false // also NaN and infinities
	}
	return int64(x), true
}

func unfixed(n int64) float32 { return float32(float64(n) / 64) }

func zigzag(v int64) uint64   { return uint64(v)<<1 ^ uint64(v>>63) }
func unzigzag(v uint64) int64 { return int64(v>>1) ^ -int64(v&1) }

// reader parses from b the output of a writer. After the first failure all results are zero,
// and err is that failure.
type reader struct {
	b   []byte
	err error
}

func (r *reader) fail(what string) {
	if r.err == nil {
		r.err = fmt.Errorf("%s: %w", what, plat.ErrCorrupt)
		r.b = nil
	}
}

func (r *reader) uint() uint64 {
	v, n := binary.Uvarint(r.b)
	if n <= 0 {
		r.fail("truncated number")
		return 0
	}
	r.b = r.b[n:]
	return v
}

func (r *reader) int() int64 {
	v, n := binary.Varint(r.b)
	if n <= 0 {
		r.fail("truncated number")
		return 0
	}
	r.b = r.b[n:]
	return v
}

// int32 reads a number written by int, and adds add to it.
func (r *reader) int32(add int64) int32 {
	v := r.int() + add
	if v != int64(int32(v)) {
		r.fail("number out of range")
		return 0
	}
	return int32(v)
}

// duration reads milliseconds.
func (r *reader) duration() time.Duration {
	ms := r.int()
	if ms > math.MaxInt64/int64(time.Millisecond) || ms < math.MinInt64/int64(time.Millisecond) {
		r.fail("duration out of range")
		return 0
	}
	return time.Duration(ms) * time.Millisecond
}

// count reads a number of items of at least one byte each.
func (r *reader) count() int {
	n := r.uint()
	if n > uint64(len(r.b)) {
		r.fail("truncated list")
		return 0
	}
	return int(n)
}

func (r *reader) bytes(n uint64) []byte {
	if n > uint64(len(r.b)) {
		r.fail("truncated text")
		return nil
	}
	b := r.b[:n]
	r.b = r.b[n:]
	return b
}

func (r *reader) hash() (h plat.Hash) {
	copy(h[:], r.bytes(uint64(len(h))))
	return h
}

func (r *reader) text() string { return string(r.bytes(r.uint())) }

func (r *reader) textAs(ref string) string {
	n := r.uint()
	if n&1 == 0 {
		return string(r.bytes(n >> 1))
	}
	p, q := r.uint(), r.uint()
	if p > uint64(len(ref)) || q > uint64(len(ref))-p {
		r.fail("text refers beyond its reference")
		return ""
	}
	mid := r.bytes(n >> 1)
	return ref[:p] + string(mid) + ref[uint64(len(ref))-q:]
}

func (r *reader) float() float32 {
	v := r.uint()
	switch v & 3 {
	case float64ths:
		return unfixed(unzigzag(v >> 2))
	case floatThousand:
		return float32(v>>2) / 1000
	case floatBits:
		if b := r.bytes(4); len(b) == 4 {
			return math.Float32frombits(binary.LittleEndian.Uint32(b))
		}
	default:
		r.fail("unknown encoding of a fraction")
	}
	return 0
}
