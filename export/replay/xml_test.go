package replay

import (
	"encoding/xml"
	"io"
	"strings"
	"testing"

	nethtml "golang.org/x/net/html"

	"plat/plat"
)

const sheeted = `<!--?xml-stylesheet type="text/css" href="s.css"?-->`

// ofXML returns a version with a document of XML, its manifest, and its sheets.
func ofXML(css ...string) (*plat.Version, plat.Manifest, sheets) {
	v := &plat.Version{URL: "https://a.test/d/n.xml", Capture: plat.Capture{FinalURL: "https://a.test/d/n.xml", ContentType: "text/xml"}}
	kept := sheets{css: map[plat.Hash]string{}}
	var m plat.Manifest
	for _, url := range css {
		h := plat.HashOf([]byte(url))
		kept.css[h] = "p{display:block}"
		m = append(m, plat.Resource{URL: url, Type: "text/css", Hash: h, Size: 16})
	}
	return v, m, kept
}

func TestExportsOfXML(t *testing.T) {
	for in, want := range map[string]string{
		sheeted + `<n><p>a &amp; b&nbsp;c</p><!--x--><q></q></n>`:                                                 `<?xml-stylesheet type="text/css" href="s.css"?><n><p>a &amp; b` + "\u00a0" + `c</p><q></q></n>`,
		`<!DOCTYPE n><!--?xml-stylesheet href='/d/s.css' media="(scripting)" charset="x"?--><n></n>`:              `<?xml-stylesheet type="text/css" href="s.css" media="(min-width:0)"?><n></n>`,
		`<!--?xml-stylesheet href="none.css"?-->` + sheeted + `<n></n>`:                                           `<?xml-stylesheet type="text/css" href="s.css"?><n></n>`,
		`<!--?xml-stylesheet href="https://b.test/t.css"?--><n></n>`:                                              `<?xml-stylesheet type="text/css" href="data:text/css;charset=utf-8;base64,cHtkaXNwbGF5OmJsb2NrfQ=="?><n></n>`,
		sheeted + `<n><script>a</script><x:script xmlns:x="urn:x">b</x:script></n>`:                               `<?xml-stylesheet type="text/css" href="s.css"?><n><x:script xmlns:x="urn:x">b</x:script></n>`,
		sheeted + `<n onclick="a" data-plat-x="a"><a href="javascript:a">a</a><link rel="x" href="b"></link></n>`: `<?xml-stylesheet type="text/css" href="s.css"?><n><a>a</a><link href="b"></link></n>`,
		// These are written as HTML.
		`<!--?xml-stylesheet type="text/xsl" href="s.css"?--><n></n>`: "",
		`<n>` + sheeted + `</n>`:   "",
		sheeted + `<n></m>`:        "",
		sheeted + `<n></n><m></m>`: "",
		sheeted + `<x:n></x:n>`:    "",
		sheeted + `<n>&foo;</n>`:   "",
		sheeted + `<n`:             "",
		sheeted:                    "",
	} {
		v, m, kept := ofXML("https://a.test/d/s.css", "https://b.test/t.css")
		page, _, err := Playable(t.Context(), kept, v, m, nil, []byte(in))
		if err != nil {
			t.Fatal(err)
		}
		if want == "" && page.Type != htmlType || want != "" && (page.Type != xmlType || string(page.Body) != want) {
			t.Errorf("%s\nbecomes %s %s\nwant    %s", in, page.Type, page.Body, want)
		}
	}
}

// Sheets of other hosts stand in an exported document: a document that names many of them, or one many times, is not
// much larger than they are.
func TestManySheetsOfXML(t *testing.T) {
	v, m, kept := ofXML("https://b.test/t.css")
	kept.css[m[0].Hash] = strings.Repeat("p{display:block}\n", 100_000)
	in := strings.Repeat(`<!--?xml-stylesheet href="https://b.test/t.css"?-->`, 100) + "<n></n>"
	page, _, err := Playable(t.Context(), kept, v, m, nil, []byte(in))
	if err != nil || len(page.Body) > maxTakenIn+len(in) {
		t.Errorf("%d bytes become %d, %v", len(in), len(page.Body), err)
	}
}

