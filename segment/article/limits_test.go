package article

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"plat/plat"
)

func TestPassagesEndWhereAReaderSeesThemEnd(t *testing.T) {
	insertion := func(n int) string { return `<span class="tooltip">` + strings.Repeat("x", n) + `</span>` }
	for _, tc := range []struct{ src, want string }{
		{"a<br>b", "a\nb"}, {"a<br><br>b", "a|b"}, {"a<br> <br>b<br>c", "a|b\nc"}, {"<p>a</p>b<p>c</p>d", "a|b|c|d"}, {"<b>a</b>b <i>c</i>", "ab c"}, {" a \n b ", "a b"},
		{"a\u00adb\u200bc\ufeffd", "abcd"}, {"a<script>b</script>c", "a|c"}, {"a<button>b</button>c", "a|c"}, {"<p>a<select><option>b</select>c</p>", "a|c"},
		{"a<span aria-hidden=true>b</span>c", "a c"}, {"a<span aria-hidden=false>b</span>c", "abc"}, {"a<a href=x>#</a>b", "a b"}, {"a<a>#</a>b", "a#b"}, {"a<a href=x>#1</a>b", "a#1b"},
		{"a" + insertion(1000) + "b", "a b"}, {"a" + insertion(1001) + "b", "a" + strings.Repeat("x", 1001) + "b"}, {`a<span class="tooltip">x<div> </div></span>b`, "a b"}, {`a<span class="tooltip">x<div>y</div></span>b`, "ax|y|b"},
		{`a<span class="tooltip">x` + strings.Repeat("<i></i>", 37) + `</span>b`, "a b"}, {`a<span class="tooltip">x` + strings.Repeat("<i></i>", 38) + `</span>b`, "axb"},
		{`a<div class="tooltip">x</div>b`, "a|x|b"},
		{"<pre>a\n  b</pre>", "a\n  b"}, {"<pre>  a</pre>", "  a"}, {"<pre>\n\n  a\n\n</pre>", "  a"}, {"<pre>a<br>b</pre>", "a\nb"}, {"<pre>a<br><br>b</pre>", "a\n\nb"}, {"<pre>a\tb\rc\vd</pre>", "a\tb\nc d"},
		{"<pre><div>a</div><div>b</div></pre>", "a\nb"}, {"<pre><div>a\n</div><div>b</div></pre>", "a\nb"}, {"<pre><p>a</p><p>b</p></pre>", "a|b"}, {"<pre><div>a</div>  <div>b</div></pre>", "a\n  \nb"},
		{`<div><span float="left">T</span>he pier</div>`, "The pier"}, {`<div><span float="right">T</span>he pier</div>`, "The pier"}, {`<div><span float="left">The</span> pier</div>`, "The pier"}, {`<div><span float="left">Ships</span>pier</div>`, "Ships|pier"},
		{`<div><span float="left"></span>pier</div>`, "pier"}, {`<div><div float="left">T</div>pier</div>`, "T|pier"}, {`<div><span float="left"><b><i><u>T</u></i></b></span>he pier</div>`, "T|he pier"}, {`<div><span float="left"><b><i>T</i></b></span>he pier</div>`, "The pier"},
		{"<template>a</template>b<!-- c -->d", "b d"}, {"<svg><text>a</text></svg>b", "b"},
	} {
		var got []string
		for _, q := range textOf(t, tc.src).all {
			got = append(got, q.text)
		}
		if strings.Join(got, "|") != tc.want {
			t.Errorf("%.70s: %q, want %q", tc.src, strings.Join(got, "|"), tc.want)
		}
	}
}

