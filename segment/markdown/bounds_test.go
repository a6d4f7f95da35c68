package markdown

import (
	"fmt"
	"strings"
	"testing"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"plat/plat/weburl"
)

// closed writes all end tags of a text, as package markup does.
func closed(t *testing.T, src string) string {
	t.Helper()
	all, err := html.ParseFragment(strings.NewReader(src), &html.Node{Type: html.ElementNode, Data: "body", DataAtom: atom.Body})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, n := range all {
		if err := html.Render(&b, n); err != nil {
			t.Fatal(err)
		}
	}
	return strings.ReplaceAll(b.String(), "/>", ">")
}

func TestMarkdownOfUnusualPages(t *testing.T) {
	x := func(n int) string { return strings.Repeat("x", n) }
	for _, c := range []struct{ html, want string }{
		// Lines and headings.
		{"<h6>a<br>b</h6><h7>c</h7>", "###### a b\n\nc"}, {"<h1>a<ul><li>b</ul></h1>", "# a b"}, {"<h1>a<pre>b  c</pre></h1>", "# a b c"}, {"<h1>a<dl><dt>b</dt><dd>c</dd></dl></h1>d", "# a b c\n\nd"}, {"<h1>a<blockquote>b</blockquote></h1>c", "# a b\n\nc"}, {"<h1>a<table><tr><td>b</table></h1>c", "# a b\n\nc"}, {"<h1>a # b</h1>", "# a \\# b"}, {"a<br><br><br>b", "a\n\nb"}, {"<br>a<br>", "a"}, {"<h1>a<hr>b</h1>", "# a b"}, {"<dl><dt>a<dd>b</dl>c", "**a**\n\nb\n\nc"}, {"<p>a<div>b</div>c", "a\n\nb\n\nc"}, {"<a name=x>a</a><b></b>b", "ab"},
		// Lists.
		{`<ol start="0"><li>a</ol>`, "0. a"}, {`<ol start="99999999"><li>a</ol>`, "99999999. a"}, {`<ol start="100000000"><li>a</ol>`, "1. a"}, {`<ol start="-1"><li>a</ol>`, "1. a"}, {`<ol start="x"><li>a</ol>`, "1. a"}, {`<ol><li>a<li><li>b</ol>`, "1. a\n2. b"}, {"<ul>a<li>b</ul>", "- a\n- b"}, {"<ul><li>a<ul><li>b</ul><li>c</ul>", "- a\n  - b\n- c"}, {"<ul><li>a<ol><li>b</ol></ul>", "- a\n  1. b"}, {`<ul><li>a<ol start=2><li>b</ol></ul>`, "- a\n\n  2. b"},
		{"<ul><li>a<ul><li>b</ul>c</ul>", "- a\n\n  - b\n\n  c"}, {"<ul><li><ul><li>b</ul></ul>", "- - b"}, {"<ul><li>a</ul><p>b</p><ul><li>c</ul>", "- a\n\nb\n\n- c"}, {"<ul><li>a</ul><ol><li>b</ol><ul><li>c</ul>", "- a\n\n1. b\n\n- c"}, {"<ul><li>a</ul><ul><li>b</ul><ul><li>c</ul>", "- a\n\n* b\n\n- c"}, {"<menu><li>a</menu>", "- a"},
		{"<li>a</li>b<li>c</li>", "- a\n\nb\n\n- c"},
		// Code.
		{"<pre>a\n\n</pre>", "```\na\n```"}, {"<pre> \n\ta</pre>", "```\n\ta\n```"}, {"<pre>a`b</pre>", "```\na`b\n```"}, {"<pre>a```b</pre>", "````\na```b\n````"}, {"<pre> </pre>a", "a"}, {"<pre>a<p>b</p>c</pre>", "```\na\nb\nc\n```"}, {"<listing>a</listing>", "```\na\n```"}, {`<pre class="lang-default">a</pre>`, "```\na\n```"}, {`<div class="lang-go"><pre>a</pre></div>`, "```\na\n```"}, {`<div class="language-go"><pre>a</pre></div>`, "```go\na\n```"}, {`<pre class="lang-GO">a</pre>`, "```go\na\n```"},
		{`<pre><code class="language-sh">a</code></pre>`, "```sh\na\n```"}, {`<pre>x<code class="language-sh">a</code></pre>`, "```\nxa\n```"}, {`<pre class="language-` + x(20) + `">a</pre>`, "```" + x(20) + "\na\n```"}, {`<pre class="language-` + x(21) + `">a</pre>`, "```\na\n```"}, {`<pre class="mw-highlight-lang-c++">a</pre>`, "```c++\na\n```"}, {`<span class="language-go"><pre>a</pre></span>`, "```\na\n```"},
		// Rules and quotes.
		{"<p>a</p><hr>", "a"}, {"<hr><p>a</p>", "a"}, {"<p>a</p><hr><p> </p><hr><p>b</p>", "a\n\n___\n\nb"}, {"<blockquote>a<hr>b</blockquote>", "> a\n>\n> ___\n>\n> b"}, {"<blockquote><pre>a\n\nb</pre></blockquote>", "> ```\n> a\n>\n> b\n> ```"},
		// Tables.
		{"<table><tr><th>a<tr><td>b</table>", "| a |\n| --- |\n| b |"}, {"<table><tr><th>a<th><tr><td>b<td></table>", "| a |\n| --- |\n| b |"}, {"<table><tr><td>a<td>b<tr><td>" + x(2000) + "<td>d</table>", "| | |\n| --- | --- |\n| a | b |\n| " + x(2000) + " | d |"}, {"<table><tr><td>a<td>b<tr><td>" + x(2001) + "<td>d</table>", "a\n\nb\n\n" + x(2001) + "\n\nd"}, {"<table><tr><td>a<br>b<td>c<tr><td>d<td>e</table>", "a  \nb\n\nc\n\nd\n\ne"}, {"<table><tr><th>a<br>b<th>c<tr><td>d<td>e</table>", "| a b | c |\n| --- | --- |\n| d | e |"},
		{"<table><tr><th>a<th>b<tr><td><pre>x\ny</pre><td>c</table>", "a\n\nb\n\n```\nx\ny\n```\n\nc"}, {"<table><tr><th>a<th>b<tr><td><pre> x\n</pre><td>c</table>", "| a | b |\n| --- | --- |\n| `x` | c |"}, {"<table><tr><th>a<th>b<tr><td><h2>x</h2><td>c</table>", "a\n\nb\n\n## x\n\nc"}, {"<table><tr><th>a<th>b<tr><td><ul><li>x<li><blockquote>y</blockquote></ul><td>c</table>", "a\n\nb\n\n- x\n\n- > y\n\nc"},
		{"<table><thead><tr><td>a<td>b</thead><tr><td>c<td>d</table>", "| a | b |\n| --- | --- |\n| c | d |"}, {"<table><tr><td>c<td>d<tr><th>a<th>b</table>", "| | |\n| --- | --- |\n| c | d |\n| a | b |"}, {"<table><tr><th>a<td>b<tr><td>c<td>d</table>", "| | |\n| --- | --- |\n| a | b |\n| c | d |"}, {"<table><caption>a</caption></table>b", "a\n\nb"}, {"<table><tr><td>a<td>b</table>", "a b"}, {`<table><tr><th rowspan=2>a<th>b<tr><td>c</table>`, "| a | b |\n| --- | --- |\n| | c |"}, {`<table><tr><th colspan=0>a<th>b<tr><td>c<td>d</table>`, "| a | b |\n| --- | --- |\n| c | d |"},
		// Images and links.
		{`<img src="a.png" alt="x"><img src="b.png" alt=" "><img alt="y"><img src="ftp://h.test/a" alt="z">`, "![x](https://h.test/dir/a.png)"}, {`<p>a</p><img src="b.png" alt="x"><p>c</p>`, "a\n\n![x](https://h.test/dir/b.png)\n\nc"}, {`a<img src="b.png" alt="x">c`, "a![x](https://h.test/dir/b.png)c"}, {`<pre><img src="b.png" alt="x">a</pre>`, "```\na\n```"}, {`<a href="http://">a</a>`, "a"}, {`<a href="ftp://f.test/">a</a>`, "[a](ftp://f.test/)"}, {`<base href="/other/"><a href="b">a</a>`, "[a](https://h.test/other/b)"}, {`<base href="ftp://f.test/"><a href="b">a</a>`, "[a](ftp://f.test/b)"},
		{`<a href="/a">x</a><a href="/a">y</a>`, "[x](https://h.test/a) [y](https://h.test/a)"}, {`<a href="/a">x<b>y</b></a>`, "[x**y**](https://h.test/a)"}, {`<b>x <a href="/a">y</a></b>`, "**x [y](https://h.test/a)**"}, {`<a href="/100%">x</a>`, "[x](https://h.test/100%)"}, {`<a href="/a%2">x</a>`, "[x](https://h.test/a%2)"}, {`<a href="/%41">x</a>`, "[x](https://h.test/%41)"},
		// Emphasis and code in lines.
		{"<b>a</b><b>b</b>", "**ab**"}, {"<b>a</b> <b>b</b>", "**a b**"}, {"<i>a</i>b", "*a*b"}, {"a<i>b</i>", "a*b*"}, {"<i>a</i> b", "_a_ b"}, {"<b><i>a</i>b</b>", "**ab**"}, {"<s>a</s>~", "a\\~"}, {"<s>a</s>b", "~~a~~b"}, {"<b>a</b><i>b</i><b>c</b>", "**a**b**c**"}, {"<code>`</code>", "`` ` ``"}, {"<code>a`</code>b", "`` a` ``b"}, {"<code>a</code><code>b</code>", "`ab`"}, {"<code>a``b`c</code>", "```a``b`c```"}, {"<i>a <b>b</b> c</i>", "_a **b** c_"}, {"<b>a <i>b</i></b> <i>c</i>", "**a _b_** _c_"},
		// Text that looks like markup.
		{"####### a", "####### a"}, {"###### a", "\\###### a"}, {"#a", "#a"}, {"-", "\\-"}, {"- a", "\\- a"}, {"-a", "-a"}, {"+", "\\+"}, {"123456789) a", "123456789\\) a"}, {"1234567890. a", "1234567890. a"}, {"1.a", "1.a"}, {"1.", "1\\."}, {"--- | ---", "\\--- | ---"}, {"===", "\\==="}, {"a > b >", "a \\> b \\>"}, {"a>b", "a>b"}, {"&amp;copy; &amp;#1; &amp;#x1; &amp;x", "\\&copy; \\&#1; \\&#x1; &x"},
		{"_a_ a_b __ a__b _", "\\_a\\_ a_b \\_\\_ a__b \\_"}, {"http://a.test/x_ b", "http\\://a.test/x\\_ b"}, {"http://a.test/x b_", "http://a.test/x b\\_"}, {"www.a.test/*", "www\\.a.test/\\*"}, {"ww.a.test/*", "ww.a.test/\\*"}, {"awww.a.test/*", "awww\\.a.test/\\*"}, {"http:/a/*", "http:/a/\\*"}, {"Go! now", "Go! now"}, {"|a|", "\\|a|"}, {"a|b", "a|b"},
	} {
		if got := set(closed(t, c.html)); got != c.want {
			t.Errorf("%.80s:\n%q\nwant\n%q", c.html, got, c.want)
		}
	}
}

