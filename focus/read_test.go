package focus

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"plat/fixtures"
	"plat/plat"
	"plat/queue/links"
	"plat/segment"
	"plat/segment/htmlsnapshot"
	"plat/segment/label"
)

func describer(t testing.TB) *label.Describer {
	t.Helper()
	d, err := label.New(label.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// readHTML reads a page without a browser.
func readHTML(t testing.TB, d *label.Describer, page string) *Page {
	t.Helper()
	s, err := htmlsnapshot.Snapshot("https://a.test/dir/page", page)
	if err != nil {
		t.Fatal(err)
	}
	p := &links.Page{Snapshot: s, Frames: true}
	return Read(p, p.Links(nil, maxLinks), d)
}

// names makes terms readable: those of the words.
type names map[Term]string

func (n names) of(terms []Term) string {
	var out []string
	for _, t := range terms {
		name, ok := n[t]
		if !ok {
			name = "?"
		}
		out = append(out, name)
	}
	return strings.Join(out, " ")
}

func namesOf(stems string) names {
	n := names{}
	for _, s := range strings.Fields(stems) {
		n[TermOf(s)] = s
	}
	return n
}

func TestReadTakesWordsAndLinksWithWhatSurroundsThem(t *testing.T) {
	d := describer(t)
	p := readHTML(t, d, `<html lang=en><title>Marine biology</title><body>
		<nav><a href="/">Home</a> <a href="/news">News</a></nav>
		<h1>Marine biology</h1>
		<p>The octopus hides. <a href="squid.html" title="giant squids">Squids and their tentacles</a> swim.</p>
		<h2>Fisheries</h2>
		<ul><li><a class="x" href="a1">one</a></li><li><a class="x" href="a2"><img alt="a photograph"></a></li><li class=y><a class="x" href="a3" hidden>secrets</a></li></ul>
		<iframe src="/inner/frame">no frames here</iframe>
		<footer>Imprint</footer>`)
	n := namesOf("marin biolog home news octopus hide squid tentacl swim fisheri one photograph secret imprint giant a1 a2 test dir html inner frame")
	if got, want := n.of(p.Words), "home news marin biolog octopus hide squid tentacl swim fisheri one imprint"; got != want {
		t.Errorf("words %q, want %q", got, want)
	}
	if got := n.of(p.Title); got != "marin biolog" {
		t.Errorf("title %q", got)
	}
	if want := []Span{{0, 2}, {11, 12}}; !slices.Equal(p.Menus, want) {
		t.Errorf("menus %v, want %v", p.Menus, want)
	}
	var got []string
	for i := range p.Links {
		l := &p.Links[i]
		before, after := p.near(l)
		got = append(got, fmt.Sprintf("%s %q text %q tip %q heading %q between %q and %q menu %t", strings.TrimPrefix(l.URL, "https://a.test"), l.Text, n.of(p.anchor(l)),
			n.of(l.Tip), n.of(p.heading(l)), n.of(before), n.of(after), l.Menu))
	}
	want := []string{
		`/ "Home" text "home" tip "test" heading "" between "" and "news marin biolog octopus hide squid tentacl swim fisheri one" menu true`,
		`/news "News" text "news" tip "test news" heading "" between "home" and "marin biolog octopus hide squid tentacl swim fisheri one imprint" menu true`,
		`/dir/squid.html "Squids and their tentacles" text "squid tentacl" tip "giant squid test dir squid html" heading "marin biolog" between "home news marin biolog octopus hide" and "swim fisheri one imprint" menu false`,
		`/dir/a1 "one" text "one" tip "test dir" heading "fisheri" between "home news marin biolog octopus hide squid tentacl swim fisheri" and "imprint" menu false`,
		`/dir/a2 "a photograph" text "photograph" tip "test dir" heading "fisheri" between "news marin biolog octopus hide squid tentacl swim fisheri one" and "imprint" menu false`,
		`/dir/a3 "secrets" text "secret" tip "test dir" heading "fisheri" between "news marin biolog octopus hide squid tentacl swim fisheri one" and "imprint" menu false`,
		`/inner/frame "" text "" tip "test inner frame" heading "fisheri" between "news marin biolog octopus hide squid tentacl swim fisheri one" and "imprint" menu false`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("links\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if l := p.Links; l[3].Path != l[4].Path || l[3].Path == l[5].Path || l[3].Path == l[2].Path || l[0].Path != l[1].Path {
		t.Errorf("links in the same place have another path, or others the same: %v", l)
	}
	checkPage(t, p)
}

// A displayed title counts too if it differs from the document's.
func TestTheTitleIsWhatTheDocumentSaysAndWhatIsShown(t *testing.T) {
	d := describer(t)
	text := strings.Repeat("<p>"+strings.Repeat("The octopus swims through the warm sea and hides between stones. ", 5)+"</p>", 5)
	n := namesOf("octopus garden univers hamburg")
	p := readHTML(t, d, "<html lang=en><title>University of Hamburg</title><body><article><h1>Octopus gardens</h1>"+text+"</article>")
	if got := n.of(p.Title); got != "univers hamburg octopus garden" {
		t.Errorf("title %q", got)
	}
}

// Pages with blocks know their menus by the labels of the blocks.
func TestReadUsesBlocks(t *testing.T) {
	d := describer(t)
	for _, name := range []string{"site-1", "flink-downloads"} {
		s := fixtures.Snapshot(t, name)
		cut, err := segment.Segment(s, segment.Params{})
		if err != nil {
			t.Fatal(err)
		}
		if err := d.Describe(s, &cut.Page, cut.Spans, cut.Visible()); err != nil {
			t.Fatal(err)
		}
		page := &links.Page{Snapshot: s, Blocks: cut.Page.Blocks, Spans: cut.Spans}
		found := page.Links(nil, maxLinks)
		p := Read(page, found, d)
		found = slices.DeleteFunc(found, func(l links.Link) bool { return l.Kind != links.Anchor })
		checkPage(t, p)
		menus := 0
		for i := range p.Links {
			b := &cut.Page.Blocks[0]
			if at := found[i].Block; at >= 0 {
				b = &cut.Page.Blocks[at]
			}
			if p.Links[i].URL != found[i].URL || p.Links[i].Menu != (found[i].Block >= 0 && label.Boilerplate(b.Label)) {
				t.Errorf("%s: link %s in a block %q is in a menu: %t", name, p.Links[i].URL, b.Label, p.Links[i].Menu)
			}
			if p.Links[i].Menu {
				menus++
			}
		}
		if menus == 0 || menus == len(p.Links) || len(p.Menus) == 0 {
			t.Errorf("%s: %d of %d links are in menus, %d spans", name, menus, len(p.Links), len(p.Menus))
		}
	}
}

// checkPage checks the invariants of Page.
func checkPage(t testing.TB, p *Page) {
	t.Helper()
	n := int32(len(p.Words))
	if n > maxWords || len(p.Title) > maxTitle || len(p.Links) > maxLinks || len(p.Headings) > maxLinks {
		t.Fatalf("%d words, %d of the title, %d links, %d headings", n, len(p.Title), len(p.Links), len(p.Headings))
	}
	last := int32(0)
	for _, m := range p.Menus {
		if m.First < last || m.End <= m.First || m.End > n {
			t.Fatalf("menu %v after %d, of %d words", m, last, n)
		}
		last = m.End
	}
	for _, h := range p.Headings {
		if len(h.Terms) > maxTitle || len(h.Text) > maxLinkText || !utf8.ValidString(h.Text) {
			t.Fatalf("heading %q with %d terms", h.Text, len(h.Terms))
		}
	}
	first := int32(0)
	for i := range p.Links {
		l := &p.Links[i]
		if u, err := plat.Canonical(l.URL, nil); err != nil || u != l.URL || len(u) > maxURL {
			t.Fatalf("link to %q", l.URL)
		}
		if l.At.First < first || l.At.End < l.At.First || l.At.End > n {
			t.Fatalf("link at %v after %d, of %d words", l.At, first, n)
		}
		first = l.At.First
		if l.Heading < -1 || int(l.Heading) >= len(p.Headings) {
			t.Fatalf("heading %d of %d", l.Heading, len(p.Headings))
		}
		if len(l.Text) > maxLinkText || !utf8.ValidString(l.Text) || len(l.Tip) > maxTip || len(l.Terms) > maxTip || len(p.anchor(l)) > maxTip {
			t.Fatalf("link %+v", l)
		}
		before, after := p.near(l)
		if len(before) > around || len(after) > around {
			t.Fatalf("%d and %d words around a link", len(before), len(after))
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, page := range []string{"", "<a href=x>one two</a>", "<nav>a<a href=/b>c</a></nav><h2>Head<a href=d title=e>f</a></h2>g<iframe src=h>", "<title>信息采集</title><h1>系统<a href=设计>实现</a>",
		"<a href=1><b><a href=2>x</b></a>", strings.Repeat("<a href=x hidden>y</a><p>", 30), "<base href=//b.test/><a href=?c>d", "<svg><a href=x><title>y</title></a></svg>"} {
		f.Add(page)
	}
	d := describer(f)
	f.Fuzz(func(t *testing.T, page string) {
		s, err := htmlsnapshot.Snapshot("https://a.test/", page)
		if err != nil {
			return
		}
		in := &links.Page{Snapshot: s, Frames: true}
		p := Read(in, in.Links(nil, maxLinks), d)
		checkPage(t, p)
		c := newCrawl(t, Options{})
		c.Ask("https://a.test/")
		if r := c.Add("https://a.test/", p); !(r.Relevance >= 0 && r.Relevance <= 1) {
			t.Fatalf("relevance %g", r.Relevance)
		}
	})
}

// spent runs f and returns how long it took, and how much memory it left, in bytes.
func spent(f func() any) (time.Duration, int64) {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	start := time.Now()
	kept := f()
	took := time.Since(start)
	runtime.GC()
	runtime.ReadMemStats(&after)
	runtime.KeepAlive(kept)
	return took, int64(after.HeapAlloc) - int64(before.HeapAlloc)
}

// Time limit of a page on a busy machine; each took less than 2 seconds on an idle one.
const slow = 30 * time.Second

// Huge pages take time in proportion to their size, and the result has limits.
func TestHugePagesAreBounded(t *testing.T) {
	d := describer(t)
	repeat := func(n int, part func(i int) string) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(part(i))
		}
		return b.String()
	}
	readHTML(t, d, "信息采集系统的设计与实现信息采集系统的设计与实现") // loads the dictionary
	for _, tc := range []struct {
		name  string
		page  string
		words int // at most
		links int
	}{
		{"100,000 links", repeat(100_000, func(i int) string { return fmt.Sprintf("<p><a href='/page/%d.html'>link %d</a>", i, i) }), maxWords, maxLinks},
		{"100,000 links to one page", repeat(100_000, func(i int) string { return "<p><a href='/page'>a link</a>" }), maxWords, maxLinks},
		{"10 MB of words", repeat(1_500_000, func(i int) string { return fmt.Sprintf("w%d ", i%1e5) }), maxWords, 0},
		{"5 MB of words in paragraphs", repeat(250_000, func(i int) string { return "<p>some words of text" }), maxWords, 0},
		{"10 MB of Chinese", strings.Repeat("信息采集系统的设计与实现", 280_000), maxWords, 0},
		{"one word of 10 MB", "<a href=x>" + strings.Repeat("x", 10<<20) + "</a>", 1, 1},
		{"a title of 10 MB", "<title>" + strings.Repeat("word ", 2<<20) + "</title>", 0, 0},
		{"long classes around many links", strings.Repeat("<div class='"+strings.Repeat("a b ", 10_000)+"'>", 200) + repeat(20_000, func(i int) string { return fmt.Sprintf("<a href=%d>x</a>", i) }), maxWords, maxLinks},
		{"long URLs", repeat(1_000, func(i int) string { return fmt.Sprintf("<a href='/%d/%s'>x</a>", i, strings.Repeat("ab-", 5_000)) }), maxWords, 0},
		{"URLs as long as may be", repeat(5_000, func(i int) string { return fmt.Sprintf("<a href='/%d/%s'>x</a>", i, strings.Repeat("ab-", 650)) }), maxWords, maxLinks},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var p *Page
			took, kept := spent(func() any { p = readHTML(t, d, tc.page); return p })
			checkPage(t, p)
			t.Logf("%d MB: %v, %d words, %d links, keeps %d kB", len(tc.page)>>20, took.Round(time.Millisecond), len(p.Words), len(p.Links), kept>>10)
			if took > slow {
				t.Errorf("took %v", took)
			}
			if len(p.Words) > tc.words || len(p.Links) > tc.links || tc.links == maxLinks && len(p.Links) < 1_000 {
				t.Errorf("%d words, %d links; want at most %d, %d", len(p.Words), len(p.Links), tc.words, tc.links)
			}
			if kept > 24<<20 || strings.HasPrefix(tc.name, "one word") && kept > 1<<20 {
				t.Errorf("keeps %d MB", kept>>20)
			}
			c := newCrawl(t, Options{Order: "blocks"})
			if took, kept := spent(func() any { c.Add(p.URL, p); return c }); took > slow || kept > 24<<20 {
				t.Errorf("adding it took %v and %d MB", took, kept>>20)
			}
		})
	}
}

func TestWordsOfURLs(t *testing.T) {
	for u, want := range map[string]string{
		"https://www.a-b.test/Dir/file_name2.HTML?q=Über&x=y": "www test dir file name html ber",
		"http://a.test/" + strings.Repeat("x", 33) + "/yes":   "test yes",
		"http://a.test/" + strings.Repeat("x", 32):            "test " + strings.Repeat("x", 32),
		"":                 "",
		"no scheme/at all": "no scheme at all",
	} {
		var got []string
		urlWords(u, func(w string) bool { got = append(got, w); return true })
		if strings.Join(got, " ") != want {
			t.Errorf("words of %q are %q, want %q", u, got, want)
		}
	}
	n := 0
	urlWords("https://aa.test/bb/cc", func(string) bool { n++; return n < 2 })
	if n != 2 {
		t.Errorf("%d words after two were enough", n)
	}
}

func TestFolders(t *testing.T) {
	f := newFolders()
	path := func(u string) (all []int32) {
		for at := f.of(u); at >= 0; at = f.all[at].up {
			all = append(all, at)
		}
		slices.Reverse(all)
		return all
	}
	for _, tc := range []struct {
		a, b string
		same int // folders that they share
		deep int // folders of a
	}{
		{"https://a.test/", "https://a.test/x?y=/z", 1, 1},
		{"https://a.test/x/y", "https://a.test/x/z#/", 2, 2},
		{"https://a.test/x/y", "https://b.test/x/y", 0, 2},
		{"https://a.test/x/y", "http://a.test/x/z", 2, 2}, // with and without TLS
		{"https://a.test/1/2/3/4/5/6/7/8", "https://a.test/1/2/3/4/5/9/10", 6, 6},
		{"https://a.test", "https://a.test/x", 1, 1},
	} {
		a, b := path(tc.a), path(tc.b)
		same := 0
		for same < len(a) && same < len(b) && a[same] == b[same] {
			same++
		}
		if same != tc.same || len(a) != tc.deep {
			t.Errorf("%s is in %v, %s in %v: share %d, want %d", tc.a, a, tc.b, b, same, tc.same)
		}
	}
	// Shrinkage by hand, with 10 pages of prior: for the host, with rewards 1, 1, 0 and prior 0.1:
	// (2 + 1)/13. For /x/, with 1, 1: (2 + 10·3/13)/12. For /new/, without any: the host's.
	f = newFolders()
	for u, r := range map[string]float64{"https://a.test/x/1": 1, "https://a.test/x/2": 1, "https://a.test/y": 0} {
		f.add(f.of(u), r)
	}
	near := func(u string, wantHere, wantHost float64) {
		t.Helper()
		here, host := f.near(f.of(u), .1, 10)
		if here-wantHere > 1e-6 || wantHere-here > 1e-6 || host-wantHost > 1e-6 || wantHost-host > 1e-6 {
			t.Errorf("near %s is %.6f, %.6f; want %.6f, %.6f", u, here, host, wantHere, wantHost)
		}
	}
	near("https://a.test/x/3", (2+10*3./13)/12, 3./13)
	near("https://a.test/new/3", 3./13, 3./13)
	near("https://b.test/", .1, .1)
}
