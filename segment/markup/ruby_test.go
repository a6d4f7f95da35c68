package markup

import (
	"strings"
	"testing"
)

func TestReadingsStandBehindTheirWords(t *testing.T) {
	for in, want := range map[string]string{
		`<ruby>東京<rt>とうきょう</rt></ruby>タワー`:                                              "東京(とうきょう)タワー",
		`<ruby>東<rt>とう</rt>京<rt>きょう</rt></ruby>へ`:                                       "東京(とうきょう)へ",
		`<ruby><rb>東</rb><rb>京</rb><rt>とう</rt><rt>きょう</rt></ruby>`:                      "東京(とうきょう)",
		`<ruby>漢<rp>(</rp><rt>かん</rt><rp>)</rp>字<rp>(</rp><rt>じ</rt><rp>)</rp></ruby>は`: "漢字(かんじ)は",
		`<ruby>北<rt>běi</rt>京<rt>jīng</rt></ruby>`:                                      "北京(běi jīng)",
		`子<a href="/x"><ruby>供<rt> <b>ども</b> </rt></ruby></a>と`:                         "子供(ども)と",
		`<ruby>漢<rt></rt></ruby>字`:                                                      "漢字",
		`<ruby>漢<rt>かん`:                                                                 "漢(かん)",
		`<rt>かん</rt>字`:                                                                  "かん字",
		`<ruby><ruby>斎<rt>さい</rt></ruby>藤<rt>Saitō</rt></ruby>です`:                       "斎藤(さいSaitō)です",
		`<p>A <ruby>base<rt>reading</rt></ruby> word</p><p>B</p>`:                       "A base(reading) word\nB",
	} {
		if got := Text([]byte(in), nil); got != want {
			t.Errorf("%s: %q, want %q", in, got, want)
		}
		if got := strings.Join(strings.Fields(PlainText([]byte(in), nil)), " "); got != strings.Join(strings.Fields(Text([]byte(in), nil)), " ") {
			t.Errorf("%s: the plain text is %q", in, got)
		}
	}
	in := []byte(`<p><ruby>体罰<rp>（</rp><rt>たいばつ</rt><rp>）</rp></ruby>を<ruby>禁止<rt>きんし</rt></ruby>する</p>`)
	if got := SearchText(in, nil); got != "体罰を禁止する\nたいばつ\nきんし" {
		t.Errorf("for search it is %q", got)
	}
	if got := EarlierText(in, nil); got != "体罰（たいばつ）を禁止きんしする" {
		t.Errorf("earlier it was %q", got)
	}
	open, end := strings.Index(string(in), "（"), strings.Index(string(in), "</rp><rt>")
	if got := Text(in, []int32{int32(open), int32(end)}); got != "体罰(たいばつ)を禁止(きんし)する" {
		t.Errorf("with a hidden bracket it is %q", got)
	}
	// Ranges of hidden text reach over the markup between hidden texts.
	for name, c := range map[string][3]string{
		"a bracket and what follows": {`<div><ruby>東京<rp>(</rp><rt>とうきょう</rt><rp>[)</rp></ruby><span>*</span>]の港で見た。<p>次の日</p></div>`, "東京(とうきょう) の港で見た。\n次の日", ""},
		"a reading":                  {`<p><ruby>東京[<rt>とうきょう</rt></ruby><b>*</b>]の港<ruby>船<rt>ふね</rt></ruby>は</p>`, "東京 の港船(ふね)は", ""},
		"up to the next annotation":  {`<p><ruby>東<rt>とう[</rt></ruby><b>*</b><ruby>]京<rt>きょう</rt></ruby>は</p>`, "東(とう) 京(きょう)は", ""},
	} {
		from, to := strings.IndexByte(c[0], '['), strings.IndexByte(c[0], ']')-1
		in := strings.NewReplacer("[", "", "]", "").Replace(c[0])
		got := Text([]byte(in), []int32{int32(from), int32(to)})
		if bare := func(s string) string { return strings.Join(strings.Fields(s), " ") }; bare(got) != bare(c[1]) {
			t.Errorf("%s: %q, want %q", name, got, c[1])
		}
	}
}

func TestNumbersOfLinesAreNoText(t *testing.T) {
	code := "<pre>def lift():\n    raise</pre>"
	for name, in := range map[string]string{
		"a cell beside":   `<table><tr><td class="gutter"><pre>1` + "\n2\n3" + `</pre></td><td class="code">` + code + `</td></tr></table>`,
		"links":           `<table><tr><td class="linenos"><div class="linenodiv"><pre><a href="#1"> 1</a>` + "\n" + `<a href="#2"> 2</a></pre></div></td><td>` + code + `</td></tr></table>`,
		"a span a line":   `<pre><span class="line-number">1</span>def lift():` + "\n" + `<span class="line-number">2</span>    raise</pre>`,
		"a div":           `<div class="CodeMirror-gutter x"><div>1</div><div>2</div></div>` + code,
		"marks and nbsp":  `<div class="ln">1.&nbsp;|</div>` + code,
		"without a name":  "<table><tr><td><pre>1\n2\n3\n</pre></td><td>" + code + "</td></tr></table>",
		"numbers of Hugo": `<pre><code><span class="ln"> 1</span>def lift():` + "\n" + `<span class="ln"> 2</span>    raise</code></pre>`,
	} {
		if got := PlainText([]byte(in), nil); strings.TrimSpace(got) != "def lift():\n    raise" {
			t.Errorf("%s: %q", name, got)
		}
		if got := Text([]byte(in), nil); got != "def lift(): raise" && got != "def lift():\nraise" {
			t.Errorf("%s: the text is %q", name, got)
		}
	}
	for _, in := range []string{`<p class="gutter">On 3 March</p>`, `<p class="ln"></p>`, `<p class="number">2</p>`, "<pre>1\n2\n4</pre>", "<pre>2\n3\n4</pre>", "<pre>1 2</pre>", `<p class="gutter">1<b>2</p>`,
		`<pre class="line-numbers"><code>127.0.0.1:8080</code></pre>`, `<div class="gutter">1299.50</div>`, `<p>Bus <span class="line-number">12</span></p>`, "<pre>1\n2\n3</pre>", "<p>Output:</p><pre><code>1\n2\n3</code></pre>",
		`<div class="gutter">4 7 9</div>`, `<td class="ln">12.50</td>`, `<p class="gutter">12`, `<br class="gutter">1`} {
		if got, want := Text([]byte(in), nil), EarlierText([]byte(in), nil); got != want {
			t.Errorf("%s: %q, want %q", in, got, want)
		}
	}
}
