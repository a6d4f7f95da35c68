package article

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"plat/plat"
	"plat/segment"
	"plat/segment/markup"
)

// pageOf returns a page whose leaves have these texts, with a text in its layout.
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
	blocks := slices.Clone(p.Blocks)
	for i := range blocks {
		if !slices.Contains(needed, blocks[i].Hash) {
			blocks[i].Text, blocks[i].Content = "", nil // Restore must do without
		}
	}
	var l *plat.Layout
	if layout {
		l = &p.Layout
	}
	got, err := Restore(k, blocks, l)
	if err != nil || got.Text != a.Text || got.Title != a.Title || got.Date != a.Date || got.Comments != a.Comments || !slices.Equal(got.Authors, a.Authors) {
		t.Fatalf("%+v came back as %+v, %v; kept was %+v", a, got, err, k)
	}
	return k
}

// literal returns the length of the text stored literally.
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

// codePage returns a page of leaves with contents; those that begin with "|" are in preformatted
// text.
func codePage(leaves ...string) *plat.Page {
	p := &plat.Page{Layout: plat.Layout{HTML: []byte("<head></head><main><pre></pre></main>")}, Blocks: []plat.Block{{Slot: -1}}}
	p.Layout.Slots = []int32{19, 24, 30}
	slot := int32(0)
	for i, content := range leaves {
		content, within := strings.CutPrefix(content, "|")
		if within {
			slot = 1
		} else if slot == 1 {
			slot = 2
		}
		b := []byte(content)
		p.Blocks = append(p.Blocks, plat.Block{Content: b, Text: markup.Text(b, nil), Pos: int32(i), Slot: slot, Hash: plat.HashOf(b), Role: plat.RoleContent, TextLen: 1})
	}
	return p
}

func TestCodeIsKeptAsReferences(t *testing.T) {
	const before, after = "<p>The north pier closes on Monday.</p>", "<p>Ferries land at the south pier.</p>"
	const code = "<pre>if x {\n\ty(1,  2)\n\n}\n</pre>"
	for name, c := range map[string]struct {
		page     *plat.Page
		text     string
		passages int
	}{
		"code in a block of text":        {codePage(before + code + after), "The north pier closes on Monday.\n\nif x {\n\ty(1,  2)\n\n}\n\nFerries land at the south pier.", 1},
		"code in a block of its own":     {codePage(before, code, after), "The north pier closes on Monday.\n\nif x {\n\ty(1,  2)\n\n}\n\nFerries land at the south pier.", 3},
		"indented first lines":           {codePage(before, "<pre>    a b\n\n\n\n  c d\n</pre>", after), "The north pier closes on Monday.\n\n    a b\n\n\n\n  c d\n\nFerries land at the south pier.", 3},
		"lines that are left out":        {codePage("<pre>  first: 1\n  second: 2\n  third: 3</pre>"), "  first: 1\n  third: 3", 2},
		"a block inside of code":         {codePage(before, "|<code>if x {\n  y()\n}</code>", after), "The north pier closes on Monday.\n\nif x {\n  y()\n}\n\nFerries land at the south pier.", 3},
		"a part of a line":               {codePage("<pre>0001  mov  a,  b\n0002  mov  c,  d</pre>"), "mov  a,  b\n\nmov  c,  d", 2},
		"text that looks like a line":    {codePage("<p>a b c d e f g</p>", "<pre>a  b  c  d  e  f  g</pre>"), "a b c d e f g\n\na  b  c  d  e  f  g", 2},
		"lines that stand on one before": {codePage("<pre>x = 1\n\n\n   y = 2</pre>"), "x = 1 y = 2", 1},
	} {
		k := again(t, Article{Text: c.text}, c.page)
		if len(k.Text) != c.passages || literal(k) > 0 {
			t.Errorf("%s: it has %d passages, %d bytes of them literal: %+v", name, len(k.Text), literal(k), k.Text)
		}
	}
}

// A page may have blanks without measure between its words.
func TestCodeOfBlanksIsKept(t *testing.T) {
	var code, text strings.Builder
	for range 5_000 {
		code.WriteString("word" + strings.Repeat(" ", 600))
		text.WriteString("word\n\n")
	}
	p := codePage("<pre>" + code.String() + "</pre>")
	k := again(t, Article{Text: strings.TrimSpace(text.String())}, p)
	for i := range k.Text {
		if k.Text[i].Verbatim {
			t.Fatal("it is walked over")
		}
	}
}

// A line of code can be long, and its words apart in the text of the article.
func TestALongLineOfCodeIsKeptInTime(t *testing.T) {
	const words = "long  words\u00adapart "
	p := codePage("<pre>" + strings.Repeat(words, 400_000) + "from_here_on_it_is_text " + strings.Repeat(words, 10_000) + "</pre>")
	began := time.Now()
	again(t, Article{Text: "from_here_on_it_is_text " + strings.Repeat("long  wordsapart ", 10_000) + "end"}, p)
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("it took %v", took)
	}
}

