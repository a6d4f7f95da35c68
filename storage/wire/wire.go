// Package wire writes and reads numbers and texts as compact bytes: the parts of rows that a store
// packs itself. docs/format.md has the conventions, with worked examples.
package wire

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"time"

	"plat/plat"
)

// A Writer appends numbers and texts to B. The zero value is ready for use.
type Writer struct{ B []byte }

// Uint appends a number in base 128, lowest seven bits first.
func (w *Writer) Uint(v uint64) { w.B = binary.AppendUvarint(w.B, v) }

// Int appends a signed number: 0, -1, 1, -2 as 0, 1, 2, 3.
func (w *Writer) Int(v int64) { w.B = binary.AppendVarint(w.B, v) }

// Hash appends the 32 bytes of a hash.
func (w *Writer) Hash(h plat.Hash) { w.B = append(w.B, h[:]...) }

// Text appends the length of s, and s.
func (w *Writer) Text(s string) {
	w.Uint(uint64(len(s)))
	w.B = append(w.B, s...)
}

// TextAs appends s as a difference to ref: an odd length means that a common prefix
// and suffix follow.
func (w *Writer) TextAs(s, ref string) {
	p := 0
	for p < len(s) && p < len(ref) && s[p] == ref[p] {
		p++
	}
	q := 0
	for q < len(s)-p && q < len(ref)-p && s[len(s)-1-q] == ref[len(ref)-1-q] {
		q++
	}
	if p+q < 4 { // two numbers cost two bytes
		w.Uint(uint64(len(s)) << 1)
		w.B = append(w.B, s...)
		return
	}
	w.Uint(uint64(len(s)-p-q)<<1 | 1)
	w.Uint(uint64(p))
	w.Uint(uint64(q))
	w.B = append(w.B, s[p:len(s)-q]...)
}

// Places appends numbers as differences, which are small for ascending offsets.
func (w *Writer) Places(all []int32) {
	w.Uint(uint64(len(all)))
	last := int32(0)
	for _, v := range all {
		w.Int(int64(v) - int64(last))
		last = v
	}
}

// PutName writes the rank of a name among known ones, from 1, or 0 and the text of an unknown
// name.
func PutName[T ~string](w *Writer, known []T, name T) {
	w.Uint(uint64(slices.Index(known, name) + 1))
	if !slices.Contains(known, name) {
		w.Text(string(name))
	}
}

// NameOf reads the output of PutName. Errors contain the kind of name, what.
func NameOf[T ~string](r *Reader, known []T, what string) T {
	i := r.Uint()
	switch {
	case i == 0:
		return T(r.Text())
	case i <= uint64(len(known)):
		return known[i-1]
	}
	r.Fail("unknown " + what)
	return ""
}

// Encodings of a float, in the two low bits of a varint.
const (
	float64ths    = 0 // a signed multiple of 1/64, the layout unit of Chrome
	floatThousand = 1 // a multiple of 1/1000, as for confidences
	floatBits     = 2 // followed by its four bytes
)

// Float appends a fraction, in one to five bytes. The reader returns the same bits.
func (w *Writer) Float(f float32) {
	if n, ok := Fixed(f); ok {
		w.Uint(Zigzag(n)<<2 | float64ths)
		return
	}
	if n := math.Round(float64(f) * 1000); n > 0 && n < 1<<16 && float32(n)/1000 == f {
		w.Uint(uint64(n)<<2 | floatThousand)
		return
	}
	w.Uint(floatBits)
	w.B = binary.LittleEndian.AppendUint32(w.B, math.Float32bits(f))
}

// Fixed returns f in 1/64, if that is exact.
func Fixed(f float32) (int64, bool) {
	x := float64(f) * 64
	if math.Abs(x) >= 1<<40 || x != math.Trunc(x) || f == 0 && math.Signbit(float64(f)) {
		return 0, false // also NaN and infinities
	}
	return int64(x), true
}

// Unfixed is the inverse of Fixed.
func Unfixed(n int64) float32 { return float32(float64(n) / 64) }

