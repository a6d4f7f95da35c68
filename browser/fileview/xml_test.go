package fileview

import (
	"strings"
	"testing"

	"golang.org/x/net/html"
)

func TestXMLWithAStyleSheetBecomesAPage(t *testing.T) {
	page := func(body string, sheets ...string) string {
		t.Helper()
		p, ok := StyledPage(&File{URL: "http://a.test/notes.xml", ContentType: "text/xml", Data: []byte(body)}, sheets)
		if !ok {
			t.Fatalf("no page of %s", body)
		}
		return p
	}
	for _, tc := range []struct{ name, body, sheet, want string }{
		{"names that HTML knows", `<note><head>Tides</head><body>High <b>water</b></body></note>`, "", `<x-note class="x-root"><x-head>Tides</x-head><x-body>High <x-b>water</x-b></x-body></x-note>`},
		{"an element without content", `<log><br/>six</log>`, "", `<x-log class="x-root"><x-br></x-br>six</x-log>`},
		{"elements of XHTML", `<log xmlns:h="http://www.w3.org/1999/xhtml"><h:a href="/p" onclick="go()" style="color:red">six<h:br/></h:a></log>`, "", `<x-log class="x-root"><a href="/p" style="color:red">six<br></a></x-log>`},
		{"no script", `<log xmlns:h="http://www.w3.org/1999/xhtml"><h:script>go()</h:script></log>`, "", `<x-log class="x-root"><x-script>go()</x-script></x-log>`},
		{"attributes", `<log day="6" class="low" style="x" hidden="" onload="go()" xml:lang="cy">a</log>`, "", `<x-log day="6" lang="cy" class="low x-root">a</x-log>`},
		{"letters and signs", `<Log.Entry a="&quot;&lt;">&lt;&amp;&eacute;<![CDATA[<b>]]></Log.Entry>`, "", `<x-log-entry a="&#34;&lt;" class="x-root">&lt;&amp;é&lt;b&gt;</x-log-entry>`},
		{"type selectors", `<a>b</a>`, "note > title, b.low c[d=e]:first-child + #f, * g { color: red; margin: 0 1px }", "x-note>x-title,x-b.low x-c[d=e]:first-child+#f,* x-g{color:red;margin:0 1px;}"},
		{"the root", `<a>b</a>`, ":root, h|a, *|b, |c { color: red }", ".x-root,x-a,x-b,x-c{color:red;}"},
		{"functions", `<a>b</a>`, "a:not(b, .c) { color: rgb(1, 2, 3) }", "x-a:not(x-b,.c){color:rgb(1,2,3);}"},
		{"rules in rules", `<a>b</a>`, `@namespace h url("x"); @media print { a { color: red } }`, "@media print{x-a{color:red;}}"},
		{"an end of the style", `<a>b</a>`, `a::before { content: "</style><script>" }`, `content:"<\/style><script>"`},
	} {
		if got := page(tc.body, tc.sheet); !strings.Contains(got, tc.want) {
			t.Errorf("%s:\n%s\nwant %s", tc.name, got, tc.want)
		}
	}
	for _, broken := range []string{"", "<a>", "<a></b>", "<a></a></a>", "text", strings.Repeat(" ", maxXML) + "<a/>"} {
		if _, ok := StyledPage(&File{Data: []byte(broken)}, nil); ok {
			t.Errorf("a page of %.20q", broken)
		}
	}
}

func FuzzStyledPage(f *testing.F) {
	f.Add("<a><b c='d'>e</b></a>", "a b { color: red }")
	f.Add("<h:p xmlns:h='http://www.w3.org/1999/xhtml'>x</h:p>", "h|p:not(:root) { }")
	f.Fuzz(func(t *testing.T, body, sheet string) {
		page, ok := StyledPage(&File{Data: []byte(body)}, []string{sheet})
		if !ok {
			return
		}
		root, err := html.Parse(strings.NewReader(page))
		if err != nil {
			t.Fatal(err)
		}
		styles := 0
		for n := range root.Descendants() {
			switch {
			case n.Type == html.ElementNode && n.Data == "style":
				styles++
			case n.Type == html.ElementNode && n.Data != "html" && n.Parent.Data != "html" && n.Parent.Data != "head" && !strings.HasPrefix(n.Data, elementPrefix) && !shownNames[n.Data]:
				t.Errorf("<%s> in %q", n.Data, page)
			}
			for _, a := range n.Attr {
				if strings.HasPrefix(a.Key, "on") {
					t.Errorf("%s in %q", a.Key, page)
				}
			}
		}
		if styles != 1 {
			t.Errorf("%d styles in %q", styles, page)
		}
	})
}
