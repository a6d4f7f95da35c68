package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"

	"plat/plat"
	"plat/plat/weburl"
)

// A reference in a page: where Chrome's property href says that a link leads.
const hrefs = `(cases => {
  const base = document.head.appendChild(document.createElement('base')), a = document.createElement('a');
  document.body.append(a);
  return cases.map(([b, ref]) => {
    if (b) base.href = b; else base.removeAttribute('href');
    a.setAttribute('href', ref);
    return a.protocol === ':' || a.protocol === '' ? '' : a.href;
  });
})`

// inChrome returns where links lead in a page of a charset, each with its base, and the page's URL.
func inChrome(t *testing.T, charset string, cases [][2]string) (hrefsOf []string, at string) {
	t.Helper()
	srv := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset="+charset)
		fmt.Fprint(w, "<!doctype html><title>Links</title><p>The harbour office has a new crane.")
	}))
	list, err := json.Marshal(cases)
	if err != nil {
		t.Fatal(err)
	}
	s, err := pool(t).Render(t.Context(), Request{URL: srv.URL + "/a/b.html?x=1", inspect: func(ctx context.Context, v *visit, _ *plat.Snapshot) error {
		world, err := v.World(ctx)
		if err != nil {
			return err
		}
		b, err := v.Evaluate(ctx, world, hrefs+"("+string(list)+")")
		if err != nil {
			return err
		}
		return json.Unmarshal(b, &hrefsOf)
	}})
	if err != nil {
		t.Fatal(err)
	}
	return hrefsOf, s.FinalURL
}

// References lead where Chrome goes: such as those of pages that were made by programs for Windows, by
// hand, or in an older encoding.
func TestReferencesLeadWhereChromeGoes(t *testing.T) {
	t.Parallel()
	refs := []string{
		`images\a.png`, `\abs\b.png`, `\\other.test\c`, `/\other.test/d`, `\/other.test/e`, `archive\2019.html?a=b\c#d\e`, `..\..\..\f`,
		"http:x.png", "HTTP:x.png", "http:/x.png", "http:///other.test/x", "https:x.png", "https:/other.test/x", "http:", "http:?q", "http:#f", "http:..", "//", "///x", "////other.test/y",
		" lead", "trail ", "\n\tboth \r\n", "in\nside", "in\ts\rid\ne", "java\nscript:void(0)", "ht\ntp://other.test/", "\u00a0nbsp\u00a0", "\u3000wide", "\x01ctrl\x1f", "nul\x00l",
		"90% of plan.png", "50%", "%", "%%", "%2", "%zz", "%2e%2e/x", "a/%2E%2e/y", "%2e/z", "a/%2e", ".%2e/x", "%252e/x", "a%2fb/../c", "%41%7E", "%e4%bd%a0", "%E4",
		"it's", `say"x"`, "?it's", `?say"x"`, "#it's", `#say"x"`, "?a=1|2&b='x'&c=\"y\"", "2019|2020.png", "?2019|2020", "#a|b",
		"x^2.png", "?x^2", "#x^2", "a b.png", "?a b", "#a b", "a{b}c", "?a{b}c", "#a{b}c", "a`b", "?a`b", "#a`b", "a<b>c", "?a<b>c", "#a<b>c", "a[1].png", "?f[]=1", "#[x]", "a;b=1/c;d", "?", "#", "a?b?c", "a#b#c", "",
		"ünï", "?q=ü", "#ü", "你好/世界?新闻=北京#上海", "?q=€", "?q=日本", "?q=Москва", "?q=한국", "?q=臺灣", "?q=😀", "?q=\u00ad\u200b", "?q=ü&amp;#252;", "?q=é%C3%A9", "\u202e/x", "?q=表", "?q=ソ",
		"http://bücher.test/ü", "http://BÜCHER.test", "http://xn--bcher-kva.test/", "http://faß.test", "http://ﬁn.test", "http://日本語。test/", "http://example.com.", "http://EXAMPLE.test:80/", "https://example.test:443", "http://example.test:0080/", "http://example.test:/", "http://example.test:65536/", "http://example.test:8o/", "http://a_b.test", "http://-a.test", "http://a..test", "http://a b.test/", "http://a%20b.test/", "http://a%41.test/", "http://a%2etest/", "http://a<b.test", "http://[::1]/", "http://[1:2::0:0:3]:81/", "http://[::1", "http://127.1/", "http://0x7f.0.0.1", "http://1.2.3.4.5/", "http://256.1.1.1/", "http://2130706433/", "http://1.2.3.09", "http://0x/", "http://+1/", "http://a.0x", "http://xn--/", "http://xn--a/", "http://xn--zz--zz.test",
		"http://me@h.test/", "http://me:pw@h.test/", "http://me:@h.test", "http://@h.test/", "http://:@h.test/", "http://a@b@h.test/", "http://a:b:c@h.test/x", "http://m e@h.test", "http://ü:ß@h.test", "//me@h.test:81/y", "http://me@/x", "http://me@", "http://?x", "http://#x", "http:// /", "http://h.test?q", "http://h.test#f", `http://h.test\x?a\b`, "http://h.test//a//../b", "http://h.test/a/./../..//c/..", "http://h.test/.a/..b/...", "http://h.test/a/.#x", "http://h.test/..?x/../y",
		"mailto:a@b.test?subject=a b", "MAILTO:a@b.test", "javascript:alert('x y')", "JavaScript:void(0)", "tel:+1 23", "data:text/plain,a b#c d", "about:blank", "blob:http://h.test/1-2", "urn:isbn:1", "x:y", "x:", ":x", "1:2", "a b:c", "foo://H.test/../a b", "foo:/a/../b", "foo:///x", "foo://h.test\\x", "news:x y ", "file:///etc/../x", "file:x", "ws://h.test:80/", "wss:x", "ftp://h.test:21/a b",
	}
	bases := []string{"", "http://site.test:8080/dir/page.html?q=1#f", "https://site.test", "http://user:pw@site.test/x/", "https://xn--bcher-kva.test/%E4%BD%A0/x?y"}
	var cases [][2]string
	for _, b := range bases {
		for _, ref := range refs {
			cases = append(cases, [2]string{b, ref})
		}
	}
	for _, b := range []string{"ftp://f.test/x", "mailto:a@b.test", "data:text/html,x", "javascript:void(0)", "http://[", "about:blank", " /x/y ", "#f", "?q", "foo://h/x", "blob:http://h.test/1"} {
		for _, ref := range []string{"c", "/c", "//h.test/c", "#c", "?c", "", "http:c", "mailto:c"} {
			cases = append(cases, [2]string{b, ref})
		}
	}
	compare(t, "utf-8", cases)
}

