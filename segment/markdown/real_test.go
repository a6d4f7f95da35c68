package markdown_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"plat/browser/snapshotfile"
	"plat/plat"
	"plat/segment"
	"plat/segment/article"
	"plat/segment/label"
	"plat/segment/markdown"
	"plat/storage/history"
	"plat/storage/sqlite/sqlitetest"
	"plat/workers"
	"plat/workers/visitor"
)

// rendered makes a snapshot of a page without a browser: one column 800 px wide, each text
// on a line of its own; headings are larger.
func rendered(t *testing.T, src string) *plat.Snapshot {
	t.Helper()
	doc, err := html.Parse(strings.NewReader(src))
	if err != nil {
		t.Fatal(err)
	}
	s := &plat.Snapshot{
		URL: "https://h.test/dir/page", FinalURL: "https://h.test/dir/page", Status: 200, ContentType: "text/html", Taken: time.Unix(18e8, 0).UTC(),
		Width: 1280, Viewport: plat.Rect{W: 1280, H: 1024},
		Styles: []plat.Style{
			{Display: "block", Position: "static", FontSize: 16, FontWeight: 400, Color: 0xff, Opacity: 1},
			{Display: "block", Position: "static", FontSize: 30, FontWeight: 700, Color: 0xff, Opacity: 1},
			{Display: "inline", Position: "static", FontSize: 16, FontWeight: 400, Color: 0xff, Opacity: 1},
			{Display: "none", Hidden: true, Opacity: 1},
		},
	}
	y := float32(0)
	var add func(n *html.Node, parent, style int32, shown bool) plat.Rect
	add = func(n *html.Node, parent, style int32, shown bool) (box plat.Rect) {
		i := int32(len(s.Nodes))
		v := plat.Node{Parent: parent, Style: style, HasBox: shown}
		switch n.Type {
		case html.DocumentNode:
			v.Kind = plat.DocumentNode
		case html.TextNode:
			v.Kind, v.Value = plat.TextNode, n.Data
			if shown && strings.TrimSpace(n.Data) != "" {
				box = plat.Rect{X: 100, Y: y, W: 800, H: 20}
				y += 20
			}
		case html.ElementNode:
			v.Kind, v.Name = plat.ElementNode, n.Data
			for _, a := range n.Attr {
				v.Attrs = append(v.Attrs, plat.Attr{Name: a.Key, Value: a.Val})
				shown = shown && a.Key != "hidden"
			}
			switch n.Data {
			case "h1", "h2":
				style = 1
			case "a", "b", "i", "code":
				style = 2
			case "head":
				shown = false
			case "img":
				box = plat.Rect{X: 100, Y: y, W: 800, H: 300}
				y += 300
			}
			v.Style, v.HasBox = style, shown
		default:
			return box
		}
		s.Nodes = append(s.Nodes, v)
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			box = box.Union(add(c, i, style, shown))
		}
		s.Nodes[i].Box, s.Nodes[i].End = box, int32(len(s.Nodes))
		s.Height = max(s.Height, y)
		return box
	}
	add(doc, -1, 0, true)
	return s
}

// ofPage sets the text of a page that was just rendered.
func ofPage(t *testing.T, d *label.Describer, s *plat.Snapshot) (*markdown.Document, article.Article) {
	t.Helper()
	cut, err := segment.Segment(s, segment.Params{})
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Describe(s, &cut.Page, cut.Spans, cut.Visible()); err != nil {
		t.Fatal(err)
	}
	a := article.Read(s, &cut.Page)
	return markdown.Of(a.Keep(&cut.Page), s.Base(), &cut.Page.Layout, cut.Page.Blocks), a
}

