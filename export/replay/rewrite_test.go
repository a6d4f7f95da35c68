package replay

import (
	"fmt"
	"os"
	"strings"
	"testing"

	nethtml "golang.org/x/net/html"

	"plat/plat"
	"plat/plat/weburl"
)

// assetsOf returns resources with the given URLs; omitted ones have a reason.
func assetsOf(urls ...string) *Assets {
	var all []plat.Resource
	for _, u := range urls {
		u, left, _ := strings.Cut(u, " ")
		all = append(all, plat.Resource{URL: u, Left: plat.OmitReason(left)})
	}
	return &Assets{manifest: plat.ManifestOf(all), prefix: "/asset/k/m/"}
}

// served returns a View whose links lead to mementos of 31 January.
func served(a *Assets) View {
	return View{Assets: a, Link: func(url string) string { return "/web/20260131120000/" + url }}
}

func rewritten(a *Assets, page string) string {
	w := &rewriter{View: served(a)}
	return string(w.page([]byte(page), weburl.NewBase("http://a.test/dir/page")))
}

func TestReferencesPointIntoTheArchive(t *testing.T) {
	a := assetsOf("http://a.test/dir/a.png", "http://a.test/b.png", "http://cdn.test/c.css?x=1&y=2", "http://a.test/dir/gone.png failed", "http://a.test/s.svg")
	for in, want := range map[string]string{
		`<p class="x">as it stood</p>`: `<p class="x">as it stood</p>`,
		`<img src="a.png">`:            `<img src="/asset/k/m/1">`,
		`<img src="gone.png">`:         `<img src="data:,">`,
		`<html><head> <title>t</title><iframe><template data-plat-frame><p>x</p></template></iframe><div>a<img src="a.png"></div>b<style>i{top:0}</style></head><body class="c">d</body></html>`: `<html><head> <title>t</title><style>i{top:0}</style></head><body class="c">d</body></html>`,
		`<img src=" ">`:                                                                                          `<img src="">`,
		`<img src="never.png" alt="a &amp; b">`:                                                                  `<img alt="a &amp; b">`,
		`<img src="data:image/gif;base64,AA">`:                                                                   `<img src="data:image/gif;base64,AA">`,
		`<img srcset="never.png 2x, /b.png 1x">`:                                                                 `<img srcset="/asset/k/m/0 1x" src="/asset/k/m/0">`,
		`<img srcset="never.png 2x, gone.png 1x" src="a.png">`:                                                   `<img srcset="about:invalid 1x" src="/asset/k/m/1">`,
		`<img srcset="gone.png 2x, /b.png 1x" src="a.png">`:                                                      `<img srcset="about:invalid 2x, /asset/k/m/0 1x" src="/asset/k/m/1">`,
		`<img srcset="never.png 2x" src="a.png">`:                                                                `<img src="/asset/k/m/1">`,
		`<img src="a.png" onerror="x()" loading="lazy">`:                                                         `<img src="/asset/k/m/1">`,
		`<a href="../other?q=1#f" target="_top" ping="/p">x</a>`:                                                 `<a href="/web/20260131120000/http://a.test/other?q=1#f">x</a>`,
		`<a href="#part">x</a>`:                                                                                  `<a href="#part">x</a>`,
		`<a href=" javascript:x()">x</a>`:                                                                        `<a href="#">x</a>`,
		`<a href="mailto:x@a.test">x</a>`:                                                                        `<a href="mailto:x@a.test">x</a>`,
		`<a href="FTP://a.test/">x</a>`:                                                                          `<a href="ftp://a.test/">x</a>`,
		`<a href="magnet:?xt=x&amp;y">x</a>`:                                                                     `<a href="magnet:?xt=x&amp;y">x</a>`,
		`<a href="data:text/html,x">x</a><a href="vbscript:x">x</a><a href="view-source:x">x</a>`:                `<a href="#">x</a><a href="#">x</a><a href="#">x</a>`,
		`<a href="http://[bad">x</a><a href="http://">x</a><area href="https://a b/">`:                           `<a href="#">x</a><a href="#">x</a><area href="#">`,
		"<pre>\ntwo</pre><pre>one</pre>":                                                                         "<pre>\n\ntwo</pre><pre>one</pre>",
		"<pre id=\"a\"><!--plat:before x--><!--c-->\n\nx</pre><listing>\n</listing>":                             "<pre id=\"a\">\n\n\nx</pre><listing>\n\n</listing>",
		"<textarea>\nx</textarea><svg><pre>\nx</pre></svg>":                                                      "<textarea>\n\nx</textarea><svg><pre>\nx</pre></svg>",
		"<xmp>\na\r&amp;</xmp>":                                                                                  "<pre>\n\na&#013;&amp;amp;</pre>",
		"<p title=\"a\rb\">c\rd\n</p><b data-plat-x=\"\" title=\"\r\"></b>":                                      "<p title=\"a&#013;b\">c&#013;d\n</p><b title=\"&#013;\"></b>",
		`<base href="/sub/"><img src="../b.png">`:                                                                `<img src="/asset/k/m/0">`,
		`<link rel="stylesheet" href="//cdn.test/c.css?x=1&amp;y=2" media="print" integrity="sha">`:              `<link rel="stylesheet" href="/asset/k/m/4" media="print">`,
		`<link rel="preload" href="a.png">`:                                                                      ``,
		`<script>x()</script><p>y</p>`:                                                                           `<p>y</p>`,
		`<noscript><p>never seen</p></noscript>`:                                                                 ``,
		`<meta http-equiv="refresh" content="0"><meta charset="gbk"><meta name="a" content="b">`:                 `<meta name="a" content="b">`,
		`<p style="background:url(a.png)">x</p>`:                                                                 `<p style="background:url(&#34;/asset/k/m/1&#34;)">x</p>`,
		`<style>p { background: url("../b.png") }</style>`:                                                       `<style>p { background: url("/asset/k/m/0") }</style>`,
		`<svg viewBox="0 0 1 1"><use xlink:href="/s.svg#i"></use><linearGradient id="g"></linearGradient></svg>`: `<svg viewBox="0 0 1 1"><use></use><linearGradient id="g"></linearGradient></svg>`,
		`<form action="/login" method="post"><input name="q"></form>`:                                            `<form method="post"><input name="q"></form>`,
		`<video src="v.mp4" poster="a.png" autoplay=""></video>`:                                                 `<video poster="/asset/k/m/1">` + noControls + `</video>`,
		`<video controls="" poster="never.png"></video>`:                                                         `<video controls=""></video>`,
		`<object data="x.swf"><p>instead</p></object>`:                                                           `<object><p>instead</p></object>`,
		`<object data="x.swf" width="9"><param name="a"> </object>`:                                              `<img width="9" src="` + unsized + `" data-plat-was="object">`,
		`<object data="gone.png"> </object>`:                                                                     `<object><span></span> </object>`,
		`<embed src="x.swf?y">`:                                                                                  `<img src="` + unsized + `" data-plat-was="embed">`,
		`<embed src="x.png">`:                                                                                    `<embed>`,
		`<p data-on="x" data="y">x</p>`:                                                                          `<p data-on="x" data="y">x</p>`,
	} {
		if got := rewritten(a, in); got != want {
			t.Errorf("%s\nbecomes %s\nwant    %s", in, got, want)
		}
	}
}

