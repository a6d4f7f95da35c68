package fileview

import (
	"fmt"
	"strings"
	"testing"

	"golang.org/x/net/html"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/unicode"
)

func TestPage(t *testing.T) {
	sjis, _ := japanese.ShiftJIS.NewEncoder().String("魚,値\nたい,9\n")
	utf16, _ := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewEncoder().String("Größe: 4\n")
	for _, c := range []struct{ name, kind, file, data, want, not string }{
		{"comma", "text/csv", "a", "Item,Number\nKite,17\n", "<th>Item</th><th>Number</th></tr>\n<tr><td>Kite</td><td>17</td>", "<pre"},
		{"semicolons and commas", "text/csv; charset=utf-8", "a", "Ort;Preis\nAu;1,50\nEck;2,75\n", "<td>Au</td><td>1,50</td>", "<pre"},
		{"tabs", "text/tab-separated-values", "a", "a\tb, c\nd\te, f\n", "<th>a</th><th>b, c</th>", "<pre"},
		{"quoted breaks", "text/csv", "a", "a,b\n\"1\n2\",\"say \"\"hi\"\"\"\n", "<td>1\n2</td><td>say &#34;hi&#34;</td>", "<pre"},
		{"rows of different lengths", "text/csv", "a", "a,b,c\n1,2\n3,4,5\n6,7,8\n", "<td>1</td><td>2</td></tr>", "<pre"},
		{"no names", "text/csv", "a", "2024,17\n2025,19\n", "<td>2024</td>", "<th>"},
		{"one column", "text/csv", "a", "names\nAu\nEck\n", "<pre", "<table"},
		{"by its name", "application/octet-stream", "stock.csv", "a,b\n1,2\n", "<table", "<pre"},
		{"not by its name alone", "text/plain", "stock.csv", "a,b\n1,2\n", "<pre", "<table"},
		{"markup in cells", "text/csv", "a", "a,b\n<script>x</script>,<b>\n", "&lt;script&gt;x&lt;/script&gt;", "<script"},
		{"Shift_JIS", "text/csv; charset=shift_jis", "a", sjis, "<th>魚</th><th>値</th>", "<pre"},
		{"YAML", "application/yaml", "c.yml", "image: kites/web:4.1\n# <b>\n", "\nimage: kites/web:4.1\n# &lt;b&gt;\n</pre>", "<table"},
		{"a text that begins with a line feed", "text/vcard", "a", "\nBEGIN", "<pre style=\"word-wrap: break-word; white-space: pre-wrap;\">\n\nBEGIN", "<table"},
		{"UTF-16", "application/octet-stream", "a", utf16, "Größe: 4", "<table"},
		{"UTF-8 with a mark", "application/toml", "a", "\xef\xbb\xbfkey = \"Größe\"", "key = &#34;Größe&#34;", "\ufeff"},
		{"Latin-1", "application/toml", "a", "Gr\xf6\xdfe", "Größe", "\ufffd"},
		{"an attachment's name", "application/octet-stream", "a", "x", "<title>list.txt</title>", "<title>a<"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := &File{URL: "http://files.test/dir/" + c.file, ContentType: c.kind, Data: []byte(c.data)}
			if strings.Contains(c.name, "attachment") {
				f.Disposition = `attachment; filename="../list.txt"`
			}
			page, ok := Page(f)
			if !ok || !strings.Contains(page, c.want) || strings.Contains(page, c.not) {
				t.Errorf("the page is %t, %s, want %q in it and no %q", ok, page, c.want, c.not)
			}
		})
	}
	for name, f := range map[string]*File{
		"HTML":         {ContentType: "text/html", Data: []byte("<p>x")},
		"binary":       {ContentType: "application/octet-stream", Data: []byte("PK\x03\x04")},
		"binary table": {URL: "http://files.test/a.csv", ContentType: "text/csv", Data: []byte("a,b\n\x00,c\n")},
	} {
		if page, ok := Page(f); ok {
			t.Errorf("%s: the page is %q, want none", name, page)
		}
	}
}

// A table of very many cells is text.
func TestALargeTableIsText(t *testing.T) {
	row := strings.Repeat("1,", 99) + "1\n"
	for rows, want := range map[int]string{900: "<table>", 1100: "<pre"} {
		page, ok := Page(&File{ContentType: "text/csv", Data: []byte(strings.Repeat(row, rows))})
		if !ok || !strings.Contains(page, want) {
			t.Errorf("%d rows: no %s", rows, want)
		}
	}
}

