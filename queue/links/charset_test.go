package links

import (
	"slices"
	"testing"

	"plat/plat"
)

// Links lead where they lead browsers, with queries in the charset of their document.
func TestLinksAreReadAsBrowsersReadThem(t *testing.T) {
	meta := func(charset string) el {
		return el{name: "meta", attrs: []plat.Attr{{Name: "charset", Value: charset}}}
	}
	s := tree(
		a(`old\2019.html`), a("/bro\nken"), a("http:plain.html"), a("50%"), a("a/%2e%2e/b"), a("it's?it's"), a("?q=ü"),
		el{name: "iframe", attrs: []plat.Attr{{Name: "src", Value: "/frame"}}, kids: []el{{name: "#document", kids: []el{a("?q=ü"), meta("gbk"), a("?新")}}}},
		a("c?q=ü"), meta("gbk"), a("//me@b.test:80/d"), a("http:///e.test\\f"),
	)
	s.Header = [][2]string{{"content-type", "text/html; charset=ISO-8859-1"}}
	var got []string
	for _, l := range (&Page{Snapshot: s}).Links(nil, 100) {
		got = append(got, l.URL)
	}
	want := []string{
		"https://a.test/dir/old/2019.html", "https://a.test/broken", "http://plain.html/", "https://a.test/dir/50%25", "https://a.test/dir/b", "https://a.test/dir/it's?it%27s", "https://a.test/dir/page?q=%FC",
		"https://a.test/frame?q=%FC", "https://a.test/frame?%D0%C2", "https://a.test/dir/c?q=%FC", "http://e.test/f", // none with a login
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
