package htmlsnapshot

import (
	"fmt"
	"strings"
	"testing"

	"plat/plat"
)

// shownText returns the text of all nodes with a box.
func shownText(s *plat.Snapshot) string {
	var all []string
	for i := range s.Nodes {
		if n := &s.Nodes[i]; n.Kind == plat.TextNode && n.HasBox {
			all = append(all, strings.Fields(n.Value)...)
		}
	}
	return strings.Join(all, " ")
}

func TestTextIsShownAsFarAsHTMLSays(t *testing.T) {
	for _, tc := range []struct{ name, page, want string }{
		{"plain", `<p>one <b>two</b></p>`, "one two"},
		{"no elements at all", `one two`, "one two"},
		{"nothing", ``, ""},
		{"the head is not shown", `<head><title>T</title><style>s</style><meta name=a content=b></head><body>one`, "one"},
		{"scripts and templates", `one<script>x</script><template><p>y</p></template><style>z</style>two`, "one two"},
		{"hidden", `one<div hidden>x<p>y</p></div><p hidden=until-found>z</p>two`, "one two"},
		{"style of the element", `one<p style="color:red;DISPLAY :` + "\n" + `None">x</p><p style="display:block">two`, "one two"},
		{"scripts do not run", `<noscript>one <a href=x>two</a></noscript>`, "one two"},
		{"noscript in the head has no text", `<head><noscript><link rel=stylesheet href=x></noscript></head>one`, "one"},
		{"what is in frames is not of the page", `one<iframe src=x>no frames here</iframe>two`, "one two"},
		{"framesets", `<frameset><frame src=a><noframes>no frames here</noframes></frameset>`, ""},
		{"embedded", `one<noembed>x</noembed><video>no video</video><audio>no audio</audio><canvas>none</canvas>two`, "one two"},
		{"an object's fallback may be shown", `<object>one</object>`, "one"},
		{"fields", `<textarea>one <b>two</textarea><input type=hidden value=x><button>three</button>`, "one <b>two three"},
		{"lists of choices", `<select><option>one<option>two</select><datalist><option>x</datalist>`, "one two"},
		{"dialogs", `<dialog>x</dialog><dialog open>one</dialog>`, "one"},
		{"ruby", `<ruby>漢<rp>(</rp><rt>kan</rt><rp>)</rp></ruby>`, "漢 kan"},
		{"comments", `one<!-- x -->two<!-- y`, "one two"},
		{"character references", `a&amp;b &eacute; &#x4e2d; &nosuch;`, "a&b é 中 &nosuch;"},
		{"open tags", `<p>one<p>two<ul><li>three<li>four`, "one two three four"},
		{"wrong nesting", `<b>one<p>two</b>three</p></div></i>four`, "one two three four"},
		{"text in tables goes before them", `<table><tr>one<td>two</table>`, "one two"},
		{"a tag that is cut off", `one <a href="x`, "one"},
		{"an end that never comes", `one<textarea>two`, "one two"},
		{"SVG", `<svg><title>x</title><text>one</text></svg>two`, "one two"},
		{"not UTF-8", "one \xff\xfe two", "one \ufffd two"},
		{"zero bytes", "one\x00two", "onetwo"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s, err := Snapshot("https://a.test/", tc.page)
			if err != nil {
				t.Fatal(err)
			}
			if got := shownText(s); got != tc.want {
				t.Errorf("%s shows %q, want %q", tc.page, got, tc.want)
			}
			checkTree(t, s)
		})
	}
}

func TestAFrameIsAnElementOfThePage(t *testing.T) {
	s, err := Snapshot("https://a.test/", `<frameset><frame src="a.html"><frame src="b.html"></frameset>`)
	if err != nil {
		t.Fatal(err)
	}
	var srcs []string
	for i := range s.Nodes {
		if n := &s.Nodes[i]; n.Name == "frame" {
			src, _ := n.Attr("src")
			srcs = append(srcs, src)
			if !n.HasBox || n.Foreign {
				t.Errorf("frame %+v", n)
			}
		}
	}
	if fmt.Sprint(srcs) != "[a.html b.html]" {
		t.Errorf("frames %v", srcs)
	}
}

func TestTheTitleAndLanguageAreThePages(t *testing.T) {
	for _, tc := range []struct{ page, title, lang string }{
		{`<html lang=" zh-CN "><title> A  title
 of &amp; lines</title><title>Second</title>`, "A title of & lines", "zh-CN"},
		{`<p lang=de>x<svg><title>y</title></svg>`, "", ""},
		{`<title></title>x<title>late</title>`, "", ""},
	} {
		s, err := Snapshot("https://a.test/", tc.page)
		if err != nil {
			t.Fatal(err)
		}
		if s.Title != tc.title || s.Language != tc.lang || s.URL != "https://a.test/" || s.FinalURL != s.URL {
			t.Errorf("%s has title %q, language %q", tc.page, s.Title, s.Language)
		}
	}
}

