package markup_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"plat/fixtures"
	"plat/plat"
	"plat/segment/markup"
)

// walked reads leaves, and formats the pieces as one line.
func walked(l *plat.Layout, blocks []plat.Block, cuts map[int][]markup.Cut) string {
	var b strings.Builder
	markup.Walk(l, blocks, func(i int) ([]markup.Cut, bool) {
		parts, read := cuts[i]
		return parts, read
	}, func(p *markup.Piece) {
		switch p.Kind {
		case markup.StartPiece:
			b.WriteString("<" + p.Name)
			if href, ok := p.Attr("href"); ok {
				b.WriteString(" " + href)
			}
			b.WriteString(">")
		case markup.EndPiece:
			b.WriteString("</" + p.Name + ">")
		case markup.BlankPiece:
			b.WriteString("_")
		case markup.LinePiece:
			b.WriteString("|")
		case markup.AltPiece:
			b.WriteString("(" + string(p.Text) + ")")
		case markup.AddedPiece:
			b.WriteString("{" + string(p.Text) + "}")
		default:
			b.Write(p.Text)
		}
	})
	return b.String()
}

func TestWalk(t *testing.T) {
	l := &plat.Layout{HTML: []byte("<html><head><title>T</title></head><body>menu <table><tbody></tbody></table>foot</body></html>")}
	l.Slots = []int32{int32(strings.Index(string(l.HTML), "</tbody>")), int32(strings.Index(string(l.HTML), "</body>"))}
	leaf := func(slot, pos int32, content string) plat.Block {
		return plat.Block{Slot: slot, Pos: pos, Content: []byte(content), Text: markup.Text([]byte(content), nil)}
	}
	blocks := []plat.Block{
		{Slot: -1},
		leaf(0, 0, `<tr><td>one <a class="x=&quot;" href="/a?b&amp;c"> two</a></td></tr>`),
		leaf(0, 1, "<tr><td>not read</td></tr>"),
		leaf(1, 0, "<p>three<img><!--plat:alt Pier-->, four</p></b><i>five"),
	}
	const before, after = "<html><head><title></title></head><body><table><tbody>", "</body></html>"
	for _, c := range []struct {
		name string
		cuts map[int][]markup.Cut
		want string
	}{
		{"whole leaves", map[int][]markup.Cut{1: nil, 3: nil}, before + "<tr><td>one <a /a?b&c> two</a></td></tr></tbody></table><p>three<img>_(Pier)_, four</p><i>five</i>" + after},
		{"parts", map[int][]markup.Cut{3: {{From: 2, To: 5, Before: "x", After: "y"}, {From: 13, To: 17}, {From: 18, To: 20}}},
			before + "</tbody></table><p>{x}ree{y}<img>__ four</p><i>fi</i>" + after},
		{"no part", map[int][]markup.Cut{3: {}}, before + "</tbody></table><p><img>__ </p><i></i>" + after},
		{"parts of another text", map[int][]markup.Cut{3: {{From: 100, To: 200, Before: "x", After: "y"}}}, before + "</tbody></table><p><img>__ </p><i>{x}{y}</i>" + after},
	} {
		if got := walked(l, blocks, c.cuts); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, got, c.want)
		}
	}
	hidden := []plat.Block{leaf(1, 0, "<ul><li>a<li>b</li></li><li>c</li></ul>d")}
	hidden[0].Hidden = []int32{13, 29} // b to c
	if got, want := walked(l, hidden, map[int][]markup.Cut{0: nil}), before+"</tbody></table><ul><li>a<li>_|</li></li><li>|</li></ul>d"+after; got != want {
		t.Errorf("hidden text:\n%s\nwant\n%s", got, want)
	}
}

// Leaves of slots that the layout lacks are at its end.
func TestLeavesWithoutASlotAreAtTheEnd(t *testing.T) {
	for _, l := range []*plat.Layout{{HTML: []byte("<p>x</p>")}, {HTML: []byte("<p>x</p>"), Slots: []int32{99}}} {
		blocks := []plat.Block{{Slot: 0, Content: []byte("<i>a</i>"), Text: "a"}, {Slot: 7, Content: []byte("b"), Text: "b"}}
		if got := walked(l, blocks, map[int][]markup.Cut{0: nil, 1: nil}); got != "<p></p><i>a</i>b" {
			t.Errorf("with %d slots: %s", len(l.Slots), got)
		}
	}
}

// Walk of a leaf returns its text, or the selected parts of it; and elements nest.
func FuzzWalk(f *testing.F) {
	for _, src := range fixtures.Damaged {
		f.Add([]byte(src), uint16(1), uint16(2), uint16(9), uint16(0))
	}
	f.Add([]byte("<p>one <b>two</b>three<br>four</p>"), uint16(0), uint16(3), uint16(9), uint16(12))
	f.Fuzz(func(t *testing.T, content []byte, hide, from, to, slot uint16) {
		var hidden []int32
		for i := int32(0); i < 16; i++ {
			if hide>>i&1 == 1 {
				hidden = append(hidden, i)
			}
		}
		text := markup.Text(content, hidden)
		blocks := []plat.Block{{Content: content, Hidden: hidden, Text: text}}
		l := &plat.Layout{HTML: content, Slots: []int32{int32(slot)}}
		part := markup.Cut{From: min(int(from), len(text)), To: min(int(to), len(text))}
		for want, cuts := range map[string][]markup.Cut{text: nil, text[part.From:max(part.From, part.To)]: {part}} {
			if cuts != nil && part.From >= part.To {
				continue
			}
			var open []string
			var got strings.Builder
			markup.Walk(l, blocks, func(int) ([]markup.Cut, bool) { return cuts, true }, func(p *markup.Piece) {
				p.Attr("href")
				switch p.Kind {
				case markup.StartPiece:
					if !markup.VoidElement(p.Name) {
						open = append(open, p.Name)
					}
				case markup.EndPiece:
					if len(open) == 0 || open[len(open)-1] != p.Name {
						t.Fatalf("%q ends, of %q", p.Name, open)
					}
					open = open[:len(open)-1]
				case markup.TextPiece, markup.AltPiece:
					if len(p.Text) == 0 {
						t.Fatal("a text is empty")
					}
					got.Write(p.Text)
				}
			})
			if len(open) > 0 {
				t.Fatalf("%q remain open", open)
			}
			bare := func(s string) string { return strings.ReplaceAll(markup.Words(s), " ", "") }
			if utf8.ValidString(text) && utf8.ValidString(want) && bare(got.String()) != bare(want) {
				t.Fatalf("it reads %q, not %q", got.String(), want)
			}
		}
	})
}
