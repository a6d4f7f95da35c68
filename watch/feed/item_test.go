package feed

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/mail"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"plat/plat"
	"plat/watch/feed/feedtest"
)

var seen = time.Date(2026, 11, 2, 7, 15, 0, 0, time.FixedZone("CET", 3600))

// someItems returns items of every kind. Each optional field is missing in one of them.
func someItems() []plat.Item {
	return []plat.Item{
		{ID: "s1/a", Subscription: "s1", Kind: plat.ItemNew, Title: "Tide tables <b>2027</b>", URL: "https://a.test/tides?x=1&y=2", Excerpt: "Low water\nat ten & eleven",
			Dated: time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC), Page: "https://a.test/", Version: 7, Lineage: 12, Seen: seen},
		{ID: "s1/a/8", Subscription: "s1", Kind: plat.ItemChanged, Title: "Tide tables 2027", URL: "https://a.test/tides?x=1&y=2", Excerpt: "at twelve", Page: "https://a.test/", Version: 8, Lineage: 12, Seen: seen.Add(time.Hour)},
		{ID: "s1/b/8", Subscription: "s1", Kind: plat.ItemRemoved, Title: "Harbour closed", Page: "https://a.test/", Version: 8, Lineage: 13, Seen: seen.Add(time.Hour)},
		{ID: "s1/c/8", Subscription: "s1", Kind: plat.ItemText, Excerpt: "Only a text\nof two lines", URL: "javascript:alert(1)", Page: "https://a.test/", Version: 8, Lineage: 14, Seen: seen},
		{ID: "s1/d", Subscription: "s1", Kind: plat.ItemNew, Title: "A concert", Dated: time.Date(2027, 5, 1, 0, 0, 0, 0, time.UTC), Page: "https://a.test/", Version: 8, Lineage: 15, Seen: seen},
		{ID: "s1/e", Subscription: "s1", Kind: plat.ItemNew, URL: "https://a.test/untitled", Page: "https://a.test/", Version: 8, Seen: seen},
	}
}

const ours = "https://plat.test/item?id="

// ofItems returns a feed of items.
func ofItems(items ...plat.Item) *Feed {
	f := &Feed{ID: URN("subscription", "s1"), Title: "Harbour <news>", Self: "https://plat.test/feed/items?id=s1&format=x", Home: "https://plat.test/subscription?id=s1"}
	for i := range items {
		f.Entries = append(f.Entries, OfItem(&items[i], []string{"sea", "north & south"}, ours+url.QueryEscape(items[i].ID)))
	}
	f.Updated = Latest(f.Entries, seen)
	return f
}

func written(t testing.TB, name string, f *Feed) []byte {
	t.Helper()
	body, err := Formats[name].Marshal(f)
	if err != nil {
		t.Fatal(err)
	}
	return body
}