func TestTablesHaveLimits(t *testing.T) {
	cells := func(n int) string { return strings.Repeat("<td>x", n) }
	for name, c := range map[string]struct {
		html string
		data bool
	}{
		"1,000 columns": {"<table><tr>" + cells(1000) + "<tr>" + cells(1000) + "</table>", true}, "more": {"<table><tr>" + cells(1001) + "<tr>" + cells(1001) + "</table>", false},
		"a span of 999 columns": {`<table><tr><td colspan=999>x<td>y<tr>` + cells(1000) + "</table>", true}, "of more": {`<table><tr><td colspan=1000>x<td>y<tr>` + cells(2) + "</table>", false},
		"4,096 cells and four of each": {"<table><tr>" + cells(50) + strings.Repeat("<tr><td>x", 86) + "</table>", true}, "far more": {"<table><tr>" + cells(100) + strings.Repeat("<tr><td>x", 60) + "</table>", false},
	} {
		if got := strings.HasPrefix(set(closed(t, c.html)), "|"); got != c.data {
			t.Errorf("%s: a table of data: %v", name, got)
		}
	}
	for depth, want := range map[int]int{38: 38, 39: 39, 40: 39, 50: 39} { // of blocks in the root
		got := strings.Count(set(strings.Repeat("<blockquote>", depth)+"x"), ">")
		if got != want {
			t.Errorf("%d quotes in each other are %d", depth, got)
		}
	}
}

