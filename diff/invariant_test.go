package diff

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"plat/plat"
)

func seeded(n uint64) *rand.Rand { return rand.New(rand.NewPCG(n, n)) }

var vocabulary = strings.Fields(lead + " " + story + " " + sport + " " + other)

// randomPage returns a page of n leaves in three slots, some of them equal, some
// without words, some advertisements.
func randomPage(rng *rand.Rand, n int) Side {
	var bs []plat.Block
	for range n {
		bs = append(bs, randomBlock(rng))
	}
	return page(inSlots(bs)...)
}

// inSlots distributes the blocks, in order, over three slots.
func inSlots(bs []plat.Block) []plat.Block {
	for i := range bs {
		bs[i].Slot = int32(i * 3 / len(bs))
		bs[i].Path = nil
	}
	return bs
}

func randomBlock(rng *rand.Rand) plat.Block {
	words := make([]string, rng.IntN(20))
	for i := range words {
		words[i] = vocabulary[rng.IntN(len(vocabulary))]
	}
	b := p(strings.Join(words, " "))
	if rng.IntN(6) == 0 {
		b = ad(b)
	}
	return b
}

// mutated returns a copy of s after n edits: blocks added, removed, moved,
// duplicated, split, changed in words or markup.
func mutated(rng *rand.Rand, s Side, n int) Side {
	bs := []plat.Block{}
	for _, b := range clone(s).Blocks {
		if b.Leaf() {
			bs = append(bs, b)
		}
	}
	for range n {
		if len(bs) == 0 {
			bs = append(bs, randomBlock(rng))
		}
		i, j := rng.IntN(len(bs)), rng.IntN(len(bs))
		words := strings.Fields(bs[i].Text)
		switch rng.IntN(8) {
		case 0:
			bs = slices.Insert(bs, i, randomBlock(rng))
		case 1:
			bs = slices.Delete(bs, i, i+1)
		case 2:
			b := bs[i]
			bs = slices.Insert(slices.Delete(bs, i, i+1), min(j, len(bs)-1), b)
		case 3:
			bs = slices.Insert(bs, j, bs[i])
		case 4:
			at := len(words) / 2
			bs = slices.Replace(bs, i, i+1, p(strings.Join(words[:at], " ")), p(strings.Join(words[at:], " ")))
		case 5:
			bs[i] = p(bs[i].Text + " " + vocabulary[rng.IntN(len(vocabulary))])
		case 6:
			bs[i] = block(fmt.Sprintf("<p class=%q>%s</p>", fmt.Sprint(rng.IntN(9)), bs[i].Text), bs[i].Text)
		default:
			bs[i] = block(fmt.Sprintf("<p id=\"x%d\">%s</p>", rng.IntN(9), bs[i].Text), bs[i].Text)
		}
	}
	if len(bs) == 0 {
		return page()
	}
	return page(inSlots(bs)...)
}

func clone(s Side) Side {
	s.Blocks = slices.Clone(s.Blocks)
	return s
}

// pageWords returns the visible words of a side, and leafOrder its leaves in order.
func pageWords(s Side) []string {
	var words []string
	for _, l := range leafOrder(s) {
		words = append(words, strings.Fields(s.Blocks[l].Text)...)
	}
	return words
}

func leafOrder(s Side) []int32 {
	var at []int32
	for _, l := range leaves(s.Blocks) {
		at = append(at, l.index)
	}
	return at
}