func TestPassagesAreMeasured(t *testing.T) {
	page := textOf(t, `<div><a href=x>ab1</a> <b>cd</b>, <font style="x">日本 x</font><span size="30">!</span></div><div><span size="20">ab</span><span size="30">abc</span><span size="40">abc</span></div>`)
	q := page.all[0]
	if q.text != "ab1 cd, 日本 x!" || q.chars != 8 || q.linked != 3 || q.words != 4 || q.wide != 2 || q.bold != 2 || !q.ends || !q.seen || q.size != 16 || q.linkShare() != .375 {
		t.Errorf("%+v", q)
	}
	if q := page.all[1]; q.size != 30 {
		t.Errorf("the longest part, and the first of these, is of %v px", q.size)
	}
	// From 600 on, a weight is bold.
	for weight, want := range map[int16]int{599: 0, 600: 2, 700: 2} {
		s := rendered(t, `<p>ab <b>cd</b></p>`)
		for i := range s.Styles {
			if s.Styles[i].FontWeight == 700 {
				s.Styles[i].FontWeight = weight
			}
		}
		if got := newText(read(s, false), nil).all[0].bold; got != want {
			t.Errorf("of weight %d, %d characters are bold, want %d", weight, got, want)
		}
	}
	if q := (&passage{linked: 1}); q.linkShare() != 0 {
		t.Errorf("nothing is to %v links", q.linkShare())
	}
}

func TestNodesOfDamagedFilesNest(t *testing.T) {
	s := &plat.Snapshot{Nodes: []plat.Node{
		{Kind: plat.ElementNode, Name: "div", End: 3}, {Kind: plat.ElementNode, Name: "p", End: 9}, {Kind: plat.ElementNode, Name: "b", End: 1}, {Kind: plat.TextNode, End: 3}, {Kind: plat.ElementNode, Name: "p", End: 5},
	}}
	var got []string
	for _, a := range read(s, false).at {
		got = append(got, fmt.Sprint(a.parent, "-", a.end))
	}
	if want := "-1-3 0-3 1-3 -1-4 -1-5"; strings.Join(got, " ") != want {
		t.Errorf("parents and ends %v, want %s", got, want)
	}
}

// A document within the document is a frame, and its text is not the page's.
func TestDocumentsWithinThePageAreFrames(t *testing.T) {
	s := &plat.Snapshot{Nodes: []plat.Node{
		{Kind: plat.DocumentNode, Parent: -1, End: 6}, {Kind: plat.TextNode, Parent: 0, End: 2}, {Kind: plat.DocumentNode, Parent: 0, End: 4}, {Kind: plat.TextNode, Parent: 2, End: 4}, {Kind: plat.ElementNode, Name: "p", Parent: 0, End: 6}, {Kind: plat.TextNode, Parent: 4, End: 6},
	}}
	for i, want := range []bool{true, true, false, false, true, true} {
		if got := read(s, false).at[i].text; got != want {
			t.Errorf("node %d has text of the page: %v", i, got)
		}
	}
}

func TestTextIsSeenIfItHasAPlaceOnThePage(t *testing.T) {
	box := func(x, y, w, h float32) plat.Node {
		return plat.Node{Kind: plat.TextNode, Value: "x", HasBox: true, Box: plat.Rect{X: x, Y: y, W: w, H: h}, End: 1}
	}
	for _, tc := range []struct {
		n    plat.Node
		want bool
	}{
		{box(0, 0, 1, 1), true}, {box(5, 5, 0, 1), false}, {box(5, 5, 1, 0), false}, {box(-1, 0, 1, 1), false}, {box(0, -1, 1, 1), false}, {box(-1, -1, 2, 2), true}, {plat.Node{Kind: plat.TextNode, Box: plat.Rect{W: 1, H: 1}}, false},
	} {
		if got := read(&plat.Snapshot{Nodes: []plat.Node{tc.n}, Styles: []plat.Style{{}}}, false).at[0].seen; got != tc.want {
			t.Errorf("%+v is seen: %v", tc.n.Box, got)
		}
	}
	n := box(0, 0, 1, 1)
	if read(&plat.Snapshot{Nodes: []plat.Node{n}, Styles: []plat.Style{{Hidden: true}}}, false).at[0].seen {
		t.Error("hidden text is seen")
	}
	n.Style = 1
	if read(&plat.Snapshot{Nodes: []plat.Node{n}, Styles: []plat.Style{{}}}, false).at[0].seen {
		t.Error("text of an unknown style is seen")
	}
}

