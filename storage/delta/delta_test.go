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

func TestTheShortestEncodingIsUsed(t *testing.T) {
	var c Coder
	prefix := []byte("before")
	for name, src := range map[string][]byte{"nothing": nil, "one byte": {7}, "random bytes": random(100, 1), "many alike": bytes.Repeat([]byte("ab"), 500)} {
		got := c.Encode(bytes.Clone(prefix), src, nil)
		if !bytes.HasPrefix(got, prefix) {
			t.Fatalf("%s: what was there before is %q", name, got[:len(prefix)])
		}
		got = got[len(prefix):]
		if raw := got[0] == codingRaw; raw != (name != "many alike") || len(got) > len(src)+1 {
			t.Errorf("%s: %d bytes become %d, raw %v", name, len(src), len(got), raw)
		}
		if back, err := c.Decode(got, nil, len(src)); err != nil || !bytes.Equal(back, src) {
			t.Errorf("%s is decoded as %q, %v", name, back, err)
		}
	}
	old := random(1000, 2)
	if got := c.Encode(nil, old, old); len(got) > 50 {
		t.Errorf("1,000 bytes against themselves take %d", len(got))
	}
	if got := c.Encode(nil, old[:minBase-1], old[:minBase-1]); got[0] != codingRaw {
		t.Error("a base is used that is too short for one")
	}
}

func TestSizesThatNoDataHasAreRefused(t *testing.T) {
	var c Coder
	frame := c.Compress(nil, bytes.Repeat([]byte{1}, 1000), nil)
	if got, err := c.Decompress(frame, nil, 1000); err != nil || len(got) != 1000 {
		t.Fatalf("%d bytes, %v", len(got), err)
	}
	for _, size := range []int{-1, 999, 1001, maxRatio*(len(frame)+1) + 1} {
		if got, err := c.Decompress(frame, nil, size); !errors.Is(err, plat.ErrCorrupt) {
			t.Errorf("size %d: %d bytes, %v", size, len(got), err)
		}
	}
	for name, b := range map[string][]byte{"nothing": {}, "raw and short": {codingRaw, 1}, "raw and long": {codingRaw, 1, 2, 3}, "another coding": {codingZstd + 1, 1, 2}, "no frame": {codingZstd, 1, 2}} {
		if got, err := c.Decode(b, nil, 2); !errors.Is(err, plat.ErrCorrupt) {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}

// Encoders and decoders are large; one that is done serves the next call.
func TestCodersAreUsedAgain(t *testing.T) {
	var c Coder
	base := random(100, 3)
	for range 3 {
		plain, based := c.Compress(nil, base, nil), c.Compress(nil, base, base)
		if got, err := c.Decompress(plain, nil, 100); err != nil || !bytes.Equal(got, base) {
			t.Fatal(err)
		}
		if got, err := c.Decompress(based, base, 100); err != nil || !bytes.Equal(got, base) {
			t.Fatal(err)
		}
	}
	if len(c.plain.list) != 1 || len(c.based.list) != 1 || len(c.dec.list) != 1 {
		t.Errorf("kept: %d, %d, %d; want one of each", len(c.plain.list), len(c.based.list), len(c.dec.list))
	}
}
