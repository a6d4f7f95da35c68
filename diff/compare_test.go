package diff

import (
	"fmt"
	"html"
	"slices"
	"strings"
	"testing"

	"plat/plat"
)

// page returns a side: a root with the given leaves, in one slot unless a leaf has a slot of its own.
// Paths, positions and parents are filled in.
func page(leaves ...plat.Block) Side {
	s := Side{Layout: &plat.Layout{HTML: []byte("<html><body></body></html>"), Slots: []int32{12, 12, 12}}}
	s.Blocks = []plat.Block{{Run: 1, Parent: -1, Slot: -1, Tag: "html"}}
	pos := map[int32]int32{}
	for i, l := range leaves {
		if l.Path == nil {
			l.Path = []int32{0, 1, int32(i)}
		}
		l.Run, l.Level = 1, 1
		l.Pos = pos[l.Slot]
		pos[l.Slot]++
		s.Blocks = append(s.Blocks, l)
	}
	return s
}

// block returns a leaf with the given HTML and text.
func block(content, text string) plat.Block {
	return plat.Block{
		Tag: "p", Content: []byte(content), Hash: plat.HashOf([]byte(content)),
		Text: text, TextLen: int32(len([]rune(strings.Join(strings.Fields(text), "")))),
	}
}

// p returns a paragraph of text.
func p(text string) plat.Block { return block("<p>"+html.EscapeString(text)+"</p>", text) }

func with(b plat.Block, change func(*plat.Block)) plat.Block { change(&b); return b }

// ad returns b labelled as an advertisement.
func ad(b plat.Block) plat.Block {
	return with(b, func(b *plat.Block) { b.Label = plat.LabelAdvertisement })
}

// show formats changes as "kind old→new", leaves counted from 1, "-" for a missing one.
func show(r Result) string {
	var s []string
	at := func(i int32) string {
		if i < 0 {
			return "-"
		}
		return fmt.Sprint(i)
	}
	for _, c := range r.Blocks {
		s = append(s, fmt.Sprintf("%s %s→%s", c.Kind, at(c.Old), at(c.New)))
	}
	return strings.Join(s, ", ")
}

const (
	lead  = "the council of the town meets on monday to vote on the new bridge"
	story = "a ship with two hundred containers ran aground near the harbour last night"
	sport = "the home team won three to nothing after a slow first half in the rain"
	other = "prices for bread and milk rose again while wages stayed as they were"
)

// A temporarily failing image is not a content change; a different alternative text is.
func TestFailedImageIsAFormatChange(t *testing.T) {
	image := func(alt string) plat.Block {
		return block("<p>"+lead+`<img src="a.png">`+alt+"</p>", lead+" "+strings.TrimSuffix(strings.TrimPrefix(alt, "<!--plat:alt "), "-->"))
	}
	for _, c := range []struct {
		name     string
		old, new plat.Block
		want     string
	}{
		{"fails", image(""), image("<!--plat:alt The bridge-->"), "format 1→1"},
		{"is back", image("<!--plat:alt The bridge-->"), image(""), "format 1→1"},
		{"has another text", image("<!--plat:alt The bridge-->"), image("<!--plat:alt The harbour-->"), "content 1→1"},
	} {
		if got := show(Compare(page(c.old), page(c.new))); got != c.want {
			t.Errorf("an image %s: %s, want %s", c.name, got, c.want)
		}
	}
}

// An image that fails beside text may divide that text differently.
func TestFailedImageBesideTextThatIsDivided(t *testing.T) {
	logo := func(alt string) plat.Block {
		return block(`<a><img src="a.png">`+alt+"</a>", strings.TrimSuffix(strings.TrimPrefix(alt, "<!--plat:alt "), "-->"))
	}
	whole := block("<div><p>"+lead+"</p><p>"+story+"</p></div>", lead+"\n"+story)
	for _, c := range []struct {
		name     string
		old, new Side
		want     string
	}{
		{"fails", page(p(sport), logo(""), whole), page(p(sport), logo("<!--plat:alt The town-->"), p(lead), p(story)), "format 2→2, format 3→3, format -→4"},
		{"is back", page(p(sport), logo("<!--plat:alt The town-->"), p(lead), p(story)), page(p(sport), logo(""), whole), "format 2→2, format 3→3, format 4→-"},
		{"fails, and a word is another", page(p(sport), logo(""), whole), page(p(sport), logo("<!--plat:alt The town-->"), p(lead), p(other)), "format 2→2, content 3→3, added -→4"},
		{"is new and fails", page(p(sport), whole), page(p(sport), logo("<!--plat:alt The town-->"), p(lead), p(story)), "added -→2, format 2→3, format -→4"},
	} {
		if got := show(Compare(c.old, c.new)); got != c.want {
			t.Errorf("an image %s: %s, want %s", c.name, got, c.want)
		}
	}
}

