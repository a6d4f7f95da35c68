package label

import (
	"fmt"
	"strings"
	"testing"

	"plat/plat"
)

// Three cards are labelled alike, although one has little text.
func TestBlocksBuiltAlikeAreLabelledAlike(t *testing.T) {
	d, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	texts := []string{
		"A crane of 1910 is brought from the west quay, and the road along the basin is closed for two nights until it stands.",
		"Ferries land at the south pier in the meantime, and the timetable stays as it was printed in spring of this year.",
		"Soon",
	}
	labels := func(class func(int) string, n int) (roles, holds []string) {
		var b strings.Builder
		b.WriteString("\n* h1 100,0 900x60 size=32 \"Harbour news\"\n+ div 100,100 900x200\n")
		for i := range n {
			fmt.Fprintf(&b, "  * div%s %d,100 280x200\n    h3 bold \"Notice %d\"\n    p \"%s\"\n", class(i), 100+300*i, i, texts[len(texts)-n+i])
		}
		snap, page, spans, visible := build(t, b.String())
		if err := d.Describe(snap, page, spans, visible); err != nil {
			t.Fatal(err)
		}
		for i := range page.Blocks {
			if b := &page.Blocks[i]; b.Leaf() && b.Tag == "div" {
				roles, holds = append(roles, string(b.Role)), append(holds, string(b.Holds))
			}
		}
		return roles, holds
	}
	same := func(all []string) bool { return strings.Count(strings.Join(all, " ")+" ", all[0]+" ") == len(all) }
	if _, alone := labels(func(i int) string { return fmt.Sprint(".k", i) }, 3); same(alone) {
		t.Fatalf("of different build they hold %v: the test shows nothing", alone)
	}
	if roles, holds := labels(func(int) string { return ".card" }, 3); !same(roles) || !same(holds) || roles[0] != string(plat.RoleContent) {
		t.Errorf("three of the same build are %v and hold %v", roles, holds)
	}
	if _, holds := labels(func(int) string { return ".card" }, 2); same(holds) {
		t.Errorf("two are no row, and yet both hold %v", holds)
	}
}
