package feed

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"plat/plat"
	"plat/watch/digest"
	"plat/watch/feed/feedtest"
)

func TestADigestIsAnEntry(t *testing.T) {
	items := someItems()
	subs := []plat.Subscription{{ID: "s1", URL: "https://a.test/", Title: "Harbour <news>", Group: "Sea"}}
	d := digest.New("Morning", seen.Add(-time.Hour), seen.Add(2*time.Hour), subs, items)
	for name := range Formats {
		f := ofItems()
		f.Entries = []Entry{OfDigest(d, "https://plat.test/digest?id="+d.ID)}
		it := feedtest.Parse(t, written(t, name, f)).Items[0]
		if it.GUID != URN("digest", d.ID) || it.Title != "Morning: 3 new, 1 changed, 1 gone, 1 added text on 1 page" || it.Link != "https://plat.test/digest?id="+d.ID || !it.PublishedParsed.Equal(d.To) {
			t.Errorf("%s has %s, %q, %s, %s", name, it.GUID, it.Title, it.Link, it.PublishedParsed)
		}
		for _, part := range []string{
			`<h2>Sea (3 new, 1 changed, 1 gone, 1 added text)</h2><h3><a href="https://a.test/">Harbour &lt;news&gt;</a> (`,
			`<li>Changed: <a href="https://a.test/tides?x=1&amp;y=2">Tide tables 2027</a><br>at twelve</li>`, `<li>Gone: Harbour closed</li>`, `<li>Only a text of two lines</li>`,
			`<li><a href="https://a.test/tides?x=1&amp;y=2">Tide tables &lt;b&gt;2027&lt;/b&gt;</a><br>Low water at ten &amp; eleven</li>`,
		} {
			if got := it.Content + it.Description; !strings.Contains(got, part) {
				t.Errorf("%s has %s, without %s", name, got, part)
			}
		}
	}
}

func TestDigestsFitInAFeed(t *testing.T) {
	var items []plat.Item
	for i := range 5000 {
		items = append(items, plat.Item{ID: fmt.Sprint(i), Subscription: "s", Title: strings.Repeat("<&北\"", 1000), Excerpt: strings.Repeat("<", 1000), Seen: seen})
	}
	f := ofItems()
	for i := range 5 {
		d := digest.New(fmt.Sprint(i), seen, seen.Add(1), []plat.Subscription{{ID: "s", URL: "https://a.test/"}}, items)
		f.Entries = append(f.Entries, OfDigest(d, "https://plat.test/"))
	}
	for name := range Formats {
		c := *f
		p := feedtest.Parse(t, written(t, name, &c))
		if len(p.Items) == 0 || !strings.Contains(p.Items[0].Content+p.Items[0].Description, " more</p>") {
			t.Errorf("%s has %d digests", name, len(p.Items))
		}
	}
	empty := OfDigest(digest.New("", seen, seen, nil, nil), "https://plat.test/")
	if empty.Title == "" || empty.HTML != "<p>Nothing new</p>" {
		t.Errorf("the entry of nothing is %+v", empty)
	}
}