func TestFramesAreInlined(t *testing.T) {
	a := assetsOf("http://a.test/inner/x.png", "http://a.test/inner/deep/y.png")
	got := rewritten(a, `<iframe src="/inner/"><template data-plat-frame><html><body><img src="x.png"><script>x()</script>`+
		`<iframe src="deep/"><template data-plat-frame><p>"deep" <img src="y.png"></p></template></iframe></body></html></template></iframe><p>after</p>`)
	want := `<iframe srcdoc="&lt;html&gt;&lt;body&gt;&lt;img src=&#34;/asset/k/m/1&#34;&gt;&lt;template&gt;&lt;/template&gt;` +
		`&lt;iframe srcdoc=&#34;&amp;lt;p&amp;gt;&amp;#34;deep&amp;#34; &amp;lt;img src=&amp;#34;/asset/k/m/0&amp;#34;&amp;gt;&amp;lt;/p&amp;gt;&#34;&gt;&lt;/iframe&gt;&lt;/body&gt;&lt;/html&gt;"></iframe><p>after</p>`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestNestedFramesAreLimited(t *testing.T) {
	page := strings.Repeat(`<iframe><template data-plat-frame>"&amp;"`, 3000) + strings.Repeat("</template></iframe>", 3000)
	if got := rewritten(assetsOf(), page); len(got) > 20*len(page) || strings.Count(got, "srcdoc") != maxDepth {
		t.Errorf("%d bytes of frames in one another become %d, with %d documents", len(page), len(got), strings.Count(got, "srcdoc"))
	}
}

func TestInsertedRulesKeepTheirPlace(t *testing.T) {
	page := `<html><head><script>x()</script><style></style></head><body><p>x</p><div><template shadowrootmode="open"><style>a</style><b>y</b></template><i>z</i></div></body></html>`
	w := &rewriter{View: served(assetsOf())}
	for place, css := range map[*plat.StylePlace]string{
		{Path: []int32{0, 0, 1}}:                 "p { color: red } /* </style> */",
		{Path: []int32{0, 1, 1, ^0, 0}}:          "b { color: blue }",
		{Adopted: 1}:                             "i { color: green }",
		{Path: []int32{0, 1, 1, ^0}, Adopted: 1}: "b { top: 0 }",
	} {
		w.addStyle(*place, css)
	}
	got := string(w.page([]byte(page), weburl.NewBase("http://a.test/")))
	want := `<html><head><style>p { color: red } /* < /style> */</style></head><body><p>x</p><div><template shadowrootmode="open"><style>b { color: blue }</style><b>y</b>` +
		"<style>b { top: 0 }\n</style></template><i>z</i></div></body></html><style>i { color: green }\n</style>"
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestCanvasesHaveTheirPictures(t *testing.T) {
	page := `<html><body><canvas></canvas><p><canvas style="top: 0" width="5">old</canvas></p><div><template shadowrootmode="closed"><canvas></canvas></template></div></body></html>`
	for prefix, style := range map[string]string{
		"/asset/k/m/": `content:url(&#34;X&#34;)!important`,
		"":            `background-image:url(&#34;X&#34;)!important;background-size:var(--plat-fit,100% 100%)!important;background-position:var(--plat-at,0 0)!important;background-repeat:no-repeat!important;background-origin:content-box!important;background-clip:content-box!important`,
	} {
		w := &rewriter{View: served(&Assets{prefix: prefix}), canvases: map[string]string{
			pathKey([]int32{0, 0, 1, 0}): "X", pathKey([]int32{0, 0, 2, ^0, 0}): "X", pathKey([]int32{0, 0, 1}): "Y",
		}}
		got := string(w.page([]byte(page), weburl.NewBase("http://a.test/")))
		empty := ""
		if prefix != "" { // a canvas without a picture keeps its box
			empty = ` style="content:url(&#34;data:image/svg+xml,%3Csvg xmlns=&#39;http://www.w3.org/2000/svg&#39; width=&#39;300&#39; height=&#39;150&#39;/%3E&#34;)!important"`
		}
		want := `<html><body><canvas` + empty + `></canvas><p><canvas style="top: 0;` + style + `" width="5">old</canvas></p><div><template shadowrootmode="closed"><canvas style="` + style + `"></canvas></template></div></body></html>`
		if got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

func TestAnEmptyCanvasHasItsSize(t *testing.T) {
	for attrs, want := range map[string]string{
		``: "width='300' height='150'", `width=20 height="0"`: "width='20' height='0'", `width=" +7.9px" height=x`: "width='7' height='150'",
		`width=-1 height=99999`: "width='300' height='150'", `width=""`: "width='300' height='150'",
	} {
		z := nethtml.NewTokenizer(strings.NewReader("<canvas " + attrs + ">"))
		z.Next()
		if got := emptyCanvas(z.Token().Attr); !strings.Contains(got, want) {
			t.Errorf("%s: %s, want %s", attrs, got, want)
		}
	}
}

func TestMarksAreOnTheElementsOfTheirBlocks(t *testing.T) {
	v := &plat.Version{Blocks: []plat.Block{
		{Parent: -1, Slot: -1},
		{Path: []int32{0, 0}, Run: 2, Slot: 0},
		{Path: []int32{0, 1}, Run: 1, Slot: 0, Pos: 1},
		{Path: []int32{0, ^2}, Run: 1, Slot: 0, Pos: 2}, // a text node
	}}
	w := &rewriter{View: served(assetsOf())}
	w.Marks = NewMarks(v, func(i int) string { return fmt.Sprint("c", i) })
	got := string(w.page([]byte(`<body><p>1</p><p>2</p>text<p>3</p></body>`), weburl.NewBase("http://a.test/")))
	if want := `<body><p data-plat="c1">1</p><p data-plat="c2">2</p>text<p>3</p></body>`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestStyleSheetsRequestOnlyTheArchive(t *testing.T) {
	a := assetsOf("http://a.test/css/a.png", "http://a.test/f.woff2", "http://a.test/css/b.css")
	for in, want := range map[string]string{
		`p{background:url(a.png)}`:                         `p{background:url("/asset/k/m/0")}`,
		`p{background:url( 'a.png' )}`:                     `p{background:url("/asset/k/m/0")}`,
		`p{background:URL("never.png")}`:                   `p{background:url("data:,")}`,
		`p{background:url(a\.png)}`:                        `p{background:url("/asset/k/m/0")}`,
		`p{background:url(\61.png)}`:                       `p{background:url("/asset/k/m/0")}`,
		`p{fill:url(#g)}`:                                  `p{fill:url("#g")}`,
		`@import "b.css" screen;p{content:"b.css"}`:        `@import "/asset/k/m/1" screen;p{content:"b.css"}`,
		`@import url(b.css);`:                              `@import url("/asset/k/m/1");`,
		`p{background:image-set("a.png" 1x, "no.png" 2x)}`: `p{background:image-set("/asset/k/m/0" 1x, "data:," 2x)}`,
		`@font-face{src:url(/f.woff2) format("woff2")}`:    `@font-face{src:url("/asset/k/m/2") format("woff2")}`,
		`@\69mport "never.css";`:                           `@\69mport "data:,";`,
		`p{background:u\72l(http://x.test/)}`:              `p{background:url("data:,")}`,
		`p{background:\75\000052\6c (a.png)}`:              `p{background:url("/asset/k/m/0")}`,
		`p{background:u\rl(a.png) x\75rl(a.png)}`:          `p{background:url("/asset/k/m/0") unknown(a.png)}`,
		`p{background:im\61ge-set("a.png" 1x)}`:            `p{background:image-set("/asset/k/m/0" 1x)}`,
		`p{content:"u\72l(a.png)"}`:                        `p{content:"url(a.png)"}`,
		`/* url(x.png) */ p{color:red}`:                    `/* url(x.png) */ p{color:red}`,
		`p{background:url(data:image/png;base64,AA==)}`:    `p{background:url("data:image/png;base64,AA==")}`,
	} {
		if got := a.CSS(in, weburl.NewBase("http://a.test/css/main.css")); got != want {
			t.Errorf("%s\nbecomes %s\nwant    %s", in, got, want)
		}
	}
}

// FuzzRewrite checks that rewriting any page terminates, and that a tokenizer
// finds no reference outside the archive in the result.
func FuzzRewrite(f *testing.F) {
	hostile, err := os.ReadFile("testdata/hostile.html")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(hostile))
	f.Add(`<iframe><template data-plat-frame><iframe><template data-plat-frame></template>`)
	f.Add(`<style>@import "x";a{b:url(`)
	f.Add(`</p></template></iframe><template shadowrootmode=open></div>`)
	f.Fuzz(func(t *testing.T, page string) {
		got := rewritten(assetsOf("http://a.test/a.png"), page)
		// Each frame document is escaped once per enclosing frame.
		if len(got) > 1000+len(page)*200 {
			t.Fatalf("%d bytes become %d", len(page), len(got))
		}
		assetsOf().CSS(page, weburl.NewBase("http://a.test/"))
	})
}

// BenchmarkRewrite rewrites a page of 3,000 elements.
func BenchmarkRewrite(b *testing.B) {
	page := []byte("<html><head><style>p{background:url(a.png)}</style></head><body>" +
		strings.Repeat(`<div class="card"><a href="/x/y?z=1"><img src="a.png" alt="picture"></a><p>Some words of a paragraph, as pages have them.</p></div>`, 750) + "</body></html>")
	a := assetsOf("http://a.test/dir/a.png")
	b.SetBytes(int64(len(page)))
	b.ReportAllocs()
	for b.Loop() {
		w := &rewriter{View: served(a)}
		w.page(page, weburl.NewBase("http://a.test/dir/page"))
	}
}
