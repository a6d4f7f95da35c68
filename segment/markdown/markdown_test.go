package markdown

import (
	"bytes"
	"html"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"

	"plat/fixtures"
	"plat/plat"
	"plat/plat/weburl"
	"plat/segment/markup"
)

// set sets a leaf as Markdown.
func set(content string) string {
	return Of(&plat.Article{Kind: plat.KindReference}, weburl.NewBase("https://h.test/dir/page?q=1"), &plat.Layout{Slots: []int32{0}}, leaf(content)).Body()
}

func leaf(content string) []plat.Block {
	return []plat.Block{{Slot: -1}, {Role: plat.RoleContent, Content: []byte(content), Text: markup.Text([]byte(content), nil)}}
}

func TestMarkdown(t *testing.T) {
	for _, c := range []struct{ name, html, want string }{
		{"headings and paragraphs", "<h1>One</h1><p>two\n three</p><h3><b>four</b><div>five</div></h3>six", "# One\n\ntwo three\n\n### four five\n\nsix"},
		{"list", "<ul><li>a</li><li><p>b</p><ol start=\"9\"><li>c</li><li>d</li></ol></li></ul>", "- a\n\n- b\n\n  9. c\n  10. d"},
		{"items of paragraphs", "<ul><li><p>a</p><p>b</p></li><li>c</li></ul>", "- a\n\n  b\n\n- c"},
		{"two lists", "<ul><li>a</li></ul><ul><li>b</li></ul><ol><li>c</li></ol><ol><li>d</li></ol>", "- a\n\n* b\n\n1. c\n\n1) d"},
		{"empty items", "<ul><li>a</li><li> </li><li><ul></ul></li></ul>", "- a"},
		{"items of no list", "<li>a</li><li>b</li>", "- a\n- b"},
		{"code", "<pre class=\"x language-go\">\n\n\tif x {\n\n\t}\n</pre>", "```go\n\tif x {\n\n\t}\n```"},
		{"code in code", "<pre><code class=\"lang-sh\">a ```` b</code></pre>", "`````sh\na ```` b\n`````"},
		{"code of lines", "<div class=\"highlight-python notranslate\"><pre><div>a</div><div>b<br>c</div></pre></div>", "```python\na\nb\nc\n```"},
		{"code in an item", "<ol><li>do<pre>a\n\n b</pre></li></ol>", "1. do\n\n   ```\n   a\n\n    b\n   ```"},
		{"table", "<table><caption>Sizes</caption><thead><tr><th>name</th><th>a|b</th></tr></thead><tbody><tr><td><p>x</p></td><td><code>1|2</code></td></tr><tr><td></td><td></td></tr></tbody></table>",
			"Sizes\n\n| name | a\\|b |\n| --- | --- |\n| x | `1\\|2` |"},
		{"table without header", "<table><tr><td>a</td><td></td><td>b</td></tr><tr><td>c</td></tr></table>", "| | |\n| --- | --- |\n| a | b |\n| c | |"},
		{"table of one row", "<table><tr><td>a</td><td><a href=\"/\">b</a></td></tr></table>", "a [b](https://h.test/)"},
		{"table of one column", "<table><tr><td>a</td><td></td></tr><tr><td>b</td></tr></table>", "a\n\nb"},
		{"table with lists", "<table><tr><th>a</th><th>b</th></tr><tr><td>c<br>d</td><td><ul><li>e</li><li>f</li></ul></td></tr></table>", "| a | b |\n| --- | --- |\n| c d | - e - f |"},
		{"spans", "<table><tr><th colspan=\"2\">a</th><th>b</th></tr><tr><td rowspan=\"2\">c</td><td>d</td><td>e</td></tr><tr><td>f</td><td>g</td></tr></table>",
			"| a | | b |\n| --- | --- | --- |\n| c | d | e |\n| | f | g |"},
		{"layout table", "<table><tr><td><h1>a</h1></td><td><table><tr><td>b</td><td>c</td></tr></table></td></tr></table>", "# a\n\nb c"},
		{"quote", "<blockquote><p>a</p><ul><li>b</li></ul><blockquote>c</blockquote></blockquote>d", "> a\n>\n> - b\n>\n> > c\n\nd"},
		{"definitions", "<dl><dt><code>x</code> is</dt><dd>what <i>it</i> is<p>more</p></dd></dl>", "**`x` is**\n\nwhat _it_ is\n\nmore"},
		{"rule", "<hr><p>a</p><hr><hr><p>b</p><hr>", "a\n\n___\n\nb"},
		{"line break", "a<br>- b<br><br>c", "a  \n\\- b\n\nc"},
		{"links", `<a href="../x?a=1&amp;b=2">up</a> <a href="#f">here</a> <a href="//o.test">other</a> <a href="mailto:a@b.test">mail</a> <a name="x">none</a>`,
			"[up](https://h.test/x?a=1&b=2) [here](https://h.test/dir/page?q=1#f) [other](https://o.test/) [mail](mailto:a@b.test) none"},
		{"a link of blocks", `<a href="/a"><h2>Head</h2><p>text <b>bold</b></p></a>`, "## [Head](https://h.test/a)\n\n[text **bold**](https://h.test/a)"},
		{"unsafe links", "<a href=\"javascript:x()\">a</a> <a href=\" java\nscript:x()\">b</a> <a href=\"data:text/html,x\">c</a> <a href=\"vbscript:x\">d</a> <img src=\"data:image/png;base64,x\" alt=\"e\">", "a b c d"},
		{"destinations", `<a href="/a (b)|&quot;c&quot;?&amp;amp;d=&amp;copy;\">x</a>`, "[x](https://h.test/a%20%28b%29%7C%22c%22?&amp;amp;d=&amp;copy;%5C)"},
		{"image", `<p>see <a href="/b"><img src="i.png" alt="a [b] ` + "`c" + `"></a></p><img src="x.png" alt="">`, "see [![a \\[b\\] \\`c](https://h.test/dir/i.png)](https://h.test/b)"},
		{"image that failed to load", `<img src="i.png" alt="Harbour"><!--plat:alt Harbour--> in spring`, "Harbour in spring"},
		{"emphasis", "a<b> b </b>c <i><b>d</b></i> <b>e<i>f</i></b> <s>g</s>", "a **b** c **_d_ ef** ~~g~~"},
		{"emphasis that would be none", "a<b>(b)</b>c <b>d:</b>e <b>f</b><i>g</i>", "a(b)c d:e **f**_g_"},
		{"emphasis beside a character of no width", "<i>a</i>\u200b. <i>b</i>.", "*a*\u200b. _b_."},
		{"code of parts in different formats", "<code>a.<i>b</i>.<i>c</i></code> <code><b>d<i>e</i></b></code>", "`a.b.c` **`de`**"},
		{"inline code", "<code>a</code><b><code>`b</code></b> <kbd>c``d</kbd>", "``a`b`` ```c``d```"},
		{"what looks like markup", "<p># a</p><p>1. b</p><p>+ c</p><p>&gt; d</p><p>*e* _f_ g_h `i` [j](k) &lt;b&gt; &amp;amp; &amp; ~l~ \\m</p><p>===</p><p>|n|</p>",
			"\\# a\n\n1\\. b\n\n\\+ c\n\n\\> d\n\n\\*e\\* \\_f\\_ g_h \\`i\\` \\[j\\](k) \\<b> \\&amp; & \\~l\\~ \\\\m\n\n\\===\n\n\\|n|"},
		{"an exclamation mark before a link", `Go!<a href="/x">now</a>`, "Go\\![now](https://h.test/x)"},
		{"URLs", "http://a.test/b_c http://a.test/*b* www.a.test/~b", "http://a.test/b_c http\\://a.test/\\*b\\* www\\.a.test/\\~b"},
		{"what a terminal obeys", "a\u202eb\x1bc <pre>d\u2066\x07e</pre>", "ab c\n\n```\nd e\n```"},
		{"nothing", "<div> <ul><li></li></ul><table><tr><td></td></tr></table></div>", ""},
	} {
		if got := set(c.html); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, got, c.want)
		}
		same(t, []byte(c.html))
	}
}