func TestBlocksAreToldByStyleOrElseByName(t *testing.T) {
	for _, tc := range []struct {
		name, display string
		want          bool
	}{
		{"span", "block", true}, {"div", "inline", false}, {"div", "inline-block", false}, {"div", "contents", false}, {"div", "ruby-text", false}, {"div", "none", true}, {"span", "none", false}, {"div", "", true}, {"b", "", false}, {"td", "table-cell", true},
	} {
		if got := isBlock(&plat.Node{Name: tc.name}, &plat.Style{Display: tc.display}); got != tc.want {
			t.Errorf("<%s> of display %q is a block: %v", tc.name, tc.display, got)
		}
	}
	if isBlock(&plat.Node{Name: "g", Foreign: true}, nil) || !isBlock(&plat.Node{Name: "p"}, nil) || isBlock(&plat.Node{Name: "i"}, nil) {
		t.Error("without a style an element is not told by its name")
	}
}

func TestHintsOfElements(t *testing.T) {
	for src, want := range map[string]hints{
		`<div id=x class="menu">`: hintNavigation, `<div class=y id="share">`: hintShare, `<nav id=x>`: hintNavigation, `<div id=x role="search">`: hintForm, `<div id=x itemprop="text">`: hintBody, `<div id=x itemprop="articleBody">`: hintBody,
		`<div id=x itemprop="author">`: hintAuthor, `<div id=x itemprop="datePublished">`: hintDate, `<div id=x itemprop="dateCreated">`: hintDate, `<div id=x itemprop="dateModified">`: hintDate, `<div id=x itemprop="name">`: 0,
		`<a id=x rel="author">`: hintAuthor, `<a id=x rel="nofollow">`: 0, `<p id=x aria-hidden="true">`: hintUnread, `<p id=x aria-hidden="false">`: 0, `<body id=x aria-hidden="true">`: 0, `<html id=x aria-hidden="true">`: 0, `<div id=x title="menu">`: 0,
	} {
		s := rendered(t, src)
		for i := range s.Nodes {
			id, _ := s.Nodes[i].Attr("id")
			if _, ok := s.Nodes[i].Attr("class"); id == "" || id == "share" && !ok {
				continue
			}
			if got := (&reader{known: map[string]hints{}}).hintsOf(&s.Nodes[i]); got != want {
				t.Errorf("%s has the hints %b, want %b", src, got, want)
			}
		}
	}
	wary := &reader{known: map[string]hints{}, wary: true}
	n := &plat.Node{Attrs: []plat.Attr{{Name: "class", Value: "comments share entry-content"}}}
	if got := wary.hintsOf(n); got != hintComments|hintBody {
		t.Errorf("a wary reader takes %b", got)
	}
	for name, want := range map[string]hints{
		"xshary": 0, "xxshary": hintShare, strings.Repeat("x", 507) + " menu": hintNavigation, strings.Repeat("x", 508) + " menu": 0, "has-menu": 0, "without_menu": 0, "one menu": 0, "myAd": 0, "my-ad": hintAd, "myNav": 0, "myMenu": hintNavigation,
		"category-menu x": 0, "tag-menu": 0, "x-tag-menu": hintNavigation, "read-more": hintRelated, "more-read": 0, "read more": hintRelated,
	} {
		if got := nameHints(name); got != want {
			t.Errorf("%.20q gives %b, want %b", name, got, want)
		}
	}
}

func TestNamesOfWrappersAreNotTrusted(t *testing.T) {
	p := func(n int) string { return "<p>" + worded(n) + "</p>" }
	for name, tc := range map[string]struct {
		src  string
		want bool // x is boilerplate
	}{
		"half of the prose":                     {`<div id=x class="share">` + p(30) + `</div>` + p(30), false},
		"less than half":                        {`<div id=x class="share">` + p(30) + `</div>` + p(31), true},
		"comments of most of the prose":         {`<div id=x class="comments">` + p(90) + `</div>` + p(10), true},
		"comments of nearly all prose":          {`<div id=x class="comments">` + p(91) + `</div>` + p(10), false},
		"comments with the headline":            {`<div id=x class="comments"><h1>Pier</h1>` + p(90) + `</div>` + p(10), false},
		"a few comments with the headline":      {`<div id=x class="comments"><h1>Pier</h1>` + p(10) + `</div>` + p(90), true},
		"comments with a headline around them":  {`<h1>Pier</h1><div id=x class="comments">` + p(90) + `</div>` + p(10), true},
		"a summary, which is never boilerplate": {`<div id=x class="summary">` + p(30) + `</div>`, false},
	} {
		s := rendered(t, tc.src)
		page := newText(read(s, false), nil)
		if got := page.at[element(t, s, "x")].all&boilerplate != 0; got != tc.want {
			t.Errorf("%s: boilerplate %v", name, got)
		}
	}
}