// Text outside of all blocks counts as hidden, unless coverage is low.
func TestTextOfTheLayout(t *testing.T) {
	side := func(text string, coverage float64) Side {
		s := page(p(lead))
		s.Layout.HTML = []byte("<html><body>" + text + "</body></html>")
		s.Coverage = coverage
		return s
	}
	long := strings.Repeat(story+" ", 4)
	for _, c := range []struct {
		name     string
		old, new Side
		want     plat.Kind
	}{
		{"hidden text", side(long, 1), side(long+other, 1), plat.Invisible},
		{"hidden text, high coverage", side(long, .985), side(long+other, .985), plat.Invisible},
		{"coverage is low", side(long, .9), side(long+other, .9), plat.Content},
		{"coverage was low", side(long, .9), side("", 1), plat.Content},
		{"coverage is low for some words", side("skip to the content", .9), side("skip to the end", .9), plat.Invisible},
		{"unknown, in an old archive", side(long, 0), side(long+other, 0), plat.Invisible},
		{"other markup", side(long, .9), side("<b>"+long+"</b>", .9), plat.Format},
	} {
		if r := Compare(c.old, c.new); r.Layout != c.want {
			t.Errorf("%s: %v, want %v", c.name, r.Layout, c.want)
		}
	}
}

func TestKinds(t *testing.T) {
	for _, c := range []struct {
		name     string
		old, new []plat.Block
		want     string
	}{
		{"an equal page has no change", []plat.Block{p(lead), p(story)}, []plat.Block{p(lead), p(story)}, ""},
		{"a new block on top moves nothing", []plat.Block{p(lead), p(story)}, []plat.Block{p(sport), p(lead), p(story)}, "added -→1"},
		{"a removed block moves nothing", []plat.Block{p(sport), p(lead), p(story)}, []plat.Block{p(lead), p(story)}, "removed 1→-"},
		{"one of three that goes to the end moved", []plat.Block{p(lead), p(story), p(sport)}, []plat.Block{p(story), p(sport), p(lead)}, "moved 1→3"},
		{"a rolling list adds one and removes one", []plat.Block{p(lead), p(story), p(sport)}, []plat.Block{p(other), p(lead), p(story)}, "added -→1, removed 3→-"},
		{"other words are content", []plat.Block{p(lead), p(story)}, []plat.Block{p(lead + " at noon"), p(story)}, "content 1→1"},
		{"a block that changed and moved is content", []plat.Block{p(lead), p(story), p(sport)}, []plat.Block{p(story), p(sport), p(lead + " now")}, "content 1→3"},
		{"all words replaced in the same place are content", []plat.Block{p(lead), p(story)}, []plat.Block{p(sport), p(story)}, "content 1→1"},
		{"all words replaced at another path are content if nothing else is there", []plat.Block{p(lead), p(story)}, []plat.Block{with(p(sport), func(b *plat.Block) { b.Path = []int32{0, 7, 7} }), p(story)}, "content 1→1"},
		{"another element with other words is another block", []plat.Block{p(lead), p(story)}, []plat.Block{with(p(sport), func(b *plat.Block) { b.Tag = "table" }), p(story)}, "added -→1, removed 1→-"},
		{"other markup is format", []plat.Block{p(lead)}, []plat.Block{block("<p><b>"+lead+"</b></p>", lead)}, "format 1→1"},
		{"another class is format", []plat.Block{block(`<p class="a">x</p>`, "x")}, []plat.Block{block(`<p class="b">x</p>`, "x")}, "format 1→1"},
		{"another nonce is volatile", []plat.Block{block(`<p>x</p><script nonce="abc">1</script>`, "x")}, []plat.Block{block(`<p>x</p><script nonce="def">1</script>`, "x")}, "volatile 1→1"},
		{"another picture", []plat.Block{block(`<img src="a.png">`, "")}, []plat.Block{block(`<img src="b.png">`, "")}, "image 1→1"},
		{"a link that leads elsewhere", []plat.Block{block(`<a href="2025.pdf">x</a>`, "x")}, []plat.Block{block(`<a href="2026.pdf">x</a>`, "x")}, "link 1→1"},
		{"a link that leads elsewhere, in a block that stands elsewhere", []plat.Block{block(`<a href="2025.pdf">x</a>`, "x"), p(lead), p(story)}, []plat.Block{p(lead), p(story), block(`<a href="2026.pdf">x</a>`, "x")}, "link 1→3"},
		{"white space before it is format", []plat.Block{p(lead)}, []plat.Block{with(p(lead), func(b *plat.Block) { b.Lead = "\n" })}, "format 1→1"},
		{"hiding text is content", []plat.Block{p("a b c")}, []plat.Block{with(p("a b c"), func(b *plat.Block) { b.Hidden, b.Text, b.TextLen = []int32{0}, "", 0 })}, "content 1→1"},
		{"hiding what shows nothing is format", []plat.Block{block("<p>a</p> ", "a")}, []plat.Block{with(block("<p>a</p> ", "a"), func(b *plat.Block) { b.Hidden = []int32{1} })}, "format 1→1"},
		{"another label, role and content are no change", []plat.Block{p(lead), p(story)}, []plat.Block{with(p(lead), func(b *plat.Block) {
			b.Label, b.Role, b.Holds = plat.LabelNavigation, plat.RoleNavigation, plat.HoldsList
		}), p(story)}, ""},
		{"other words in an advertisement", []plat.Block{ad(p(lead)), p(story)}, []plat.Block{ad(p(lead + " buy")), p(story)}, "advertisement 1→1"},
		{"a new advertisement", []plat.Block{p(story)}, []plat.Block{p(story), ad(p(lead))}, "advertisement -→2"},
		{"an advertisement that goes", []plat.Block{p(story), ad(p(lead))}, []plat.Block{p(story)}, "advertisement 2→-"},
		{"an advertisement that becomes news is content", []plat.Block{ad(p(lead)), p(story)}, []plat.Block{p(lead + " now"), p(story)}, "content 1→1"},
		{"words cut into two blocks are no content", []plat.Block{p(lead + " " + story), p(sport)}, []plat.Block{p(lead), p(story), p(sport)}, "format 1→1, format -→2"},
		{"words put into one block are no content", []plat.Block{p(lead), p(story), p(sport)}, []plat.Block{p(lead + " " + story), p(sport)}, "format 1→1, format 2→-"},
		{"a cut elsewhere does not hide a change", []plat.Block{p(lead + " " + story), p(sport), p(other)}, []plat.Block{p(lead), p(story), p(sport), p(other + " now")}, "format 1→1, format -→2, content 3→4"},
		{"a block without words can be added to equal text", []plat.Block{p(lead)}, []plat.Block{p(lead), block("<img>", "")}, "added -→2"},
		{"a block that goes to another slot moved", []plat.Block{p(lead), p(story)}, []plat.Block{p(lead), with(p(story), func(b *plat.Block) { b.Slot = 1 })}, "moved 2→2"},
		{"the same words with other markup elsewhere moved", []plat.Block{p(lead), p(story), p(sport)}, []plat.Block{p(story), p(sport), block("<i>"+lead+"</i>", lead)}, "moved 1→3"},
		{"one of two equal blocks that goes is one removal", []plat.Block{p(lead), p(lead), p(story)}, []plat.Block{p(lead), p(story)}, "removed 2→-"},
		{"white space inside is format", []plat.Block{block("<p>a  b</p>", "a b")}, []plat.Block{block("<p>a b</p>", "a b")}, "format 1→1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			old, new := page(c.old...), page(c.new...)
			old.Lineages = First(old.Blocks)
			r := Compare(old, new)
			got := show(r)
			if got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
			if differs := got != ""; r.Differs != differs {
				t.Errorf("Differs is %v", r.Differs)
			}
			if r.Layout != plat.Same {
				t.Errorf("layout is %s", r.Layout)
			}
		})
	}
}

