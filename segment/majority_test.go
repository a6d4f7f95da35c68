package segment

import (
	"math/rand/v2"
	"testing"
)

func TestCount(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		var c majority[uint8]
		all := map[uint8]int32{}
		value, most := uint8(0), int32(0)
		for range r.IntN(40) {
			k, n := uint8(r.IntN(4)), int32(r.IntN(6))
			c.Add(k, n)
			if all[k] += n; all[k] > most { // of equals, the first
				value, most = k, all[k]
			}
		}
		if c.Value != value || c.Most != most {
			t.Fatalf("%d of %d, want %d of %d", c.Value, c.Most, value, most)
		}
	}
}
