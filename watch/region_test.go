package watch

import (
	"slices"
	"strings"
	"testing"

	"plat/segment/markup"
)

// chosenText examines pages with block 5 chosen, and returns the report on the last one.
func chosenText(t *testing.T, pages ...string) (told []string, broken string, leaves int) {
	t.Helper()
	m := New()
	for _, src := range pages {
		p := pageOf(t, pageURL, src)
		for i := range p.Blocks {
			if b := &p.Blocks[i]; b.Leaf() {
				b.Text = textOf(t, string(b.Content))
				b.Parent = 0
			}
		}
		r, err := m.Look(p, Options{Blocks: []int32{5}})
		if err != nil {
			t.Fatal(err)
		}
		told, broken, leaves = nil, r.Broken, len(r.Leaves)
		for i := range r.Items {
			told = append(told, lineOf(&r.Items[i]))
		}
		body, err := m.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		if err := m.UnmarshalBinary(body); err != nil {
			t.Fatal(err)
		}
	}
	return told, broken, leaves
}

func textOf(t *testing.T, content string) string {
	t.Helper()
	p := pageOf(t, pageURL, content)
	tr, err := read(p)
	if err != nil {
		t.Fatal(err)
	}
	text := ""
	for _, l := range tr.lines(record{0, int32(len(tr.nodes))}) {
		text += l + "\n"
	}
	return text
}

func TestTextThatIsAddedToAChosenBlockIsTold(t *testing.T) {
	const menu = `<nav block="navigation 2"><p>Home</p></nav>`
	first := menu + `<div block="main 5"><p>All lines run.</p><p>Updated 10:45</p></div>`
	for name, c := range map[string]struct {
		then string
		want []string
	}{
		"the same":        {first, nil},
		"another line":    {menu + `<div block="main 5"><p>The 12 is late.</p><p>All lines run.</p><p>Updated 10:45</p></div>`, []string{"text The 12 is late."}},
		"a number":        {menu + `<div block="main 5"><p>All lines run.</p><p>12,50 a day</p><p>Updated 10:45</p></div>`, []string{"text 12,50 a day"}},
		"a clock":         {menu + `<div block="main 5"><p>All lines run.</p><p>Updated 11:02</p></div>`, nil},
		"a line less":     {menu + `<div block="main 5"><p>Updated 10:45</p></div>`, nil},
		"another block":   {`<nav block="navigation 2"><p>Home</p><p>Sale</p></nav><div block="main 5"><p>All lines run.</p><p>Updated 10:45</p></div>`, nil},
		"elsewhere on it": {`<div block="main 5"><p>All lines run.</p><p>Updated 10:45</p></div>` + menu, nil},
	} {
		if told, broken, _ := chosenText(t, first, c.then); !slices.Equal(told, c.want) || broken != "" {
			t.Errorf("%s: told %q, broken %q; want %q", name, told, broken, c.want)
		}
	}
}

// In a chosen block, a changed price is reported, a changed clock or date is not.
func TestNumbersCountInAChosenBlock(t *testing.T) {
	first := `<div block="main 5"><p>12,50 a day</p><p>Updated 10:45, 3 May 2026</p></div>`
	for then, want := range map[string][]string{
		`<div block="main 5"><p>11,90 a day</p><p>Updated 10:45, 3 May 2026</p></div>`: {"text 11,90 a day"},
		`<div block="main 5"><p>12,50 a day</p><p>Updated 23:01, 4 May 2026</p></div>`: nil,
	} {
		if told, broken, _ := chosenText(t, first, then); !slices.Equal(told, want) || broken != "" {
			t.Errorf("%s: told %q, broken %q; want %q", then, told, broken, want)
		}
	}
}

// After a redesign that divides a chosen block, its lineage continues with a part of it, or
// with other text. The block is then found by its lines.
func TestAChosenBlockIsFollowedByItsLines(t *testing.T) {
	first := `<div block="main 5"><p>First line of it.</p><p>Second line of it.</p><p>Third line of it.</p><p>Fourth line of it.</p></div><div block="footer 6"><p>Imprint</p></div>`
	for name, c := range map[string]struct {
		then   string
		want   []string
		broken bool
	}{
		"divided": {`<div block="main 5"><p>First line of it.</p></div><div block="main 7"><p>Second line of it.</p><p>Third line of it.</p><p>Fourth line of it.</p><p>Fifth line of it.</p></div>`,
			[]string{"text Fifth line of it."}, false},
		"another has its number": {`<div block="main 5"><p>Something else.</p></div><div block="main 7"><p>First line of it.</p><p>Second line of it.</p><p>Third line of it.</p><p>Fourth line of it.</p></div>`, nil, false},
		"another number":         {`<div block="main 7"><p>First line of it.</p><p>Second line of it.</p><p>Third line of it.</p><p>Fourth line of it.</p><p>And one more.</p></div>`, []string{"text And one more."}, false},
		"gone":                   {`<div block="main 7"><p>Nothing of it.</p></div>`, nil, true},
	} {
		told, broken, _ := chosenText(t, first, c.then)
		if !slices.Equal(told, c.want) || (broken != "") != c.broken {
			t.Errorf("%s: told %q, broken %q; want %q", name, told, broken, c.want)
		}
	}
}

