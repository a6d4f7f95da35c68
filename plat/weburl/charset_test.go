package weburl

import (
	"slices"
	"testing"
)

func TestCharsetsOfDocuments(t *testing.T) {
	page := NewBase("https://site.test/")
	meta := func(pairs ...string) func(string) (string, bool) {
		return func(name string) (string, bool) {
			for i := 0; i < len(pairs); i += 2 {
				if pairs[i] == name {
					return pairs[i+1], true
				}
			}
			return "", false
		}
	}
	const typed = "content-type"
	for name, c := range map[string]struct {
		base  *Base
		query string // of ?q=ü新
	}{
		"nothing known":             {page, "%C3%BC%E6%96%B0"},
		"UTF-8":                     {page.Served("text/html; charset=utf-8"), "%C3%BC%E6%96%B0"},
		"a header":                  {page.Served("text/html; charset=GB2312"), "%A8%B9%D0%C2"},
		"a quoted header":           {page.Served(`text/html;charset="iso-8859-1"`), "%FC%26%2326032%3B"},
		"an unknown charset":        {page.Served("text/html; charset=none"), "%C3%BC%E6%96%B0"},
		"no charset":                {page.Served("text/html"), "%C3%BC%E6%96%B0"},
		"XHTML":                     {page.Served("application/xhtml+xml"), "%C3%BC%E6%96%B0"},
		"a damaged header":          {page.Served(";;"), "%C3%BC%E6%96%B0"},
		"meta":                      {page.Served("text/html").Meta(meta("charset", " gbk ")), "%A8%B9%D0%C2"},
		"meta without a header":     {page.Meta(meta("charset", "big5")), "%26%23252%3B%B7s"},
		"an older meta":             {page.Served("text/html").Meta(meta("http-equiv", "Content-Type", "content", "text/html; charset = 'shift_jis'; x")), "%26%23252%3B%90V"},
		"a header and meta":         {page.Served("text/html; charset=utf-8").Meta(meta("charset", "gbk")), "%C3%BC%E6%96%B0"},
		"the first meta":            {page.Served("text/html").Meta(meta("charset", "utf-8")).Meta(meta("charset", "gbk")), "%C3%BC%E6%96%B0"},
		"meta that names nothing":   {page.Meta(meta("charset", "nothing")).Meta(meta("charset", "gbk")), "%A8%B9%D0%C2"},
		"meta of something else":    {page.Meta(meta("name", "viewport", "content", "charset=gbk")), "%C3%BC%E6%96%B0"},
		"meta without charset":      {page.Meta(meta("http-equiv", typed, "content", "text/html")), "%C3%BC%E6%96%B0"},
		"meta without a value":      {page.Meta(meta("http-equiv", typed, "content", "text/html; charset")), "%C3%BC%E6%96%B0"},
		"meta with an empty value":  {page.Meta(meta("http-equiv", typed, "content", "text/html; charset=;gbk")).Meta(meta("charset", "gbk")), "%A8%B9%D0%C2"},
		"meta of a kind not named":  {page.Meta(meta("http-equiv", "refresh", "content", "text/html; charset=gbk")), "%C3%BC%E6%96%B0"},
		"a later meta":              {page.Meta(meta("charset", "gbk")).Meta(meta("charset", "big5")), "%A8%B9%D0%C2"},
		"meta with its label first": {page.Meta(meta("http-equiv", typed, "content", "charset=gbk")), "%A8%B9%D0%C2"},
		"meta with more behind":     {page.Meta(meta("http-equiv", typed, "content", "charset=gbk big5")), "%A8%B9%D0%C2"},
		"meta with two":             {page.Meta(meta("charset", "gbk", "http-equiv", typed, "content", "charset=big5")), "%A8%B9%D0%C2"},
		"UTF-16":                    {page.Served("text/html; charset=utf-16"), "%C3%BC%E6%96%B0"},
		"a frame":                   {page.Served("text/html; charset=gbk").Frame("https://site.test/"), "%A8%B9%D0%C2"},
		"a frame that declares its": {page.Served("text/html; charset=gbk").Frame("https://site.test/").Meta(meta("charset", "utf-8")), "%C3%BC%E6%96%B0"},
		"another base":              {page.Served("text/html; charset=gbk").At("https://site.test/"), "%A8%B9%D0%C2"},
	} {
		if got, want := c.base.Resolve("?q=ü新"), "https://site.test/?q="+c.query; got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	if got := page.Served("text/html").Resolve("?q=Ü€"); got != "https://site.test/?q=%DC%80" {
		t.Errorf("a page that declares no charset: %s", got)
	}
}

func TestSpellings(t *testing.T) {
	page := NewBase("https://site.test/a").In("gbk")
	for ref, want := range map[string][]string{
		"b?c":          {"https://site.test/b?c"},
		"ü":            {"https://site.test/%C3%BC"},
		"#?ü":          {"https://site.test/a#?%C3%BC"},
		"http://[":     nil,
		"?新#ü":         {"https://site.test/a?%D0%C2#%C3%BC", "https://site.test/a?%E6%96%B0#%C3%BC"},
		"mailto:a?b=ü": {"mailto:a?b=%C3%BC"},
	} {
		got := slices.Collect(page.Spellings(ref))
		if len(got) < len(want) || len(want) < 2 && len(got) != len(want) {
			t.Errorf("%q has the spellings %q, want %q", ref, got, want)
			continue
		}
		for _, w := range want {
			if !slices.Contains(got, w) {
				t.Errorf("%q lacks the spelling %s: %q", ref, w, got)
			}
		}
		if len(want) > 0 && got[0] != page.Resolve(ref) {
			t.Errorf("%q is first %s", ref, got[0])
		}
	}
	if got := slices.Collect(NewBase("https://h.test/").Spellings("?ü")); !slices.Contains(got, "https://h.test/?%FC") {
		t.Errorf("spellings of ü: %q", got)
	}
}
