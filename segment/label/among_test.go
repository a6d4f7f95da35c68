package label

import (
	"fmt"
	"strings"
	"testing"

	"plat/plat"
	"plat/segment/article"
	"plat/segment/boilerplate"
)

// A block of most pages of a site is not content, however much it looks like it; and a block of no
// other page is content.
func TestOtherPagesTellTheTemplate(t *testing.T) {
	d, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	drawing := func(n int) string {
		return fmt.Sprintf(`
+ div.a 100,0 1000x700
  * div 100,0 1000x40
    p "Open from 8 to 5."
    a "Ships"
    a "Quays"
  * div 100,60 1000x600
    p "%s"
`, strings.Repeat(fmt.Sprintf("Notice %d tells of what happened at pier %d on that day. ", n, n*n), 12))
	}
	site := &boilerplate.Site{}
	var alone []plat.Block
	for n := range 6 {
		snap, page, spans, visible := measured(t, drawing(n))
		if err := d.Describe(snap, page, spans, visible); err != nil {
			t.Fatal(err)
		}
		alone = page.Blocks
		site.Learn(fmt.Sprint(n), page.Blocks)
	}
	if alone[2].Role != plat.RoleContent || alone[3].Role != plat.RoleContent {
		t.Fatalf("alone they are %s and %s: the test shows nothing", alone[2].Role, alone[3].Role)
	}
	snap, page, spans, visible := measured(t, drawing(9))
	if err := d.DescribeAmong(site.Except("9"), article.Look(snap), snap, page, spans, visible); err != nil {
		t.Fatal(err)
	}
	repeated, own := &page.Blocks[2], &page.Blocks[3]
	if repeated.Role == plat.RoleContent || !strings.HasPrefix(repeated.Explanation, "on 6 of 6 other pages") {
		t.Errorf("what all pages have is %s: %s", repeated.Role, repeated.Explanation)
	}
	if own.Role != plat.RoleContent || !strings.HasPrefix(own.Explanation, "on none of 6 other pages") || own.Confidence < alone[3].Confidence {
		t.Errorf("what no other page has is %s %.2f (alone %.2f): %s", own.Role, own.Confidence, alone[3].Confidence, own.Explanation)
	}
	// Two other pages are too few.
	again := page.Blocks[2]
	if err := d.DescribeAmong(site.Except("9")[:2], article.Look(snap), snap, page, spans, visible); err != nil {
		t.Fatal(err)
	}
	if page.Blocks[2].Role != plat.RoleContent || again.Role == plat.RoleContent {
		t.Errorf("by two other pages it is %s", page.Blocks[2].Role)
	}
}

// measured returns the result of build with the lengths of the texts.
func measured(t *testing.T, drawing string) (*plat.Snapshot, *plat.Page, []plat.Span, []bool) {
	snap, page, spans, visible := build(t, drawing)
	for i, s := range spans {
		for n := s.First; n < s.End; n++ {
			page.Blocks[i].TextLen += countChars(snap.Nodes[n].Value)
		}
	}
	return snap, page, spans, visible
}

// A row of a table is part of it, even with little text, and a field in front of a bar is part of the
// bar.
func TestPartsInheritFromTheBlockAround(t *testing.T) {
	content := plat.Block{Role: plat.RoleContent, Holds: plat.HoldsTable, Label: plat.LabelTable, Box: plat.Rect{W: 100, H: 50}}
	bar := plat.Block{Role: plat.RoleBanner, Holds: plat.HoldsOther, Label: plat.LabelHeader, Box: plat.Rect{W: 100, H: 50}}
	field := plat.Block{Role: plat.RoleOverlay, Rule: plat.RuleOverlay, Holds: plat.HoldsForm, Label: plat.LabelOverlay, Box: plat.Rect{X: 10, W: 20, H: 20}}
	dialog := field
	dialog.Box.H = 400
	for name, c := range map[string]struct {
		around, block plat.Block
		want          plat.Label
	}{
		"a row":                 {content, plat.Block{Role: plat.RoleContent, Holds: plat.HoldsOther, Label: plat.LabelOther}, plat.LabelTable},
		"a heading of a table":  {content, plat.Block{Role: plat.RoleContent, Holds: plat.HoldsHeading, Label: plat.LabelHeading}, plat.LabelHeading},
		"a menu beside a table": {content, plat.Block{Role: plat.RoleNavigation, Holds: plat.HoldsOther, Label: plat.LabelNavigation}, plat.LabelNavigation},
		"a field in a bar":      {bar, field, plat.LabelHeader},
		"a dialog below a bar":  {bar, dialog, plat.LabelOverlay},
		"a notice over a text":  {content, field, plat.LabelOverlay},
	} {
		if inherit(&c.around, &c.block); c.block.Label != c.want {
			t.Errorf("%s is labelled %s, not %s", name, c.block.Label, c.want)
		}
	}
}