// Replays of a server show elements by names of HTML, too: they are under its policy.
func TestViewsOfXML(t *testing.T) {
	v, m, kept := ofXML("https://a.test/d/s.css")
	a := Key("k").Assets("/asset/", plat.HashOf(nil), m)
	o := View{Assets: a, Link: func(url string) string { return "/web/1/" + url }, Banner: "<p>b</p>", State: &plat.PageState{Selected: []string{"href"}},
		Marks: Marks{".0.1": "new"}, MarkStyle: "<style>x</style>"}
	in := sheeted + `<n><script>a</script><p Href="q">b</p><h:a xmlns:h="http://www.w3.org/1999/xhtml" href="r#s">c</h:a></n>`
	want := `<?xml-stylesheet type="text/css" href="` + a.prefix + `0"?><n><div xmlns="http://www.w3.org/1999/xhtml"><p>b</p></div><script>a</script>` +
		`<p Href="q" data-plat-href="q" data-plat="new">b</p><h:a xmlns:h="http://www.w3.org/1999/xhtml" href="/web/1/https://a.test/d/r" data-plat-href="r#s">c</h:a>` +
		`<div xmlns="http://www.w3.org/1999/xhtml" style="display:none"><style>x</style></div></n>`
	page, err := o.Page(t.Context(), kept, v, []byte(in))
	if err != nil || page.Type != xmlType || string(page.Body) != want {
		t.Errorf("%s becomes\n%s %s, %v\nwant\n%s", in, page.Type, page.Body, err, want)
	}
}

// FuzzXML checks that an exported document is well-formed, that it has no active elements, and that a parser of HTML
// finds none either.
func FuzzXML(f *testing.F) {
	for _, m := range mutations {
		f.Add("<n>" + m + "</n>")
	}
	f.Add(`<n xmlns:h="http://www.w3.org/1999/xhtml"><h:style>a{b:url(x)}</h:style><svg xmlns="http://www.w3.org/2000/svg"><set/></svg><style>@import "x"</style></n>`)
	f.Add(`<?xml-stylesheet href="s.css"?><script>a</script>`)
	v, m, kept := ofXML("https://a.test/d/s.css", "https://b.test/t.css")
	f.Fuzz(func(t *testing.T, page string) {
		shown, _, err := Playable(t.Context(), kept, v, m, nil, []byte(sheeted+page))
		if err != nil {
			t.Fatal(err)
		}
		if shown.Type != xmlType {
			return
		}
		if len(shown.Body) > 1000+20*len(page) {
			t.Fatalf("%d bytes become %d", len(page), len(shown.Body))
		}
		for d := xml.NewDecoder(strings.NewReader(string(shown.Body))); ; {
			token, err := d.Token()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatalf("%s is no XML: %v", shown.Body, err)
			}
			if start, ok := token.(xml.StartElement); ok && (start.Name.Space == xhtmlSpace && active[strings.ToLower(start.Name.Local)] || start.Name.Space == svgSpace && !svgNames[start.Name.Local]) {
				t.Fatalf("%s has the element %v", shown.Body, start.Name)
			}
		}
		for z := nethtml.NewTokenizer(strings.NewReader(string(shown.Body))); ; {
			kind := z.Next()
			if kind == nethtml.ErrorToken {
				return
			}
			token := z.Token()
			if token.Data == "script" && (kind == nethtml.StartTagToken || kind == nethtml.SelfClosingTagToken) {
				t.Fatalf("%s has a script for a parser of HTML", shown.Body)
			}
			for _, a := range token.Attr {
				if strings.HasPrefix(a.Key, "on") {
					t.Fatalf("%s has a handler", shown.Body)
				}
			}
		}
	})
}