// checkInvariants checks a result against the documentation of Compare.
func checkInvariants(t testing.TB, old, new Side, r Result) {
	t.Helper()
	byNew, byOld := map[int32]plat.Change{}, map[int32]plat.Change{}
	visible := 0
	for _, c := range r.Blocks {
		if c.New >= 0 {
			byNew[c.New] = c
		}
		if c.Old >= 0 {
			byOld[c.Old] = c
		}
		switch c.Kind {
		case plat.Added, plat.Removed, plat.Content, plat.Moved, plat.Advertisement:
			visible++
		case plat.Link, plat.Image:
			if c.Old < 0 || c.New < 0 {
				t.Fatalf("%+v: the sides do not fit the kind", c)
			}
			visible++ // it may have moved as well
		case plat.Format, plat.Volatile:
		default:
			t.Fatalf("kind %q", c.Kind)
		}
		if c.Kind == plat.Added && c.Old >= 0 || c.Kind == plat.Removed && c.New >= 0 || c.Kind == plat.Content && (c.Old < 0 || c.New < 0) {
			t.Fatalf("%+v: the sides do not fit the kind", c)
		}
		if c.New >= 0 && (r.Old[c.New] != c.Old || new.Blocks[c.New].Lineage != c.Lineage) {
			t.Fatalf("%+v: Old is %d, lineage %d", c, r.Old[c.New], new.Blocks[c.New].Lineage)
		}
	}

	// Changes of visible text.
	if slices.Equal(pageWords(old), pageWords(new)) {
		for _, c := range r.Blocks {
			if c.Kind == plat.Content || c.Kind == plat.Added && new.Blocks[c.New].Text != "" || c.Kind == plat.Removed && old.Blocks[c.Old].Text != "" {
				t.Fatalf("visible text is identical, yet %+v", c)
			}
		}
	} else if visible == 0 {
		t.Fatalf("visible text differs, yet only %s", show(r))
	}

	// Applying the changes to the old leaves gives the new ones: unmoved leaves keep their order, and
	// all remaining ones are accounted for.
	rank := map[int32]int{}
	for k, i := range leafOrder(old) {
		rank[i] = k
	}
	var stayed []int
	used := map[int32]bool{}
	for _, i := range leafOrder(new) {
		c, changed := byNew[i]
		o := r.Old[i]
		if o >= 0 {
			if used[o] {
				t.Fatalf("old block %d became two", o)
			}
			used[o] = true
		}
		switch {
		case !changed && o < 0:
			t.Fatalf("new leaf %d has neither partner nor change", i)
		case !changed && (old.Blocks[o].Hash != new.Blocks[i].Hash || old.Blocks[o].Lead != new.Blocks[i].Lead || !slices.Equal(old.Blocks[o].Hidden, new.Blocks[i].Hidden)):
			t.Fatalf("leaf %d→%d differs without a change", o, i)
		}
		if o >= 0 && c.Kind != plat.Moved && c.Kind != plat.Link && c.Kind != plat.Image && c.Kind != plat.Content && c.Kind != plat.Advertisement && slices.Equal(strings.Fields(old.Blocks[o].Text), strings.Fields(new.Blocks[i].Text)) {
			stayed = append(stayed, rank[o])
		}
	}
	if !slices.IsSorted(stayed) {
		t.Fatalf("those that did not move are out of order: %v: %s", stayed, show(r))
	}
	for _, o := range leafOrder(old) {
		if c, ok := byOld[o]; !used[o] && (!ok || c.New >= 0) {
			t.Fatalf("old leaf %d is missing without a change", o)
		}
	}

	// Exactly formula 1.
	same := r.Layout == plat.Same && len(old.Blocks) == len(new.Blocks) && slices.EqualFunc(leaves(old.Blocks), leaves(new.Blocks), func(a, b *leaf) bool {
		return a.Hash == b.Hash && a.Slot == b.Slot && a.Lead == b.Lead && slices.Equal(a.Hidden, b.Hidden)
	})
	if r.Differs == same || r.Layout == plat.Same && same != (len(r.Blocks) == 0) {
		t.Fatalf("Differs is %v with %d changes, but the leaves are equal: %v", r.Differs, len(r.Blocks), same)
	}

	// Lineages.
	given := map[int32]bool{}
	for i, b := range new.Blocks {
		if b.Lineage < 1 || b.Lineage > r.Lineages || given[b.Lineage] {
			t.Fatalf("block %d has lineage %d of %d, or shares it", i, b.Lineage, r.Lineages)
		}
		given[b.Lineage] = true
		o := r.Old[i]
		if o >= 0 && old.Blocks[o].Lineage != b.Lineage || o < 0 && b.Lineage <= old.Lineages {
			t.Fatalf("block %d→%d: lineage %d", o, i, b.Lineage)
		}
		if o >= 0 && old.Blocks[o].Leaf() != b.Leaf() {
			t.Fatalf("block %d→%d: a leaf became a parent block or the reverse", o, i)
		}
		if want := o >= 0 && b.Leaf() && old.Blocks[o].Hash != b.Hash; want != !b.Base.IsZero() || want && b.Base != old.Blocks[o].Hash {
			t.Fatalf("block %d→%d: base %s", o, i, b.Base.Short())
		}
	}
}

