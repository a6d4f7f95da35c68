package links

import (
	"reflect"
	"testing"
	"time"

	"plat/diff"
	"plat/fixtures"
	"plat/plat"
	"plat/segment"
	"plat/segment/label"
)

// el, text and tree build snapshots: each node is followed by its children.
type el struct {
	name  string
	attrs []plat.Attr
	text  string // of a text node
	shown bool
	kids  []el
}

func tree(root ...el) *plat.Snapshot {
	s := &plat.Snapshot{URL: "https://a.test/dir/page", FinalURL: "https://a.test/dir/page"}
	s.Nodes = append(s.Nodes, plat.Node{Kind: plat.DocumentNode, Parent: -1})
	var add func(e el, parent int32)
	add = func(e el, parent int32) {
		i := int32(len(s.Nodes))
		n := plat.Node{Kind: plat.ElementNode, Name: e.name, Attrs: e.attrs, Parent: parent, HasBox: e.shown}
		switch e.name {
		case "":
			n.Kind, n.Value = plat.TextNode, e.text
		case "#document":
			n.Kind, n.Name = plat.DocumentNode, ""
		}
		if n.HasBox {
			n.Box = plat.Rect{X: float32(i), Y: 1, W: 2, H: 3}
		}
		s.Nodes = append(s.Nodes, n)
		for _, k := range e.kids {
			add(k, i)
		}
		s.Nodes[i].End = int32(len(s.Nodes))
	}
	for _, e := range root {
		add(e, 0)
	}
	s.Nodes[0].End = int32(len(s.Nodes))
	return s
}

func a(href string, kids ...el) el {
	return el{name: "a", attrs: []plat.Attr{{Name: "href", Value: href}, {Name: "title", Value: "of " + href}}, shown: true, kids: kids}
}
func txt(t string) el    { return el{text: t, shown: true} }
func hidden(t string) el { return el{text: t} }
func img(alt string) el {
	return el{name: "img", attrs: []plat.Attr{{Name: "alt", Value: alt}}, shown: true}
}

