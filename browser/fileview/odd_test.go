package fileview

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"
)

// Feeds as servers send them: in encodings that they do not name, broken, cut off, and with titles that look like markup.
func TestOddFeeds(t *testing.T) {
	rss := func(items string) string {
		return `<?xml version="1.0"?><rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/"><channel><title>T</title><link>https://a.test/</link>` + items + `</channel></rss>`
	}
	of := func(title string) string { return rss("<item><title>" + title + "</title><link>/1</link></item>") }
	long := strings.Repeat("word ", 30)
	for _, c := range []struct {
		name, kind, data string
		want             []string // the links of its entries, as "text address"
	}{
		{"a mark, and blanks before", "text/xml", "\ufeff\n " + of("One"), []string{"One /1"}},
		{"UTF-16", "text/xml", inUTF16(strings.Replace(of("Größe"), `"1.0"`, `"1.0" encoding="UTF-16"`, 1)), []string{"Größe /1"}},
		{"no encoding", "text/xml", of("Caf\xe9"), []string{"Café /1"}},
		{"a false encoding", "text/xml; charset=utf-8", strings.Replace(of("Caf\xe9"), `"1.0"`, `"1.0" encoding="UTF-8"`, 1), []string{"Café /1"}},
		{"JSON with a mark", "application/json", "\ufeff" + `{"version":"https://jsonfeed.org/version/1","title":"T","items":[{"id":"1","url":"https://a.test/1","title":"X"}]}`, []string{"X /1"}},
		{"text", "text/plain", of("One"), []string{"One /1"}},
		{"a download", "application/octet-stream", of("One"), []string{"One /1"}},
		{"cut off", "text/xml", strings.TrimSuffix(rss("<item><title>One</title><link>/1</link></item><item><title>Tw"), "</channel></rss>"), []string{"One /1"}},
		{"cut off, Atom", "text/xml", `<feed xmlns="http://www.w3.org/2005/Atom"><title>T</title><entry><title>One</title><link href="/1"/></entry><entry><title>Two</title><li`, []string{"One /1"}},
		{"a broken entry", "text/xml", rss("<item><title>One</title><link>/1</link></item><item><title>Two</titel><link>/2</link></item><item><title>Three</title><link>/3</link></item>"), []string{"One /1", "Three /3"}},
		{"generics in a title", "text/xml", of("std::vector&lt;int&gt; and Map&lt;K, V&gt;"), []string{"std::vector&lt;int&gt; and Map&lt;K, V&gt; /1"}},
		{"an element in a title", "text/xml", of("How to use &lt;details&gt; well"), []string{"How to use &lt;details&gt; well /1"}},
		{"markup in a title", "text/xml", of("<![CDATA[The <b>one</b>&#8217;s<br>line &amp; <i class='x'>the other</i>]]>"), []string{"The one’s line &amp; the other /1"}},
		{"a title that compares", "text/xml", of("1 &lt; 2 &amp;&amp; 3 &gt; 2"), []string{"1 &lt; 2 &amp;&amp; 3 &gt; 2 /1"}},
		{"no title", "text/xml", rss("<item><link>/1</link><description>&lt;p&gt;Hello &lt;a href='/x'&gt;all&lt;/a&gt;&lt;/p&gt;&lt;p&gt;of you&lt;/p&gt;</description></item>"), []string{"Hello all of you /1"}},
		{"a long text without a title", "text/xml", rss("<item><link>/1</link><description>" + long + "</description></item>"), []string{strings.TrimSpace(long[:100]) + "… /1"}},
		{"Chinese without a title", "text/xml", rss("<item><link>/1</link><description>" + strings.Repeat("天气预报", 40) + "</description></item>"), []string{strings.Repeat("天气预报", 25) + "… /1"}},
	} {
		page, ok := Page(&File{URL: "https://a.test/feed", ContentType: c.kind, Data: []byte(c.data)})
		var got []string
		for _, m := range regexp.MustCompile(`<h2><a href="https://a.test([^"]*)">(.*?)</a></h2>`).FindAllStringSubmatch(page, -1) {
			got = append(got, m[2]+" "+m[1])
		}
		if !ok || !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q, in %.1000s", c.name, got, c.want, page)
		}
		inert(t, page)
	}
}

func inUTF16(s string) string {
	b := []byte("\xff\xfe")
	for _, x := range utf16.Encode([]rune(s)) {
		b = append(b, byte(x), byte(x>>8))
	}
	return string(b)
}

// A feed of which every entry is broken is given up after some.
func TestMendingEnds(t *testing.T) {
	for _, data := range []string{
		strings.Repeat("<item><title>", 100_000), "<rss><channel>" + strings.Repeat("<item><a></b></item>", 20_000), "<item", "</item>", "<rss>" + strings.Repeat("<entry></item>", 1000), "", "<",
	} {
		mended([]byte(data))
	}
}
