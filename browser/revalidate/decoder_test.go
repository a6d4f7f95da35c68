package revalidate

import (
	"encoding/binary"
	"testing"
	"time"
)

// TestFieldsThatAreCutAreBad: each kind of field says so, and what is read afterwards is zero.
func TestFieldsThatAreCutAreBad(t *testing.T) {
	whole := map[string][]byte{"take": {1, 2, 3}, "uint64": {0x80, 1}, "uint": {0x80, 1}, "byte": {5}, "uint32": {1, 2, 3, 4}, "text": {2, 'a', 'b'}, "instant": {0x80, 2}}
	read := map[string]func(*decoder) bool{ // reports whether the value is not zero
		"take": func(r *decoder) bool { return r.take(3) != nil }, "uint64": func(r *decoder) bool { return r.uint64() != 0 }, "uint": func(r *decoder) bool { return r.uint() != 0 },
		"byte": func(r *decoder) bool { return r.byte() != 0 }, "uint32": func(r *decoder) bool { return r.uint32() != 0 }, "text": func(r *decoder) bool { return r.text() != "" },
		"instant": func(r *decoder) bool { return !r.instant().IsZero() },
	}
	for name, b := range whole {
		r := &decoder{b: b}
		if !read[name](r) || r.bad || len(r.b) != 0 {
			t.Errorf("%s of %x: bad %v, %d bytes left", name, b, r.bad, len(r.b))
		}
		for n := range b {
			r := &decoder{b: b[:n]}
			if read[name](r) || !r.bad {
				t.Errorf("%s of %x: bad %v", name, b[:n], r.bad)
			}
		}
	}
	r := &decoder{b: []byte{1, 2, 3}}
	if r.take(-1) != nil || !r.bad || r.take(1) != nil || r.byte() != 0 || r.uint32() != 0 || r.mark() != (Mark{}) {
		t.Error("something is read after a mistake")
	}
}

// TestNumbersOutOfRangeAreBad: sizes and seconds have at most 40 bits.
func TestNumbersOutOfRangeAreBad(t *testing.T) {
	for v, bad := range map[uint64]bool{0: false, 1 << 40: false, 1<<40 + 1: true, 1 << 63: true} {
		r := &decoder{b: binary.AppendUvarint(nil, v)}
		if got := r.uint(); r.bad != bad || !bad && got != int(v) {
			t.Errorf("%d is read as %d, bad %v", v, got, r.bad)
		}
	}
	for v, bad := range map[int64]bool{0: false, 1: false, -1: false, 1 << 40: false, -1 << 40: false, 1<<40 + 1: true, -1<<40 - 1: true, 1 << 41: true, -1 << 41: true} {
		r := &decoder{b: binary.AppendVarint(nil, v)}
		want := time.Unix(v, 0).UTC()
		if v == 0 || bad {
			want = time.Time{}
		}
		if got := r.instant(); r.bad != bad || !got.Equal(want) {
			t.Errorf("%d is read as %v, bad %v", v, got, r.bad)
		}
	}
}