// A line of very many separators is no table.
func TestCommasAreNoTable(t *testing.T) {
	page, ok := Page(&File{ContentType: "text/csv", Data: []byte(strings.Repeat(",", 10<<20))})
	if !ok || !strings.Contains(page, "<pre") {
		t.Error("ten million commas are a table")
	}
}

const rss = `<?xml version="1.0"?><rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/"><channel>
<title><![CDATA[The pump &amp; the <b>mill</b>]]></title><link>/</link><description>News of the port</description><language>de</language>
<item><title>A new baker</title><link>/p/4</link><pubDate>Tue, 10 Mar 2026 08:00:00 GMT</pubDate>
<description>&lt;p onclick="x()"&gt;He &lt;a href="oven"&gt;bakes&lt;/a&gt; &lt;script&gt;y()&lt;/script&gt;&lt;img src="z.png" onerror="q()"&gt;&lt;a href="javascript:v()"&gt;w&lt;/a&gt;</description></item>
<item><guid>http://port.test/p/5</guid><description>Without a title</description><content:encoded>&lt;p&gt;In full.&lt;/p&gt;</content:encoded></item>
</channel></rss>`

func TestFeed(t *testing.T) {
	for _, c := range []struct {
		name, kind, data string
		want             []string
	}{
		{"RSS", "application/rss+xml", rss, []string{
			`<html lang="de">`, `<title>The pump &amp; the mill</title>`, `<h1><a href="http://port.test/">The pump &amp; the mill</a></h1>`,
			`<h2><a href="http://port.test/p/4">A new baker</a></h2>`, `<time datetime="2026-03-10T08:00:00Z">2026-03-10 08:00</time>`,
			`<a href="http://port.test/p/oven">bakes</a>`, `<img src="http://port.test/p/z.png">`, `<a>w</a>`,
			`<h2><a href="http://port.test/p/5">Without a title</a></h2>`, "<div>Without a title</div>", "<div><p>In full.</p></div>",
		}},
		{"Atom", "text/xml", `<feed xmlns="http://www.w3.org/2005/Atom"><title type="html">A &amp;lt; B</title><entry><title>One</title><link href="1.html"/>` +
			`<updated>2026-03-01T00:00:00Z</updated><author><name>Dana</name></author><content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>Text <em>here</em></p></div></content></entry></feed>`,
			[]string{"<h1>A &lt; B</h1>", `<a href="http://port.test/feeds/1.html">One</a>`, "2026-03-01 00:00</time> · Dana", "<p>Text <em>here</em></p>"}},
		{"RDF", "application/xml", `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"><channel><title>Tides</title></channel><item><title>High</title><link>http://port.test/h</link></item></rdf:RDF>`,
			[]string{"<h1>Tides</h1>", `<a href="http://port.test/h">High</a>`}},
		{"JSON Feed", "application/json", `{"version":"https://jsonfeed.org/version/1.1","title":"Tides","items":[{"id":"1","url":"http://port.test/1","title":"Low","content_html":"<b>Low</b> at six"}]}`,
			[]string{"<h1>Tides</h1>", `<article data-entry="1"><h2><a href="http://port.test/1">Low</a>`, "<b>Low</b> at six"}},
		{"identifiers", "text/xml", `<rss version="2.0"><channel><item><title>Low</title><link>http://port.test/1</link><guid>http://port.test/1</guid></item><item><title>High</title><guid isPermaLink="false">t "2"</guid></item></channel></rss>`,
			[]string{`<article><h2><a href="http://port.test/1">Low</a>`, `<article data-entry="t &#34;2&#34;"><h2>High</h2>`}},
		{"a sitemap of news", "application/xml", `<?xml version="1.0" encoding="UTF-8"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:n="http://www.google.com/schemas/sitemap-news/0.9"><url><loc>http://port.test/n/1</loc><n:news><n:publication><n:name>The Tide</n:name><n:language>de</n:language></n:publication><n:publication_date>2026-03-10</n:publication_date><n:title>A <![CDATA[new]]> baker</n:title></n:news></url><url><loc>/n/2</loc></url><url><loc>/n/3</loc><n:news><n:title> Two </n:title></n:news></url></urlset>`,
			[]string{`<html lang="de">`, "<h1>The Tide</h1>", `<h2><a href="http://port.test/n/1">A new baker</a></h2>`, "2026-03-10", "</article>\n" + `<article><h2><a href="http://port.test/n/3">Two</a></h2>`}},
		{"the server's encoding", "text/xml; charset=iso-8859-1", "<rss version=\"2.0\"><channel><title>Gr\xf6\xdfe</title></channel></rss>", []string{"<h1>Größe</h1>"}},
		{"its own encoding", "text/xml", "<?xml version=\"1.0\" encoding=\"iso-8859-1\"?><rss version=\"2.0\"><channel><title>Gr\xf6\xdfe</title></channel></rss>", []string{"<h1>Größe</h1>"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			page, ok := Page(&File{URL: "http://port.test/feeds/f", ContentType: c.kind, Data: []byte(c.data)})
			if !ok {
				t.Fatal("no page")
			}
			for _, want := range c.want {
				if !strings.Contains(page, want) {
					t.Errorf("no %s in %s", want, page)
				}
			}
			inert(t, page)
		})
	}
	for _, c := range []struct{ kind, data string }{
		{"application/xml", `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>http://port.test/</loc></url></urlset>`},
		{"application/xml", `<urlset xmlns:news="http://www.google.com/schemas/sitemap-news/0.9"><url><loc>http://port.test/`},
		{"application/xml", `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:news="http://www.google.com/schemas/sitemap-news/0.9"><url><loc>http://port.test/</loc></url></urlset>`},
		{"application/json", `{"version":"2","items":[]}`}, {"application/xml", "<sitemap><loc>x</loc></sitemap>"}, {"text/xml", "<rss"},
	} {
		if IsFeed(&File{ContentType: c.kind, Data: []byte(c.data)}) && c.data != "<rss" {
			t.Errorf("%s is a feed", c.data)
		}
	}
}

