package markdown

import (
	"strings"
	"testing"

	"plat/plat"
	"plat/plat/weburl"
	"plat/segment/markup"
)

func TestDocumentsInsideAPage(t *testing.T) {
	const inner = `<p><a href="b">x</a></p>`
	const image = `<img src="z.png" alt="z">`
	const x, y = "[x](https://h.test/dir/b)", "[y](https://h.test/dir/b)"
	for _, c := range []struct{ html, want string }{
		// The images of a template are not shown, those of a shadow tree are.
		{`<template>` + image + `</template>a`, "a"}, {`<template><template shadowrootmode=open>` + image + `</template></template>a`, "a"}, {`<div><template shadowrootmode=open>` + image + `</template></div>a`, "![z](https://h.test/dir/z.png)\n\na"}, {`<template>x</template><p>` + image, "x\n\n![z](https://h.test/dir/z.png)"},
		// The document of a frame has its address.
		{`<object src="/f/"><template data-plat-frame>` + inner + `</template></object><a href="b">y</a>`, "[x](https://h.test/f/b)\n\n" + y}, {`<object><template data-plat-frame>` + inner + `</template></object>`, x}, {`<object src="http://["><template data-plat-frame>` + inner + `</template></object>`, x}, {`<object src="/f/">` + inner + `</object>`, x}, {`<div src="/f/"><template data-plat-frame>` + inner + `</template></div>`, x},
		{`<object src="/f/"><template data-plat-frame><object src="g/"><template data-plat-frame>` + inner + `</template></object></template></object>`, "[x](https://h.test/f/g/b)"},
		// The base of a document counts to its end, and in no other.
		{`<div><base href="/o/">` + inner + `</div><a href="b">y</a>`, "[x](https://h.test/o/b)\n\n[y](https://h.test/o/b)"}, {`<object src="/f/"><template data-plat-frame><div><base href="o/"></div>` + inner + `</template></object><a href="b">y</a>`, "[x](https://h.test/f/o/b)\n\n" + y}, {`<base href="http://o.test/">` + inner, "[x](http://o.test/b)"}, {`<base href="mailto:a@b.test">` + inner, "x"}, {`<base>` + inner, x},
	} {
		if got := set(closed(t, c.html)); got != c.want {
			t.Errorf("%s:\n%q\nwant\n%q", c.html, got, c.want)
		}
	}
}

// ofPieces returns the Markdown of pieces: "<p" begins an element, ">" ends it, "(" begins the text
// of a failed image, "{" one that is added, and anything else is a text.
func ofPieces(pieces ...string) string {
	b := newBuilder(weburl.NewBase("https://h.test/dir/page"))
	for _, s := range pieces {
		p := &markup.Piece{Kind: markup.TextPiece, Text: []byte(s)}
		switch s[0] {
		case '<':
			*p = markup.Piece{Kind: markup.StartPiece, Name: s[1:]}
		case '>':
			*p = markup.Piece{Kind: markup.EndPiece}
		case '(':
			p.Kind, p.Text = markup.AltPiece, p.Text[1:]
		case '{':
			p.Kind, p.Text = markup.AddedPiece, p.Text[1:]
		}
		if s == "image" {
			b.image("https://h.test/i.png", "pier")
			continue
		}
		b.piece(p)
	}
	b.finish()
	return (&Document{b.root}).Body()
}

func TestTextsThatNoElementIsAround(t *testing.T) {
	const image = "![pier](https://h.test/i.png)"
	for _, c := range []struct {
		pieces []string
		want   string
	}{
		// An image that failed is replaced by its text.
		{[]string{"a ", "image", " b"}, "a " + image + " b"}, {[]string{"a ", "image", "(sea", " b"}, "a sea b"}, {[]string{"image", "(sea"}, "sea"}, {[]string{"(sea"}, "sea"}, {[]string{"image", "( ", "(sea"}, "sea"}, {[]string{"a", "(sea"}, "asea"}, {[]string{"a ", "image", "image", "(sea"}, "a " + image + "sea"},
		// A text that is added to code is a piece of it, or ends it.
		{[]string{"<pre", "a", "{b\nc", "d", ">"}, "```\nab\ncd\n```"}, {[]string{"<pre", "a", "{\n\nb", ">"}, "```\na\n```\n\nb"}, {[]string{"<pre", "a", "{b\n\n", "c", ">"}, "```\na\n```\n\nb\n\n```\nc\n```"}, {[]string{"<pre", "a", "{\n\nb\nc\n\n", "d", ">", "e"}, "```\na\n```\n\nb  \nc\n\n```\nd\n```\n\ne"}, {[]string{"<pre", "{b\n\nc", ">"}, "```\nb\n\nc\n```"},
		// One that is added to a heading has one line, and what follows is none.
		{[]string{"<h2", "a", "{ b\nc", ">"}, "## a bc"}, {[]string{"<h2", "a", "{\n\nb", ">", "c"}, "## a\n\nb\n\nc"}, {[]string{"<b", "a", "{\n\nb\n\n", "c", ">"}, "**a**\n\nb\n\n**c**"},
	} {
		if got := ofPieces(c.pieces...); got != c.want {
			t.Errorf("%q:\n%q\nwant\n%q", c.pieces, got, c.want)
		}
	}
}

func TestOnlyAFirstHeadingRepeatsTheTitle(t *testing.T) {
	for _, c := range []struct{ html, title, line, want string }{
		{"<h1>One two</h1>a", "one  TWO", "", "# one TWO\n\na"}, {"<h1>One</h1>a", "Two", "", "# Two\n\n# One\n\na"}, {"<hr><h3>One <b>two</b></h3>a", "One two", "by Ann", "# One two\n\n_by Ann_\n\na"}, {"a<h1>One</h1>b", "One", "", "# One\n\na\n\n# One\n\nb"}, {"<p>One</p>a", "One", "", "# One\n\nOne\n\na"},
		{"<ul><li>a</ul><h1>One</h1>", "One", "", "# One\n\n- a\n\n# One"}, {"<table><tr><th>a<th>b<tr><td>c<td>d</table><h1>One</h1>", "One", "", "# One\n\n| a | b |\n| --- | --- |\n| c | d |\n\n# One"}, {"<pre>a</pre><h1>One</h1>", "One", "", "# One\n\n```\na\n```\n\n# One"}, {"a", "# *x*", "*", "# \\# \\*x\\*\n\n_\\*_\n\na"},
	} {
		content := closed(t, c.html)
		d := Of(&plat.Article{Kind: plat.KindReference}, weburl.NewBase("https://h.test/"), &plat.Layout{Slots: []int32{0}}, leaf(content))
		if got := d.Page(c.title, c.line); got != c.want {
			t.Errorf("%s:\n%q\nwant\n%q", c.html, got, c.want)
		}
	}
}

// The first row has 100 columns, all others have one.
func TestARaggedTableIsNotFilledUpWithoutLimit(t *testing.T) {
	for rows, want := range map[int]bool{45: true, 46: false} {
		src := "<table><tr>" + strings.Repeat("<th>a", 100) + strings.Repeat("<tr><td>b", rows) + "</table>"
		if got := strings.Contains(set(closed(t, src)), "| --- |"); got != want {
			t.Errorf("with %d rows below it is a table: %v", rows, got)
		}
	}
}