func TestLayoutKind(t *testing.T) {
	base := plat.Layout{HTML: []byte(`<head><script src="a.js?v=1"></script></head><body></body>`), Slots: []int32{10}}
	for _, c := range []struct {
		name string
		new  *plat.Layout
		want plat.Kind
	}{
		{"equal bytes elsewhere are the same", &plat.Layout{HTML: slices.Clone(base.HTML), Slots: []int32{10}}, plat.Same},
		{"a cache-busting parameter is volatile", &plat.Layout{HTML: []byte(strings.Replace(string(base.HTML), "v=1", "v=22", 1)), Slots: []int32{10}}, plat.Volatile},
		{"another slot is format", &plat.Layout{HTML: base.HTML, Slots: []int32{10, 10}}, plat.Format},
		{"a slot elsewhere is format", &plat.Layout{HTML: base.HTML, Slots: []int32{11}}, plat.Format},
		{"another element is format", &plat.Layout{HTML: []byte("<body><div></div></body>"), Slots: []int32{10}}, plat.Format},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := Compare(Side{Layout: &base}, Side{Layout: c.new})
			if r.Layout != c.want || r.Differs != (c.want != plat.Same) {
				t.Errorf("layout is %s, differs %v, want %s", r.Layout, r.Differs, c.want)
			}
		})
	}
}

