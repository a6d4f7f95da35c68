package sitemap_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"plat/browser/fetch/sitemap"
)

func Example() {
	const file = `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
	  <url><loc>https://a.test/?a=1&amp;b=2</loc><lastmod>2026-11-20T09:30+01:00</lastmod><priority>0.8</priority></url>
	</urlset>`
	found, err := sitemap.Read(strings.NewReader(file), sitemap.Limits{}, func(_ sitemap.Kind, e sitemap.Entry) error {
		fmt.Println(e.Loc, e.LastMod, e.Priority)
		return nil
	})
	fmt.Println(found.Kind, found.Entries, err)
	// Output:
	// https://a.test/?a=1&b=2 2026-11-20 08:30:00 +0000 UTC 0.8
	// urlset 1 <nil>
}

// collect reads a whole file.
func collect(file string, lim sitemap.Limits) ([]sitemap.Entry, sitemap.Result, error) {
	return collectFrom(strings.NewReader(file), lim)
}

func collectFrom(r io.Reader, lim sitemap.Limits) (all []sitemap.Entry, res sitemap.Result, err error) {
	res, err = sitemap.Read(r, lim, func(k sitemap.Kind, e sitemap.Entry) error {
		if k == sitemap.Unknown {
			return errors.New("an entry of unknown kind")
		}
		all = append(all, e)
		return nil
	})
	return all, res, err
}

// show returns entries, one line each.
func show(all []sitemap.Entry) (out []string) {
	for _, e := range all {
		s := e.Loc
		if !e.LastMod.IsZero() {
			s += " " + e.LastMod.Format(time.RFC3339Nano)
		}
		if e.Priority != sitemap.NoPriority {
			s += fmt.Sprintf(" %g", e.Priority)
		}
		if e.ChangeFreq != "" {
			s += " " + e.ChangeFreq
		}
		out = append(out, s)
	}
	return out
}

func zip(s string) string {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := io.WriteString(z, s); err != nil {
		panic(err) // a buffer never fails
	}
	if err := z.Close(); err != nil {
		panic(err)
	}
	return b.String()
}

const (
	protocolSample = `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
   <url>
      <loc>http://www.example.com/</loc>
      <lastmod>2005-01-01</lastmod>
      <changefreq>monthly</changefreq>
      <priority>0.8</priority>
   </url>
   <url>
      <loc>http://www.example.com/catalog?item=12&amp;desc=vacation_hawaii</loc>
      <changefreq>weekly</changefreq>
   </url>
</urlset>`
	protocolIndex = `<?xml version="1.0" encoding="UTF-8"?>
<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
   <sitemap>
      <loc>http://www.example.com/sitemap1.xml.gz</loc>
      <lastmod>2004-10-01T18:23:17+00:00</lastmod>
   </sitemap>
   <sitemap>
      <loc>http://www.example.com/sitemap2.xml.gz</loc>
      <lastmod>2005-01-01</lastmod>
   </sitemap>
</sitemapindex>`
	rss = `<?xml version="1.0"?>
<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom" xmlns:dc="http://purl.org/dc/elements/1.1/">
<channel><title>News &amp; more</title><link>http://a.test/</link><atom:link rel="self" href="http://a.test/feed"/>
<image><url>http://a.test/i.png</url><link>http://a.test/</link></image>
<item><title>One</title><atom:link href="http://a.test/wrong"/><link>http://a.test/1</link><pubDate>Mon, 26 Mar 2007 18:38:58 +0200</pubDate></item>
<item><link><![CDATA[http://a.test/2?a=1&b=2]]></link><dc:date>2007-03-26</dc:date><description><![CDATA[<link>http://a.test/no</link>]]></description></item>
<item><title>no link</title></item>
</channel></rss>`
	atom = `<feed xmlns="http://www.w3.org/2005/Atom"><link href="http://a.test/"/><updated>2020-01-01T00:00:00Z</updated>
<entry><link rel="self" href="http://a.test/1.atom"/><link rel="alternate" type="text/html" href=" http://a.test/1 "/><link href="http://a.test/1b"/>
<published>2003-11-09T17:23:02Z</published><updated>2003-12-13T18:30:02.25+01:00</updated>
<content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><link href="http://a.test/no"/></div></content></entry>
<entry><link href="/relative"/></entry>
<entry><link href="http://a.test/2"></link><modified>2004-01-02</modified></entry></feed>`
)