func TestPiecesOfLinks(t *testing.T) {
	base := weburl.NewBase("https://h.test/dir/page")
	for ref, want := range map[string]string{
		" a\n b\t": "https://h.test/dir/a%20b", "": "https://h.test/dir/page", "a\u00a0b": "https://h.test/dir/a%C2%A0b", "mailto:a@b": "mailto:a@b", "tel:1": "", "https:///a": "https://a/", "http://[": "", "%zz": "https://h.test/dir/%zz", "a|b*c`\"<>[]()\\": "https://h.test/dir/a%7Cb%2Ac%60%22%3C%3E%5B%5D%28%29/", "?a&b;": "https://h.test/dir/page?a&amp;b;", "\x7f": "https://h.test/dir/%7F", "\\story\\old.html": "https://h.test/story/old.html",
	} {
		if got := resolve(base, ref); got != want {
			t.Errorf("%q leads to %q, want %q", ref, got, want)
		}
	}
	if got := resolve(base.In("gbk"), "?q=新闻"); got != "https://h.test/dir/page?q=%D0%C2%CE%C5" {
		t.Errorf("a query in GBK leads to %q", got)
	}
	if resolve(weburl.NewBase(""), "/a") != "" {
		t.Error("without a page there is a link")
	}
	for href, want := range map[string]bool{"https://h.test/a.PNG?x": true, "https://h.test/a.jpg": true, "https://h.test/a.html": false, "https://h.test/png": false, "": false} {
		if toImage(href) != want {
			t.Errorf("%s leads to an image: %v", href, !want)
		}
	}
	for s, want := range map[string]int{"": 0, "a": 0, "`": 1, "`a``b`": 2, "```": 3} {
		if got := longestRun([]byte(s)); got != want {
			t.Errorf("%q has a run of %d backticks", s, got)
		}
	}
	for _, tc := range []struct {
		outside, inside rune
		want            bool
	}{{'a', 'b', true}, {'a', ' ', false}, {'a', '.', false}, {' ', '.', true}, {'(', '.', true}, {'$', '.', true}, {' ', 'a', true}, {'a', '$', false}} {
		if got := flanks(tc.outside, tc.inside); got != tc.want {
			t.Errorf("a mark between %c and %c: %v", tc.outside, tc.inside, got)
		}
	}
	for r, want := range map[rune]bool{0x1f: true, 0x20: false, 0x7f: true, 0x202e: true, 0x2028: true, 0x2029: true, 0x202a: true, 0x2066: true, 0x2069: true, 0x2065: false, 0x206a: true, 0x206f: true, 0x2070: false, 0xfeff: true, 0xfff8: false, 0xfff9: true, 0xfffb: true, 0xfffc: false, 0xdffff: false, 0xe0000: true, 0xe007f: true, 0xe0080: false, 'a': false} {
		if hostile(r) != want {
			t.Errorf("%U is hostile: %v", r, !want)
		}
	}
	for in, want := range map[string]string{"ab": "ab", "a\xffb": "a\ufffdb", "a\u202eb\x7f": "ab", "é": "é", "a\x1fb": "ab"} {
		if got := string(clean([]byte(in))); got != want {
			t.Errorf("%q is cleaned to %q", in, got)
		}
	}
	if got := fmt.Sprint(space(' '), space('\x00'), space('\u00a0'), space('a'), space('\u200b'), space(0x7f)); got != "true true true false false false" {
		t.Errorf("blanks: %s", got)
	}
}

func TestWhatIsWithinAnElement(t *testing.T) {
	b := newBuilder(nil)
	if b.within("a") {
		t.Error("nothing is open, and it is within a")
	}
	b.open = append(b.open, element{name: "a"}, element{name: "b"})
	if b.within("a") || !b.within("b") {
		t.Error("the innermost element is not b")
	}
}
