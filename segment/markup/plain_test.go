package markup_test

import (
	"strings"
	"testing"

	"plat/segment/markup"
)

func TestPlainText(t *testing.T) {
	for _, c := range []struct{ name, content, want string }{
		{"paragraphs", "<div><p>One  two</p>\n<p>three</p>four<b>five</b></div>", "One two\n\nthree\n\nfourfive"},
		{"list", "<ul>\n<li>a</li>\n<li><p>b</p></li><li>c<ul><li>d</li></ul></li></ul>after", "a\n\nb\n\nc\nd\n\nafter"},
		{"definitions", "<dl><dt>term</dt><dd>what it <i>means</i></dd><dt>other</dt><dd>more</dd></dl>", "term\nwhat it means\nother\nmore"},
		{"table", "<table><caption>Sizes</caption><thead><tr><th>name</th><th>size</th></tr></thead><tbody><tr><td>a</td><td><p>1</p></td></tr><tr><td></td><td>2</td></tr></tbody></table>after",
			"Sizes\n\nname\tsize\na\t1\n\t2\n\nafter"},
		{"layout table", "<table><tr><td><p>menu</p><p>more</p></td><td><h1>Title</h1><p>text</p></td></tr></table>", "menu\n\nmore\n\nTitle\n\ntext"},
		{"rows of lines", "x<table><tr><td>a<br>b</td><td>c</td></tr><tr><td><p>d</p></td></tr></table>y", "x\n\na\nb\n\nc\n\nd\n\ny"},
		{"rows of paragraphs", "<table><tr><td><p>a</p><p>b</p></td></tr><tr><td>c</td></tr></table>", "a\n\nb\n\nc"},
		{"rows of lists", "<table><tr><td><ul><li>a<li>b</ul></td></tr><tr><td><p>c</p></td></tr><tr><td>d</td></tr></table>", "a\nb\n\nc\nd"},
		{"a text beside rows", "x<table><tr>y</tr><tr><td>c</td></tr></table>", "x\n\ny\nc"},
		{"a text behind rows", "<table><tr><td>a</td></tr>b<tr>c</tr></table>", "a\nb\nc"},
		{"nested table", "<table><tr><td>a<table><tr><td>b</td><td>c</td></tr></table></td><td>d</td></tr></table>", "a\n\nb\tc\n\nd"},
		{"code", "<p>Call</p><pre>\n  <b>if</b> x {\n    y()\n\n  }\n</pre><p>then</p>", "Call\n\n  if x {\n    y()\n\n  }\n\nthen"},
		{"text beside cells", "<table><tr><td>a</td>b<td>c</td></tr></table>", "a b\tc"},
		{"code in a cell", "<table><tr><td>1</td><td><pre>a\n  b</pre></td></tr></table>", "1\ta\n  b"},
		{"code with line breaks", "<pre>if x {<br>  y()<br><br>}<br></pre>z", "if x {\n  y()\n\n}\n\nz"},
		{"code by lines", "<pre><code><div>if x {</div><div>  <b>y</b>()</div><div><br></div><div>}</div></code></pre>z", "if x {\n  y()\n\n}\n\nz"},
		{"code by lines with ends", "<pre><div>a {\n</div><div>  b\n</div><div>\n</div><div>}</div></pre>", "a {\n  b\n\n}"},
		{"code in a list", "<pre><ol><li>a {</li><li>  b</li><li>}</li></ol></pre>", "a {\n  b\n}"},
		{"code in a table", "<pre><table><tr><td>1</td><td>a {</td></tr><tr><td>2</td><td>  b</td></tr></table></pre>", "1\ta {\n2\t  b"},
		{"two links in code", "<pre><a>x</a><a>y</a></pre>", "x y"},
		{"line break", "a<br>b", "a\nb"},
		{"menu", "<a>x</a><a>y</a>", "x y"},
		{"entities and scripts", "a &lt;b&gt; &amp; c<script>d</script><!-- e -->", "a <b> & c"},
		{"nothing", "<div> \n</div>", ""},
	} {
		if got := markup.PlainText([]byte(c.content), nil); got != c.want {
			t.Errorf("%s: %q, not %q", c.name, got, c.want)
		}
	}
	if got := markup.PlainText([]byte("<pre><b>1</b>  a\n<b>2</b>  b</pre>"), []int32{5, 13, 17, 25}); got != "  a\n  b" {
		t.Errorf("hidden numbers of lines: %q", got)
	}
	hidden := []int32{2, 10}
	if got := markup.PlainText([]byte("a <b>x</b> c"), hidden); got != "a\nc" {
		t.Errorf("hidden text: %q", got)
	}
}

// Archives have checksums of texts that were made so.
func TestEarlierPlainText(t *testing.T) {
	for content, want := range map[string]string{
		"<p>x</p><pre>a {<br>  b<br><br>}</pre>z":         "x\n\na {\n  b\n}\n\nz",
		"<pre><div>a</div><div><br></div> <b>b</b></pre>": "a\n\nb",
		"<ul><li>a</li><li>b</li></ul>":                   "a\nb",
		"<pre><a>x</a><a>y</a></pre>":                     "xy",
		`<div class="gutter">1 2</div>x`:                  "1 2\n\nx",
	} {
		if got := markup.EarlierPlainText([]byte(content), nil); got != want {
			t.Errorf("%s: %q, not %q", content, got, want)
		}
	}
}

// The words of a text do not depend on how it is set.
func sameWords(t *testing.T, content []byte, hidden []int32) {
	t.Helper()
	seen := func(s string) string { // characters without width may be a word or not
		return strings.Map(func(r rune) rune {
			if strings.ContainsRune("\u00ad\u200b\u200c\u200d\u2060\ufeff", r) {
				return -1
			}
			return r
		}, s)
	}
	plain, text := seen(markup.PlainText(content, hidden)), seen(markup.Text(content, hidden))
	if a, b := strings.Join(strings.Fields(plain), " "), strings.Join(strings.Fields(text), " "); a != b {
		t.Fatalf("%q has the words %q, not %q", content, a, b)
	}
}