func TestForms(t *testing.T) {
	for _, tc := range []struct {
		name, file string
		kind       sitemap.Kind
		refused    int
		want       []string
	}{
		{"sitemap", protocolSample, sitemap.URLSet, 0, []string{
			"http://www.example.com/ 2005-01-01T00:00:00Z 0.8 monthly",
			"http://www.example.com/catalog?item=12&desc=vacation_hawaii weekly",
		}},
		{"index", protocolIndex, sitemap.Index, 0, []string{
			"http://www.example.com/sitemap1.xml.gz 2004-10-01T18:23:17Z",
			"http://www.example.com/sitemap2.xml.gz 2005-01-01T00:00:00Z",
		}},
		{"RSS", rss, sitemap.RSS, 1, []string{"http://a.test/1 2007-03-26T16:38:58Z", "http://a.test/2?a=1&b=2 2007-03-26T00:00:00Z"}},
		{"Atom", atom, sitemap.Atom, 1, []string{"http://a.test/1 2003-12-13T17:30:02.25Z", "http://a.test/2 2004-01-02T00:00:00Z"}},
		{"text", "\ufeffhttp://a.test/1\r\n\r\n  https://a.test/2  \rHTTP://a.test/3\nnot a URL\nhttp://a.test/4", sitemap.Text, 1,
			[]string{"http://a.test/1", "https://a.test/2", "HTTP://a.test/3", "http://a.test/4"}},
		{"gzip of two members", zip(protocolSample[:200]) + zip(protocolSample[200:]), sitemap.URLSet, 0, []string{
			"http://www.example.com/ 2005-01-01T00:00:00Z 0.8 monthly",
			"http://www.example.com/catalog?item=12&desc=vacation_hawaii weekly",
		}},
		{"no entries", `<urlset/>`, sitemap.URLSet, 0, nil},
		{"prefixes, other namespaces, images", `<sm:urlset xmlns:sm="https://sitemaps.org/0.84" xmlns:image="i"><sm:url><image:loc>http://a.test/no</image:loc>
			<image:image><image:loc>http://a.test/i.png</image:loc></image:image><sm:loc>http://a.test/yes</sm:loc></sm:url></sm:urlset>`,
			sitemap.URLSet, 0, []string{"http://a.test/yes"}},
		{"entries of another namespace", `<urlset xmlns:x="x"><x:url><loc>http://a.test/no</loc></x:url><url><x:loc>http://a.test/no</x:loc><loc>http://a.test/yes</loc></url></urlset>`,
			sitemap.URLSet, 0, []string{"http://a.test/yes"}},
		{"loc nested or misplaced", `<urlset><loc>http://a.test/no</loc><x><url><loc>http://a.test/no</loc></url></x><url><x><loc>http://a.test/no</loc></x></url></urlset>`,
			sitemap.URLSet, 1, nil},
		{"the first of two", `<urlset><url><loc/><loc>http://a.test/1</loc><loc>http://a.test/2</loc></url></urlset>`, sitemap.URLSet, 0, []string{"http://a.test/1"}},
		{"text in pieces", `<urlset><url><loc>http://a<!-- x -->.test/<b>no</b><![CDATA[a&b]]>&#x41;</loc></url></urlset>`, sitemap.URLSet, 0, []string{"http://a.test/a&bA"}},
		{"nothing of one entry in the next", `<urlset><url><loc>http://a.test/1</loc><priority>1</priority><lastmod>2020</lastmod><changefreq>x</changefreq></url><url><loc>http://a.test/2</loc></url></urlset>`,
			sitemap.URLSet, 0, []string{"http://a.test/1 2020-01-01T00:00:00Z 1 x", "http://a.test/2"}},
		{"& without escape", `<urlset><url><loc>http://a.test/?a=1&b=2&copy=3&lt=4</loc></url></urlset>`, sitemap.URLSet, 0, []string{"http://a.test/?a=1&b=2&copy=3&lt=4"}},
		{"schemes and relative ones", `<urlset><url><loc>/a</loc></url><url><loc>//a.test/</loc></url><url><loc>ftp://a.test/</loc></url><url><loc>javascript:x</loc></url>
			<url><loc>http://</loc></url><url><loc>https:///a</loc></url><url><loc>httpx://a.test/</loc></url><url/><url><loc>https://a.test</loc></url></urlset>`,
			sitemap.URLSet, 8, []string{"https://a.test"}},
		{"control characters, bad UTF-8", "<urlset><url><loc>http://a.test/\x01\xff\x00</loc></url></urlset>", sitemap.URLSet, 0, []string{"http://a.test/ \ufffd"}},
		{"blanks before the declaration", "\n " + `<?xml version="1.0" encoding="utf-8"?><urlset><url><loc>http://a.test/</loc></url></urlset>`, sitemap.URLSet, 0, []string{"http://a.test/"}},
		{"Latin-1", `<?xml version="1.0" encoding="ISO-8859-1"?><urlset><url><loc>http://a.test/caf` + "\xe9" + `</loc></url></urlset>`, sitemap.URLSet, 0, []string{"http://a.test/café"}},
		{"GBK", `<?xml version='1.0' encoding='gb2312'?><urlset><url><loc>http://a.test/` + "\xd6\xd0" + `</loc></url></urlset>`, sitemap.URLSet, 0, []string{"http://a.test/中"}},
		{"an unknown encoding", `<?xml version="1.0" encoding="klingon"?><urlset><url><loc>http://a.test/é</loc></url></urlset>`, sitemap.URLSet, 0, []string{"http://a.test/é"}},
		{"utf-16 declared only", `<?xml version="1.0" encoding="utf-16"?><urlset><url><loc>http://a.test/é</loc></url></urlset>`, sitemap.URLSet, 0, []string{"http://a.test/é"}},
		{"utf-16", utf16(`<?xml version="1.0" encoding="utf-16"?><urlset><url><loc>http://a.test/é</loc></url></urlset>`), sitemap.URLSet, 0, []string{"http://a.test/é"}},
		{"declared entities are not expanded", `<!DOCTYPE urlset [<!ENTITY a "http://a.test/"><!ENTITY b SYSTEM "file:///etc/passwd">]><urlset><url><loc>&a;</loc></url><url><loc>http://a.test/&b;</loc></url></urlset>`,
			sitemap.URLSet, 1, []string{"http://a.test/&b;"}},
		{"content after the root", `<urlset><url><loc>http://a.test/</loc></url></urlset> <more`, sitemap.URLSet, 0, []string{"http://a.test/"}},
		{"bad values", `<urlset><url><loc>http://a.test/1</loc><priority>1.5</priority><lastmod>yesterday</lastmod></url><url><loc>http://a.test/2</loc><priority>NaN</priority></url>
			<url><loc>http://a.test/3</loc><priority>-0.1</priority></url><url><loc>http://a.test/4</loc><priority>0</priority></url><url><loc>http://a.test/5</loc><priority>0,5</priority></url></urlset>`,
			sitemap.URLSet, 0, []string{"http://a.test/1", "http://a.test/2", "http://a.test/3", "http://a.test/4 0", "http://a.test/5"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			for form, r := range map[string]io.Reader{
				"plain":           strings.NewReader(tc.file),
				"byte by byte":    iotest.OneByteReader(strings.NewReader(tc.file)),
				"data and end":    iotest.DataErrReader(strings.NewReader(tc.file)),
				"gzip, unless is": maybeZip(tc.file),
			} {
				all, res, err := collectFrom(r, sitemap.Limits{})
				if err != nil {
					t.Fatalf("%s: %v", form, err)
				}
				if want := (sitemap.Result{Kind: tc.kind, Entries: len(tc.want), Refused: tc.refused}); res != want {
					t.Errorf("%s: result %+v, want %+v", form, res, want)
				}
				if got := show(all); !slices.Equal(got, tc.want) {
					t.Errorf("%s: got\n%q, want\n%q", form, got, tc.want)
				}
			}
		})
	}
}