func TestLineages(t *testing.T) {
	old := page(p(lead), p(story), p(sport))
	old.Lineages = First(old.Blocks)
	if old.Lineages != 4 || old.Blocks[3].Lineage != 4 {
		t.Fatalf("First numbered to %d, last block %d, want 4", old.Lineages, old.Blocks[3].Lineage)
	}
	old.Lineages = 9 // five lineages ended in earlier versions
	new := page(p(other), p(story), p(lead+" at noon"), p(sport))
	r := Compare(old, new)
	var got []int32
	for _, b := range new.Blocks {
		got = append(got, b.Lineage)
	}
	if want := []int32{1, 10, 3, 2, 4}; !slices.Equal(got, want) || r.Lineages != 10 {
		t.Errorf("lineages %v up to %d, want %v up to 10", got, r.Lineages, want)
	}
	for i, b := range new.Blocks {
		want := plat.Hash{}
		if i == 3 {
			want = old.Blocks[1].Hash
		}
		if b.Base != want {
			t.Errorf("block %d has base %s, want %s", i, b.Base.Short(), want.Short())
		}
	}
	if want := []int32{0, -1, 2, 1, 3}; !slices.Equal(r.Old, want) {
		t.Errorf("Old is %v, want %v", r.Old, want)
	}
}

func TestParentBlocksFollowTheirChildren(t *testing.T) {
	tree := func(swap bool, leaves ...plat.Block) Side {
		s := page(leaves...)
		first, second := []int32{0, 1, 0}, []int32{0, 1, 1}
		if swap {
			first, second = second, first
		}
		in := func(path []int32) plat.Block {
			return plat.Block{Run: 1, Parent: 0, Level: 1, Slot: -1, Tag: "div", Path: path}
		}
		// root, div(1, 2), div(3, 4)
		b := s.Blocks
		s.Blocks = []plat.Block{b[0], in(first), b[1], b[2], in(second), b[3], b[4]}
		for i, parent := range []int32{-1, 0, 1, 1, 0, 4, 4} {
			s.Blocks[i].Parent = parent
		}
		return s
	}
	old := tree(false, p(lead), p(story), p(sport), p(other))
	old.Lineages = First(old.Blocks)
	new := tree(false, p(sport), p(other), p(lead), p(story))
	if r := Compare(old, new); !slices.Equal(r.Old, []int32{0, 4, 5, 6, 1, 2, 3}) {
		t.Errorf("two swapped columns: Old is %v", r.Old)
	}
	// Both columns got their first block from the left one, but only one can inherit
	// its lineage.
	table := func(b *plat.Block) { b.Tag = "table" }
	new = tree(false, p(lead), with(p("new here"), table), p(story), with(p("also new"), table))
	if r := Compare(old, new); r.Old[1] != 1 && r.Old[4] != 1 || r.Old[1] == r.Old[4] {
		t.Errorf("a column split in two: Old is %v", r.Old)
	}
	new = tree(false, p("a"), p("b c"), p("d e"), p("f g"))
	if r := Compare(old, new); r.Old[1] != 1 || r.Old[4] != 4 {
		t.Errorf("two columns of other blocks keep their places: Old is %v", r.Old)
	}
}

func TestNeededReturnsHashesMissingInTheNewVersion(t *testing.T) {
	hidden := with(p(sport), func(b *plat.Block) { b.Hidden = []int32{0} })
	old, new := page(p(lead), p(story), p(sport), p(other), p(other)), page(p(story), hidden)
	got := Needed(old.Blocks, new.Blocks)
	want := []plat.Hash{p(lead).Hash, p(sport).Hash, p(other).Hash}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// Compare must not depend on contents that Needed does not return.
func TestNeededIsSufficient(t *testing.T) {
	rng := seeded(11)
	for range 200 {
		a := randomPage(rng, 1+rng.IntN(20))
		b := mutated(rng, a, rng.IntN(8))
		full := Compare(clone(a), clone(b))
		need := Needed(a.Blocks, b.Blocks)
		bare := clone(a)
		for i := range bare.Blocks {
			if !slices.Contains(need, bare.Blocks[i].Hash) {
				bare.Blocks[i].Content, bare.Blocks[i].Text = nil, ""
			}
		}
		if got := Compare(bare, clone(b)); show(got) != show(full) {
			t.Fatalf("with the needed contents alone: %s\nwith all: %s", show(got), show(full))
		}
	}
}

// If a caller forgot to load a text, Compare reports a false change rather than
// missing one.
func TestUnloadedTextCountsAsChanged(t *testing.T) {
	old, new := page(p(lead)), page(block("<b>"+lead+"</b>", lead))
	old.Blocks[1].Content, old.Blocks[1].Text = nil, ""
	if got := show(Compare(old, new)); got != "content 1→1" {
		t.Errorf("got %s, want content", got)
	}
	new = page(block("<b></b>", ""))
	if got := show(Compare(old, new)); got != "content 1→1" {
		t.Errorf("against a block without text: got %s, want content", got)
	}
}
