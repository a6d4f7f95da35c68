package web

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"plat/export/replay"
	"plat/plat"
)

const styled = `text/xml|<?xml version="1.0" encoding="utf-8"?><?xml-stylesheet type="text/css" href="s.css"?>`

// xmlLooks are documents of XML with style sheets.
var xmlLooks = []look{
	{"XHTML with sheets by instructions", map[string]string{"/": `application/xhtml+xml|<?xml version="1.0"?><?xml-stylesheet href="c/s.css"?><!-- c --><?xml-stylesheet type="text/css" href="t.css" media="screen"?><!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-strict.dtd"><html xmlns="http://www.w3.org/1999/xhtml"><head><title>t</title><style>p{border:4px solid blue}</style></head><body style="font-size:40px"><p>a</p><table><tr><td>forty</td></tr></table></body></html>`, "/c/s.css": `p{background:red;border:9px solid lime}td{background:url(a.svg)}`, "/c/a.svg": square("gold"), "/t.css": `table{background:aqua}`}},
	{"XHTML with sheets by instructions, in a frame and without a head", map[string]string{"/": pageTop + `<iframe src=f.xhtml style="border:0" width=300 height=90></iframe><iframe src=g.xhtml style="border:0" width=300 height=90></iframe>`, "/f.xhtml": `application/xhtml+xml|<?xml-stylesheet href="s.css"?><!DOCTYPE html><html xmlns="http://www.w3.org/1999/xhtml"><body style="font-size:40px"><table><tr><td>forty</td></tr></table></body></html>`, "/g.xhtml": `application/xhtml+xml|<?xml-stylesheet href="s.css"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title>t</title></head><body><p>p</p></body></html>`, "/s.css": `td,p{background:lime}`}},
	{"XML with names of HTML", map[string]string{"/": styled + `<notice><head>Head</head><title>Title</title><body>Body<br/><link href="x">Link</link><table><tr><td>a</td></tr>text in a table</table><p>one<p>two</p></p></body></notice>`, "/s.css": `notice,head,body,title,p{display:block} head{background:red} title{background:lime} p{margin:8px;border:2px solid} link{color:blue}`}},
	{"XML with names in upper case", map[string]string{"/": styled + `<CATALOG><Item Kind="new">One</Item><ITEM kind="New">Two</ITEM><IMG SRC="a.svg">Three</IMG></CATALOG>`, "/s.css": `CATALOG,Item,ITEM,IMG{display:block} Item[Kind="new"]{background:red} ITEM[kind="New"]{background:lime} item{background:black} IMG[SRC]{border:3px solid blue}`}},
	{"XML with many sheets", map[string]string{"/": `application/xml|<?xml-stylesheet href="print.css" type="text/css" media="print"?><?xml-stylesheet type='text/css' href='a/s.css'?><?xml-stylesheet href="none.css" type="text/css"?><?xml-stylesheet href="alt.css" type="text/css" title="Other" alternate="yes"?><doc><p>text</p></doc>`, "/print.css": `p{background:black}`, "/alt.css": `p{background:black}`, "/a/s.css": `@import "more.css"; p{display:block;height:60px;background:url(p.svg)}`, "/a/more.css": `doc{display:block;background:#ddd}`, "/a/p.svg": square("red")}},
	{"XML with namespaces", map[string]string{"/": styled + `<d:doc xmlns:d="urn:doc" xmlns="urn:other"><d:note>d</d:note><note>other</note><note xmlns="">none</note><d:link d:href="x">linked</d:link></d:doc>`, "/s.css": `@namespace d "urn:doc";@namespace o url(urn:other); d|doc,d|note,*|note,*|link{display:block} d|note{background:red} o|note{background:lime} |note{background:blue} d|link[d|href]{border:2px solid}`}},
	{"XML with generated text", map[string]string{"/": styled + `<list><item n="3">a</item><!-- a remark --><item>b<!-- c -->d</item><item/></list>`, "/s.css": `:root{display:block;counter-reset:i} item{display:list-item;margin-left:40px;counter-increment:i} item::before{content:counter(i) "/" attr(n) " "} item:empty::after{content:"nothing --> <b>";background:red} item:last-child{background:lime}`}},
	{"XML with HTML in it", map[string]string{"/": styled + `<doc xmlns:h="http://www.w3.org/1999/xhtml"><h:style>h|p{background:red} @namespace h "x";</h:style><h:a href="/x">link</h:a> <h:img src="a.svg" width="90"/><h:p style="color:blue">para <h:b>bold</h:b></h:p><h:form action="/x"><h:button>button</h:button></h:form><h:ul><h:li>one</h:li></h:ul></doc>`, "/s.css": `doc{display:block;background:#eee}`, "/a.svg": square("red")}},
	{"XML with a drawing", map[string]string{"/": styled + `<doc>before <svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="120" height="40"><defs><rect id="r" width="60" height="40" fill="red"/></defs><use xlink:href="#r"/><g style="fill:lime"><rect x="60" width="60" height="40"/></g></svg> after <math xmlns="http://www.w3.org/1998/Math/MathML"><mfrac><mi>a</mi><mn>2</mn></mfrac></math></doc>`, "/s.css": `doc{display:block;font-size:30px}`}},
	{"XML as a table", map[string]string{"/": styled + "<rows>\n  <row><a>1</a><b>two words</b></row>\n  <row><a>22</a><b>x</b></row>\n</rows>", "/s.css": `rows{display:table;border-spacing:5px} row{display:table-row} a,b{display:table-cell;border:1px solid red;padding:4px}`}},
	{"XML with entities", map[string]string{"/": `text/xml|<?xml version="1.0"?><!DOCTYPE doc [<!ENTITY who "a &amp; b"><!ATTLIST p kind CDATA "usual">]><?xml-stylesheet type="text/css" href="s.css"?><doc><p>&who; &#160;&#xA0;| <![CDATA[<p> & ]]></p><p kind="odd" xml:space="preserve">  two
  lines</p></doc>`, "/s.css": `p{display:block} p[kind=usual]{background:red} p[kind=odd]{white-space:pre;background:lime}`}},
	{"XML with a sheet in its address", map[string]string{"/": `text/xml|<?xml-stylesheet type="text/css" href="data:text/css,p%7Bdisplay:block;background:red%7Dq%7Bbackground:lime%7D"?><doc><p>p</p><q>q</q></doc>`}},
	{"XML in languages", map[string]string{"/": styled + `<doc xml:lang="de"><p>eins</p><p xml:lang="en">one</p><p>中文 é</p></doc>`, "/s.css": `p{display:block;font-family:sans-serif} p:lang(de){background:red} p:lang(en){background:lime} p:not(:defined){display:none}`}},
	{"XML with names of active elements", map[string]string{"/": `application/xml|<?xml-stylesheet type="text/css" href="s.css"?><notes><style>grand</style><form>sonnet</form><input>in</input><plaintext>plain</plaintext></notes>`, "/s.css": `notes *{display:block} style{background:red} form{background:lime}`}},
	{"XML with selectors by address", map[string]string{"/": styled + `<doc><link href="/in">1</link><link href="http://other.test/">2</link><src src="a">3</src></doc>`, "/s.css": `doc *{display:block} link[href^="/"]{background:red} link[href^=http]{background:lime} [src]{border:2px solid}`}},
}

