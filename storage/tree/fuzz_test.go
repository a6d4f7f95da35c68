package tree

import (
	"errors"
	"reflect"
	"testing"
	"time"

	"plat/plat"
	"plat/storage/storagetest"
)

// twoTrees returns two versions of a page, as trees.
func twoTrees(seed uint64, steps int) (prev, next *Tree) {
	p := storagetest.NewPage("https://a.test/", seed)
	prev = &Tree{Version: *p.Next().Version}
	for range steps {
		next = &Tree{Version: *p.Next().Version}
	}
	for _, t := range []*Tree{prev, next} {
		t.Taken = time.Time{}
		for i := range t.Blocks {
			t.Blocks[i].Content = nil
			since := int32(0)
			if t.Blocks[i].Leaf() {
				since = 1 + int32(i)%int32(t.N)
			}
			t.Since = append(t.Since, since)
		}
	}
	return prev, next
}

// FuzzTree checks that encoded trees decode to themselves against any reference
// version, and that other input is rejected or decoded without a panic.
func FuzzTree(f *testing.F) {
	prev, next := twoTrees(1, 3)
	alone := Encode(prev, nil)
	f.Add(uint64(1), uint8(3), alone)
	f.Add(uint64(2), uint8(40), Encode(next, prev))
	f.Fuzz(func(t *testing.T, seed uint64, steps uint8, b []byte) {
		prev, next := twoTrees(seed, 1+int(steps)%16)
		for _, ref := range []*Tree{nil, prev} {
			var against *Tree
			if ref != nil {
				against = ref
			}
			got, err := Decode(Encode(next, against), next.URL, next.N, against)
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(got.Version, next.Version) || !reflect.DeepEqual(got.Since, next.Since) {
				t.Fatalf("seed %d, %d steps: the decoded tree differs", seed, steps)
			}
			if !sameShapes(got.shapes, next.shapes) {
				t.Fatalf("seed %d, %d steps: the decoded shapes differ", seed, steps)
			}
			if got, err := Decode(b, next.URL, next.N, against); err == nil {
				// Any decoded tree can be encoded again.
				again, err := Decode(Encode(got, nil), got.URL, got.N, nil)
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
