package links

import (
	"bytes"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"golang.org/x/net/html"
	"golang.org/x/net/html/charset"

	"plat/fixtures"
	recorded "plat/fixtures/history"
	"plat/plat"
	"plat/plat/weburl"
	"plat/scripts/frontier/sources"
	"plat/storage/history"
	"plat/storage/sqlite"
	"plat/storage/storagetest"
)

// before returns the canonical URL of a link as it was resolved by package net/url.
func before(base *url.URL, href string) string {
	to, err := base.Parse(strings.TrimSpace(href))
	if err != nil {
		return ""
	}
	return canonical(to.String())
}

// canonical returns the canonical form of a URL, empty if it has none.
func canonical(u string) string {
	link, err := plat.Canonical(u, plat.TrackingParams)
	if err != nil {
		return ""
	}
	return link
}

// wrongBefore reports why a reference was resolved differently from a browser by package net/url; empty for
// ordinary ones, whose canonical URLs must not change.
func wrongBefore(href string) string {
	href = strings.TrimSpace(href)
	lower := strings.ToLower(href)
	path, _, _ := strings.Cut(lower, "?")
	switch {
	case strings.ContainsAny(href, "\t\r\n"):
		return "a line break or tab in it"
	case strings.Contains(path, `\`):
		return "a backslash"
	case strings.Contains(path, "%2e"):
		return "an escaped dot segment"
	case strings.HasPrefix(lower, "http:") && !strings.HasPrefix(lower, "http://"), strings.HasPrefix(lower, "https:") && !strings.HasPrefix(lower, "https://"):
		return "no two slashes after the scheme"
	case strings.HasPrefix(href, "///"), strings.HasPrefix(lower, "http:///"), strings.HasPrefix(lower, "https:///"):
		return "three slashes"
	}
	if scheme, _, ok := strings.Cut(path, ":"); ok && !strings.ContainsAny(scheme, "/#") && strings.ContainsFunc(scheme, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9') && !strings.ContainsRune("+-.", r)
	}) || ok && scheme == "" {
		return "a colon that ends no scheme"
	}
	if strings.ContainsAny(path, "()*!'[]") && strings.ContainsFunc(path, func(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune("\"<>^`{|}", r) }) {
		return "escaped more than browsers escape, because of a different character"
	}
	for i := range len(href) {
		if c := href[i]; c == '%' && (i+2 >= len(href) || !strings.ContainsRune("0123456789abcdefABCDEF", rune(href[i+1])) || !strings.ContainsRune("0123456789abcdefABCDEF", rune(href[i+2]))) {
			return "a bare percent sign"
		} else if c < ' ' || c == 0x7f {
			return "a control character"
		}
	}
	return ""
}

// comparison compares the canonical URLs of links with those before.
type comparison struct {
	pages, links int
	wrong        map[string]int // links that were resolved wrongly, by the reason
	shown        []string
}

// page compares the links of a page.
func (c *comparison) page(t *testing.T, address string, body []byte) {
	old, err := url.Parse(address)
	if err != nil {
		t.Error(err)
		return
	}
	coding, name, _ := charset.DetermineEncoding(body, "")
	if body, err = coding.NewDecoder().Bytes(body); err != nil {
		t.Error(err)
		return
	}
	c.pages++
	now, based := weburl.NewBase(address).In(name), false
	for z := html.NewTokenizer(bytes.NewReader(body)); z.Next() != html.ErrorToken; {
		tag := z.Token()
		if tag.Type != html.StartTagToken && tag.Type != html.SelfClosingTagToken {
			continue
		}
		for _, a := range tag.Attr {
			switch {
			case a.Key == "href" && tag.Data == "base" && !based:
				if to, err := old.Parse(strings.TrimSpace(a.Val)); err == nil {
					old, now, based = to, now.At(a.Val), true
				}
			case a.Key == "href" && (tag.Data == "a" || tag.Data == "area" || tag.Data == "link"), a.Key == "src" && (tag.Data == "iframe" || tag.Data == "frame"):
				c.link(t, address, before(old, a.Val), now, a.Val)
			}
		}
	}
}

func (c *comparison) link(t *testing.T, address, was string, now *weburl.Base, href string) {
	c.links++
	link := canonical(now.Resolve(href))
	if link == was {
		return
	}
	why := wrongBefore(href)
	if why == "" {
		t.Errorf("%s: the canonical URL of %q was %q and is %q", address, href, was, link)
	}
	if c.wrong[why]++; c.wrong[why] <= 5 {
		c.shown = append(c.shown, fmt.Sprintf("%s: %q on %s: %q, before %q", why, href, address, link, was))
	}
}

func (c *comparison) log(t *testing.T) {
	for _, line := range c.shown {
		t.Log(line)
	}
	t.Logf("%d links of %d pages; resolved wrongly before: %v", c.links, c.pages, c.wrong)
}

// Links of recorded sites have the canonical URLs under which archives know them, except those that were
// resolved wrongly. With PLAT_LONG=1 it reads all pages.
func TestCanonicalURLsOfRecordedLinksDoNotChange(t *testing.T) {
	data, is := recorded.Dir()
	if !is {
		t.Skipf("no recorded sites: there is no %s; set PLAT_DATA", data)
	}
	all, err := sources.Recorded(data)
	if err != nil {
		t.Fatal(err)
	}
	c := comparison{wrong: map[string]int{}}
	for _, s := range append(all, sources.Crawled(data)...) {
		n := 0
		err := s.Each(func(address string, body []byte) {
			if n++; n <= 20_000/fixtures.OneIn(10) {
				c.page(t, address, body)
			}
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if c.log(t); c.links < 10_000 {
		t.Errorf("only %d links", c.links)
	}
}

// So have the links of an archive that an older plat wrote, and its own URLs.
func TestCanonicalURLsOfAnOlderArchiveDoNotChange(t *testing.T) {
	s, err := sqlite.Open(storagetest.OldSQLite(t), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	c := comparison{wrong: map[string]int{}}
	for st, err := range s.States(t.Context(), "", "") {
		if err != nil {
			t.Fatal(err)
		}
		c.link(t, st.URL, canonical(st.URL), weburl.NewBase(st.URL), st.URL)
		c.link(t, st.URL, canonical(st.URL), weburl.NewBase(st.URL), "")
		for n := 1; ; n++ {
			body, err := history.Restore(t.Context(), s, st.URL, n)
			if errors.Is(err, plat.ErrNotFound) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			c.page(t, st.URL, body)
		}
	}
	if c.log(t); c.pages == 0 || len(c.wrong) > 0 {
		t.Errorf("%d pages, changed are %v", c.pages, c.wrong)
	}
}