// An exported document of XML is played without a policy: nothing in it may run, as XML and as HTML.
func TestExportedXMLRunsNothing(t *testing.T) {
	const html, svg = `xmlns:h="http://www.w3.org/1999/xhtml"`, `xmlns:s="http://www.w3.org/2000/svg" xmlns:x="http://www.w3.org/1999/xlink"`
	bodies := []string{
		`<h:script ` + html + `>BAD</h:script>`, `<script xmlns="http://www.w3.org/1999/xhtml">BAD</script>`, `<script>BAD</script>`, `<SCRIPT>BAD</SCRIPT>`,
		`<h:img ` + html + ` src="x:" onerror="BAD"/>`, `<img src="x:" onerror="BAD"></img>`, `<h:body ` + html + ` onload="BAD"/>`, `<body onload="BAD"/>`,
		`<s:svg ` + svg + `><s:script>BAD</s:script></s:svg>`, `<s:svg ` + svg + `><s:set attributeName="x" begin="0s" dur="1s" onbegin="BAD"/></s:svg>`,
		`<svg xmlns="http://www.w3.org/2000/svg" onload="BAD"></svg>`, `<h:iframe ` + html + ` src="javascript:parent.BAD"/>`, `<iframe srcdoc="&lt;script&gt;parent.BAD&lt;/script&gt;"/>`,
		`<h:a ` + html + ` href="javascript:BAD" id="a">a</h:a>`, `<a href="javascript:BAD">a</a>`, `<s:svg ` + svg + `><s:a x:href="javascript:BAD"><s:text>a</s:text></s:a></s:svg>`,
		`<h:meta ` + html + ` http-equiv="refresh" content="0;url=javascript:BAD"/>`, `<object data="javascript:BAD"/>`, `<h:embed ` + html + ` src="javascript:BAD"/>`,
		`<style>&lt;/style&gt;&lt;script&gt;BAD&lt;/script&gt;</style>`, `<xmp>&lt;/xmp&gt;&lt;script&gt;BAD&lt;/script&gt;</xmp>`, `<title><![CDATA[</title><script>BAD</script>]]></title>`,
		`<p q="&lt;script&gt;BAD&lt;/script&gt;">x</p>`, `<p xmlns:q="a&quot;&gt;&lt;script&gt;BAD&lt;/script&gt;">x</p>`, `<h:p ` + html + ` style="x" onfocus="BAD" autofocus="" tabindex="0">x</h:p>`,
		`<foo onfocus="BAD" autofocus="" tabindex="0">x</foo>`, `<s:svg ` + svg + `><s:a><s:animate attributeName="href" values="javascript:BAD"/><s:text>a</s:text></s:a></s:svg>`,
		`<math xmlns="http://www.w3.org/1998/Math/MathML"><mi href="javascript:BAD" onclick="BAD">a</mi></math>`, `<!-- --><noscript>&lt;/noscript&gt;&lt;script&gt;BAD&lt;/script&gt;</noscript>`,
	}
	bad := strings.NewReplacer("BAD", "window.name='bad'")
	kinds := []string{"/xml", "/html", "/raw"}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		kind, n := "", 0
		if _, err := fmt.Sscanf(r.URL.Path, "/%d/%s", &n, &kind); err != nil || n >= len(bodies) {
			http.NotFound(w, r)
			return
		}
		doc := `<doc>` + bad.Replace(bodies[n]) + `</doc>`
		if kind == "raw" {
			w.Header().Set("Content-Type", "text/xml")
			fmt.Fprint(w, `<?xml-stylesheet type="text/css" href="data:text/css,doc%7Bdisplay:block%7D"?>`+doc)
			return
		}
		v := &plat.Version{URL: "http://hostile.test/", Capture: plat.Capture{FinalURL: "http://hostile.test/", ContentType: "text/xml"}}
		page, _, err := replay.Playable(r.Context(), nil, v, nil, nil, []byte(`<!--?xml-stylesheet type="text/css" href="data:text/css,doc%7Bdisplay:block%7D"?-->`+strings.ReplaceAll(strings.ReplaceAll(doc, "<![CDATA[</title><script>", "&lt;/title&gt;&lt;script&gt;"), "</script>]]>", "&lt;/script&gt;")))
		if err != nil || !strings.HasPrefix(page.Type, "application/xml") {
			t.Errorf("%s becomes %s, %v", doc, page.Type, err)
		}
		if kind == "html" {
			page.Type = "text/html"
		}
		w.Header().Set("Content-Type", page.Type)
		w.Write(page.Body)
	}))
	defer srv.Close()
	e := newEye(t, srv.URL)
	e.window(1280, 900, 1)
	ran := 0
	for n := range bodies {
		for _, kind := range kinds {
			e.open(fmt.Sprint("/", n, kind))
			time.Sleep(50 * time.Millisecond)
			see[bool](e, `document.querySelectorAll('*').forEach(a => a.dispatchEvent(new MouseEvent('click', {bubbles: true, cancelable: true}))), true`)
			name := see[string](e, `window.name`)
			see[bool](e, `window.name = '', true`)
			switch {
			case kind == "/raw" && name != "":
				ran++
			case kind != "/raw" && name != "":
				t.Errorf("a script ran in %s as %s", bodies[n], kind)
			}
		}
	}
	t.Logf("as they were, %d of %d documents ran a script", ran, len(bodies))
	if ran < 6 {
		t.Errorf("as they were, only %d of %d documents ran a script: the test shows little", ran, len(bodies))
	}
}
