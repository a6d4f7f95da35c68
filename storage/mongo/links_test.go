package mongo

import (
	"testing"

	"plat/plat"
	"plat/plat/weburl"
)

// The links of a block version lead where they lead browsers, from the base and in the charset of the page.
func TestLinksAreRelativeToThePage(t *testing.T) {
	page := weburl.NewBase("https://a.test/dir/page")
	for _, c := range []struct {
		base         *weburl.Base
		layout, href string
		to           string
	}{
		{page, "", `old\2019.html`, "https://a.test/dir/old/2019.html"},
		{page, "", "?q=ü|'", "https://a.test/dir/page?q=%C3%BC|%27"},
		{page, `<head><meta charset="gbk"><base href="/b/"></head><body></body>`, "?新", "https://a.test/b/?%D0%C2"},
		{page, `<head><base href="/b/"><meta http-equiv="content-type" content="text/html;charset=gbk"></head><body></body>`, "?新", "https://a.test/b/?%D0%C2"},
		{page.Served("text/html; charset=iso-8859-1"), `<head><meta charset="gbk"></head><body></body>`, "?ü", "https://a.test/dir/page?%FC"},
		{page, `<head><base target="_top"></head><body><base href="/late/"><base href="/second/">`, "x", "https://a.test/late/x"},
	} {
		got := linksIn([]byte(`<a href="`+c.href+`">x</a>`), linkBase(c.base, &plat.Layout{HTML: []byte(c.layout)}))
		if len(got) != 1 || string(got[0].To) != c.to {
			t.Errorf("%s on a page with %s: %+v, want %s", c.href, c.layout, got, c.to)
		}
	}
}