// Zigzag returns the number that stands for a signed one: see [Writer.Int].
func Zigzag(v int64) uint64 { return uint64(v)<<1 ^ uint64(v>>63) }

// Unzigzag is the inverse of Zigzag.
func Unzigzag(v uint64) int64 { return int64(v>>1) ^ -int64(v&1) }

// A Reader parses from B the output of a Writer. After the first failure all results are zero, B is
// empty, and Err is that failure, a plat.ErrCorrupt.
type Reader struct {
	B   []byte
	Err error
}

// Fail records a failure that the caller has found.
func (r *Reader) Fail(what string) {
	if r.Err == nil {
		r.Err = fmt.Errorf("%s: %w", what, plat.ErrCorrupt)
		r.B = nil
	}
}

// Uint reads the output of [Writer.Uint].
func (r *Reader) Uint() uint64 {
	v, n := binary.Uvarint(r.B)
	if n <= 0 {
		r.Fail("truncated number")
		return 0
	}
	r.B = r.B[n:]
	return v
}

// Int reads the output of [Writer.Int].
func (r *Reader) Int() int64 {
	v, n := binary.Varint(r.B)
	if n <= 0 {
		r.Fail("truncated number")
		return 0
	}
	r.B = r.B[n:]
	return v
}

// Int32 reads a number written by [Writer.Int], and adds add to it.
func (r *Reader) Int32(add int64) int32 {
	v := r.Int() + add
	if v != int64(int32(v)) {
		r.Fail("number out of range")
		return 0
	}
	return int32(v)
}

// Duration reads milliseconds.
func (r *Reader) Duration() time.Duration {
	ms := r.Int()
	if ms > math.MaxInt64/int64(time.Millisecond) || ms < math.MinInt64/int64(time.Millisecond) {
		r.Fail("duration out of range")
		return 0
	}
	return time.Duration(ms) * time.Millisecond
}

// Count reads a number of items of at least one byte each.
func (r *Reader) Count() int {
	n := r.Uint()
	if n > uint64(len(r.B)) {
		r.Fail("truncated list")
		return 0
	}
	return int(n)
}

// Bytes returns the next n bytes, which are not copied.
func (r *Reader) Bytes(n uint64) []byte {
	if n > uint64(len(r.B)) {
		r.Fail("truncated text")
		return nil
	}
	b := r.B[:n]
	r.B = r.B[n:]
	return b
}

// Hash reads a hash.
func (r *Reader) Hash() (h plat.Hash) {
	copy(h[:], r.Bytes(uint64(len(h))))
	return h
}

// Text reads the output of [Writer.Text].
func (r *Reader) Text() string { return string(r.Bytes(r.Uint())) }

// TextAs reads the output of [Writer.TextAs] for the same ref.
func (r *Reader) TextAs(ref string) string {
	n := r.Uint()
	if n&1 == 0 {
		return string(r.Bytes(n >> 1))
	}
	p, q := r.Uint(), r.Uint()
	if p > uint64(len(ref)) || q > uint64(len(ref))-p {
		r.Fail("text refers beyond its reference")
		return ""
	}
	mid := r.Bytes(n >> 1)
	return ref[:p] + string(mid) + ref[uint64(len(ref))-q:]
}

// Places reads the output of [Writer.Places].
func (r *Reader) Places() (all []int32) {
	if n := r.Count(); n > 0 {
		all = make([]int32, n)
	}
	last := int32(0)
	for k := range all {
		last = r.Int32(int64(last))
		all[k] = last
	}
	return all
}

// Float reads the output of [Writer.Float].
func (r *Reader) Float() float32 {
	v := r.Uint()
	switch v & 3 {
	case float64ths:
		return Unfixed(Unzigzag(v >> 2))
	case floatThousand:
		return float32(v>>2) / 1000
	case floatBits:
		if b := r.Bytes(4); len(b) == 4 {
			return math.Float32frombits(binary.LittleEndian.Uint32(b))
		}
	default:
		r.Fail("unknown encoding of a fraction")
	}
	return 0
}