func TestURLsInAFrameAreRelativeToTheFrame(t *testing.T) {
	frame := func(src string, kids ...el) el {
		return el{name: "iframe", attrs: []plat.Attr{{Name: "src", Value: src}}, kids: []el{{name: "#document", kids: kids}}}
	}
	base := el{name: "base", attrs: []plat.Attr{{Name: "href", Value: "https://c.test/d/"}}}
	s := tree(
		a("1"),
		frame("in/list", a("2"), base, a("3"), frame("deep/", a("4")), a("5")),
		frame("about:blank", a("6")),
		el{name: "iframe", attrs: []plat.Attr{{Name: "srcdoc", Value: "…"}, {Name: "src", Value: "/other/"}}, kids: []el{{name: "#document", kids: []el{a("7")}}}},
		base,
		a("8"),
	)
	var got []string
	for _, l := range (&Page{Snapshot: s}).Links(nil, 100) {
		got = append(got, l.URL)
	}
	want := []string{
		"https://a.test/dir/1", "https://a.test/dir/in/2", "https://c.test/d/3", "https://c.test/d/deep/4", "https://c.test/d/5",
		"https://a.test/dir/6", "https://a.test/dir/7", "https://c.test/d/8",
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestLinks(t *testing.T) {
	s := tree(
		el{name: "head", kids: []el{
			{name: "base", attrs: []plat.Attr{{Name: "href", Value: "/base/"}}},
			{name: "base", attrs: []plat.Attr{{Name: "href", Value: "/second/"}}},
			{name: "link", attrs: []plat.Attr{{Name: "rel", Value: "Alternate nofollow"}, {Name: "type", Value: "application/RSS+xml; charset=utf-8"}, {Name: "href", Value: "feed"}}},
			{name: "link", attrs: []plat.Attr{{Name: "rel", Value: "alternate"}, {Name: "hreflang", Value: "de"}, {Name: "href", Value: "de"}}},
			{name: "link", attrs: []plat.Attr{{Name: "rel", Value: "canonical"}, {Name: "href", Value: "https://A.test/x"}}},
			{name: "link", attrs: []plat.Attr{{Name: "rel", Value: "stylesheet"}, {Name: "href", Value: "style.css"}}},
		}},
		el{name: "body", shown: true, kids: []el{
			a("one", txt(" first \n link "), hidden("(opens a window)")),
			{name: "h2", shown: true, kids: []el{txt("News of "), a("two?utm_source=x#part", txt("the day"))}},
			a("three", img("a picture"), txt("and words")),
			a("closed", hidden("in a menu")),
			a("one", txt("again")),
			a("mailto:x@a.test", txt("mail")),
			a("javascript:void(0)", txt("script")),
			a("http://%zz/", txt("broken")),
			{name: "a", shown: true, kids: []el{txt("no href")}},
			{name: "h3", shown: true, kids: []el{txt("Below")}},
			{name: "area", attrs: []plat.Attr{{Name: "href", Value: "four"}, {Name: "alt", Value: "north"}}},
		}})
	got := (&Page{Snapshot: s}).Links(plat.TrackingParams, 100)
	type short struct {
		URL, Text, Heading string
		Kind               Kind
	}
	var have []short
	for i, l := range got {
		if l.N != i || l.Block != -1 {
			t.Errorf("link %d has number %d, block %d", i, l.N, l.Block)
		}
		have = append(have, short{l.URL, l.Text, l.Heading, l.Kind})
	}
	want := []short{
		{"https://a.test/base/feed", "", "", Feed},
		{"https://a.test/x", "", "", Canonical},
		{"https://a.test/base/one", "first link", "", Anchor},
		{"https://a.test/base/two", "the day", "", Anchor},
		{"https://a.test/base/three", "a picture and words", "News of the day", Anchor},
		{"https://a.test/base/closed", "in a menu", "News of the day", Anchor},
		{"https://a.test/base/one", "again", "News of the day", Anchor},
		{"https://a.test/base/four", "north", "Below", Anchor},
	}
	if !reflect.DeepEqual(have, want) {
		t.Errorf("links\n%+v, want\n%+v", have, want)
	}
	if got[2].Title != "of one" || got[2].Box.W != 2 || got[0].Rel != "Alternate nofollow" {
		t.Errorf("%+v, %+v", got[2], got[0])
	}
	if few := (&Page{Snapshot: s}).Links(nil, 3); len(few) != 4 { // the page has two links to one of the first three
		t.Errorf("%d links to three URLs, want 4: %+v", len(few), few)
	}
}

// Every link of a stored page is in the leaf that contains its node, and has that
// leaf's label and lineage.
func TestLinksAreInTheirBlocks(t *testing.T) {
	d, err := label.New(label.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s := fixtures.Snapshot(t, "site-1")
	cut, err := segment.Segment(s, segment.Params{})
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Describe(s, &cut.Page, cut.Spans, cut.Visible()); err != nil {
		t.Fatal(err)
	}
	diff.First(cut.Page.Blocks)
	inBlocks := 0
	found := (&Page{Snapshot: s, Blocks: cut.Page.Blocks, Spans: cut.Spans}).Links(nil, 1000)
	at := 0
	for i := range s.Nodes {
		href, ok := s.Nodes[i].Attr("href")
		if s.Nodes[i].Name != "a" || !ok || href == "" || at == len(found) {
			continue
		}
		l := found[at]
		at++
		want := int32(-1)
		for b, span := range cut.Spans {
			if cut.Page.Blocks[b].Leaf() && span.First <= int32(i) && int32(i) < span.End {
				want = int32(b)
			}
		}
		if l.Block != want {
			t.Errorf("%s is in block %d, want %d", l.URL, l.Block, want)
		}
		if want < 0 {
			continue
		}
		inBlocks++
		if b := &cut.Page.Blocks[want]; l.Label != b.Label || l.Lineage != b.Lineage || l.Lineage == 0 || l.Topic != b.Topic || l.Label == "" {
			t.Errorf("%s: %+v, of a block %s %d", l.URL, l, b.Label, b.Lineage)
		}
	}
	if inBlocks < 5 {
		t.Errorf("only %d of %d links are in blocks", inBlocks, len(found))
	}
}

// A subscription's schedule is not passed on: new links of a watched page have the schedule of the crawl, or are visited once.
func TestLinksOfAWatchedPageHaveTheScheduleOfTheCrawl(t *testing.T) {
	daily, often := plat.Schedule{Every: 24 * time.Hour}, plat.Schedule{Every: time.Minute}
	for _, tc := range []struct {
		plan plat.Plan
		want plat.Schedule
	}{
		{plat.Plan{Scope: "host", Schedule: often}, often}, {plat.Plan{Scope: "host", Schedule: often, Watched: true}, plat.Schedule{}},
		{plat.Plan{Scope: "host", Schedule: often, Watched: true, Crawled: daily}, daily}, {plat.Plan{Scope: "host", Schedule: often, Watched: true, Crawled: plat.Schedule{Budget: "9/day"}}, plat.Schedule{Budget: "9/day"}},
	} {
		jobs := InScope{}.Choose(From{URL: "https://a.test/", Job: plat.Job{URL: "https://a.test/", Plan: tc.plan}}, []Link{{URL: "https://a.test/new", Kind: Anchor}})
		if len(jobs) != 1 || jobs[0].Schedule != tc.want || jobs[0].Watched || jobs[0].Crawled != (plat.Schedule{}) {
			t.Errorf("%+v: %+v", tc.plan, jobs)
		}
	}
}

func TestChoose(t *testing.T) {
	daily := plat.Schedule{Every: 24e9}
	from := From{URL: "https://www.a.test/", Job: plat.Job{URL: "https://a.test/", Priority: 0.5, Plan: plat.Plan{Depth: 1, Scope: "host depth=3\nprefix=https://b.test/x/\nno scope at all", Schedule: daily}}}
	signal := plat.Signal{ChangeFreq: "daily"}
	got := InScope{}.Choose(from, []Link{
		{URL: "https://www.a.test/one", Kind: Anchor},
		{URL: "https://www.a.test/feed", Kind: Feed},
		{URL: "https://www.a.test/c", Kind: Canonical},
		{URL: "https://a.test/", Kind: Anchor}, // itself
		{URL: "https://b.test/x/1", Kind: Listed, Signal: signal},
		{URL: "https://b.test/y", Kind: Anchor},
		{URL: "https://www.a.test/one", Kind: Anchor},
	})
	want := []plat.Job{
		{URL: "https://www.a.test/one", Priority: 0.45, Plan: plat.Plan{Depth: 2, Scope: "host depth=3", Schedule: daily}},
		{URL: "https://b.test/x/1", Priority: 0.45, Plan: plat.Plan{Depth: 2, Scope: "prefix=https://b.test/x/", Schedule: daily, Signal: signal}},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("chosen\n%+v, want\n%+v", got, want)
	}
	from.Job.Scope = "host depth=3\nany" // both contain it
	if got := (InScope{}).Choose(from, []Link{{URL: "https://www.a.test/one", Kind: Anchor}}); len(got) != 1 || got[0].Scope != "host depth=3" {
		t.Errorf("of two scopes %+v are chosen", got)
	}
	for _, scope := range []string{"", "page", "nonsense"} {
		from.Job.Scope = scope
		if got := (InScope{}).Choose(from, []Link{{URL: "https://www.a.test/one", Kind: Anchor}}); len(got) != 0 {
			t.Errorf("scope %q follows %+v", scope, got)
		}
	}
}

func TestFilesOutsideTheScope(t *testing.T) {
	from := From{URL: "https://a.test/", Job: plat.Job{URL: "https://a.test/", Priority: 1, Plan: plat.Plan{Depth: 1, Scope: "host depth=1 include=/docs/ exclude=/old/\nhost depth=1 exclude=/drafts/"}}}
	all := []Link{
		{URL: "https://cdn.test/report.pdf", Kind: Anchor, As: "https://cdn.test/report.pdf?"},
		{URL: "https://cdn.test/page", Kind: Anchor},
		{URL: "https://cdn.test/feed.pdf", Kind: Feed},
		{URL: "https://cdn.test/listed.pdf", Kind: Listed},
		{URL: "https://a.test/deeper.csv?v=1", Kind: Anchor},
		{URL: "https://cdn.test/old/one.pdf", Kind: Anchor}, // the second scope does not exclude it
		{URL: "https://cdn.test/old/drafts/one.pdf", Kind: Anchor},
		{URL: "https://cdn.test/report.pdf", Kind: Anchor},
	}
	if got := (InScope{}).Choose(from, all); len(got) != 0 {
		t.Errorf("without files: %+v", got)
	}
	file := func(url, as string) plat.Job {
		return plat.Job{URL: url, Priority: Fading, Plan: plat.Plan{Depth: 2, Spelling: as}}
	}
	want := []plat.Job{file(all[0].URL, all[0].As), file(all[4].URL, ""), file(all[5].URL, "")}
	if got := (InScope{Files: true}).Choose(from, all); !reflect.DeepEqual(got, want) {
		t.Errorf("chosen\n%+v, want\n%+v", got, want)
	}
	from.Job.Scope = "page"
	if got := (InScope{Files: true}).Choose(from, all); len(got) != 0 {
		t.Errorf("of a page alone: %+v", got)
	}
}

func BenchmarkLinks(b *testing.B) {
	s := fixtures.Snapshot(b, "site-1")
	cut, err := segment.Segment(s, segment.Params{})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		(&Page{Snapshot: s, Blocks: cut.Page.Blocks, Spans: cut.Spans}).Links(plat.TrackingParams, 5000)
	}
}
