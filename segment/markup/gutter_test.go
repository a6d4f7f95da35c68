package markup

import (
	"fmt"
	"strings"
	"testing"

	"plat/plat"
)

// TestWhichNumbersAreThoseOfLines: by their sequence, their name and where they stand.
func TestWhichNumbersAreThoseOfLines(t *testing.T) {
	for text, want := range map[string]int{"1 2 3": 3, "7 8": 2, "5": 1, "1 3": 0, "2 1": 0, "1 1": 0, "1. 2. 3.": 3, "1: 2:": 2, "|1| |2|": 2, "1 | 2": 2, "": 0, "| .": 0, "1.5 2": 0, "x": 0, "1 2 x": 0, "99999999999999999999": 0} {
		if got := lineNumbers(text); got != want {
			t.Errorf("%q: %d lines, want %d", text, got, want)
		}
	}
	for text, want := range map[string]string{ // named and beside; named; beside; neither
		"": "nnnn", "7": "ynnn", "7|": "yynn", "7 8": "yynn", "1 2": "yynn", "1 2 3": "yyyn", " 1 2 3": "yyyn", "2 3 4": "yynn", "10 11 12": "yyyn", "1 2 4": "nnnn",
	} {
		got := ""
		for _, c := range [][2]bool{{true, true}, {true, false}, {false, true}, {false, false}} {
			got += map[bool]string{true: "y", false: "n"}[isGutter(text, c[0], c[1])]
		}
		if got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
	for text, want := range map[string]bool{"": true, "0123456789": true, " 1\t2\n": true, "1.2:3|": true, "1\u00a02": true, "1/2": false, "1;": false, "a": false, "１": false, "~": false, "-": false} {
		if numbers(text) != want {
			t.Errorf("%q has numbers only: %v", text, !want)
		}
	}
	for size, want := range map[int]int{0: 1, 63: 1, 64: 2, 127: 2, 128: 3} {
		if got := looks(size); got != want {
			t.Errorf("%d bytes count %d, want %d", size, got, want)
		}
	}
}

// nodesOf returns nodes, each written as its depth, its name or "text", and its class or the text.
func nodesOf(lines string) (nodes []plat.Node) {
	var open []int32
	for line := range strings.SplitSeq(lines, ";") {
		depth := len(line) - len(strings.TrimLeft(line, ">"))
		name, value, _ := strings.Cut(line[depth:], " ")
		n := plat.Node{Parent: -1, Kind: plat.ElementNode, Name: name}
		if open = open[:depth]; depth > 0 {
			n.Parent = open[depth-1]
		}
		if name == "text" {
			n = plat.Node{Parent: n.Parent, Kind: plat.TextNode, Value: strings.ReplaceAll(value, "_", " ")}
		} else if value != "" {
			n.Attrs = []plat.Attr{{Name: "class", Value: value}}
		}
		open = append(open, int32(len(nodes)))
		nodes = append(nodes, n)
	}
	return nodes
}

// TestLineNumbersOfSnapshots: those of an element with such a class, or of preformatted text that begins a cell.
func TestLineNumbersOfSnapshots(t *testing.T) {
	for nodes, want := range map[string]bool{ // the first element named x is examined, or the second node
		"div;>x gutter;>>text 1_2": true, "div;>x a-gutter;>>text 1_2": false, "div;>x b gutter c;>>text 1_2": true, "div;>x;>>text 1_2_3": false, "div;>x gutter;>>text 1": false, "pre;>x gutter;>>text 1": true, "code;>b;>>x ln;>>>text 1": true, "div;>x gutter;>>text 1|": true,
		"div;>x gutter;>>text 1;>>b;>>>text 2": true, "div;>x gutter;>>text 1;>>b;>>>text a": false, "div;>x gutter;>>text 1;>>text 3": false, "div;>x gutter": false, "div;>td gutter;>>text 7": true, "div;>code gutter;>>text 1_2": false, "td;>pre;>>text 1_2_3": true, "th;>pre;>>text 1_2_3": true, "td;>pre;>>text 1_2": false, "div;>pre;>>text 1_2_3": false,
		"td;>pre gutter;>>text 2_3_4": false, "td;>code;>>text 1_2_3": false, "pre gutter;>b;>>text x": false,
	} {
		all := nodesOf(nodes)
		at := int32(1)
		for i := range all {
			if all[i].Name == "x" {
				at = int32(i)
			}
		}
		looked := 0
		if got := GutterOf(all, at, int32(len(all)), &looked); got != want {
			t.Errorf("%s: %v", nodes, got)
		}
	}
	// Only the subtree counts, and only as much as is left to be read.
	all := nodesOf("div;>x gutter;>>text 1;>>text 2;>text a")
	for until, want := range map[int32]bool{3: false, 4: true, 5: false} {
		looked := 0
		if got := GutterOf(all, 1, until, &looked); got != want || looked != int(until)-2 {
			t.Errorf("until node %d: %v, %d looks", until, got, looked)
		}
	}
	for looked, want := range map[int]bool{maxLooks - 2: true, maxLooks - 1: false} {
		if got := GutterOf(all, 1, 4, &looked); got != want {
			t.Errorf("with %d looks left: %v", maxLooks-looked, got)
		}
	}
	// Code is looked for in the elements around, up to a number of them; parents of damaged files may not exist.
	for deep, want := range map[int]bool{0: true, maxAbove - 1: true, maxAbove: false} {
		lines := "pre"
		for i := range deep {
			lines += fmt.Sprintf(";%sb", strings.Repeat(">", i+1))
		}
		all := nodesOf(lines + ";" + strings.Repeat(">", deep+1) + "x ln;" + strings.Repeat(">", deep+2) + "text 1")
		looked := 0
		if got := GutterOf(all, int32(deep+1), int32(len(all)), &looked); got != want {
			t.Errorf("with %d elements between: %v", deep, got)
		}
	}
	for _, parent := range []int32{-1, 9} {
		all := nodesOf("x gutter;>text 1")
		all[0].Parent = parent
		looked := 0
		if GutterOf(all, 0, 2, &looked) {
			t.Errorf("a number with the parent %d is that of a line", parent)
		}
	}
}

// TestLineNumbersInBytes reads such elements as HTML.
func TestLineNumbersInBytes(t *testing.T) {
	for in, want := range map[string]string{
		`<div class="gutter">1 2</div>x`: "x", `<div class="gutter">1 3</div>x`: "1 3\nx", `<div class="gutter">1<b>2</b></div>x`: "x", `<div class="gutter">1<br>2</div>x`: "x", `<div class="gutter">1&nbsp;2</div>x`: "x", `<div class="gutter">1&amp;2</div>x`: "1&2\nx",
		`<div class="gutter">1<!-- c -->2</div>x`: "12\nx", `<div class="gutter"><b>1 2</div>x`: "1 2\nx", `<div class="gutter">1 2<`: "1 2", `<div class="gutter">1 2</`: "1 2", `<div class="gutter">1 2</div`: "", `<td class="ln">7</td>`: "", `<pre><i class="ln">7</i>x</pre>`: "x", `<p><i class="ln">7</i>x</p>`: "7x", `<i class="ln">7|</i>x`: "x",
		"<table><tr><td><pre>1\n2\n3</pre></td><td>x</td></tr></table>": "x", "<table><tr><td> <pre>1\n2\n3</pre></td><td>x</td></tr></table>": "x", "<table><tr><td>a<pre>1\n2\n3</pre></td><td>x</td></tr></table>": "a\n1 2 3\nx", "<table><tr><th><pre>1\n2\n3</pre></th><td>x</td></tr></table>": "x",
	} {
		got := strings.Join(strings.FieldsFunc(Text([]byte(in), nil), func(r rune) bool { return r == '\n' }), "\n")
		if got != want && strings.ReplaceAll(got, "\n", " ") != strings.ReplaceAll(want, "\n", " ") {
			t.Errorf("%s: %q, want %q", in, got, want)
		}
	}
}

// TestEarlierTexts: stored versions have texts by earlier rules, which are read by these.
func TestEarlierTexts(t *testing.T) {
	in := []byte("<ruby>東<rt>とう</rt></ruby> a\n  b")
	if got := RubyPlainText(in, nil, false); got != "東とう a b" {
		t.Errorf("plain: %q", got)
	}
	if got := RubyPlainText(in, nil, true); got != "東とう a\n  b" {
		t.Errorf("preformatted: %q", got)
	}
	if got := PreformattedText(in, nil); got != "東(とう) a\n  b" {
		t.Errorf("preformatted now: %q", got)
	}
	const head = "<html><head><title>t</title></head><body>"
	if got, want := LayoutText([]byte(head+`<div class="gutter">1 2</div>x`)), "x"; got != want {
		t.Errorf("of a layout: %q", got)
	}
	if got := EarlierLayoutText([]byte(head + `<div class="gutter">1 2</div>x`)); got != "1 2\nx" {
		t.Errorf("of a layout, earlier: %q", got)
	}
	if got := EarlierLayoutText([]byte("<body>x")); got != "x" {
		t.Errorf("without a head: %q", got)
	}
	layout := &plat.Layout{HTML: []byte(`<table><tr><td><pre>1` + "\n2\n3" + `</pre></td></tr></table><pre></pre>`)}
	layout.Slots = []int32{int32(strings.Index(string(layout.HTML), "2")), int32(len(layout.HTML) - len("</pre>")), int32(len(layout.HTML))}
	if got := fmt.Sprint(EarlierPreformatted(layout), Preformatted(layout)); !strings.HasPrefix(got, "[true true false]") {
		t.Errorf("slots in preformatted text: %s", got)
	}
}

// TestGuttersEndWithTheirElement: an element that ends within another one has no line numbers, whatever follows.
func TestGuttersEndWithTheirElement(t *testing.T) {
	for in, want := range map[string]string{
		`<div class="gutter">1 2</div>x`:             "x",
		`<div class="gutter">1 2</p>3</div>x`:        "123x",
		`<div class="gutter"><b>1 2</b></i>3</div>x`: "123x",
	} {
		if got := strings.Join(strings.Fields(Text([]byte(in), nil)), ""); got != want {
			t.Errorf("%s: %q, want %q", in, got, want)
		}
	}
}
