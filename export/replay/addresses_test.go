package replay

import (
	"strings"
	"testing"

	"plat/plat/weburl"
)

// Resources are found by the addresses that Chrome asked for, however the page writes them.
func TestResourcesAreFoundHoweverTheyAreWritten(t *testing.T) {
	for _, c := range []struct{ charset, ref, asked string }{
		{"", `images\a.png`, "http://a.test/dir/images/a.png"}, {"", `\a.png`, "http://a.test/a.png"}, {"", `\\b.test\a.png`, "http://b.test/a.png"}, {"", `/\b.test/a.png`, "http://b.test/a.png"},
		{"", "a\n.p\tng ", "http://a.test/dir/a.png"}, {"", "http:a.png", "http://a.test/dir/a.png"}, {"", "http:/a.png", "http://a.test/a.png"}, {"", "https:/b.test/a.png", "https://b.test/a.png"},
		{"", "90% of plan.png", "http://a.test/dir/90%%20of%20plan.png"}, {"", "x/%2e%2E/a.png", "http://a.test/dir/a.png"}, {"", "a|b^c.png", "http://a.test/dir/a%7Cb%5Ec.png"},
		{"", "it's.png?b='x'|&quot;", "http://a.test/dir/it's.png?b=%27x%27|%22"}, {"", "d.png?titel=Übersicht", "http://a.test/dir/d.png?titel=%C3%9Cbersicht"}, {"", "ü.png", "http://a.test/dir/%C3%BC.png"},
		{"", "http://BÜCHER.test:80/a.png", "http://xn--bcher-kva.test/a.png"}, {"", "http://b.test:8080/a.png", "http://b.test:8080/a.png"}, {"", "//me:pw@b.test/a.png", "http://me:pw@b.test/a.png"}, {"", "../../../[1]{2}.png", "http://a.test/[1]%7B2%7D.png"},
		{"iso-8859-1", "d.png?titel=Übersicht", "http://a.test/dir/d.png?titel=%DCbersicht"}, {"gbk", "d.png?新闻=1#f", "http://a.test/dir/d.png?%D0%C2%CE%C5=1"}, {"windows-1251", "?Москва", "http://a.test/dir/page?%CC%EE%F1%EA%E2%E0"},
		{"gbk", "d.png?Москва€", "http://a.test/dir/d.png?%A7%AE%A7%E0%A7%E3%A7%DC%A7%D3%A7%D1%80"}, {"iso-8859-1", "d.png?新", "http://a.test/dir/d.png?%26%2326032%3B"},
		{"", "d.png?in-a-sheet=ü", "http://a.test/dir/d.png?in-a-sheet=%FC"}, {"", "d.png?新闻", "http://a.test/dir/d.png?%D0%C2%CE%C5"}, // a charset that nothing declares
	} {
		base := weburl.NewBase("http://a.test/dir/page")
		declared := ""
		if c.charset != "" {
			declared = `<meta charset="` + c.charset + `">`
		}
		a := assetsOf(c.asked)
		rewritten := func(page string) string {
			return string((&rewriter{View: served(a)}).page([]byte(declared+page), base))
		}
		for page, want := range map[string]string{
			`<img src="` + c.ref + `">`:      `src="/asset/k/m/0`,
			`<p background="` + c.ref + `">`: `background="/asset/k/m/0`,
			`<style>p{background:url("` + strings.NewReplacer(`\`, `\5c `, "\n", `\a `, "&quot;", `\22 `).Replace(c.ref) + `")}</style>`: `url("/asset/k/m/0`,
		} {
			if got := rewritten(page); !strings.Contains(got, want) {
				t.Errorf("%s with charset %q, for which Chrome asks %s, becomes %s", page, c.charset, c.asked, got)
			}
		}
		if strings.HasPrefix(c.asked, "http://a.test/dir/d.png?titel") {
			if got := rewritten(`<img srcset="` + c.ref + ` 2x, none.png 1x">`); !strings.Contains(got, `srcset="/asset/k/m/0 2x"`) {
				t.Errorf("srcset of %s becomes %s", c.ref, got)
			}
		}
	}
}

// Links lead where they led, in the charset of the page.
func TestLinksKeepTheirCharset(t *testing.T) {
	w := &rewriter{View: served(assetsOf())}
	got := string(w.page([]byte(`<meta http-equiv=Content-Type content="text/html; charset=gbk"><a href="archive\2019.html?新">x</a>`), weburl.NewBase("http://a.test/dir/page").Served("text/html")))
	if want := "http://a.test/dir/archive/2019.html?%D0%C2"; !strings.Contains(got, want) {
		t.Errorf("the link becomes %s, want %s in it", got, want)
	}
}

// Exports keep references as they are written only if players resolve them as browsers do.
func TestExportsKeepReferencesThatPlayersResolve(t *testing.T) {
	base := weburl.NewBase("http://a.test/dir/page")
	for ref, want := range map[string]string{
		"b.png": "b.png", "../c.png?d": "../c.png?d", "ü.png": "ü.png", "http:e.png": "http://a.test/dir/e.png", `x\f.png`: "http://a.test/dir/x/f.png", "g\n.png": "http://a.test/dir/g.png", "http://a.test/h.png": "http://a.test/h.png",
	} {
		a := assetsOf(weburl.WithoutFragment(base.Resolve(ref)))
		a.prefix = ""
		w := &rewriter{View: View{Assets: a, Link: func(url string) string { return url }}}
		if got := string(w.page([]byte(`<img src="`+ref+`">`), base)); !strings.Contains(got, `src="`+want+`"`) {
			t.Errorf("%q becomes %s, want %s in it", ref, got, want)
		}
	}
}
