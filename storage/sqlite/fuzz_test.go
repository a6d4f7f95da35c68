package sqlite

import (
	"bytes"
	"errors"
	"reflect"
	"testing"
	"time"

	"plat/plat"
	"plat/storage/delta"
	"plat/storage/storagetest"
)

// twoTrees returns two versions of a page, as trees.
func twoTrees(seed uint64, steps int) (prev, next *tree) {
	p := storagetest.NewPage("https://a.test/", seed)
	prev = &tree{Version: *p.Next().Version}
	for range steps {
		next = &tree{Version: *p.Next().Version}
	}
	for _, t := range []*tree{prev, next} {
		t.Taken = time.Time{}
		for i := range t.Blocks {
			t.Blocks[i].Content = nil
			since := int32(0)
			if t.Blocks[i].Leaf() {
				since = 1 + int32(i)%int32(t.N)
			}
			t.since = append(t.since, since)
		}
	}
	return prev, next
}

// FuzzTree checks that encoded trees decode to themselves against any reference
// version, and that other input is rejected or decoded without a panic.
func FuzzTree(f *testing.F) {
	prev, next := twoTrees(1, 3)
	alone := encodeTree(prev, nil)
	f.Add(uint64(1), uint8(3), alone)
	f.Add(uint64(2), uint8(40), encodeTree(next, prev))
	f.Fuzz(func(t *testing.T, seed uint64, steps uint8, b []byte) {
		prev, next := twoTrees(seed, 1+int(steps)%16)
		for _, ref := range []*tree{nil, prev} {
			var against *tree
			if ref != nil {
				encodeTree(ref, nil) // sets the shapes
				against = ref
			}
			got, err := decodeTree(encodeTree(next, against), next.URL, next.N, against)
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(got.Version, next.Version) || !reflect.DeepEqual(got.since, next.since) {
				t.Fatalf("seed %d, %d steps: the decoded tree differs", seed, steps)
			}
			if !sameShapes(got.shapes, next.shapes) {
				t.Fatalf("seed %d, %d steps: the decoded shapes differ", seed, steps)
			}
			if got, err := decodeTree(b, next.URL, next.N, against); err == nil {
				// Any decoded tree can be encoded again.
				again, err := decodeTree(encodeTree(got, nil), got.URL, got.N, nil)
				if err != nil || len(again.Blocks) != len(got.Blocks) {
					t.Fatalf("a decoded tree cannot be encoded: %v", err)
				}
			} else if !errors.Is(err, plat.ErrCorrupt) {
				t.Fatalf("error = %v, want plat.ErrCorrupt", err)
			}
		}
	})
}

func sameShapes(a, b []shape) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		x, y := a[i], b[i]
		if len(x.steps) == 0 && len(y.steps) == 0 {
			x.steps, y.steps = nil, nil
		}
		if !reflect.DeepEqual(x, y) {
			return false
		}
	}
	return true
}

func FuzzVisits(f *testing.F) {
	run := []plat.Visit{
		{URL: "u", Time: instant(5), Outcome: plat.OutcomeNew, Version: 1, Status: 200, Duration: time.Second, Bytes: 7},
		{URL: "u", Time: instant(9), Outcome: "other", Status: 503, Error: "no"},
		{URL: "u", Time: instant(70), Outcome: plat.OutcomeUnchanged, Settles: instant(60), Next: instant(90)},
		{URL: "u", Time: instant(75), Outcome: plat.OutcomeTimeout},
		{URL: "u", Time: instant(95), Outcome: plat.OutcomeUnchanged, Settles: instant(90), Next: instant(-90)},
	}
	f.Add(encodeVisits(run, 1)[sumLen:], int64(5))
	f.Fuzz(func(t *testing.T, b []byte, start int64) {
		start %= 1 << 50
		row := append(make([]byte, sumLen), b...)
		if _, err := decodeVisits(row, 1, "u", start); len(b) > 0 && err == nil {
			t.Skip("the checksum happens to be zero")
		}
		setSum(row, 1, start)
		run, err := decodeVisits(row, 1, "u", start)
		if err != nil {
			if !errors.Is(err, plat.ErrCorrupt) {
				t.Fatalf("error = %v, want plat.ErrCorrupt", err)
			}
			return
		}
		if len(run) == 0 {
			return
		}
		again, err := decodeVisits(encodeVisits(run, 1), 1, "u", start)
		if err != nil || !reflect.DeepEqual(again, run) {
			t.Fatalf("visits %v came back as %v, %v", run, again, err)
		}
	})
}

func FuzzPack(f *testing.F) {
	var c delta.Coder
	base := []byte("<p>what was before</p>")
	entries := []entry{entryOf(kindLayout, plat.HashOf([]byte("x")), []byte("x")), entryOf(kindBlock, plat.HashOf(base), base)}
	f.Add(encodePack(&c, entries, base), []byte("x"), base)
	f.Fuzz(func(t *testing.T, row, x, y []byte) {
		in := []entry{entryOf(kindBlock, plat.HashOf(x), x), entryOf(kindLayout, plat.HashOf(y), y), entryOf(kindBlock, plat.Hash{}, nil)}
		out, all, err := decodePack(&c, encodePack(&c, in, base), base)
		if err != nil || len(out) != 3 || !bytes.Equal(out[0].data, x) || !bytes.Equal(out[1].data, y) || len(out[2].data) != 0 ||
			out[0].kind != kindBlock || out[1].kind != kindLayout || len(all) != len(x)+len(y) {
			t.Fatalf("a pack came back as %v, %v", out, err)
		}
		if _, _, err := decodePack(&c, row, base); err != nil && !errors.Is(err, plat.ErrCorrupt) {
			t.Fatalf("error = %v, want plat.ErrCorrupt", err)
		}
	})
}

func FuzzFloat(f *testing.F) {
	f.Add(float32(1.5))
	f.Add(float32(0.333))
	f.Fuzz(func(t *testing.T, x float32) {
		var w writer
		w.float(x)
		r := &reader{b: w.b}
		if got := r.float(); r.err != nil || !same(got, x) && x == x || len(r.b) > 0 {
			t.Fatalf("%v came back as %v, %v", x, got, r.err)
		}
	})
}