func TestTheLooksOfATitle(t *testing.T) {
	for _, tc := range []struct {
		src  string
		want float64
	}{
		{"<div>xy</div>", 0}, {"<h1 size=16><span style=x>xy</span></h1>", 2.3}, {"<h2 size=16>xy</h2>", 1.1}, {"<h3 size=16>xy</h3>", .3}, {"<div size=24>xy</div>", .75}, {"<div size=32>xy</div>", 1.5}, {"<div size=99>xy</div>", 1.5}, {"<div size=8>xy</div>", 0},
		{"<div><b>xy</b>z</div>", .3}, {"<div><b>xy</b>zz</div>", 0}, {"<div color=7>xy</div>", .2}, {`<div x=400 w=16>xy</div>`, .3}, {`<div x=392 w=16>xy</div>`, 0}, {`<div x=393 w=16>xy</div>`, .3}, {`<div x=407 w=16>xy</div>`, .3}, {`<div x=408 w=16>xy</div>`, 0}, {`<div x=24 w=16>xy</div>`, 0},
	} {
		page := textOf(t, tc.src)
		page.bodySize, page.bodyColor, page.left, page.right = 16, 0xff, 8, 808
		q := &page.all[0]
		if got := page.looksLikeTitle(q, page.heading(q)); got < tc.want-1e-6 || got > tc.want+1e-6 {
			t.Errorf("%s: %v, want %v (%+v)", tc.src, got, tc.want, q.box)
		}
	}
}

func TestTheTitleIsNotFarFromTheText(t *testing.T) {
	for _, tc := range []struct {
		title, want string
	}{{"<h1>The pier closes</h1>", "0-70"}, {"<h2>The pier closes</h2>", "8-70"}, {"<h1>x</h1>", ""}, {"<h1>" + worded(40) + "</h1>", "0-70"}, {"<h1>" + worded(41) + "</h1>", ""}} {
		got := found(80, func(i int) bool {
			page := textOf(t, lines(80, map[int]string{i: tc.title}))
			_, at := page.title([]declaredTitle{declare(page.all[i].text)}, "", "", 68)
			return at == i
		})
		if got != tc.want {
			t.Errorf("%.30s is found at %s, want %s", tc.title, got, tc.want)
		}
	}
	for _, tc := range []struct {
		line string
		want bool
	}{
		{"<h2>xy</h2>", true}, {"<div size=18.4>xy</div>", true}, {"<div size=18>xy</div>", false}, {"<h2>" + worded(15) + "</h2>", true}, {"<h2>" + worded(16) + "</h2>", false}, {"<h2 hidden>xy</h2>", false},
	} {
		page := textOf(t, tc.line)
		page.bodySize = 16
		if got := page.lineOfTitle(0) != nil; got != tc.want {
			t.Errorf("%.30s is a line of a title: %v", tc.line, got)
		}
		if page.lineOfTitle(-1) != nil || page.lineOfTitle(1) != nil {
			t.Error("there is a line beside the only one")
		}
	}
}

