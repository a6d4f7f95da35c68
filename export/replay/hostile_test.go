package replay

import (
	"strings"
	"testing"

	"github.com/tdewolff/parse/v2"
	"github.com/tdewolff/parse/v2/css"
	nethtml "golang.org/x/net/html"

	"plat/plat"
)

// Nothing of an exported page leads out of the archive, however its parts are cut.
func TestExportedPagesAskForNothingElse(t *testing.T) {
	const evil = "https://evil.test/x"
	styled := &plat.PageState{Styles: []plat.PlacedText{{Path: []int32{0}, Text: `--x:";background:url(` + evil + `);y:";`}}}
	data := styled.Resource()
	svg := `<svg xmlns="http://www.w3.org/2000/svg"><g id="a"><p xmlns="http://www.w3.org/1999/xhtml">x</p></g><image srcset="` + evil + ` 1x"/><a ping="` + evil + `"/></svg>`
	picture := plat.HashOf([]byte(svg))
	m := plat.ManifestOf([]plat.Resource{
		{URL: data.URL, Type: data.Type, Size: data.Size, Hash: data.Hash},
		{URL: "https://a.test/s.svg", Type: "image/svg+xml", Size: int64(len(svg)), Hash: picture},
	})
	store := sheets{css: map[plat.Hash]string{data.Hash: string(data.Data), picture: svg}}
	for name, page := range map[string]string{
		"a marker inside a url":            `<style>a{background:ur<!--l(` + evil + `)}</style>`,
		"a marker inside an import":        `<style>@im<!--port "` + evil + `";</style>`,
		"a bad url between a comment":      `<p style='--x:/url(a b)*"*/;background:url(` + evil + `);/*"'>x</p>`,
		"a string over two styles":         `<frameset><frame src=x style='--a:"b";--c:";background:url(` + evil + `)'></frameset>`,
		"a string over an animation":       `<div style='--a:"'>x</div>`,
		"a name that is none":              `<style>@font-face{font-family:f;src:@namespace,url(` + evil + `)}</style>`,
		"a sheet in a link":                `<link rel="stylesheet" href="data:text/css,body%7Bbackground:url(` + evil + `)%7D">`,
		"a sheet in an import":             `<style>@import "data:text/css,body{background:url(` + evil + `)}";</style>`,
		"a sheet in an import, in base64":  `<style>@import url(data:text/css;base64,Ym9keXtiYWNrZ3JvdW5kOnVybChodHRwczovL2V2aWwudGVzdC94KX0=);</style>`,
		"a sprite that leaves its drawing": `<svg><use href="s.svg#a"></use></svg>`,
	} {
		t.Run(name, func(t *testing.T) {
			v := &plat.Version{URL: "https://a.test/", Capture: plat.Capture{FinalURL: "https://a.test/"}}
			state, err := State(t.Context(), store, m)
			if err != nil {
				t.Fatal(err)
			}
			shown, _, err := Playable(t.Context(), store, v, m, state, []byte(page))
			if err != nil {
				t.Fatal(err)
			}
			got := shown.Body
			doc, err := nethtml.Parse(strings.NewReader(string(got)))
			if err != nil {
				t.Fatal(err)
			}
			for n := range doc.Descendants() {
				for _, a := range n.Attr {
					if a.Key == "style" && leadsTo(a.Val, evil) || a.Key != "style" && strings.Contains(a.Val, evil) {
						t.Errorf("%s leads to %s:\n%s", a.Key, evil, got)
					}
				}
				if n.Type == nethtml.TextNode && n.Parent.Data == "style" && leadsTo(n.Data, evil) {
					t.Errorf("a sheet leads to %s:\n%s", evil, got)
				}
			}
			if strings.Contains(string(got), "data:text/css,") || strings.Contains(string(got), "Ym9keXtiYWNrZ3JvdW5kOnVybChodHRwczovL2V2aWwudGVzdC94KX0") {
				t.Errorf("a style sheet stands as it was:\n%s", got)
			}
		})
	}
}