func TestReadersFindTheItemsInAllFormats(t *testing.T) {
	items := someItems()
	for name := range Formats {
		p := feedtest.Parse(t, written(t, name, ofItems(items...)))
		if p.Title != "Harbour <news>" || p.Link != "https://plat.test/subscription?id=s1" || p.FeedLink != "https://plat.test/feed/items?id=s1&format=x" || len(p.Items) != len(items) {
			t.Fatalf("%s is %q of %s at %s with %d items", name, p.Title, p.Link, p.FeedLink, len(p.Items))
		}
		for i, want := range []struct{ title, link, content, published string }{
			{"Tide tables <b>2027</b>", "https://a.test/tides?x=1&y=2", "<p>Low water<br>at ten &amp; eleven</p>", "2026-11-01T00:00:00Z"},
			{"Changed: Tide tables 2027", "https://a.test/tides?x=1&y=2", "<p>at twelve</p>", "2026-11-02T07:15:00Z"},
			{"Gone: Harbour closed", ours + "s1%2Fb%2F8", "<p>Harbour closed</p>", "2026-11-02T07:15:00Z"},
			{"Only a text", ours + "s1%2Fc%2F8", "<p>Only a text<br>of two lines</p>", "2026-11-02T06:15:00Z"},
			{"A concert", ours + "s1%2Fd", "<p>A concert</p>", "2026-11-02T06:15:00Z"},
			{"https://a.test/untitled", "https://a.test/untitled", "<p>https://a.test/untitled</p>", "2026-11-02T06:15:00Z"},
		} {
			it := p.Items[i]
			if it.Title != want.title || it.Link != want.link || it.Content+it.Description != want.content || it.PublishedParsed.Format(time.RFC3339) != want.published {
				t.Errorf("%s has the item %q, %s, %s, %s", name, it.Title, it.Link, it.Content+it.Description, it.PublishedParsed)
			}
			if it.GUID != URN("item", items[i].ID) || !slices.Equal(it.Categories, []string{"sea", "north & south"}) || len(it.Authors) > 0 {
				t.Errorf("%s has the item %s, %v by %v", name, it.GUID, it.Categories, it.Authors)
			}
			if name != "rss" && it.UpdatedParsed != nil && !it.UpdatedParsed.Equal(items[i].Seen) {
				t.Errorf("%s: item %d was updated at %s", name, i, it.UpdatedParsed)
			}
		}
	}
}

func TestTheExtensionSaysWhereAnItemIs(t *testing.T) {
	var f struct {
		Items []struct {
			Plat map[string]any `json:"_plat"`
		}
	}
	if err := json.Unmarshal(written(t, "json", ofItems(someItems()[0])), &f); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{"id": "s1/a", "subscription": "s1", "kind": "new", "page": "https://a.test/", "version": 7.0, "lineage": 12.0}
	if got := f.Items[0].Plat; fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("_plat is %v, want %v", got, want)
	}
}

// node is an XML element.
type node struct {
	Name  xml.Name
	Attrs map[string]string
	Text  string
	Inner []*node
}

func tree(t testing.TB, body []byte) *node {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(string(body)))
	stack := []*node{{}}
	for {
		tok, err := d.Token()
		if errors.Is(err, io.EOF) {
			return stack[0].Inner[0]
		}
		if err != nil {
			t.Fatal(err)
		}
		top := stack[len(stack)-1]
		switch tok := tok.(type) {
		case xml.StartElement:
			n := &node{Name: tok.Name, Attrs: map[string]string{}}
			for _, a := range tok.Attr {
				n.Attrs[a.Name.Local] = a.Value
			}
			top.Inner = append(top.Inner, n)
			stack = append(stack, n)
		case xml.EndElement:
			stack = stack[:len(stack)-1]
		case xml.CharData:
			top.Text += string(tok)
		}
	}
}

// all returns the child elements with a name. An empty namespace means no namespace.
func (n *node) all(space, name string) (found []*node) {
	for _, c := range n.Inner {
		if c.Name.Space == space && c.Name.Local == name {
			found = append(found, c)
		}
	}
	return found
}

// requirement is a demand of a specification on a document, or on each of its entries.
type requirement struct {
	section, text string
	holds         func(n *node) bool
}

func once(space, name string) func(*node) bool {
	return func(n *node) bool { return len(n.all(space, name)) == 1 }
}

func atMostOnce(space, name string) func(*node) bool {
	return func(n *node) bool { return len(n.all(space, name)) <= 1 }
}

func check(t *testing.T, requirements []requirement, nodes ...*node) {
	t.Helper()
	if len(nodes) == 0 {
		t.Fatal("there is nothing to check")
	}
	for _, r := range requirements {
		for _, n := range nodes {
			if !r.holds(n) {
				t.Errorf("%s: %s: does not hold for %s", r.section, r.text, n.Name.Local)
			}
		}
	}
}

func isURI(s string) bool {
	u, err := url.Parse(s)
	return err == nil && u.IsAbs() && !strings.ContainsAny(s, " <>\"{}|\\^`")
}

func isWebAddress(s string) bool {
	return isURI(s) && (strings.HasPrefix(s, "http://") || strings.HasPrefix(s, "https://"))
}