func TestListsOfAuthorsAreLimited(t *testing.T) {
	names := func(n int, name string) []string { return append(slices.Repeat([]string{"x"}, n), name) }
	var many []string
	for i := range 9 {
		many = append(many, "Ann Rivers "+strings.Repeat("I", i+1))
	}
	if got := persons(many, nil); !slices.Equal(got, many[:8]) {
		t.Errorf("of nine authors %d are kept", len(got))
	}
	if got := persons(names(99, "Ann Rivers"), nil); len(got) != 1 {
		t.Errorf("of a hundred names %q is kept", got)
	}
	if got := persons(names(100, "Ann Rivers"), nil); got != nil {
		t.Errorf("of more names %q is kept", got)
	}
	if got := persons([]string{"Ann Rivers", "ann RIVERS", "Harbour Notice", "Bob Stone"}, map[string]bool{"harbournotice": true}); !slices.Equal(got, []string{"Ann Rivers", "Bob Stone"}) {
		t.Errorf("persons %q", got)
	}
	page := textOf(t, "<p>x</p>")
	for _, tc := range []struct {
		d    *declared
		want []string
	}{
		{&declared{piece: piece{authors: names(99, "Ann Rivers")}}, []string{"Ann Rivers"}}, {&declared{piece: piece{authors: names(100, "Ann Rivers")}}, []string{"x"}},
		{&declared{meta: map[string][]string{"author": {strings.Repeat("a", 79)}}}, []string{strings.Repeat("a", 79)}}, {&declared{meta: map[string][]string{"author": {strings.Repeat("a", 80)}}}, nil},
		{&declared{meta: map[string][]string{"author": {"https://a.test"}, "creator": {"The Desk"}}}, []string{"The Desk"}}, {&declared{meta: map[string][]string{"byl": {"By Ann Rivers"}}}, []string{"Ann Rivers"}},
		{&declared{meta: map[string][]string{"twitter:creator": {"@" + strings.Repeat("a", 39)}}}, []string{strings.Repeat("a", 39)}}, {&declared{meta: map[string][]string{"twitter:creator": {"@" + strings.Repeat("a", 40)}}}, nil},
		{&declared{meta: map[string][]string{"twitter:creator": {"@"}}}, nil}, {&declared{meta: map[string][]string{"twitter:creator": {"the desk"}}}, nil}, {&declared{meta: map[string][]string{"twitter:creator": {"a/b"}}}, nil},
	} {
		if got := page.authors(tc.d, 0, 0, 1); !slices.Equal(got, tc.want) {
			t.Errorf("%v gives %.60q, want %.60q", tc.d.meta, got, tc.want)
		}
	}
	for s, want := range map[string]bool{"李四": true, "李": false, "欧阳小明": true, "欧阳小明明": false, "新华社": false, "编辑": false, "李a": false, "": false} {
		if isHanName(s) != want {
			t.Errorf("%q is a Chinese name: %v", s, !want)
		}
	}
	if !looksLikePerson("Ann Rivers.t") || looksLikePerson("Ann rivers.te") || looksLikePerson("Ann Rivers.te") || !looksLikePerson("Ann Rivers.Te") {
		t.Error("host names are not told from names")
	}
	x := strings.Repeat("x", 69)
	for s, want := range map[string]bool{"31.01.2026 " + x + " by Ann": true, "31.01.2026 " + x + "x by Ann": false, "posted İ by Ann": false, "by: İ": false, "posted by": false} {
		if _, got := afterByline(s); got != want {
			t.Errorf("%q is a byline: %v", s, got)
		}
	}
	for s, want := range map[string]bool{"by " + strings.Repeat("x", 116): true, "by " + strings.Repeat("x", 117): false, "x": false} {
		if startsAsByline(s) != want {
			t.Errorf("%q starts as a byline: %v", s, !want)
		}
	}
	for s, want := range map[string][]string{"A | B": {"A | B"}, "Al | Bo": {"Al"}, "Ann - Bob | Eve": {"Ann"}, "Ann | Bob - Eve": {"Ann"}, "abc1 x": {"abc1 x"}, "abcd1 x": {"abcd"}, "Ann May 3": {"Ann"}, " May 3": {"May"}, "：a": {"：a"}, "ab：c": nil, "a b：c": {"a"}, "a,,b;c": {"a", "b", "c"}} {
		if got := splitNames(s); !slices.Equal(got, want) {
			t.Errorf("%q has the names %q, want %q", s, got, want)
		}
	}
}

