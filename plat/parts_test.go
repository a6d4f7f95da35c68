package plat_test

import (
	"errors"
	"strings"
	"testing"

	"plat/plat"
)

func TestBasesOfReferences(t *testing.T) {
	gbk := [][2]string{{"content-TYPE", "text/html; charset=gbk"}}
	const query, inGBK, inUTF8 = "?q=新", "?q=%D0%C2", "?q=%E6%96%B0"
	for name, c := range map[string]struct {
		got, want string
	}{
		"a snapshot":                {(&plat.Snapshot{URL: "https://a.test/x/y"}).Base().Resolve("z" + query), "https://a.test/x/z" + inUTF8},
		"a redirected snapshot":     {(&plat.Snapshot{URL: "https://a.test/x/y", FinalURL: "https://b.test/x/"}).Base().Resolve("z" + query), "https://b.test/x/z" + inUTF8},
		"a snapshot with a charset": {(&plat.Snapshot{URL: "https://a.test/", Header: gbk}).Base().Resolve("z" + query), "https://a.test/z" + inGBK},
		"a version":                 {(&plat.Version{URL: "https://a.test/x/y"}).Base().Resolve("z" + query), "https://a.test/x/z" + inUTF8},
		"a redirected version":      {(&plat.Version{URL: "https://a.test/x/y", Capture: plat.Capture{FinalURL: "https://b.test/x/", Header: gbk}}).Base().Resolve("z" + query), "https://b.test/x/z" + inGBK},
		"a document":                {(&plat.Node{Attrs: []plat.Attr{{Name: plat.DocumentBase, Value: "https://a.test/x/"}}}).Base().Resolve("z" + query), "https://a.test/x/z" + inUTF8},
		"a document with a charset": {(&plat.Node{Attrs: []plat.Attr{{Name: plat.DocumentBase, Value: "https://a.test/x/"}, {Name: plat.DocumentCharset, Value: "GBK"}}}).Base().Resolve("z" + query), "https://a.test/x/z" + inGBK},
	} {
		if c.got != c.want {
			t.Errorf("%s: %s, want %s", name, c.got, c.want)
		}
	}
	for _, base := range []string{"", "about:srcdoc", "data:text/html,x"} {
		if b := (&plat.Node{Attrs: []plat.Attr{{Name: plat.DocumentBase, Value: base}}}).Base(); b != nil {
			t.Errorf("%q is a base: %v", base, b)
		}
	}
	header := [][2]string{{"Age", "1"}, {"AGE", "2"}, {"ETag", ""}}
	for name, want := range map[string]string{"age": "1 true", "etag": " true", "Date": " false"} {
		value, ok := plat.HeaderField(header, name)
		if got := value + map[bool]string{true: " true", false: " false"}[ok]; got != want {
			t.Errorf("the header %s is %q, want %q", name, got, want)
		}
	}
}

func TestSizesOfPages(t *testing.T) {
	p := plat.Page{Layout: plat.Layout{HTML: []byte("12345")}, Blocks: []plat.Block{
		{Slot: -1, Content: []byte("not counted")}, {Slot: 0, Content: []byte("1234"), Lead: "12"}, {Slot: 1, Content: []byte("1")},
	}}
	if leaves, bytes := p.Size(); leaves != 2 || bytes != 12 {
		t.Errorf("%d leaves, %d bytes; want 2 and 12", leaves, bytes)
	}
	for left, want := range map[plat.OmitReason]bool{"": true, plat.OmitLarge: false} {
		if r, ok := plat.ManifestOf([]plat.Resource{{URL: "https://a.test/"}, {URL: plat.FileURL, Left: left}}).File(); ok != want || r == nil {
			t.Errorf("a file that is left for %q: %v, %v", left, r, ok)
		}
	}
	if _, ok := plat.ManifestOf([]plat.Resource{{URL: "https://a.test/"}}).File(); ok {
		t.Error("a page is a file")
	}
}

func TestAddressesWithTheirSpelling(t *testing.T) {
	for raw, want := range map[string]string{
		"http://a.test/~b": "http://a.test/~b ", "http://a.test/%7eb": "http://a.test/~b http://a.test/%7eb", "http://a.test/?a=[1]&utm_source=x": "http://a.test/?a=%5B1%5D http://a.test/?a=[1]", "HTTP://A.test": "http://a.test/ ", "a.test": "error", "": "error",
		"http://a.test/%c3%bc": "http://a.test/%C3%BC ", "http://a.test/%C3%BC": "http://a.test/%C3%BC ", "http://a.test/50%": "http://a.test/50%25 http://a.test/50%",
	} {
		canonical, spelling, err := plat.Address(raw, plat.TrackingParams)
		got := canonical + " " + spelling
		if err != nil {
			if got = "error"; !errors.Is(err, plat.ErrBadURL) || canonical != "" || spelling != "" {
				t.Errorf("%q: %q, %q, %v", raw, canonical, spelling, err)
			}
		}
		if got != want {
			t.Errorf("%q: %s, want %s", raw, got, want)
		}
	}
	// The bound counts before and after escaping.
	const most = 16 << 10
	for n, ok := range map[int]bool{most - len("http://a.test/"): true, most - len("http://a.test/") + 1: false} {
		if _, err := plat.Canonical("http://a.test/"+strings.Repeat("x", n), nil); (err == nil) != ok {
			t.Errorf("a path of %d bytes: %v", n, err)
		}
		if _, err := plat.Canonical("http://a.test/"+strings.Repeat("x", n-3)+"[", nil); (err == nil) != ok {
			t.Errorf("a path of %d bytes that is escaped: %v", n-2, err)
		}
		if _, err := plat.Canonical("http://a.test/"+strings.Repeat("x", n-2)+"[", nil); err == nil {
			t.Errorf("a path of %d bytes that is escaped is accepted", n-1)
		}
	}
	if _, err := plat.Canonical("http://a.test/#"+strings.Repeat("x", most), nil); err == nil {
		t.Error("a fragment of any length is accepted")
	}
}