// inert reports elements and attributes that could run, or lead to other places than the web.
func inert(t testing.TB, page string) {
	t.Helper()
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	for n := range root.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		switch n.Data {
		case "script", "iframe", "frame", "object", "embed", "form", "base", "link", "template", "svg", "math", "input":
			t.Errorf("<%s> in the page", n.Data)
		}
		for _, a := range n.Attr {
			if strings.HasPrefix(a.Key, "on") || (a.Key == "href" || a.Key == "src") && !strings.HasPrefix(a.Val, "http") {
				t.Errorf("<%s %s=%q> in the page", n.Data, a.Key, a.Val)
			}
		}
	}
}

func FuzzPage(f *testing.F) {
	f.Add("application/rss+xml", []byte(rss))
	f.Add("text/csv", []byte("a;b\n1;\"2\n"))
	f.Add("application/json", []byte(`{"version":"https://jsonfeed.org/version/1","items":[{"content_html":"<svg><p><style><!--</style><img src=x onerror=1>"}]}`))
	f.Add("text/xml", []byte("<feed xmlns='http://www.w3.org/2005/Atom'><entry><content type='html'>&lt;math&gt;&lt;mi&gt;&lt;table&gt;&lt;mglyph&gt;&lt;style&gt;&lt;img src=1 onerror=2&gt;</content></entry></feed>"))
	f.Add("application/octet-stream", []byte("\xff\xfeG\x00"))
	f.Fuzz(func(t *testing.T, kind string, data []byte) {
		file := &File{URL: "http://files.test/a.csv", ContentType: kind, Data: data}
		page, ok := Page(file)
		if !ok {
			return
		}
		inert(t, page)
		if again, _ := Page(file); again != page {
			t.Error("the page differs the second time")
		}
		if len(page) > 20*len(data)+4000 {
			t.Errorf("%d bytes became a page of %d", len(data), len(page))
		}
	})
}

func BenchmarkPage(b *testing.B) {
	var table, feed strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&table, "%d,name %d,\"a, b\",%d\n", i, i, i*i)
	}
	feed.WriteString(`<rss version="2.0"><channel><title>t</title>`)
	for i := range 100 {
		fmt.Fprintf(&feed, "<item><title>Entry %d</title><link>/p/%d</link><description>&lt;p&gt;%s&lt;/p&gt;</description></item>", i, i, strings.Repeat("Some words. ", 50))
	}
	feed.WriteString("</channel></rss>")
	for name, f := range map[string]*File{
		"table": {ContentType: "text/csv", Data: []byte(table.String())},
		"feed":  {URL: "http://port.test/", ContentType: "text/xml", Data: []byte(feed.String())},
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(f.Data)))
			b.ReportAllocs()
			for b.Loop() {
				Page(f)
			}
		})
	}
}
