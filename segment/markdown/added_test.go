package markdown

import (
	"testing"

	"plat/plat"
	"plat/plat/weburl"
	"plat/segment/markup"
)

// An article has parts of its blocks, and texts that no block has.
func TestArticlesOfPartsAndOfAddedTexts(t *testing.T) {
	content := []string{`<p>one <b>two</b> three</p><img src="i.png" alt="pier"><p>four</p>`, `<h2>five</h2><pre>six  6
seven</pre>`, `<p>a <a href="/x"><img src="j.png" alt="ship"></a> <a href="/y.png"><img src="k.png" alt="sea"></a> b</p>`, `<div>a<br>b<div>c</div>d</div>`}
	blocks := []plat.Block{{Slot: -1}}
	for i, c := range content {
		blocks = append(blocks, plat.Block{Role: plat.RoleContent, Pos: int32(i), Content: []byte(c), Text: markup.Text([]byte(c), nil), ImageShare: .1})
	}
	in := func(block int32, from, to int, before plat.Gap) plat.Passage {
		return plat.Passage{Before: before, First: block, Last: block, From: from, To: to, Line: plat.EmptyLine}
	}
	run := func(block int32, from, to int, before plat.Gap) plat.Passage { // of one line
		return plat.Passage{Before: before, First: block, Last: block, From: from, To: to}
	}
	literal := func(s string, before plat.Gap) plat.Passage {
		return plat.Passage{Before: before, First: plat.Literally, Last: plat.Literally, Literal: s}
	}
	for name, tc := range map[string]struct {
		text []plat.Passage
		want string
	}{
		"a block":                      {[]plat.Passage{in(1, 0, 18, 0)}, "one **two** three\n\n![pier](https://h.test/dir/i.png)\n\nfour"},
		"its first words":              {[]plat.Passage{in(1, 0, 7, 0)}, "one **two**"},
		"its last word":                {[]plat.Passage{in(1, 14, 18, 0)}, "four"},
		"texts around":                 {[]plat.Passage{literal("x *", 0), in(1, 0, 3, plat.EmptyLine), literal("y\nz", plat.EmptyLine)}, "x \\*\n\none\n\ny  \nz"},
		"a text that goes on":          {[]plat.Passage{in(1, 4, 7, 0), literal("more", plat.Blank)}, "**two more**"},
		"paragraphs in one line":       {[]plat.Passage{run(1, 0, 13, 0), run(1, 14, 18, plat.Blank)}, "one **two** three ![pier](https://h.test/dir/i.png) four"},
		"paragraphs":                   {[]plat.Passage{run(1, 0, 13, 0), run(1, 14, 18, plat.EmptyLine)}, "one **two** three\n\n![pier](https://h.test/dir/i.png)\n\nfour"},
		"lines in one line":            {[]plat.Passage{run(4, 0, 1, 0), run(4, 2, 3, plat.Blank), run(4, 4, 5, plat.Blank)}, "a b c"},
		"lines":                        {[]plat.Passage{run(4, 0, 1, 0), run(4, 2, 3, plat.NewLine), run(4, 4, 5, plat.Blank)}, "a  \nb c"},
		"nothing of a block":           {[]plat.Passage{literal("a\n\nb\nc", 0)}, "a\n\nb  \nc"},
		"a heading and what follows":   {[]plat.Passage{in(2, 0, 4, 0), literal("more", plat.Blank), literal("text", plat.EmptyLine)}, "## five more\n\ntext"},
		"images and where they lead":   {[]plat.Passage{in(3, 0, 3, 0)}, "a [![sea](https://h.test/dir/k.png)](https://h.test/y.png) b"},
		"a heading, and a picture not": {[]plat.Passage{in(2, 0, 4, 0), in(3, 0, 1, plat.EmptyLine)}, "## five\n\na"},
	} {
		k := &plat.Article{Text: tc.text}
		got := Of(k, weburl.NewBase("https://h.test/dir/page"), &plat.Layout{Slots: []int32{0}}, blocks).Body()
		if got != tc.want {
			t.Errorf("%s:\n%q, want\n%q", name, got, tc.want)
		}
	}
}