func maybeZip(s string) io.Reader {
	if strings.HasPrefix(s, "\x1f\x8b") {
		return strings.NewReader(s)
	}
	return strings.NewReader(zip(s))
}

// utf16 is s in UTF-16, little end first, with a byte order mark.
func utf16(s string) string {
	b := []byte{0xff, 0xfe}
	for _, r := range s {
		b = append(b, byte(r), byte(r>>8))
	}
	return string(b)
}

func TestOtherFilesAreRejected(t *testing.T) {
	for _, tc := range []struct{ name, file, want string }{
		{"empty", "", "the file is empty"},
		{"blanks", " \n\t", "the file is empty"},
		{"a page", "<!DOCTYPE html><html><body>Not found</body></html>", "the root element is <html>"},
		{"another document", `<?xml version="1.0"?><rdf:RDF xmlns:rdf="x"><item/></rdf:RDF>`, "the root element is <RDF>"},
		{"text without URLs", "Not found\nSorry\n", "none of its lines is a URL"},
		{"gzip in gzip", zip(zip(protocolSample)), "gzip inside gzip"},
		{"gzip of nothing", zip(""), "the file is empty"},
		{"half a header", "\x1f\x8b\x08", "begins like gzip"},
		{"bad gzip method", "\x1f\x8b\x09aaaaaaaaaaaa", "begins like gzip"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			all, res, err := collect(tc.file, sitemap.Limits{})
			if !errors.Is(err, sitemap.ErrFormat) || !strings.Contains(err.Error(), tc.want) || len(all) > 0 || res.Kind != sitemap.Unknown {
				t.Errorf("got %v, %+v, %v; want ErrFormat saying %q", all, res, err, tc.want)
			}
		})
	}
}

