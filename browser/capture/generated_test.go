package capture

import (
	"strings"
	"testing"

	"plat/plat"
)

// Pieces of generated text are joined once, up to a limit. Beyond it the text stays
// in pieces, which are the capture's own strings, and counts as such.
func TestGeneratedTextIsPutTogetherWithinItsLimit(t *testing.T) {
	gathered := func(n int, pieces ...string) (texts []string, total int) {
		g := &generated{all: []plat.Generated{{Kind: plat.Before}}}
		for range n {
			for _, p := range pieces {
				g.piece(p, plat.Rect{W: 1, H: 1})
			}
		}
		for _, x := range g.sorted([]plat.Style{{}}) {
			texts = append(texts, x.Text)
			total += len(x.Text)
		}
		return texts, total
	}
	if texts, _ := gathered(1, "a", "", "b ", "c"); len(texts) != 1 || texts[0] != "ab c" {
		t.Errorf("put together as %q", texts)
	}
	long := strings.Repeat("many words ", 100_000)
	var texts []string
	var total int
	took := testing.Benchmark(func(b *testing.B) {
		b.ReportAllocs()
		for range b.N {
			texts, total = gathered(200, long)
		}
	}).AllocedBytesPerOp()
	if total != 200*len(long) || len(texts) < 100 || took > 2*MaxPage {
		t.Errorf("%d texts of %d bytes took %d", len(texts), total, took)
	}
}

func TestTheTextOfAnOptionIsPutTogetherWithinItsLimit(t *testing.T) {
	s := &Capture{strings: []string{" a\t", "b c", strings.Repeat("d ", MaxPage/2)}}
	d := &document{parent: []int32{-1, 0, 0, 0}, kind: []int32{elementType, textType, textType, textType}, value: []int32{-1, 0, 1, 0}}
	if got := new(generated).textIn(s, d, 0); got != "a b c a" {
		t.Errorf("the text is %q", got)
	}
	d.value[3] = 2
	if got := new(generated).textIn(s, d, 0); got != "" {
		t.Errorf("a text of %d bytes is put together", len(got))
	}
}