// same checks that a reader of the Markdown sees the text.
func same(t *testing.T, content []byte) {
	t.Helper()
	md := set(string(content))
	want := ink(markup.PlainText(content, nil))
	if got := ink(shown(t, md)); got != want {
		t.Errorf("the Markdown of %q is\n%s\nwhich shows %q, not %q", content, md, got, want)
	}
}

// ink leaves the characters of a text that are seen, but for the dashes before items in cells.
func ink(s string) string {
	return strings.Map(func(r rune) rune {
		if hostile(r) || space(r) || r == '-' || strings.ContainsRune("\u00ad\u200b\u200c\u200d\u2060\ufeff", r) {
			return -1
		}
		return r
	}, s)
}

var (
	noMail = extension.WithLinkifyEmailRegexp(regexp.MustCompile(`^\x00`)) // goldmark takes marks for a part of an address
	reader = goldmark.New(goldmark.WithExtensions(extension.Table, extension.Strikethrough, extension.NewLinkify(noMail)))
	anyTag = regexp.MustCompile(`<[^>]*>`)
)

// shown returns the text that a reader of rendered Markdown sees.
func shown(t *testing.T, md string) string {
	t.Helper()
	var b bytes.Buffer
	if err := reader.Convert([]byte(md), &b); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(b.String(), "<!--") {
		t.Errorf("there is HTML in %q", md)
	}
	return html.UnescapeString(anyTag.ReplaceAllString(b.String(), ""))
}

func FuzzMarkdown(f *testing.F) {
	for _, s := range []string{
		"<p>a <b>b</b><i>c</i> *d* <code>e`</code></p>", "<table><tr><th>a</th></tr><tr><td>b|<pre>c\n d</pre></td></tr></table>",
		"<ul><li>1. a<ol start=\"7\"><li># b</ul>", "<a href=\"/x\">a<h2>b</h2><img src=\"c\" alt=\"d\"></a>!<a href=\"y\">z</a>", "<blockquote><pre>```\n</pre><hr>",
		"<i>a<b>b</b></i><s>~</s>x<b>:</b>y", "a<br>===<br>---|---", "www.a_.b http://_*", "&amp;lt;<dl><dt>a<dd>b",
	} {
		f.Add([]byte(s))
	}
	for _, s := range fixtures.Damaged {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		if utf8.Valid(content) {
			same(t, content)
		}
	})
}