func TestEntriesBeforeABreakAreKept(t *testing.T) {
	const head = "<urlset>\n<url><loc>http://a.test/1</loc></url>\n"
	for _, tc := range []struct{ name, tail, want string }{
		{"cut in an element", "<url><loc>http://a.te", "line 3, column 22: unexpected EOF"},
		{"cut between elements", "", "line 3, column 1: unexpected EOF"},
		{"cut in a tag", "<url", "line 3"},
		{"wrong end", "<url><loc>http://a.test/2</url>", "line 3, column 32: </url> closes <loc>"},
		{"bad tag", "<url><loc>http://a.test/2</loc><>", "line 3"},
		{"wrong end of the root", "</rss>", "line 3, column 7: </rss> closes <urlset>"},
		{"character that XML has not", "<url><loc>http://a.test/&#0;</loc></url>", "line 3"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			all, res, err := collect(head+tc.tail, sitemap.Limits{})
			if got := show(all); !slices.Equal(got, []string{"http://a.test/1"}) || res.Entries != 1 || res.Kind != sitemap.URLSet {
				t.Errorf("got %q, %+v", got, res)
			}
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("error %v does not say %q", err, tc.want)
			}
			if errors.Is(err, sitemap.ErrTooLarge) || errors.Is(err, sitemap.ErrFormat) {
				t.Errorf("error %v is one of a limit or of a format", err)
			}
		})
	}
	t.Run("gzip cut short", func(t *testing.T) {
		file := zip(head + "<url><loc>http://a.test/2</loc></url></urlset>")
		_, _, err := collect(file[:len(file)-20], sitemap.Limits{})
		if !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("error %v, want an unexpected end", err)
		}
	})
	t.Run("the reader fails", func(t *testing.T) {
		boom := errors.New("boom")
		for _, file := range []string{"", head, "http://a.test/1\n", zip(head)[:5], zip(head)[:12]} {
			_, _, err := collectFrom(io.MultiReader(strings.NewReader(file), iotest.ErrReader(boom)), sitemap.Limits{})
			if !errors.Is(err, boom) || errors.Is(err, sitemap.ErrFormat) {
				t.Errorf("after %q: error %v, want that of the reader", file, err)
			}
		}
	})
	t.Run("yield ends it", func(t *testing.T) {
		enough := errors.New("enough")
		for _, file := range []string{protocolSample, "http://a.test/1\nhttp://a.test/2"} {
			res, err := sitemap.Read(strings.NewReader(file), sitemap.Limits{}, func(sitemap.Kind, sitemap.Entry) error { return enough })
			if err != enough || res.Entries != 1 {
				t.Errorf("got %+v, %v; want yield's own error after one entry", res, err)
			}
		}
	})
}