// Code in references is restored as well, regardless of where its blocks begin, and so is text stored
// before lines of code were kept.
func TestCodeOfReferencesComesBack(t *testing.T) {
	p := codePage("<p>Call it so:</p>", "|<code>if x {\n  y()<br><br>\n</code>", "|<div>}</div>", "<pre>a<br><br>  b</pre>")
	const want = "Call it so:\n\nif x {\n  y()\n}\n\na\n\n  b"
	a := Article{Kind: plat.KindReference, Text: whole(p.Blocks, &p.Layout, plat.KindReference)}
	if a.Text != want {
		t.Errorf("its text is %q, not %q", a.Text, want)
	}
	again(t, a, p)
	a.Text = "Call it so:\n\nif x { y()\n\n}\n\na\n  b"
	again(t, a, p)
}

// Comments are apart from all texts but those of forums. Texts stored before that have them.
func TestCommentsAreApart(t *testing.T) {
	text := part("<p>"+first+"</p>", plat.RoleContent, plat.LabelMain)
	said := part("<pre>"+second+"</pre>", plat.RoleContent, plat.LabelComments)
	beside := part("<p>"+third+"</p>", plat.RoleSidebar, plat.LabelSidebar)
	said.Holds, beside.Holds = plat.HoldsComments, plat.HoldsComments
	p := leaves(text, said, beside)
	for _, c := range []struct {
		kind           plat.PageKind
		text, comments string
	}{
		{plat.KindArticle, first, second},
		{plat.KindReference, first, second},
		{plat.KindReference, joined(first, second), ""}, // stored before
		{plat.KindForum, joined(first, second), ""},
	} {
		k := again(t, Article{Kind: c.kind, Text: c.text, Comments: c.comments}, p)
		cuts, _ := Cuts(k, &p.Layout, p.Blocks)
		if _, in := cuts[2]; in != (c.kind == plat.KindForum) || len(cuts) == 0 {
			t.Errorf("%s: the text is in %v", c.kind, cuts)
		}
	}
	if all := whole(p.Blocks, &p.Layout, plat.KindList); all != first {
		t.Errorf("the text of a list is %q", all)
	}
}

func TestATextThatIsNotTheOneFoundIsAnError(t *testing.T) {
	p := pageOf("", "The north pier closes on Monday.")
	k := Article{Text: p.Blocks[1].Text}.Keep(p)
	p.Blocks[1].Text = "The south pier closes on Monday."
	if got, err := Restore(k, p.Blocks, nil); !errors.Is(err, plat.ErrCorrupt) {
		t.Errorf("another text of the block gives %+v, %v", got, err)
	}
}

func TestATextWithoutMeasureIsCut(t *testing.T) {
	long := strings.Repeat("This is in no block of the page. ", 100_000)
	k := Article{Text: long}.Keep(pageOf("", "The north pier closes."))
	got, err := Restore(k, nil, nil)
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
		if _, err := Restore(k, p.Blocks, &p.Layout); err != nil && !errors.Is(err, plat.ErrCorrupt) {
			t.Fatalf("error = %v, want plat.ErrCorrupt", err)
		}
	})
}

// FuzzKeepCode checks that texts with code come back from any content.
func FuzzKeepCode(f *testing.F) {
	f.Add([]byte("<p>a</p><pre>  b\n\n\tc</pre>"), []byte("<code>x\n  y</code>"), true, 3, 9, "b", uint8(40))
	f.Add([]byte("<pre>\u200b a\u00a0\u00ad b \u200b</pre>"), []byte("<pre><div>x</div><br> y</pre>"), false, 0, 2, "", uint8(1))
	f.Fuzz(func(t *testing.T, one, two []byte, within bool, from, to int, gap string, cut uint8) {
		mark := map[bool]string{true: "|"}[within]
		p := codePage(string(one), mark+string(two))
		pre := markup.Preformatted(&p.Layout)
		if len(pre) != 3 || !pre[1] || pre[0] || pre[2] {
			t.Fatalf("the slots are %v", pre)
		}
		first, second := markup.PlainText(one, nil), markup.PreformattedText(two, nil)
		n := min(int(cut), len(second))
		k := again(t, Article{Text: first + gap + second[:n] + gap + second[n:]}, p)
		again(t, Article{Kind: plat.KindReference, Text: whole(p.Blocks, &p.Layout, plat.KindReference)}, p)
		k.Text = append(k.Text, plat.Passage{First: 1, Last: 1, From: from, To: to, Verbatim: true})
		if _, err := Restore(k, p.Blocks, &p.Layout); err != nil && !errors.Is(err, plat.ErrCorrupt) {
			t.Fatalf("error = %v, want plat.ErrCorrupt", err)
		}
	})
}