func TestInvariantsHoldAfterRandomEdits(t *testing.T) {
	rng := seeded(21)
	for range 3000 {
		old := randomPage(rng, 1+rng.IntN(30))
		old.Lineages = First(old.Blocks)
		new := mutated(rng, old, rng.IntN(12))
		checkInvariants(t, old, new, Compare(old, new))
	}
}

// If all blocks are different, swapping the sides swaps Added and Removed.
func TestSwappedSidesSwapAddedAndRemoved(t *testing.T) {
	rng := seeded(22)
	for range 500 {
		var bs []plat.Block
		for i := range 1 + rng.IntN(20) {
			bs = append(bs, p(fmt.Sprintf("only%d block%d with%d these%d words%d", i, i, i, i, i)))
		}
		a := page(inSlots(bs)...)
		var kept []plat.Block
		for _, b := range a.Blocks[1:] {
			if rng.IntN(4) > 0 {
				kept = append(kept, b)
			}
			if rng.IntN(5) == 0 {
				kept = append(kept, ad(p(fmt.Sprintf("new%d", rng.Uint32()))))
			}
		}
		kept = append(kept, p("the end"))
		b := page(inSlots(kept)...)
		there, back := Compare(clone(a), clone(b)), Compare(clone(b), clone(a))
		count := func(r Result, kinds ...plat.Kind) (news, olds []int32) {
			for _, c := range r.Blocks {
				if c.Old < 0 {
					news = append(news, c.New)
				}
				if c.New < 0 {
					olds = append(olds, c.Old)
				}
			}
			return news, olds
		}
		added, removed := count(there)
		addedBack, removedBack := count(back)
		if !slices.Equal(added, removedBack) || !slices.Equal(removed, addedBack) {
			t.Fatalf("there +%v −%v, back +%v −%v", added, removed, addedBack, removedBack)
		}
	}
}

func TestEqualInputsGiveEqualResults(t *testing.T) {
	rng := seeded(23)
	for range 50 {
		a := randomPage(rng, 40)
		b := mutated(rng, a, 30)
		want := show(Compare(clone(a), clone(b)))
		for range 5 {
			if got := show(Compare(clone(a), clone(b))); got != want {
				t.Fatalf("%s\nthen %s", want, got)
			}
		}
	}
}

func FuzzCompare(f *testing.F) {
	f.Add("a b|c d|e", "a b|x|e f", uint64(1))
	f.Add("a|a|a|b", "a|b|a", uint64(2))
	f.Add("", "x", uint64(3))
	f.Fuzz(func(t *testing.T, x, y string, seed uint64) {
		rng := seeded(seed)
		side := func(s string) Side {
			var bs []plat.Block
			for i, text := range strings.Split(s, "|") {
				if i == 300 {
					break
				}
				b := p(text)
				b.Slot = rng.Int32N(3)
				b.Topic = text[:min(len(text), 3)]
				if rng.IntN(4) == 0 {
					b.Lead = " "
				}
				if rng.IntN(4) == 0 {
					b = ad(b)
				}
				bs = append(bs, b)
			}
			return page(bs...)
		}
		old, new := side(x), side(y)
		old.Lineages = First(old.Blocks)
		checkInvariants(t, old, new, Compare(old, new))
	})
}