func TestRelativeAddressesAreResolved(t *testing.T) {
	for _, tc := range []struct{ name, base, file, want string }{
		{"RSS, from the root", "http://a.test/feeds/all.rss", `<rss version="2.0"><channel><link>http://a.test/</link><item><link>/one</link></item><item><link>http://b.test/two</link></item></channel></rss>`,
			"http://a.test/one http://b.test/two"},
		{"RSS, from the folder, the query and the scheme", "http://a.test/feeds/all.rss?x", `<rss><channel><item><link>one?a=1&amp;b=2</link></item><item><link>?p=3</link></item><item><link>//b.test/c</link></item><item><link>../d</link></item></channel></rss>`,
			"http://a.test/feeds/one?a=1&b=2 http://a.test/feeds/all.rss?p=3 http://b.test/c http://a.test/d"},
		{"a link is better than a guid", "http://a.test/f", `<rss><channel><item><guid>http://a.test/guid</guid><link>http://a.test/link</link></item><item><link> </link><guid isPermaLink="true">http://a.test/g</guid></item></channel></rss>`,
			"http://a.test/link http://a.test/g"},
		{"guids", "http://a.test/f", `<rss><channel><item><guid>http://a.test/1</guid></item><item><guid isPermaLink="true">/2</guid></item><item><guid isPermaLink="false">http://a.test/3</guid></item><item><guid>tag:a.test,2026:4</guid></item><item><guid>55512</guid></item><item><guid ispermalink=" FALSE ">/6</guid></item></channel></rss>`,
			"http://a.test/1 http://a.test/2"},
		{"a sitemap", "https://a.test/maps/1.xml", `<urlset><url><loc>/ä b</loc></url><url><loc>c.html</loc></url><url><loc>javascript:x</loc></url><url><loc>mailto:a@a.test</loc></url><url><loc></loc></url></urlset>`,
			"https://a.test/%C3%A4%20b https://a.test/maps/c.html"},
		{"an index", "https://a.test/maps/index.xml", `<sitemapindex><sitemap><loc>1.xml</loc></sitemap><sitemap><loc>/2.xml.gz</loc></sitemap></sitemapindex>`,
			"https://a.test/maps/1.xml https://a.test/2.xml.gz"},
		{"Atom", "https://a.test/blog/atom.xml", `<feed xmlns="http://www.w3.org/2005/Atom"><entry><link href="2026/one"/></entry><entry><link rel="enclosure" href="/x.mp3"/><id>tag:2</id></entry></feed>`,
			"https://a.test/blog/2026/one"},
		{"lines of a text are no references", "https://a.test/x.txt", "https://a.test/1\nNot found\n/2\n", "https://a.test/1"},
		{"without a base", "", `<rss><channel><item><link>/one</link></item><item><guid>http://a.test/2</guid></item></channel></rss>`, "http://a.test/2"},
	} {
		all, _, err := collect(tc.file, sitemap.Limits{Base: tc.base})
		if got := strings.Join(show(all), " "); got != tc.want || err != nil {
			t.Errorf("%s: %s (%v), want %s", tc.name, got, err, tc.want)
		}
	}
}