// Relative times alone are no news, in a chosen block and on a whole page, whatever becomes of them.
func TestRelativeTimesThatMoveOnAreNoNews(t *testing.T) {
	for _, c := range []struct {
		was, is string
		told    bool
	}{
		{"Posted 2 hours ago by Ines", "Posted a day ago by Ines", false},
		{"Posted last week by Ines", "Posted 2 weeks ago by Ines", false},
		{"gestern", "vor 2 Tagen", false},
		{"vor 2 Tagen", "vor einer Woche", false},
		{"2小时前", "昨天", false},
		{"il y a 2 heures", "avant-hier", false},
		{"2 napja", "tegnapelőtt", false},
		{"hôm qua", "2 ngày trước", false},
		{"2 วันที่ผ่านมา", "เมื่อวานซืน", false},
		{"قبل ساعة واحدة", "أمس", false},
		{"acum 2 ore", "ieri", false},
		{"2日前 山田", "3日前 山田", false},
		{"Posted yesterday by Ines", "Posted yesterday by Ada", true},
		{"gestern", "gestern geschlossen", true},
		{"2 napja", "2 alma", true},
	} {
		for _, g := range []*region{{}, {chosen: true}} {
			if got := g.key(c.was) != g.key(c.is); got != c.told {
				t.Errorf("%q, then %q: told %v, want %v", c.was, c.is, got, c.told)
			}
		}
	}
	// A memory of an earlier version has other keys.
	g := &region{}
	m, blocks := New(), `<div block="main 5"><p>vor 2 Tagen</p><p>Offen</p></div>`
	p := pageOf(t, pageURL, blocks)
	for i := range p.Blocks {
		p.Blocks[i].Text = "vor 2 Tagen\nOffen"
	}
	tr, err := read(p)
	if err != nil {
		t.Fatal(err)
	}
	if m.lines = []uint64{g.earlierKey("vor 2 Tagen"), g.earlierKey("Offen")}; m.text(tr, g) != nil {
		t.Error("a line that an earlier version knew is told")
	}
}

// In a chosen block a lead time counts as a number does; elsewhere it does not.
func TestLeadTimesCountInAChosenBlock(t *testing.T) {
	for _, c := range []struct {
		was, is string
		told    bool
	}{
		{"Ships in 3 days", "Ships in 14 days", true},
		{"Lieferbar in 3 Tagen", "Lieferbar in 2 Wochen", true},
		{"3日後に発送", "14日後に発送", true},
		{"Closed tomorrow", "Closed today", false},
		{"Shipped 3 days ago", "Shipped 14 days ago", false},
	} {
		if g := (&region{chosen: true}); (g.key(c.was) != g.key(c.is)) != c.told {
			t.Errorf("%q, then %q: want told %v", c.was, c.is, c.told)
		}
		if g := (&region{}); g.key(c.was) != g.key(c.is) {
			t.Errorf("%q, then %q: told on a whole page", c.was, c.is)
		}
	}
}

// Lines of a memory from before readings stood in brackets are known, and locate a block.
func TestLinesWithReadingsOfAnEarlierMemoryAreKnown(t *testing.T) {
	p := pageOf(t, pageURL, `<div block="main 5"><p>Offen</p><p><ruby>体罰<rt>たいばつ</rt></ruby>を禁止する</p><p><ruby>学校<rt>がっこう</rt></ruby>の話</p></div>`)
	for i := range p.Blocks {
		p.Blocks[i].Text = markup.Text(p.Blocks[i].Content, nil)
	}
	tr, err := read(p)
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range []*region{{}, {chosen: true}} {
		m := New()
		for i := range p.Blocks {
			for line := range strings.SplitSeq(markup.EarlierText(p.Blocks[i].Content, nil), "\n") {
				if k := g.earlierKey(line); k != 0 {
					m.lines = append(m.lines, k)
				}
			}
		}
		if g.chosen && m.moved(g, p.Blocks, make([]bool, len(p.Blocks))) == nil {
			t.Error("the block is lost")
		}
		if told := m.text(tr, g); told != nil {
			t.Errorf("told %q", told.Entry.Excerpt)
		}
		if len(m.lines) != 3 {
			t.Errorf("%d lines", len(m.lines))
		}
	}
}