// compare checks references in pages of a charset.
func compare(t *testing.T, charset string, cases [][2]string) {
	t.Helper()
	chrome, at := inChrome(t, charset, cases)
	if len(chrome) != len(cases) {
		t.Fatalf("Chrome answers %d of %d cases", len(chrome), len(cases))
	}
	page := weburl.NewBase(at).In(charset)
	wrong := 0
	for i, c := range cases {
		base := page
		if c[0] != "" {
			base = page.At(c[0])
		}
		if got := base.Resolve(c[1]); got != chrome[i] && (reachable(got) || reachable(chrome[i]) || !weburl.IsWeb(chrome[i])) {
			if wrong++; wrong <= 60 {
				t.Errorf("%s: %q against %q = %q, in Chrome %q", charset, c[1], base, got, chrome[i])
			}
		}
	}
	t.Logf("%s: %d of %d references lead where Chrome goes", charset, len(cases)-wrong, len(cases))
}

// reachable reports whether the host of an address can be in the web. Chrome takes more names than name
// servers can know, such as "a%20b".
func reachable(href string) bool {
	_, err := plat.Canonical("http://"+weburl.Host(href)+"/", nil)
	return err == nil
}

func TestQueriesAreInTheCharsetOfThePage(t *testing.T) {
	t.Parallel()
	var cases [][2]string
	for _, ref := range []string{
		"?q=ü", "x?titel=Übersicht&y='a b'", "?q=€", "?q=日本", "?q=Москва#Москва", "?q=한국", "?q=臺灣", "?q=北京", "?q=😀", "?q=表", "?q=ソ能", "?q=“x”", "ü?ü#ü", "?a?ü", "?\u00ad\u200b", "?q=%FC",
		"http://other.test/ü?ü", "ftp://h.test/?ü", "mailto:a?ü", "javascript:x?ü", "?q=\ufffd",
	} {
		cases = append(cases, [2]string{"", ref}, [2]string{"https://site.test/x", ref})
	}
	var kana [][2]string // but in ISO-2022-JP, see the limits of the package
	for _, ref := range []string{"?q=ﾊﾝ", "?\u00a5\u203e"} {
		kana = append(kana, [2]string{"", ref})
	}
	for _, charset := range []string{"shift_jis", "euc-jp", "gbk", "iso-8859-1"} {
		compare(t, charset, kana)
	}
	for _, charset := range []string{"iso-8859-1", "windows-1251", "gbk", "gb18030", "shift_jis", "euc-jp", "big5", "euc-kr", "iso-8859-2", "koi8-r", "macintosh", "iso-2022-jp", "utf-8"} {
		compare(t, charset, cases)
	}
}

