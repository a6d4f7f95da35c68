package replay

import (
	"encoding/xml"
	"strings"
	"testing"
)

// drawn returns the result for the content of an SVG element, without the element around it.
func drawn(t *testing.T, inside string) string {
	t.Helper()
	kind, got := Alone("image/svg+xml", []byte(`<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:h="http://www.w3.org/1999/xhtml" xmlns:s="http://www.w3.org/2000/svg">`+inside+`</svg>`))
	in, ok := strings.CutPrefix(string(got), `<svg xmlns="http://www.w3.org/2000/svg">`)
	if kind != "image/svg+xml" || !ok {
		t.Fatalf("%s becomes %s of type %s", inside, got, kind)
	}
	return strings.TrimSuffix(in, "</svg>")
}

func TestExportedPicturesShowAndDoNothingElse(t *testing.T) {
	for in, want := range map[string]string{
		`<g fill="url(#a)"><path d="M0 0"/></g><text xml:space="preserve" class="x">a &lt; b</text>`:                          `<g fill="url(&quot;#a&quot;)"><path d="M0 0"></path></g><text xml:space="preserve" class="x">a &lt; b</text>`,
		`<style>.a &gt; b{fill:red}</style><style><![CDATA[ .a{fill:url(#x)} ]]></style>`:                                     `<style>.a &gt; b{fill:red}</style><style> .a{fill:url(&quot;#x&quot;)} </style>`,
		`<use xlink:href="#a" href="#b"/><image xlink:href="data:image/png;base64,AA"/>`:                                      `<use href="#a"></use><image href="data:image/png;base64,AA"></image>`,
		`<s:circle r="1"/><foreignObject><h:div style="color:red" onclick="BAD"><h:b>x</h:b></h:div></foreignObject>`:         `<circle r="1"></circle><foreignObject><div xmlns="http://www.w3.org/1999/xhtml" style="color:red"><b>x</b></div></foreignObject>`,
		`<animate attributeName="x" from="0" to="1"/><script>BAD</script><s:script>BAD</s:script><h:script>BAD</h:script>`:    `<animate attributeName="x" from="0" to="1"></animate>`,
		`<a xlink:href="javascript:BAD" target="_top"><rect onclick="BAD" onload="BAD" s:onload="BAD"/></a>`:                  `<a target="_top"><rect></rect></a>`,
		`<a><set attributeName="xlink:href" to="javascript:BAD"/><set attributeName="onclick" to="BAD"/></a>`:                 `<a><set attributeName="xlink:href"></set><set attributeName="onclick"></set></a>`,
		`<use href="data:image/svg+xml,x#y"/><use href="http://evil.test/x#y"/><image href="http://evil.test/x"/>`:            `<use></use><use></use><image></image>`,
		`<style>@import "http://evil.test/";</style><style>@imp<script/>ort "x"</style><rect fill="url(http://evil.test/)"/>`: `<style>@import &quot;data:,&quot;;</style><style>@import &quot;data:,&quot;</style><rect fill="url(&quot;data:,&quot;)"></rect>`,
		`<style>g:target,object,:defined{r:1}</style>`:                                                                        `<style>g:target,object,:defined{r:1}</style>`,
		`<?xml-stylesheet href="data:text/xsl,x"?><!-- x --><metadata><x/></metadata><h:iframe src="x"/><unknown/>`:           ``,
		`<h:meta http-equiv="refresh" content="0"/><h:base href="x"/><h:form action="x"/><handler>BAD</handler>`:              ``,
		`<rect xml:base="http://evil.test/" xlink:title="x" id:x="y" xmlns:id="z" id="a"/>`:                                   `<rect id="a"></rect>`,
	} {
		if got := drawn(t, in); got != want {
			t.Errorf("%s\nbecomes %s\nwant    %s", in, got, want)
		}
	}
}

func TestPicturesOfDrawingProgramsAreKept(t *testing.T) {
	in := "\ufeff<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<!DOCTYPE svg PUBLIC \"-//W3C//DTD SVG 1.1//EN\" \"http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd\" [\n\t<!ENTITY ns_svg \"http://www.w3.org/2000/svg\">\n]>\n" +
		`<svg xmlns="&ns_svg;" viewBox="0 0 1 1"><circle r="1"/></svg>`
	want := `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"><circle r="1"></circle></svg>`
	if kind, got := Alone("image/svg+xml", []byte(in)); kind != "image/svg+xml" || string(got) != want {
		t.Errorf("it is %s, %s", kind, got)
	}
	latin := `<?xml version="1.0" encoding="iso-8859-1"?><svg xmlns="http://www.w3.org/2000/svg">` + "\xe9</svg>"
	if _, got := Alone("image/svg+xml", []byte(latin)); !strings.Contains(string(got), "é") {
		t.Errorf("of another encoding it is %q", got)
	}
}

func TestResourcesAloneAreNoPages(t *testing.T) {
	const script = `<script>BAD</script>`
	for kind, want := range map[string]string{
		"text/html": typeUnknown, "application/xhtml+xml": typeUnknown, "text/xml": typeUnknown, "image/x+xml": typeUnknown, "font/x+xml": typeUnknown,
		"image/svg+xml": typeUnknown, "IMAGE/SVG+XML; charset=x": typeUnknown, "image/svg+xml x": typeUnknown, "text/html,image/png": typeUnknown,
		"image/\r\nx: y": typeUnknown, "text/javascript": typeUnknown, "": typeUnknown,
		"text/css": "text/css; charset=utf-8", "Text/CSS; charset=gbk": "text/css; charset=utf-8", "image/png": "image/png", "font/woff2": "font/woff2",
	} {
		if got, data := Alone(kind, []byte(script)); got != want || string(data) != script {
			t.Errorf("%q is of type %q, want %q: %s", kind, got, want, data)
		}
	}
}

// FuzzPictures checks that a separate picture, read by a different parser, contains only
// elements that display content.
func FuzzPictures(f *testing.F) {
	f.Add(`<svg xmlns="http://www.w3.org/2000/svg"><style>a{}</style><script>BAD</script><a href="#x" onclick="BAD">x</a></svg>`)
	f.Add(`<!DOCTYPE svg [<!ENTITY a "<script/>">]><s:svg xmlns:s="http://www.w3.org/2000/svg"><s:g>&a;<![CDATA[<script/>]]></s:g></s:svg>`)
	for _, m := range mutations {
		f.Add(`<svg xmlns="http://www.w3.org/2000/svg">` + m + `</svg>`)
	}
	f.Fuzz(func(t *testing.T, in string) {
		out, err := harmlessSVG([]byte(in), nil)
		if err != nil {
			return
		}
		if again, err := harmlessSVG(out, nil); err != nil || len(again) == 0 {
			t.Fatalf("%s is read otherwise: %v", out, err)
		}
		inertAnyhow(t, string(out))
		for d := xml.NewDecoder(strings.NewReader(string(out))); ; {
			token, err := d.Token()
			if err != nil {
				break
			}
			if e, ok := token.(xml.StartElement); ok && !svgNames[e.Name.Local] && !xhtmlNames[e.Name.Local] {
				t.Fatalf("<%s> in %s", e.Name.Local, out)
			}
		}
	})
}