func TestForeignElementsAreMarked(t *testing.T) {
	s, err := Snapshot("https://a.test/", `<svg><a href=x>one</a><foreignObject><p>two</p></foreignObject></svg><math><mi>x</mi></math>`)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]bool{}
	for i := range s.Nodes {
		if n := &s.Nodes[i]; n.Kind == plat.ElementNode {
			got[n.Name] = n.Foreign
		}
	}
	for name, want := range map[string]bool{"svg": true, "a": true, "foreignObject": true, "p": false, "math": true, "mi": true, "body": false} {
		if is, there := got[name]; !there || is != want {
			t.Errorf("%s is foreign: %t (there: %t), want %t", name, is, there, want)
		}
	}
}

// Elements nested too deep give a clear error; text and elements side by side have no such limit.
func TestDeepPagesAreRefused(t *testing.T) {
	if _, err := Snapshot("https://a.test/deep", strings.Repeat("<div>", 100_000)); err == nil || !strings.Contains(err.Error(), "https://a.test/deep") {
		t.Errorf("100,000 nested elements: error %v", err)
	}
	s, err := Snapshot("https://a.test/", strings.Repeat("<div>", 400)+"deep"+strings.Repeat("</div>", 400)+strings.Repeat("<p>x", 10_000))
	if err != nil {
		t.Fatal(err)
	}
	checkTree(t, s)
	if got := shownText(s); !strings.HasPrefix(got, "deep x x") || len(s.Nodes) < 20_000 {
		t.Errorf("%d nodes, text %.20q", len(s.Nodes), got)
	}
}

// checkTree checks the documented properties of Node's fields.
func checkTree(t testing.TB, s *plat.Snapshot) {
	t.Helper()
	if len(s.Nodes) == 0 || s.Nodes[0].Kind != plat.DocumentNode || s.Nodes[0].Parent != -1 || int(s.Nodes[0].End) != len(s.Nodes) {
		t.Fatalf("the first of %d nodes is not the document", len(s.Nodes))
	}
	if len(s.Styles) == 0 {
		t.Fatal("no styles")
	}
	for i := range s.Nodes {
		n := &s.Nodes[i]
		if int(n.End) <= i || int(n.End) > len(s.Nodes) {
			t.Fatalf("node %d ends at %d of %d", i, n.End, len(s.Nodes))
		}
		if n.Kind == plat.TextNode && int(n.End) != i+1 {
			t.Fatalf("text %d has children", i)
		}
		if i > 0 {
			p := &s.Nodes[n.Parent]
			if int(n.Parent) >= i || n.End > p.End || p.Kind == plat.TextNode {
				t.Fatalf("node %d to %d is outside its parent %d to %d", i, n.End, n.Parent, p.End)
			}
			if n.HasBox && p.Kind == plat.ElementNode && !p.HasBox {
				t.Fatalf("node %d is shown, and its parent is not", i)
			}
		}
		// The children follow each other without gaps.
		for c := int32(i) + 1; c < n.End; c = s.Nodes[c].End {
			if s.Nodes[c].Parent != int32(i) {
				t.Fatalf("node %d is no child of %d", c, i)
			}
		}
	}
}

func FuzzSnapshot(f *testing.F) {
	for _, page := range []string{"", "<p>one", "<frameset><frame src=a>", "<table><p><svg><desc><td>", "<select><table><option>", "<a><b><a><p></b>",
		"<template><tr><td></template>", strings.Repeat("<i><font>", 100), "<title>x</title></html><!-- --><p hidden>", "\xff<\x00"} {
		f.Add(page)
	}
	f.Fuzz(func(t *testing.T, page string) {
		s, err := Snapshot("https://a.test/", page)
		if err != nil {
			if !strings.Contains(err.Error(), "512") {
				t.Fatal(err)
			}
			return
		}
		checkTree(t, s)
	})
}

// BenchmarkSnapshot parses a made page of 100 kB.
func BenchmarkSnapshot(b *testing.B) {
	page := "<title>A page</title>" + strings.Repeat("<div class='a b'><h2>Heading</h2><p>some words of text and a <a href=x>link</a> in them</p></div>\n", 1_000)
	b.SetBytes(int64(len(page)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Snapshot("https://a.test/", page); err != nil {
			b.Fatal(err)
		}
	}
}

// Pages are read in the encoding that they are in.
func TestRead(t *testing.T) {
	for _, tc := range []struct{ name, kind, body, want string }{
		{"as the header says", "text/html; charset=iso-8859-1", "<p>caf\xe9", "café"},
		{"as the page says", "text/html", "<meta charset=gbk><p>\xd6\xd0\xce\xc4", "中文"},
		{"nobody says", "text/html", "<p>caf\xc3\xa9 <b>中文", "café 中文"},
		{"no type", "", "<p>one <b>two", "one two"},
		{"XHTML", "application/xhtml+xml", "<p>one</p>", "one"},
		{"plain text", "text/plain; charset=utf-8", "a < b & <i>c</i>", "a < b & <i>c</i>"},
	} {
		s, err := Read("https://a.test/", tc.kind, []byte(tc.body))
		if err != nil {
			t.Fatalf("%s: %v", tc.name, err)
		}
		if got := shownText(s); got != tc.want {
			t.Errorf("%s: %q, want %q", tc.name, got, tc.want)
		}
	}
}