// The state of a page may come from an archive of strangers.
func TestStatesOfPagesAreText(t *testing.T) {
	const evil = `"><script>a</script></textarea><img src=x onerror=a>`
	state := &plat.PageState{
		Controls: []plat.Control{{Path: []int32{0, 0, 0}, Value: new(evil)}, {Path: []int32{0, 0, 1}, Value: new(evil)}, {Path: []int32{0, 0, 2}, Value: new(evil), On: new(true)}},
		Opened:   []plat.PlacedText{{Path: []int32{0, 0, 3}, Text: evil}},
		Media:    []plat.PlacedText{{Path: []int32{0, 0, 4}, Text: evil}},
	}
	in := `<html><body><input value="old"><textarea>old</textarea><option>o</option><dialog>d</dialog><style>p{top:0}</style></body></html>`
	v := &plat.Version{URL: "https://a.test/", Capture: plat.Capture{FinalURL: "https://a.test/"}}
	page, _, err := Playable(t.Context(), sheets{}, v, nil, state, []byte(in))
	if err != nil {
		t.Fatal(err)
	}
	inertAnyhow(t, string(page.Body))
	if got := string(page.Body); strings.Contains(got, "<script") || strings.Contains(got, "<img") || strings.Count(got, "onerror=a") != 4 || strings.Contains(got, "old") {
		t.Errorf("%s\nbecomes %s", in, got)
	}
}

// leadsTo reports whether a style sheet has a reference to a URL.
func leadsTo(sheet, url string) bool {
	importing := false
	for l := css.NewLexer(parse.NewInputString(sheet)); ; {
		kind, data := l.Next()
		switch {
		case kind == css.ErrorToken:
			return false
		case kind == css.URLToken && strings.Contains(string(data), url), kind == css.StringToken && importing && strings.Contains(string(data), url):
			return true
		case kind == css.AtKeywordToken:
			importing = strings.EqualFold(string(data), "@import")
		case kind == css.SemicolonToken:
			importing = false
		}
	}
}

// A page cannot put documents under other addresses into an export, nor lose what follows.
func TestOnlyFramesStandApart(t *testing.T) {
	v := &plat.Version{URL: "https://a.test/", Capture: plat.Capture{FinalURL: "https://a.test/"}}
	for _, page := range []string{
		`<object data="https://bank.test/"><template data-plat-frame=""><p>forged</p></template></object><p>after</p>`,
		`<br><template data-plat-frame><p>x</p></template><p>after</p>`,
		`<embed src="x"><template data-plat-framework=""></template><p>after</p>`,
		`<object data="none.png"><template shadowrootmode="open">x</template></object><p>after</p>`,
	} {
		shown, frames, err := Playable(t.Context(), sheets{}, v, nil, nil, []byte(page))
		got := shown.Body
		if err != nil || len(frames) > 0 || !strings.Contains(string(got), "<p>after</p>") || strings.Contains(string(got), "<br srcdoc") {
			t.Errorf("%s becomes %s, with %d documents, %v", page, got, len(frames), err)
		}
	}
}

func TestQuirksMode(t *testing.T) {
	for document, quirky := range map[string]bool{
		"<html>": true, "<!DOCTYPE html>": false, "<!-- licence --> <!doctype html>": false, "<!-- open": true, "<svg>": false,
		`<!DOCTYPE html PUBLIC "-//W3C//DTD HTML 3.2 Final//EN">`:                                                       true,
		`<!DOCTYPE html PUBLIC "-//W3C//DTD HTML 4.01 Transitional//EN">`:                                               true,
		`<!DOCTYPE html PUBLIC "-//W3C//DTD HTML 4.01 Transitional//EN" "http://www.w3.org/TR/html4/loose.dtd">`:        false,
		`<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-strict.dtd">`: false,
	} {
		if isQuirky([]byte(document)) != quirky {
			t.Errorf("%s: quirks mode %t", document, !quirky)
		}
	}
}

func TestRelativeAddresses(t *testing.T) {
	for _, c := range [][3]string{
		{"https://a.test/b/c", "https://a.test/b/d.png", "d.png"}, {"https://a.test/b/c", "https://a.test/x/d.png?q#f", "../x/d.png?q#f"},
		{"https://a.test/b/c", "https://a.test/b/", "./"}, {"https://a.test/b", "https://c.test/b", "https://c.test/b"}, {"", "https://a.test/", "https://a.test/"},
		{"https://a.test/b/c?d/e", "https://a.test/b/f:g", "./f:g"},
	} {
		if got := relative(c[0], c[1]); got != c[2] {
			t.Errorf("%s from %q is %q, want %q", c[1], c[0], got, c[2])
		}
	}
}
