package article

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"plat"
	"plat/markup"
	"plat/segment"
)

// pageOf is a page of which the leaves have these texts, and the layout another.
func pageOf(layout string, leaves ...string) *plat.Page {
	p := &plat.Page{Layout: plat.Layout{HTML: []byte("<head></head><p>" + layout + "</p>")}, Blocks: []plat.Block{{Slot: -1}}}
	for i, text := range leaves {
		p.Blocks = append(p.Blocks, plat.Block{Text: text, Pos: int32(i), Hash: plat.HashOf([]byte(text))})
	}
	return p
}

// again keeps an article of a page, and restores it.
func again(t testing.TB, a Article, p *plat.Page) *plat.Article {
	t.Helper()
	k := a.Keep(p)
	needed, layout := Needs(k, p.Blocks)
	blocks, text := slices.Clone(p.Blocks), ""
	for i := range blocks {
		if !slices.Contains(needed, blocks[i].Hash) {
			blocks[i].Text = "" // Restore must do without
		}
	}
	if layout {
		text = markup.LayoutText(p.Layout.HTML)
	}
	got, err := Restore(k, blocks, text)
	if err != nil || got.Text != a.Text || got.Title != a.Title || got.Date != a.Date || !slices.Equal(got.Authors, a.Authors) {
		t.Fatalf("%+v came back as %+v, %v; kept was %+v", a, got, err, k)
	}
	return k
}

// literal is the length of what is kept literally.
func literal(k *plat.Article) (n int) {
	for i := range k.Text {
		n += len(k.Text[i].Literal)
	}
	return n
}

func TestTextsAreKeptAsReferences(t *testing.T) {
	const one, two, three = "The north pier closes on Monday.", "Ferries land at the south pier.", "The crane on the west quay stays."
	for name, c := range map[string]struct {
		page     *plat.Page
		text     string
		passages int
		literal  int
	}{
		"a text that is one block is one passage":           {pageOf("", "Home", one+"\n"+two+"\n"+three), one + "\n\n" + two + "\n\n" + three, 1, 0},
		"a text of several blocks is one passage":           {pageOf("", "Home", one, "", two, three, "Imprint"), one + "\n\n" + two + "\n\n" + three, 1, 0},
		"what is left out divides it":                       {pageOf("", one+"\nAdvertisement\n"+two), one + "\n\n" + two, 2, 0},
		"so do other gaps":                                  {pageOf("", one+"\n"+two+"\n"+three), one + "\n\n" + two + "\n" + three, 2, 0},
		"characters that are left out divide a word":        {pageOf("", "The north\u00adern pier closes."), "The northern pier closes.", 2, 0},
		"what no block has is literal":                      {pageOf("", one, three), one + "\n\n" + two + "\n\n" + three, 3, len(two)},
		"blocks in another order are no obstacle":           {pageOf("", three, one), one + "\n\n" + three, 2, 0},
		"a text that no reader sees is found in the layout": {pageOf(one, two), one + "\n\n" + two, 2, 0},
		"a page without text has no passage":                {pageOf("", one), "", 0, 0},
		"no passage leads from a block into the layout":     {pageOf(two, one), one + "\n\n" + two, 2, 0},
	} {
		k := again(t, Article{Text: c.text, Title: "Pier", Authors: []string{"Ann Rivers"}, Date: "2026-01-31"}, c.page)
		if len(k.Text) != c.passages || literal(k) != c.literal {
			t.Errorf("%s: it has %d passages, %d bytes of them literal: %+v", name, len(k.Text), literal(k), k.Text)
		}
	}
}

func TestATextThatIsNotTheOneFoundIsAnError(t *testing.T) {
	p := pageOf("", "The north pier closes on Monday.")
	k := Article{Text: p.Blocks[1].Text}.Keep(p)
	p.Blocks[1].Text = "The south pier closes on Monday."
	if got, err := Restore(k, p.Blocks, ""); !errors.Is(err, plat.ErrCorrupt) {
		t.Errorf("another text of the block gives %+v, %v", got, err)
	}
}

func TestATextWithoutMeasureIsCut(t *testing.T) {
	long := strings.Repeat("This is in no block of the page. ", 100_000)
	k := Article{Text: long}.Keep(pageOf("", "The north pier closes."))
	got, err := Restore(k, nil, "")
	if n := len(got.Text); err != nil || n < maxKept || n > maxKept+100 || !strings.HasPrefix(long, got.Text) {
		t.Errorf("of a text of %d bytes %d are kept, %v", len(long), n, err)
	}
}

// A page can be written so that nothing of its text is found.
func TestTheSearchForATextEnds(t *testing.T) {
	var text, block strings.Builder
	for range 20_000 {
		text.WriteString("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaab ")
		block.WriteString("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaac ")
	}
	again(t, Article{Text: strings.TrimSpace(text.String())}, pageOf("", strings.TrimSpace(block.String())))
}

// TestKeptTextsOfAnnotatedPagesComeBack cuts all pages of the data, and requires their texts to
// come back from the blocks, byte for byte, and to be nearly all references.
func TestKeptTextsOfAnnotatedPagesComeBack(t *testing.T) {
	dir, pages := annotated(t)
	texts, passages, literals := 0, 0, 0
	for name, p := range pages {
		s := rendered(t, unzipped(t, filepath.Join(dir, p.File)))
		cut, err := segment.Segment(s, segment.Params{})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		a := Extract(s)
		k := again(t, a, &cut.Page)
		texts, passages, literals = texts+len(a.Text), passages+len(k.Text), literals+literal(k)
	}
	t.Logf("%d pages: %d bytes of text in %d passages, %d bytes of them literal", len(pages), texts, passages, literals)
	if len(pages) < 200 || literals > texts/50 || passages > 20*len(pages) {
		t.Errorf("%d pages, %d bytes of text in %d passages, %d bytes of them literal", len(pages), texts, passages, literals)
	}
}

// FuzzKeep checks that any text comes back from any blocks, and that any passages are restored
// or refused.
func FuzzKeep(f *testing.F) {
	f.Add("The pier\n\ncloses on Monday", "The pier", "closes on\nMonday", "hidden", int32(0), int32(1), 0, 3)
	f.Add("a  b\n\n\n", "a  b\n\n", "\n \n", "a b", int32(-1), int32(-1), 1, -1)
	f.Fuzz(func(t *testing.T, text, one, two, layout string, first, last int32, from, to int) {
		p := pageOf("", one, two, one+"\n"+text[len(text)/2:])
		p.Layout.HTML = []byte(layout)
		k := again(t, Article{Text: text}, p)
		k.Text = append(k.Text, plat.Passage{First: first, Last: last, From: from, To: to, Before: plat.Gap(from), Line: plat.Gap(to)})
		Needs(k, p.Blocks)
		if _, err := Restore(k, p.Blocks, layout); err != nil && !errors.Is(err, plat.ErrCorrupt) {
			t.Fatalf("error = %v, want plat.ErrCorrupt", err)
		}
	})
}
