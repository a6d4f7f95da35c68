package label

import (
	"fmt"
	"strings"
	"testing"

	"plat/plat"
)

func TestCommentsAreToldByTheFieldForOneMore(t *testing.T) {
	said := strings.Repeat("The pier would not have stood another winter. ", 4)
	text := strings.Repeat("The north pier closes on Monday, because divers found loose stones below the water line. ", 20)
	page := func(above, field, below string) string {
		return fmt.Sprintf(`
+ div 100,0 800x2000
  * div 100,0 800x600
    p "%s"
%s%s%s`, text, above, field, below)
	}
	heading := "  * div 100,700 800x40\n    h3 \"2 comments\"\n"
	first := "  * div 100,760 800x200\n    p \"Ann says: " + said + "\"\n"
	field := "  * form 100,1000 800x120\n    textarea placeholder=comment\n"
	other := "  * form 100,1000 800x120\n    textarea placeholder=message\n"
	last := "  * div 100,1200 800x200\n    p \"Bob says: " + said + "\"\n"
	for name, c := range map[string]struct {
		drawing string
		want    []plat.Label // of the blocks after the text
	}{
		"the field first":       {page("", field, last), []plat.Label{plat.LabelForm, plat.LabelComments}},
		"the field last":        {page(heading+first, field, ""), []plat.Label{plat.LabelComments, plat.LabelComments, plat.LabelForm}},
		"another field":         {page("", other, last), []plat.Label{plat.LabelForm, plat.LabelMain}},
		"nothing is asked for":  {page("", "", last), []plat.Label{plat.LabelMain}},
		"the text is elsewhere": {"* form 100,0 800x120\n  textarea placeholder=comment\n" + page("", "", ""), nil},
	} {
		t.Run(name, func(t *testing.T) {
			d, err := New(Options{})
			if err != nil {
				t.Fatal(err)
			}
			snap, p, spans, visible := build(t, c.drawing)
			if err := d.Describe(snap, p, spans, visible); err != nil {
				t.Fatal(err)
			}
			var got []plat.Label
			for i := range p.Blocks {
				if b := &p.Blocks[i]; b.Leaf() && b.Box.Y >= 700 {
					got = append(got, b.Label)
				}
				if c.want == nil && p.Blocks[i].Label == plat.LabelComments {
					t.Errorf("block %d is taken for comments", i)
				}
			}
			if fmt.Sprint(got) != fmt.Sprint(c.want) {
				t.Errorf("labels %v, want %v", got, c.want)
			}
		})
	}
}