// Random references of the pieces that addresses are made of.
func TestRandomReferencesLeadWhereChromeGoes(t *testing.T) {
	t.Parallel()
	pieces := []string{
		"a", "b.html", "..", ".", "/", "/", "/", "//", "?", "#", ":", "@", "%2e", "%", "%41", "-", "x=1", "&", "'", "|", "[", "]", "(", "*", "+", "!", "http:", "https:", "http://", "HTTP://",
		"h.test", "127.1", "0x7f", "1", "xn--", ":80", ":8080", "\\", "\\", " ", "\t", "\n", "é", "你", "\"", "<", "{", "^", "`", "h.", ".test", "%00", "=", "\u00ad", "%c3%a9",
	}
	r := rand.New(rand.NewPCG(3, 4))
	var cases [][2]string
	for range 6000 {
		var ref strings.Builder
		for range 1 + r.IntN(7) {
			ref.WriteString(pieces[r.IntN(len(pieces))])
		}
		cases = append(cases, [2]string{[]string{"", "https://site.test/a/b?c", "http://site.test:81/"}[r.IntN(3)], ref.String()})
	}
	compare(t, "utf-8", cases)
}

// What a page asks for is in the archive under the address to which its reference resolves: in documents
// of several charsets, with the charset in the header, in the page and nowhere.
func TestResourcesHaveTheAddressesOfTheirReferences(t *testing.T) {
	t.Parallel()
	refs := []string{
		`i\\a.png`, `\\b.png`, "c\n.png", " d.png\t", "http:e.png", "http:/f.png", "90%.png", "x/%2e%2e/g.png", "h|i^j.png", "it's.png?it's|&quot;<`{", "k.png?ü=é|ö", "ü.png?a b", "l.png?ü#ü", "[1].png?[2]",
		"m.png?€", "%zz.png", "n.png?%FC", "/dir/./o.png", "p.png?a\\b", "./../q.png?ß",
	}
	pixel := "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x04\x00\x00\x00\xb5\x1c\x0c\x02\x00\x00\x00\vIDATx\xdacd`\x00\x00\x00\x06\x00\x020\x81\xd0/\x00\x00\x00\x00IEND\xaeB`\x82"
	for _, c := range []struct{ charset, header, meta string }{
		{"utf-8", "text/html; charset=utf-8", ""}, {"windows-1252", "text/html; charset=iso-8859-1", ""}, {"gbk", "text/html", "<meta charset=gb2312>"},
		{"windows-1252", "text/html", ""}, {"shift_jis", "text/html", `<meta http-equiv=content-type content="text/html; charset=shift_jis">`},
	} {
		var page strings.Builder
		page.WriteString(c.meta + "<title>Figures</title><p>Charts that the statistics office uploaded.</p>")
		for _, ref := range refs {
			page.WriteString(`<img width=9 height=9 src="` + ref + `">`)
		}
		charset, err := htmlindex.Get(c.charset)
		if err != nil {
			t.Fatal(err)
		}
		text, err := encoding.ReplaceUnsupported(charset.NewEncoder()).String(page.String())
		if err != nil {
			t.Fatal(err)
		}
		srv := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/dir/page" {
				w.Header().Set("Content-Type", c.header)
				fmt.Fprint(w, text)
				return
			}
			w.Header().Set("Content-Type", "image/png")
			fmt.Fprint(w, pixel)
		}))
		s, err := pool(t).Render(t.Context(), Request{URL: srv.URL + "/dir/page", Resources: plat.AllResources})
		if err != nil {
			t.Fatal(err)
		}
		kept := map[string]bool{}
		for _, r := range s.Resources {
			if weburl.IsWeb(r.URL) { // not the page's state
				kept[r.URL] = true
			}
		}
		base, images := s.Base(), 0
		for i := range s.Nodes {
			n := &s.Nodes[i]
			if n.Name == "meta" {
				base = base.Meta(n.Attr)
			}
			src, ok := n.Attr("src")
			if n.Name != "img" || !ok {
				continue
			}
			images++
			if at := weburl.WithoutFragment(base.Resolve(src)); !kept[at] {
				t.Errorf("%s %s: %q leads to %s; kept are %q", c.header, c.meta, src, at, slices.Sorted(maps.Keys(kept)))
			}
		}
		if images != len(refs) || len(kept) != len(refs) {
			t.Errorf("%s %s: %d images, %d kept, want %d", c.header, c.meta, images, len(kept), len(refs))
		}
	}
}