// Pages may be made to take long, or to become long.
func TestHostilePagesAreSetInLinearTime(t *testing.T) {
	deep := func(tag string, n int) string {
		return strings.Repeat("<"+tag+">", n) + "x" + strings.Repeat("</"+tag+">", n)
	}
	for name, c := range map[string]struct {
		html string
		most int // bytes
	}{
		"deep divisions":    {deep("div", 200_000), 10},
		"deep quotes":       {deep("blockquote", 100_000), 200},
		"deep lists":        {strings.Repeat("<ul><li>x", 50_000), 5_500_000},
		"deep emphasis":     {deep("b><i><a href=x", 50_000), 100},
		"deep tables":       {strings.Repeat("<table><tr><td>x</td><td>", 50_000), 200_000},
		"ends of nothing":   {strings.Repeat("<div>", 100_000) + strings.Repeat("</b>", 100_000) + "x", 10},
		"columns spanned":   {"<table>" + strings.Repeat(`<tr><td colspan="3000000" rowspan="3000000">x</td><td>y</td></tr>`, 1000) + "</table>", 10_000},
		"ragged rows":       {"<table><tr>" + strings.Repeat("<td>x</td>", 900) + "</tr>" + strings.Repeat("<tr><td>x</td></tr>", 20_000) + "</table>", 100_000},
		"a huge table":      {"<table>" + strings.Repeat("<tr><td>x</td><td>y</td></tr>", 100_000) + "</table>", 1_500_000},
		"a long cell":       {"<table><tr><th>" + strings.Repeat("x ", 500_000) + "</th></tr>" + strings.Repeat("<tr><td>x</td></tr>", 10_000) + "</table>", 1_200_000},
		"marks":             {strings.Repeat("*_`[&lt;&amp;~", 100_000), 4_000_000},
		"changing emphasis": {strings.Repeat("<b>a<i>b</b></i>c", 100_000), 3_000_000},
		"backticks in code": {"<pre>" + strings.Repeat("`", 1_000_000) + "</pre>", 3_100_000},
	} {
		begun := time.Now()
		md := set(c.html)
		if took := time.Since(begun); took > 20*time.Second { // a fraction of a second on a machine that does nothing else
			t.Errorf("%s: it takes %v", name, took)
		}
		if len(md) == 0 || len(md) > c.most {
			t.Errorf("%s: %d bytes become %d", name, len(c.html), len(md))
		}
		if name == "a huge table" && !strings.HasSuffix(md, "\n| x | y |") || name == "ragged rows" && strings.Contains(md, "|") {
			t.Errorf("%s ends in %q", name, md[len(md)-20:])
		}
	}
}

// The references of a damaged archive may be arbitrary.
func FuzzPassages(f *testing.F) {
	f.Add([]byte("<p>one two</p><p>three"), []byte{0, 1, 1, 0, 3, 2, 2, 1, 1, 4, 7, 0, 1, 200, 200, 0, 0, 1})
	f.Fuzz(func(t *testing.T, content, kept []byte) {
		k := &plat.Article{}
		for ; len(kept) >= 6; kept = kept[6:] {
			p := plat.Passage{Before: plat.Gap(kept[0]), First: int32(int8(kept[1])), Last: int32(int8(kept[2])), From: int(int8(kept[3])), To: int(int8(kept[4])), Line: plat.Gap(kept[5])}
			if p.First == plat.Literally {
				p.Literal = string(kept[:6])
			}
			k.Text = append(k.Text, p)
		}
		blocks := append(leaf(string(content)), leaf(string(content))...)
		d := Of(k, weburl.NewBase("https://h.test/"), &plat.Layout{HTML: content, Slots: []int32{int32(len(kept))}}, blocks)
		if md := d.Page("a *title*", "by"); !strings.HasPrefix(md, "# a \\*title\\*\n\n_by_") {
			t.Errorf("it begins %q", md)
		}
	})
}

func TestTheTitleIsNotRepeated(t *testing.T) {
	at := func(html string) string {
		return Of(&plat.Article{Kind: plat.KindList}, weburl.NewBase(""), &plat.Layout{Slots: []int32{0}}, leaf(html)).Page("The  Pier #1", "")
	}
	for html, want := range map[string]string{
		"<hr><h2>The pier <b>#1</b></h2><p>text</p>": "# The Pier \\#1\n\ntext",
		"<p>before</p><h1>The pier #1</h1>":          "# The Pier \\#1\n\nbefore\n\n# The pier \\#1",
		"<h1>Another</h1>":                           "# The Pier \\#1\n\n# Another",
		"":                                           "# The Pier \\#1",
	} {
		if got := at(html); got != want {
			t.Errorf("of %s it is %q, not %q", html, got, want)
		}
	}
}