const atomNS = "http://www.w3.org/2005/Atom"

var atomDate = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$`)

func isAtomDate(name string) func(*node) bool {
	return func(n *node) bool {
		for _, d := range n.all(atomNS, name) {
			if _, err := time.Parse(time.RFC3339, d.Text); err != nil || !atomDate.MatchString(d.Text) {
				return false
			}
		}
		return true
	}
}

// idsAre reports whether ids are absolute IRIs, each once.
func idsAre(space, name string, of func(*node) []*node) func(*node) bool {
	return func(n *node) bool {
		known := map[string]bool{}
		for _, e := range of(n) {
			id := e.all(space, name)[0].Text
			if known[id] || !isURI(id) {
				return false
			}
			known[id] = true
		}
		return true
	}
}

func TestAtomHoldsToRFC4287(t *testing.T) {
	root := tree(t, written(t, "atom", ofItems(someItems()...)))
	entries := func(n *node) []*node { return n.all(atomNS, "entry") }
	links := func(rel string) func(*node) bool {
		return func(n *node) bool {
			count := 0
			for _, l := range n.all(atomNS, "link") {
				if l.Attrs["rel"] == rel {
					count++
				}
			}
			return count == 1
		}
	}
	texts := func(n *node) bool {
		for _, x := range n.all(atomNS, "title") {
			if kind := x.Attrs["type"]; kind != "" && kind != "text" || len(x.Inner) > 0 {
				return false
			}
		}
		return true
	}
	both := []requirement{
		{"3.1.1.1", "a text of type text has no child elements", texts},
		{"3.3", "dates are of RFC 3339 with T and Z in upper case", func(n *node) bool { return isAtomDate("updated")(n) && isAtomDate("published")(n) }},
		{"4.2.6", "id is an IRI, absolute", func(n *node) bool { return isURI(n.all(atomNS, "id")[0].Text) }},
		{"4.2.7.1", "each link has href, an IRI", func(n *node) bool {
			return !slices.ContainsFunc(n.all(atomNS, "link"), func(l *node) bool { return !isWebAddress(l.Attrs["href"]) })
		}},
		{"4.2.7.2", "rel is a registered name", func(n *node) bool {
			return !slices.ContainsFunc(n.all(atomNS, "link"), func(l *node) bool { return l.Attrs["rel"] != "self" && l.Attrs["rel"] != "alternate" })
		}},
	}
	check(t, append([]requirement{
		{"2", "the document element is atom:feed", func(n *node) bool { return n.Name == xml.Name{Space: atomNS, Local: "feed"} }},
		{"4.1.1", "one author, unless all entries have one", once(atomNS, "author")},
		{"4.1.1", "at most one generator", atMostOnce(atomNS, "generator")},
		{"4.1.1", "exactly one id", once(atomNS, "id")},
		{"4.1.1", "a link of rel self", links("self")},
		{"4.1.1", "one alternate of a type and language", links("alternate")},
		{"4.1.1", "at most one subtitle", atMostOnce(atomNS, "subtitle")},
		{"4.1.1", "exactly one title", once(atomNS, "title")},
		{"4.1.1", "exactly one updated", once(atomNS, "updated")},
		{"3.2.1", "a person has exactly one name", func(n *node) bool { return once(atomNS, "name")(n.all(atomNS, "author")[0]) }},
		{"4.1.1", "entries of one id have different updated; ours are of different ids", idsAre(atomNS, "id", entries)},
	}, both...), root)
	check(t, append([]requirement{
		{"4.1.2", "exactly one id", once(atomNS, "id")},
		{"4.1.2", "exactly one title", once(atomNS, "title")},
		{"4.1.2", "exactly one updated", once(atomNS, "updated")},
		{"4.1.2", "at most one published", atMostOnce(atomNS, "published")},
		{"4.1.2", "at most one content", atMostOnce(atomNS, "content")},
		{"4.1.2", "an alternate link, or content", links("alternate")},
		{"4.1.2", "no author of its own is needed if the feed has one", func(n *node) bool { return len(n.all(atomNS, "author")) == 0 }},
		{"4.1.3.3", "content of type html is escaped markup without child elements", func(n *node) bool {
			c := n.all(atomNS, "content")[0]
			return c.Attrs["type"] == "html" && len(c.Inner) == 0 && c.Text != ""
		}},
		{"4.2.2.1", "each category has a term", func(n *node) bool {
			return !slices.ContainsFunc(n.all(atomNS, "category"), func(c *node) bool { return c.Attrs["term"] == "" })
		}},
	}, both...), entries(root)...)
}

var rfc822 = regexp.MustCompile(`^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} \d\d:\d\d:\d\d [+-]\d{4}$`)

func isRFC822(name string) func(*node) bool {
	return func(n *node) bool {
		for _, d := range n.all("", name) {
			if _, err := mail.ParseDate(d.Text); err != nil || !rfc822.MatchString(d.Text) {
				return false
			}
		}
		return true
	}
}

// The sections are those of the RSS 2.0 specification, version 2.0.11.
func TestRSSHoldsToItsSpecification(t *testing.T) {
	root := tree(t, written(t, "rss", ofItems(someItems()...)))
	check(t, []requirement{
		{"What is RSS?", "the document element is rss, of no namespace", func(n *node) bool { return n.Name == xml.Name{Local: "rss"} }},
		{"What is RSS?", "it has the attribute version, 2.0", func(n *node) bool { return n.Attrs["version"] == "2.0" }},
		{"What is RSS?", "it has a single channel", once("", "channel")},
	}, root)
	channel := root.all("", "channel")[0]
	items := func(n *node) []*node { return n.all("", "item") }
	check(t, []requirement{
		{"Required channel elements", "title", once("", "title")},
		{"Required channel elements", "link", once("", "link")},
		{"Required channel elements", "description", once("", "description")},
		{"Comments", "link begins with a URI scheme", func(n *node) bool { return isWebAddress(n.all("", "link")[0].Text) }},
		{"Optional channel elements", "lastBuildDate is of RFC 822, with four digits of the year", isRFC822("lastBuildDate")},
		{"Extending RSS", "elements of others are in a namespace", func(n *node) bool {
			known := []string{"title", "link", "description", "lastBuildDate", "item"}
			return !slices.ContainsFunc(n.Inner, func(c *node) bool { return c.Name.Space == "" && !slices.Contains(known, c.Name.Local) })
		}},
		{"RSS Best Practices, atom:link", "the feed names itself", func(n *node) bool {
			l := n.all(atomNS, "link")
			return len(l) == 1 && l[0].Attrs["rel"] == "self" && l[0].Attrs["type"] == "application/rss+xml" && isWebAddress(l[0].Attrs["href"])
		}},
		{"guid", "a guid identifies one item", idsAre("", "guid", items)},
	}, channel)
	check(t, []requirement{
		{"Elements of item", "title or description is present", func(n *node) bool { return once("", "title")(n) && once("", "description")(n) }},
		{"Elements of item", "link is a URL", func(n *node) bool { return once("", "link")(n) && isWebAddress(n.all("", "link")[0].Text) }},
		{"Elements of item", "author is an e-mail address; there is none", func(n *node) bool { return len(n.all("", "author")) == 0 }},
		{"guid", "isPermaLink is false for what a browser cannot open", func(n *node) bool { return once("", "guid")(n) && n.all("", "guid")[0].Attrs["isPermaLink"] == "false" }},
		{"pubDate", "is of RFC 822, with four digits of the year", func(n *node) bool { return once("", "pubDate")(n) && isRFC822("pubDate")(n) }},
		{"category", "has a text", func(n *node) bool {
			return !slices.ContainsFunc(n.all("", "category"), func(c *node) bool { return c.Text == "" })
		}},
		{"description", "HTML is entity-encoded, without child elements", func(n *node) bool { return len(n.all("", "description")[0].Inner) == 0 }},
	}, items(channel)...)
}

// The sections are those of JSON Feed version 1.1.
func TestJSONFeedHoldsToItsSpecification(t *testing.T) {
	body := written(t, "json", ofItems(someItems()...))
	var f map[string]any
	if err := json.Unmarshal(body, &f); err != nil {
		t.Fatal(err)
	}
	isText := func(v any) bool { s, ok := v.(string); return ok && s != "" }
	isURL := func(v any) bool { s, ok := v.(string); return ok && isWebAddress(s) }
	for _, r := range []struct {
		section, text string
		holds         bool
	}{
		{"Top-level", "version is required, the URL of the version", f["version"] == "https://jsonfeed.org/version/1.1"},
		{"Top-level", "title is required, a string", isText(f["title"])},
		{"Top-level", "home_page_url is a URL", isURL(f["home_page_url"])},
		{"Top-level", "feed_url is a URL", isURL(f["feed_url"])},
		{"Top-level", "author is deprecated", f["author"] == nil},
		{"Top-level", "items is an array, and required", len(f["items"].([]any)) == len(someItems())},
		{"Suggested MIME type", "application/feed+json", Formats["json"].Media == "application/feed+json"},
	} {
		if !r.holds {
			t.Errorf("%s: %s", r.section, r.text)
		}
	}
	known := map[any]bool{}
	for _, x := range f["items"].([]any) {
		it := x.(map[string]any)
		isDate := func(name string) bool {
			if it[name] == nil {
				return true
			}
			_, err := time.Parse(time.RFC3339, it[name].(string))
			return err == nil
		}
		strings := true
		if tags, ok := it["tags"].([]any); ok {
			for _, tag := range tags {
				strings = strings && isText(tag)
			}
		}
		own := true // custom objects begin with an underscore, and hold an object
		for name, v := range it {
			if name[0] == '_' {
				_, ok := v.(map[string]any)
				own = own && ok
			}
		}
		for _, r := range []struct {
			section, text string
			holds         bool
		}{
			{"Items", "id is required, a string", isText(it["id"])},
			{"Items", "id is unique and never changes", !known[it["id"]]},
			{"Items", "url is a URL", isURL(it["url"])},
			{"Items", "content_html or content_text is required", isText(it["content_html"])},
			{"Items", "title is plain text", isText(it["title"])},
			{"Items", "date_published is of RFC 3339", isDate("date_published")},
			{"Items", "date_modified is of RFC 3339", isDate("date_modified")},
			{"Items", "tags are strings", strings},
			{"Extensions", "extensions are objects under names that begin with _", own},
		} {
			if !r.holds {
				t.Errorf("%s: %s: %v", r.section, r.text, it)
			}
		}
		known[it["id"]] = true
	}
}

func TestAFeedWithoutItemsIsValid(t *testing.T) {
	for name := range Formats {
		if p := feedtest.Parse(t, written(t, name, ofItems())); len(p.Items) != 0 || p.Title == "" {
			t.Errorf("%s has %d items", name, len(p.Items))
		}
	}
	if !strings.Contains(string(written(t, "json", ofItems())), `"items":[]`) {
		t.Error("items is no array")
	}
}

func TestIDsOfItemsAreUUIDsThatStay(t *testing.T) {
	if got := URN("item", "s1/a"); !regexp.MustCompile(`^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`).MatchString(got) {
		t.Errorf("the URN is %s", got)
	}
	if got, want := URN("item", "s1/a"), "urn:uuid:f095dbbd-2c71-8377-8bb7-00d299911034"; got != want {
		t.Errorf("the URN has become %s, it was %s: readers would show all items again", got, want)
	}
	if URN("item", "a") == URN("digest", "a") || URN("item", "a") == URN("item", "b") {
		t.Error("two things have one URN")
	}
}

func TestHostileItemsAreShownAsText(t *testing.T) {
	huge := strings.Repeat("long <&北\" ", 1<<20/10)
	for name, it := range map[string]plat.Item{
		"a title of 1 MB":    {Title: huge, Excerpt: huge, URL: "https://a.test/"},
		"a script":           {Title: "<script>alert(1)</script>", Excerpt: "</p><script>alert(1)</script><img src=x onerror=alert(1)>"},
		"the end of CDATA":   {Title: "]]></title><x>", Excerpt: "]]>]]&gt;<![CDATA["},
		"illegal characters": {Title: "a\x00b\x01\ufffe\uffff\xff\xed\xa0\x80", Excerpt: "\x0b\x0c\x1f", URL: "https://a.test/\x01", ID: "\x00\xff"},
		"lines":              {Title: "\n\r\n\u2028 one\ntwo\r\n", Excerpt: "\n"},
		"dates":              {Title: "x", Dated: time.Date(99999, 1, 1, 0, 0, 0, 0, time.UTC)},
		"ancient dates":      {Title: "x", Dated: time.Date(-5, 1, 1, 0, 0, 0, 0, time.UTC)},
		"a file":             {Title: "x", URL: "file:///etc/passwd"},
		"no host":            {Title: "x", URL: "https:///x"},
		"entities":           {Title: "&lt;b&gt; &#x1; &bogus;", Excerpt: "&lt;script&gt;"},
	} {
		it.Seen = seen
		for format := range Formats {
			body := written(t, format, ofItems(it))
			p := feedtest.Parse(t, body)
			if len(body) > 20_000 || len(p.Items) != 1 || p.Items[0].Title == "" {
				t.Fatalf("%s: %s has %d bytes, %d items", name, format, len(body), len(p.Items))
			}
			got := p.Items[0]
			if name == "illegal characters" && got.Title != "ab\ufffd\ufffd\ufffd\ufffd" {
				t.Errorf("%s has the title %q", format, got.Title)
			}
			if n := len([]rune(got.Title)); n > maxTitle {
				t.Errorf("%s: the title in %s has %d characters", name, format, n)
			}
			if text := got.Content + got.Description; strings.Contains(text, "<script") || strings.Contains(text, "<img") {
				t.Errorf("%s: %s has markup of the page: %s", name, format, text)
			}
			if link := got.Link; !isWebAddress(link) || strings.HasPrefix(link, "file") {
				t.Errorf("%s: %s leads to %q", name, format, link)
			}
		}
	}
}

func FuzzItems(f *testing.F) {
	f.Add("s/1", "a title", "an excerpt", "https://a.test/", "tag", int64(0))
	f.Add("\x00", "]]></title><script>", "\ufffe&lt;", "javascript:alert(1)", "a,b\n", int64(1)<<60)
	f.Fuzz(func(t *testing.T, id, title, text, link, tag string, dated int64) {
		it := plat.Item{ID: id, Title: title, Excerpt: text, URL: link, Page: link, Seen: seen, Dated: time.Unix(dated, 0)}
		made := ofItems(it)
		made.Entries[0] = OfItem(&it, []string{tag}, ours)
		for name := range Formats {
			p := feedtest.Parse(t, written(t, name, made))
			got, want := words(p.Items[0].Title), words(made.Entries[0].Title)
			if got != want {
				t.Fatalf("%s has the title %q, want %q", name, got, want)
			}
			if html := p.Items[0].Content + p.Items[0].Description; strings.Contains(html, "<script") {
				t.Fatalf("%s has markup of the page: %q", name, html)
			}
		}
	})
}

func TestFeedsOfItemsFitInTheirLimit(t *testing.T) {
	var items []plat.Item
	for i := range 1000 {
		items = append(items, plat.Item{ID: fmt.Sprint(i), Title: strings.Repeat("t<", 200), Excerpt: strings.Repeat("<&北\"", 2000), Seen: seen})
	}
	for name := range Formats {
		f := ofItems(items...)
		if body := written(t, name, f); len(body) > MaxBytes || len(f.Entries) < 5 || f.Entries[0].ID != URN("item", "0") {
			t.Errorf("%s has %d bytes and %d entries", name, len(body), len(f.Entries))
		}
	}
}