func TestDeclaredDataIsReadWithinLimits(t *testing.T) {
	for in, want := range map[string]string{
		"  {}  ": "{}", " <!-- {} --> ": "{}", "//<![CDATA[{}//]]>": "{}", "<![CDATA[{}]]>": "{}", "/*<![CDATA[*/{}/*]]>*/": "{}", "{};": "{}", "{} ;\n": "{}", "{\"a\":\"b\nc\td\x1fe f\"}": "{\"a\":\"b c d e f\"}",
	} {
		if got := strings.TrimRight(cleanJSON(in), " "); got != want {
			t.Errorf("%q is cleaned to %q, want %q", in, got, want)
		}
	}
	d := &declared{}
	d.read(`[{"@type":"Article","headline":" a  b ","dateCreated":"2026","url":"u","@id":"i","mainEntityOfPage":{"@id":"m","url":"v"},"articleBody":"x"},{"@type":["Thing",["Report"]],"datePublished":"1","dateCreated":"2","mainEntityOfPage":"p"},{"@type":"Thing"}]`)
	d.resolve()
	want := []piece{{headline: "a b", published: "2026", body: "x", urls: []string{"u", "i", "m", "v"}}, {published: "1", urls: []string{"p"}}}
	if !reflect.DeepEqual(d.pieces, want) {
		t.Errorf("%+v, want %+v", d.pieces, want)
	}
	for n, want := range map[int]int{16: 1, 17: 0} { // levels around it
		d := &declared{}
		d.read(strings.Repeat("[", n) + `{"@type":"Article"}` + strings.Repeat("]", n))
		d.resolve()
		if len(d.pieces) != want {
			t.Errorf("at a depth of %d there are %d articles", n, len(d.pieces))
		}
		if got := (&declared{}).people(any(nested(n)), 0); len(got) != want {
			t.Errorf("at a depth of %d there are the people %q", n, got)
		}
	}
	d = &declared{}
	d.read("[" + strings.Repeat(`{"@type":"Article"},`, 101) + "{}]")
	d.resolve()
	if len(d.pieces) != 100 {
		t.Errorf("%d articles are kept", len(d.pieces))
	}
	article := `{"@type":"Article"}`
	for n, want := range map[int]int{2 << 20: 1, 2<<20 + 1: 0} {
		d := &declared{}
		d.read(article + strings.Repeat(" ", n-len(article)))
		d.resolve()
		if len(d.pieces) != want {
			t.Errorf("in %d bytes there are %d articles", n, len(d.pieces))
		}
	}
	if got := (&declared{}).people(map[string]any{"@type": "Organization", "name": "Harbour"}, 0); got != nil {
		t.Errorf("an organisation is %q", got)
	}
	if got := (&declared{}).people([]any{" Ann  Rivers ", "https://a.test/", "", 7., map[string]any{"name": "Bob"}}, 0); !slices.Equal(got, []string{"Ann Rivers", "Bob"}) {
		t.Errorf("people %q", got)
	}
}

// nested returns a name within n lists.
func nested(n int) any {
	if n == 0 {
		return "Ann"
	}
	return []any{nested(n - 1)}
}

func TestOfSeveralDeclaredArticlesTheFirstWithAValueGivesIt(t *testing.T) {
	s := &plat.Snapshot{Title: "The north pier closes", URL: "https://a.test/pier"}
	for name, tc := range map[string]struct {
		pieces []piece
		want   string // headline, published, body, authors
		own    bool
	}{
		"each of the first that has it":     {[]piece{{headline: "a"}, {headline: "b", published: "1"}, {published: "2", body: "x"}, {body: "y", authors: []string{"Ann"}}}, "a 1 x [Ann]", false},
		"that of the address before others": {[]piece{{headline: "a", body: "x", published: "1"}, {headline: "b", urls: []string{"u", "https://a.test/pier"}}}, "b   []", true},
		"with nameless ones":                {[]piece{{published: "1"}, {headline: "b", urls: []string{"https://a.test/pier"}}}, "b 1  []", true},
		"one that is nameless itself":       {[]piece{{headline: "a", published: "1"}, {body: "x", urls: []string{"https://a.test/pier"}}}, "a 1 x []", false},
		"that of the title":                 {[]piece{{headline: "other", published: "1"}, {headline: "The pier closes"}}, "The pier closes   []", true},
		"an unlike title":                   {[]piece{{headline: "other", published: "1"}, {headline: "The ferry opens"}}, "other 1  []", false},
	} {
		d := &declared{pieces: tc.pieces}
		got := d.join(s)
		if all := fmt.Sprint(got.headline, " ", got.published, " ", got.body, " ", got.authors); all != tc.want || d.own != tc.own {
			t.Errorf("%s: %q, of this page: %v", name, all, d.own)
		}
	}
}

