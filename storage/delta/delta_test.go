package delta

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"testing"

	"plat/plat"
)

func random(n int, seed uint64) []byte {
	r := rand.New(rand.NewPCG(seed, 1))
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

func TestRoundTrip(t *testing.T) {
	var c Coder
	long := random(5<<20, 1)
	for _, tc := range []struct {
		name      string
		src, base []byte
		atMost    int
	}{
		{"nothing", nil, nil, 1},
		{"nothing against something", nil, long, 1},
		{"one byte", []byte{7}, nil, 2},
		{"noise is stored raw", long[:5000], nil, 5001},
		{"a base that is too short", []byte("abcabcabcabcabcabcabcabc"), []byte("abc"), 25},
		{"a copy of the base costs almost nothing", long[:100_000], long[:100_000], 40},
		{"an edit costs the edit", append(append(bytes.Clone(long[:40_000]), "news"...), long[40_000:80_000]...), long[:80_000], 60},
		{"5 MB", long, nil, len(long) + 1},
		{"5 MB against themselves", long, long, len(long) + 1},
		{"zeros", make([]byte, 5<<20), nil, 1000},
	} {
		t.Run(tc.name, func(t *testing.T) {
			b := c.Encode([]byte("before"), tc.src, tc.base)
			if !bytes.HasPrefix(b, []byte("before")) {
				t.Fatalf("Encode overwrote dst: %q", b[:6])
			}
			b = b[6:]
			if len(b) > tc.atMost {
				t.Errorf("%d bytes were encoded as %d, want at most %d", len(tc.src), len(b), tc.atMost)
			}
			got, err := c.Decode(b, tc.base, len(tc.src))
			if err != nil || !bytes.Equal(got, tc.src) {
				t.Fatalf("Decode: %d bytes, %v; want the %d that were encoded", len(got), err, len(tc.src))
			}
			if _, err := c.Decode(b, tc.base, len(tc.src)+1); !errors.Is(err, plat.ErrCorrupt) {
				t.Errorf("Decode with a size too large: error = %v, want plat.ErrCorrupt", err)
			}
		})
	}
}

func TestDecodeRejectsInvalidData(t *testing.T) {
	var c Coder
	for _, b := range [][]byte{nil, {codingZstd}, {2, 1, 2, 3}, {codingZstd, 0xff, 0xff, 0xff}} {
		if _, err := c.Decode(b, nil, 3); !errors.Is(err, plat.ErrCorrupt) {
			t.Errorf("Decode(%x) error = %v, want plat.ErrCorrupt", b, err)
		}
	}
	if _, err := c.Decode([]byte{codingZstd, 0, 0}, nil, 1<<40); !errors.Is(err, plat.ErrCorrupt) {
		t.Errorf("a size that no frame can reach: error = %v, want plat.ErrCorrupt", err)
	}
}

func FuzzDelta(f *testing.F) {
	f.Add([]byte("<p>Today is Friday, nothing happened.</p>"), []byte("<p>Today is Monday, nothing happened.</p>"))
	f.Add([]byte{}, []byte{1})
	var c Coder
	f.Fuzz(func(t *testing.T, src, base []byte) {
		got, err := c.Decode(c.Encode(nil, src, base), base, len(src))
		if err != nil || !bytes.Equal(got, src) {
			t.Fatalf("round trip: %v", err)
		}
		// Invalid data is rejected or decoded, without a panic.
		_, _ = c.Decode(src, base, len(base))
	})
}

// BenchmarkEncode encodes 2 KB that differ in four bytes from the last 2 KB of a
// base. The base's length dominates, because it is indexed first.
func BenchmarkEncode(b *testing.B) {
	var c Coder
	for _, n := range []int{2 << 10, 64 << 10, 256 << 10} {
		base := bytes.Repeat(random(2<<10, 3), n>>11)
		src := bytes.Clone(base[n-2<<10:])
		copy(src[700:], "news")
		coded := c.Encode(nil, src, base)
		b.Run("base="+map[int]string{2 << 10: "2KiB", 64 << 10: "64KiB", 256 << 10: "256KiB"}[n], func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				c.Encode(coded[:0], src, base)
			}
		})
	}
}

// BenchmarkDecode decodes the output of BenchmarkEncode.
func BenchmarkDecode(b *testing.B) {
	var c Coder
	base := bytes.Repeat(random(2<<10, 3), 32)
	src := bytes.Clone(base[:2<<10])
	copy(src[700:], "news")
	coded := c.Encode(nil, src, base)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := c.Decode(coded, base, len(src)); err != nil {
			b.Fatal(err)
		}
	}
}
