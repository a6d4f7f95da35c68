package boilerplate_test

import (
	"fmt"
	"testing"

	"plat/plat"
	"plat/segment/boilerplate"
)

func leaf(topic string, length int32) plat.Block {
	return plat.Block{Topic: topic, TextLen: length, Tag: "div", LinkShare: .5}
}

func TestBlocksOfATemplateStandOnOtherPages(t *testing.T) {
	menu, footer := leaf("Ships", 40), leaf("Imprint", 20)
	var s boilerplate.Site
	for n := range 6 {
		blocks := []plat.Block{{Slot: -1, Parent: -1, TextLen: 9}, menu, leaf(fmt.Sprint("Notice ", n), 800), {Tag: "img"}}
		if n%2 == 0 {
			blocks = append(blocks, footer)
		}
		s.Learn(fmt.Sprint("https://harbour.test/", n), blocks)
		s.Learn(fmt.Sprint("https://harbour.test/", n), blocks) // visited twice
	}
	others := s.Except("https://harbour.test/2")
	if len(others) != 5 || s.Len() != 6 {
		t.Fatalf("%d others of %d pages", len(others), s.Len())
	}
	marked := menu
	marked.Hash = plat.HashOf([]byte("the same with another class"))
	longer := menu
	longer.TextLen++
	parent := menu
	parent.Slot = -1
	for name, c := range map[string]struct {
		block plat.Block
		want  int
		known bool
	}{
		"of all pages":          {menu, 5, true},
		"with other attributes": {marked, 5, true},
		"with another text":     {longer, 0, true},
		"of some":               {footer, 2, true},
		"of this page alone":    {leaf("Notice 2", 800), 0, true},
		"without text":          {plat.Block{Tag: "img"}, 0, false},
		"no leaf":               {parent, 0, false},
	} {
		if n, known := others.With(&c.block); n != c.want || known != c.known {
			t.Errorf("a block %s is on %d pages, %v", name, n, known)
		}
	}
	for n := range 40 { // the last pages count
		s.Learn(fmt.Sprint("https://harbour.test/new/", n), []plat.Block{footer})
	}
	others = s.Except("")
	if n, _ := others.With(&menu); n != 0 || len(others) > 20 {
		t.Errorf("after 40 pages of another template %d of %d have the menu", n, len(others))
	}
	var nobody *boilerplate.Site
	if len(nobody.Except("x")) != 0 {
		t.Error("no site has pages")
	}
}