func TestBlocksThatBeginAFileEnd(t *testing.T) {
	s := &plat.Snapshot{Nodes: []plat.Node{{Kind: plat.ElementNode, Name: "p", Parent: -1, End: 2}, {Kind: plat.TextNode, Value: "a", End: 2}, {Kind: plat.TextNode, Value: "b", Parent: -1, End: 3}}}
	if all := read(s, false).passages(); len(all) != 2 || all[0].text != "a" || all[1].text != "b" {
		t.Errorf("passages %+v", all)
	}
	for levels, want := range map[int]hints{7: 0, 8: hintCaption} { // between a figure and code
		s := &plat.Snapshot{Nodes: []plat.Node{{Kind: plat.ElementNode, Name: "figure", End: 99}}}
		for range levels {
			s.Nodes = append(s.Nodes, plat.Node{Kind: plat.ElementNode, Name: "div", End: 99})
		}
		s.Nodes = append(s.Nodes, plat.Node{Kind: plat.ElementNode, Name: "pre", End: 99})
		if got := read(s, false).at[0].own; got != want {
			t.Errorf("a figure %d levels above code has the hints %b", levels, got)
		}
	}
	for title, want := range map[string]string{"-Notice": "", "Notice-": "Notice-", "a_新": "a_新"} {
		if got := withoutSite(title, "Notice", false); got != want {
			t.Errorf("%q without the site is %q, want %q", title, got, want)
		}
	}
}

// After so many words that no block has, the rest of a text is not searched.
func TestTheSearchForATextIsLimited(t *testing.T) {
	const sentence = "The north pier closes on Monday."
	p := pageOf("", strings.Repeat("Ferries land at the south pier. ", 312), sentence) // 10 kB, of which 32 times and 64 KiB are read
	for words, want := range map[int]bool{38: true, 39: false} {
		text := strings.Repeat("nowhere\n", words) + sentence
		k := again(t, Article{Text: text}, p)
		if last := &k.Text[len(k.Text)-1]; (last.First == 2) != want {
			t.Errorf("after %d words: %+v", words, last)
		}
	}
	for _, text := range []string{"The pier ", "The pier\n\n", " ", "\n\n"} {
		again(t, Article{Text: text}, pageOf("", "The pier"))
	}
}

func TestATextNeedsTheLayoutOfItsContent(t *testing.T) {
	for n := range 3 {
		page := leaves(slices.Repeat([]plat.Block{part("<p>a</p>", plat.RoleContent, plat.LabelMain)}, n)...)
		if contents, layout := Needs(&plat.Article{Kind: plat.KindReference}, page.Blocks); len(contents) != n || layout != (n > 0) {
			t.Errorf("of %d blocks %d are needed, the layout: %v", n, len(contents), layout)
		}
	}
}

func TestTheTitleMayBeTheFirstPassage(t *testing.T) {
	if at := find(rendered(t, "<h1>The pier closes</h1>"+paragraphs(first, second))).from; at != 0 {
		t.Errorf("it is passage %d", at)
	}
	body := paragraphs(first, second)
	for h1, want := range map[string]string{"The pier closes<br>Harbour life": "The pier closes", "The pier<br>closes<br>Harbour life": "The pier closes", "Harbour life<br>The pier<br>closes": "The pier closes"} {
		if got := Extract(rendered(t, `<head><meta property="og:title" content="The pier closes"></head><h1>`+h1+`</h1>`+body)).Title; got != want {
			t.Errorf("of %s the title is %q", h1, got)
		}
	}
	page := textOf(t, "<p>"+worded(20)+"</p><main hidden><p>"+worded(99)+"</p></main>")
	if page.measure(page.inside(0)); page.left != 8 {
		t.Errorf("with text that is not shown the column begins at %v", page.left)
	}
}