func describer(t *testing.T) *label.Describer {
	t.Helper()
	d, err := label.New(label.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

const (
	reference = `<html><head><base href="/docs/"><title>dig</title></head><body><nav><a href="/">Home</a> <a href="/all">All</a></nav>
<main><h1>dig</h1><p>Looks up names, as <a href="names.html">names</a> says.</p>
<h2>Options</h2><table><tr><th>option</th><th>what it does</th></tr><tr><td><code>-a|-b</code></td><td>asks for *all* of them</td></tr><tr><td>-c</td><td>nothing</td></tr></table>
<p hidden>Not for readers.</p>
<pre class="language-sh">dig -a \
	example.test</pre>
<dl><dt>zone</dt><dd>what a server knows</dd><dt>name</dt><dd>what is asked for</dd></dl></main>
<footer><p>Copyright 2020</p></footer></body></html>`

	news = `<html><head><title>North pier closes</title></head><body><nav><a href="/">Home</a> <a href="/all">All</a></nav>
<article><h1>North pier closes</h1><p>By Ann Rivers, 31 January 2026</p>
<p>The harbour office closes the <b>north pier</b> on Monday, because divers found loose stones below the <a href="line.html">water line</a>, it says.</p>
<figure><img src="pier.jpg" alt="The pier"><figcaption>The pier in spring</figcaption></figure>
<p>Ferries land at the south pier in the meantime, and the ` + "time\u00adtable" + ` stays as it was printed in spring.</p>
<blockquote><p>We shall be back before the summer, when more visitors come than the south pier can hold in one day.</p></blockquote>
<div class="related"><h3>Related</h3><ul><li><a href="/1"><img src="1.jpg" alt="Fish"> Fish is cheap</a></li></ul></div></article></body></html>`
)

func TestAReferenceIsSetAsMarkdown(t *testing.T) {
	d, a := ofPage(t, describer(t), rendered(t, reference))
	if a.Kind != plat.KindReference {
		t.Fatalf("it is read as %q", a.Kind)
	}
	const want = "# dig\n\n_Ann & Bob, 2020_\n\nLooks up names, as [names](https://h.test/docs/names.html) says.\n\n## Options\n\n" +
		"| option | what it does |\n| --- | --- |\n| `-a\\|-b` | asks for \\*all\\* of them |\n| \\-c | nothing |\n\n" +
		"```sh\ndig -a \\\n\texample.test\n```\n\n**zone**\n\nwhat a server knows\n\n**name**\n\nwhat is asked for"
	if got := d.Page("dig", "Ann & Bob, 2020"); got != strings.ReplaceAll(want, `\-c`, "-c") {
		t.Errorf("it is\n%s\nwant\n%s", got, want)
	}
}

// Text outside of an article does not reappear from the blocks that contain it.
func TestAnArticleIsSetAsMarkdown(t *testing.T) {
	d, a := ofPage(t, describer(t), rendered(t, news))
	if a.Kind != plat.KindArticle {
		t.Fatalf("it is read as %q", a.Kind)
	}
	const want = "The harbour office closes the **north pier** on Monday, because divers found loose stones below the [water line](https://h.test/dir/line.html), it says.\n\n" +
		"![The pier](https://h.test/dir/pier.jpg)\n\nFerries land at the south pier in the meantime, and the timetable stays as it was printed in spring.\n\n" +
		"> We shall be back before the summer, when more visitors come than the south pier can hold in one day."
	if got := d.Body(); got != want {
		t.Errorf("it is\n%s\nwant\n%s\nof\n%s", got, want, a.Text)
	}
}

// code is an article with code in several forms.
const code = `<html><head><title>Leases in Go</title></head><body><nav><a href="/">Home</a> <a href="/all">All</a></nav>
<article><h1>Leases in Go</h1><p>By Ann Rivers, 31 January 2026</p>
<p>A worker that dies keeps its page for a while, and then another one takes it: that is all that a lease is, and this is how it is written.</p>
<pre><code class="language-go">func take(ctx context.Context) (err error) {
	for range 3 {
		<b>if</b> err = try(ctx); err == nil {
			return nil
		}

		// tab	and  two blanks
	}

	return err
}
</code></pre>
<p>The call of it may be anywhere, and whoever calls it must be ready to lose the page again, because another one has taken it meanwhile.</p>
<pre>
    first:
      - one


    second: <i>two</i>
</pre>
<p>Lines may be blocks, as some sites make them, and nothing of their <code>indentation   here</code> is lost in the text that is kept of the page.</p>
<pre class="language-js"><div>{</div><div>  a: 1,</div><div><br></div><div>  b: [<br>    2<br><br>  ]</div><div>}</div></pre>
<p>This is the end of what is to be said about leases here; more is in the documents of the queue, which everybody should read once.</p></article></body></html>`

// The text of an article has its code as the page shows it, and so has its Markdown.
func TestAnArticleKeepsItsCode(t *testing.T) {
	d, a := ofPage(t, describer(t), rendered(t, code))
	if a.Kind != plat.KindArticle {
		t.Fatalf("it is read as %q", a.Kind)
	}
	const one, two, three = "A worker that dies keeps its page for a while, and then another one takes it: that is all that a lease is, and this is how it is written.",
		"The call of it may be anywhere, and whoever calls it must be ready to lose the page again, because another one has taken it meanwhile.",
		"This is the end of what is to be said about leases here; more is in the documents of the queue, which everybody should read once."
	const first = "func take(ctx context.Context) (err error) {\n\tfor range 3 {\n\t\tif err = try(ctx); err == nil {\n\t\t\treturn nil\n\t\t}\n\n\t\t// tab\tand  two blanks\n\t}\n\n\treturn err\n}"
	const second = "    first:\n      - one\n\n\n    second: two"
	const third = "{\n  a: 1,\n\n  b: [\n    2\n\n  ]\n}"
	const lines = "Lines may be blocks, as some sites make them, and nothing of their %sindentation here%s is lost in the text that is kept of the page."
	if want := strings.Join([]string{one, first, two, second, fmt.Sprintf(lines, "", ""), third, three}, "\n\n"); a.Text != want {
		t.Errorf("its text is\n%s\nwant\n%s", a.Text, want)
	}
	want := strings.Join([]string{one, "```go\n" + first + "\n```", two, "```\n" + second + "\n```", fmt.Sprintf(lines, "`", "`"), "```js\n" + third + "\n```", three}, "\n\n")
	if got := d.Body(); got != want {
		t.Errorf("its Markdown is\n%s\nwant\n%s", got, want)
	}
}

func TestAVersionHasTheMarkdownOfItsPage(t *testing.T) {
	ctx := t.Context()
	store := sqlitetest.Open(t)
	pages := map[string]*plat.Snapshot{"reference": rendered(t, reference), "news": rendered(t, news), "code": rendered(t, code)}
	files, err := filepath.Glob("../../fixtures/snapshots/*.snap")
	if err != nil || len(files) < 5 {
		t.Fatalf("%d snapshots: %v", len(files), err)
	}
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		pages[filepath.Base(name)], err = snapshotfile.Read(f)
		if f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	desc, shelf := describer(t), &visitor.Shelf{}
	worker := workers.New(shelf, store, desc, workers.Options{})
	for name, s := range pages {
		s.URL = "https://" + strings.TrimSuffix(name, ".snap") + ".test/page"
		s.FinalURL = s.URL
		shelf.Snapshot = s
		if _, err := worker.Visit(ctx, plat.Job{URL: s.URL}); err != nil {
			t.Fatal(name, err)
		}
		v, err := store.Version(ctx, s.URL, 1)
		if err != nil {
			t.Fatal(name, err)
		}
		if _, err := history.Article(ctx, store, v); err != nil {
			t.Fatal(name, err)
		}
		kept, err := history.Markdown(ctx, store, v)
		if err != nil {
			t.Fatal(name, err)
		}
		live, _ := ofPage(t, desc, s)
		if got, want := kept.Body(), live.Body(); got != want || got == "" {
			t.Errorf("%s: the version has\n%s\nthe page\n%s", name, got, want)
		}
	}
}
