package replay

import (
	"strings"
	"testing"

	nethtml "golang.org/x/net/html"

	"plat/plat"
)

// withDrawing returns a page with a drawing at s.svg, as a server shows it and as an export has it.
func withDrawing(t testing.TB, page, drawing string) (shown, exported string) {
	t.Helper()
	hash := plat.HashOf([]byte(drawing))
	var all []plat.Resource
	for _, u := range []string{"https://a.test/d/s.svg", "https://b.test/s.svg", "https://a.test/d/i.png"} {
		r := plat.Resource{URL: u, Type: "image/svg+xml", Size: int64(len(drawing)), Hash: hash}
		if strings.HasSuffix(u, ".png") {
			r.Type = "image/png"
		}
		all = append(all, r)
	}
	m := plat.ManifestOf(all)
	store := sheets{css: map[plat.Hash]string{hash: drawing}}
	v := &plat.Version{URL: "https://a.test/d/", Capture: plat.Capture{FinalURL: "https://a.test/d/page"}}
	view := served(&Assets{manifest: m, prefix: "/asset/k/m/"})
	doc, err := view.Page(t.Context(), store, v, []byte(page))
	if err != nil {
		t.Fatal(err)
	}
	alone, _, err := Playable(t.Context(), store, v, m, nil, []byte(page))
	if err != nil {
		t.Fatal(err)
	}
	return string(doc.Body), string(alone.Body)
}

const useful = `<svg xmlns="http://www.w3.org/2000/svg"><g id="a"><path d="M0 0"/></g><g id="é"/></svg>`

func TestUsesLeadToElementsOfStoredDrawings(t *testing.T) {
	for in, want := range map[string][2]string{ // in a replay and in an export; empty: nowhere
		"#a": {"#a", "#a"}, "s.svg#a": {"#plat-1-a", "./s.svg#a"}, "/d/s.svg#a": {"#plat-1-a", "./s.svg#a"}, "s.svg": {"#plat-1-", "s.svg"}, "s.svg#": {"#plat-1-", "./s.svg#"},
		" s.svg#%C3%A9": {"#plat-1-é", "./s.svg#%C3%A9"}, "s.svg#é": {"#plat-1-é", "./s.svg#%C3%A9"}, "https://a.test/d/page#a": {"#a", "#a"},
		"https://b.test/s.svg#a": {}, "i.png#a": {}, "none.svg#a": {}, "data:image/svg+xml,x#a": {}, "javascript:x#a": {}, "": {},
	} {
		shown, exported := withDrawing(t, `<svg><use href="`+in+`"></use></svg>`, useful)
		for i, page := range []string{shown, exported} {
			got := ""
			if _, after, ok := strings.Cut(page, `<use href="`); ok {
				got, _, _ = strings.Cut(after, `"`)
			}
			if got != want[i] {
				t.Errorf("%q leads to %q, want %q, in\n%s", in, got, want[i], page)
			}
		}
	}
	if shown, _ := withDrawing(t, `<iframe sandbox="" srcdoc="x"><template data-plat-frame><svg><use href="s.svg#a"></use></svg></template></iframe>`, useful); strings.Contains(shown, "plat-1") {
		t.Errorf("a frame without the origin of the page has %s", shown)
	}
}

// Each document and shadow root gets the elements that it needs, once, and not the others.
func TestOnlyNeededElementsAreCopied(t *testing.T) {
	drawing := `<svg xmlns="http://www.w3.org/2000/svg"><g id="big"><path d="M1 1"/></g><g fill="red"><g id="a"><use href="#b"/></g><g id="b"><path d="M2 2"/></g></g><filter id="f"/><path id="c" d="M3 3" filter="url(#f)"/></svg>`
	const icon = `<svg><use href="s.svg#a"></use><use href="s.svg#b"></use></svg>`
	shown, _ := withDrawing(t, `<html><head></head><body>`+icon+icon+`<p><template shadowrootmode="open">`+icon+`</template></p><svg><use href="s.svg#c"></use></svg></body></html>`, drawing)
	for text, n := range map[string]int{"M1 1": 0, "M2 2": 2, "M3 3": 1, `id="plat-1-f"`: 1, `<g fill="red" data-plat`: 0, `fill="red"`: 2, copyGuard: 2, "<p>": 1} {
		if got := strings.Count(shown, text); got != n {
			t.Errorf("it has %s %d times, want %d:\n%s", text, got, n, shown)
		}
	}
	if opened, closed := strings.Count(shown, "<svg"), strings.Count(shown, "</svg>"); opened != closed {
		t.Errorf("%d drawings begin, %d end:\n%s", opened, closed, shown)
	}
}

