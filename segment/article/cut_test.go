package article

import (
	"reflect"
	"testing"

	"plat/plat"
	"plat/segment/markup"
)

// A damaged archive may have a leaf in place of the root.
func TestTheFirstBlockMayHaveText(t *testing.T) {
	k := &plat.Article{Text: []plat.Passage{{To: 3}, {Before: plat.Blank, First: plat.Literally, Last: plat.Literally, Literal: "more"}, {Before: plat.EmptyLine, First: 1, Last: 1, To: 4}}}
	cuts, alone := Cuts(k, &plat.Layout{}, []plat.Block{{Text: "one"}, {Text: "four"}})
	want := map[int][]markup.Cut{0: {{To: 3, After: " more", Run: true}}, 1: {{To: 4, Run: true}}}
	if !reflect.DeepEqual(cuts, want) || alone != "" {
		t.Errorf("%+v %q, want %+v", cuts, alone, want)
	}
}

func TestCuts(t *testing.T) {
	leaf := func(text string, role plat.Role, images float32) plat.Block {
		return plat.Block{Text: text, Role: role, ImageShare: images}
	}
	blocks := []plat.Block{
		{Slot: -1}, leaf("one two three", plat.RoleContent, 0), leaf("", plat.RoleContent, .5), leaf("menu", plat.RoleNavigation, .5),
		leaf("four\nfive six", plat.RoleContent, 0), leaf("", plat.RoleContent, .5),
	}
	in := func(block int32, from, to int, before plat.Gap) plat.Passage {
		return plat.Passage{Before: before, First: block, Last: block, From: from, To: to}
	}
	literal := func(s string, before plat.Gap) plat.Passage {
		return plat.Passage{Before: before, First: plat.Literally, Last: plat.Literally, Literal: s}
	}
	layout := &plat.Layout{HTML: []byte("<p>foot</p>")}
	type cuts = map[int][]markup.Cut
	for _, c := range []struct {
		name  string
		kept  plat.Article
		want  cuts
		alone string
	}{
		{"other kinds have all of the content", plat.Article{Kind: plat.KindList}, cuts{1: nil, 2: nil, 4: nil, 5: nil}, ""},
		{"parts, and the pictures between them", plat.Article{Text: []plat.Passage{in(1, 0, 3, 0), {Before: plat.EmptyLine, First: 4, Last: 4, To: 9, Line: plat.NewLine}, in(4, 10, 13, plat.Blank)}},
			cuts{1: {{From: 0, To: 3, Run: true}}, 2: {}, 4: {{From: 0, To: 9, Leads: true}, {From: 10, To: 13, Before: " ", Run: true}}}, ""},
		{"a passage of two leaves", plat.Article{Text: []plat.Passage{{First: 1, Last: 4, From: 8, To: 4}}},
			cuts{1: {{From: 8, To: 13, Run: true, Leads: true}}, 2: {}, 3: {{From: 0, To: 4, Run: true, Leads: true}}, 4: {{From: 0, To: 4, Run: true}}}, ""},
		{"what no leaf has is beside what it is less apart from", plat.Article{Text: []plat.Passage{literal("a", 0), in(1, 0, 3, plat.EmptyLine), literal("b", plat.Blank), in(1, 8, 13, plat.Blank), literal("c", plat.EmptyLine), in(4, 0, 4, plat.NoGap), literal("d", plat.EmptyLine)}},
			cuts{1: {{From: 0, To: 3, Before: "a\n\n", After: " b", Run: true, Leads: true}, {From: 8, To: 13, Before: " ", Run: true, Leads: true}}, 2: {}, 4: {{From: 0, To: 4, Before: "\n\nc", After: "\n\nd", Run: true}}}, ""},
		{"what comes before its turn is added", plat.Article{Text: []plat.Passage{in(4, 0, 4, 0), in(1, 0, 13, plat.EmptyLine), in(1, 0, 3, plat.EmptyLine)}},
			cuts{1: {{From: 0, To: 13, Before: "four\n\n", After: "\n\none", Run: true}}}, ""},
		{"the layout's text is added", plat.Article{Text: []plat.Passage{in(1, 0, 3, 0), {Before: plat.Blank, First: plat.OfLayout, Last: plat.OfLayout, To: 4}}},
			cuts{1: {{From: 0, To: 3, After: " foot", Run: true}}}, ""},
		{"a text that no leaf has", plat.Article{Text: []plat.Passage{literal("a\n\nb", 0), literal("c", plat.NewLine)}}, cuts{}, "a\n\nb\nc"},
		{"damaged passages", plat.Article{Text: []plat.Passage{in(9, 0, 1, 0), in(1, 5, 99, 0), in(1, 0, 3, 0), in(-7, 0, 0, 0)}}, cuts{1: {{From: 0, To: 3, Run: true}}}, ""},
		{"no text", plat.Article{Kind: plat.KindArticle}, cuts{}, ""},
	} {
		if got, alone := Cuts(&c.kept, layout, blocks); !reflect.DeepEqual(got, c.want) || alone != c.alone {
			t.Errorf("%s:\n%+v %q\nwant\n%+v %q", c.name, got, alone, c.want, c.alone)
		}
	}
}