func TestRulesOfDrawingsApplyToTheirCopies(t *testing.T) {
	const suffix = `:where([data-plat-of="1"])` + heavy
	const normal, important = suffix + ":not(#_)", suffix + ":not(#_):not(#_):not(#_):not(#_)"
	for in, want := range map[string]string{
		`.a{fill:red}`:                            `.a` + normal + `{fill:red!important;}`,
		` .a , g > #b:not(#c) {fill:red;;r:2 }`:   `.a` + normal + `,g > #plat-1-b:not(#plat-1-c)` + normal + `{fill:red!important;r:2!important;}`,
		`.a{fill:red ! Important;r:2}`:            `.a` + normal + `{r:2!important;}.a` + important + `{fill:red!important;}`,
		`} .a{fill:red} .b{r:2}`:                  `.b` + normal + `{r:2!important;}`,
		`.a{fill:red`:                             `.a` + normal + `{fill:red!important;}`,
		`.a{fill:red}} body{r:1}`:                 `.a` + normal + `{fill:red!important;}`,
		`@import "x";@charset "y";.a{r:1}`:        `.a` + normal + `{r:1!important;}`,
		`@media print{.a{r:1}`:                    `@media print{.a` + normal + `{r:1!important;}}`,
		`@media (min-width:1px){.a{r:1}}`:         `@media (max-width:0){.a` + normal + `{r:1!important;}}`,
		`@layer x{.a{r:1}}@layer y;`:              `.a` + normal + `{r:1!important;}`,
		`@font-face{font-family:x}@keyframes y{}`: ``,
		`.a{filter:url(#f);fill:url(#g)}`:         `.a` + normal + `{filter:url("#plat-1-f")!important;fill:url("/asset/k/m/1#g")!important;}`,
		`.a{r:1}.b{q:"}`:                          `.a` + normal + `{r:1!important;}`,
		`.a::before{r:1}.a{.b{r:1}}`:              ``,
		`.a{fill:url(https://evil.test/x)}`:       `.a` + normal + `{fill:url("data:,")!important;}`,
	} {
		shown, _ := withDrawing(t, `<svg><use href="s.svg#a"></use></svg>`, strings.Replace(useful, "<g", `<style><![CDATA[`+in+`]]></style><g`, 1))
		_, got, _ := strings.Cut(shown, copyGuard)
		got, _, _ = strings.Cut(got, "</style>")
		if got != want {
			t.Errorf("%s\nbecomes %s\nwant    %s", in, got, want)
		}
	}
}

// A copy of a drawing is a part of the document: it shows something, and does nothing else.
func TestCopiesOfDrawingsDoNothingElse(t *testing.T) {
	const page = `<p>a<svg><use href="s.svg#a"></use><use href="s.svg"></use></svg>`
	inside := append([]string{
		`<script>BAD</script>`, `<a href="javascript:BAD"><path onclick="BAD"/></a>`, `<foreignObject><iframe xmlns="http://www.w3.org/1999/xhtml" src="https://evil.test/"/></foreignObject>`,
		`<image href="https://evil.test/x"/><use href="https://evil.test/x#a"/><use href="data:image/svg+xml,x#a"/>`, `<style>&lt;/style&gt;&lt;script&gt;BAD&lt;/script&gt;</style>`,
		`<path style="fill:url(https://evil.test/x);--a:&quot;;background:url(https://evil.test/)"/>`, `<style media="print{}body">a{}</style><style>a{} &lt;/svg>&lt;img src=x onerror=BAD></style>`,
		`<path id="&quot;&gt;&lt;script&gt;BAD" class="&lt;script&gt;"/>`, `<style>#\&lt;script\&gt;{r:1}</style><title>&lt;script&gt;BAD</title>`, `<set attributeName="href" to="javascript:BAD"/>`,
	}, mutations...)
	for _, in := range inside {
		shown, exported := withDrawing(t, page, `<svg xmlns="http://www.w3.org/2000/svg"><g id="a">`+in+`</g></svg>`)
		parsedAnyhow(t, shown, acts)
		parsedAnyhow(t, shown, leaves)
		parsedAnyhow(t, exported, acts)
	}
}

func FuzzCopies(f *testing.F) {
	for _, m := range mutations {
		f.Add(m, ".a{fill:red}")
	}
	f.Add("<g/>", "} @media x{.a{b:url(#c)")
	f.Fuzz(func(t *testing.T, in, css string) {
		sheet := strings.NewReplacer("&", "&amp;", "<", "&lt;").Replace(css)
		shown, _ := withDrawing(t, `<p><svg><use href="s.svg"></use></svg>`, `<svg xmlns="http://www.w3.org/2000/svg"><style>`+sheet+`</style><g id="a">`+in+`</g></svg>`)
		parsedAnyhow(t, shown, acts)
		doc, err := nethtml.Parse(strings.NewReader(shown))
		if err != nil {
			t.Fatal(err)
		}
		for n := range doc.Descendants() {
			if n.Data == "style" && n.FirstChild != nil && !balanced(n.FirstChild.Data) {
				t.Fatalf("the rules of %q reach further: %s", css, n.FirstChild.Data)
			}
		}
	})
}

// balanced reports whether the rules of a sheet end inside of it.
func balanced(sheet string) bool {
	_, rest := until(append(tokens(sheet), tokens("}")...), tokens("}")[0].kind)
	return len(rest) == 1
}
