package article

import (
	"slices"
	"strings"
	"testing"

	"plat/plat"
	"plat/segment/markup"
)

// leaves returns a page whose content is these blocks.
func leaves(bs ...plat.Block) *plat.Page {
	p := &plat.Page{Blocks: []plat.Block{{Slot: -1, Parent: -1}}}
	for i, b := range bs {
		b.Pos, b.Hash = int32(i), plat.HashOf(b.Content)
		b.Text = markup.Text(b.Content, b.Hidden)
		b.TextLen = markup.CountChars(b.Text)
		p.Blocks = append(p.Blocks, b)
	}
	return p
}

func part(html string, role plat.Role, label plat.Label) plat.Block {
	return plat.Block{Content: []byte(html), Role: role, Label: label, Tag: "div"}
}

func TestKindsOfPages(t *testing.T) {
	long := paragraphs(first, second, third, fourth)
	story := strings.Repeat(long, 6)
	text := part("<div>"+long+"</div>", plat.RoleContent, plat.LabelMain)
	listed := part("<ul><li>"+first+"</li></ul>", plat.RoleContent, plat.LabelList)
	listed.LinkShare = 1
	said := part("<p>"+first+"</p>", plat.RoleContent, plat.LabelComments)
	for name, c := range map[string]struct {
		head, body string
		page       *plat.Page
		want       plat.PageKind
	}{
		"a day and prose":                    {`<meta name="date" content="2026-01-31">`, long, leaves(text), plat.KindArticle},
		"a line with author and day":         {"", `<h1>T</h1><p>By Ann Rivers · July 10, 2015 · 4 min read · Filed under Piers</p>` + long, leaves(text, said, said), plat.KindArticle},
		"what a blog writes":                 {"", `<h1>T</h1><p>Posted on August 27, 2018 by Ann Rivers in Piers with 12 comments</p>` + long, leaves(text, said, said), plat.KindArticle},
		"day, hour and zone":                 {"", `<h1>T</h1><p>Monday August 27, 2018 10:05 am PDT by <a href="/ann">Ann Rivers</a></p>` + long, leaves(text, said, said, listed), plat.KindArticle},
		"a sentence with a day":              {"", `<h1>T</h1><p>The pier by Ann Rivers was closed on July 10, 2015 for good by the harbour office</p>` + long, leaves(text, said), plat.KindReference},
		"nothing but prose":                  {"", story, leaves(part("<div>"+story+"</div>", plat.RoleContent, plat.LabelMain)), plat.KindArticle},
		"it says so":                         {`<meta property="og:type" content="article">`, long, leaves(text, listed, listed, listed), plat.KindArticle},
		"it says so by schema.org":           {`<script type="application/ld+json">{"@type":"NewsArticle","headline":"x"}</script>`, long, leaves(text, listed, listed, listed), plat.KindArticle},
		"many are announced":                 {`<script type="application/ld+json">[{"@type":"NewsArticle","headline":"x"},{"@type":"NewsArticle","headline":"y"}]</script>`, long, leaves(text, listed, listed, listed, listed, listed), plat.KindList},
		"code":                               {"", long + "<pre>" + first + second + "</pre><dl><dt>x</dt><dd>" + third + "</dd></dl>", leaves(text), plat.KindReference},
		"an author, and little of it is his": {`<meta name="author" content="Ann Rivers">`, "<p>" + first + "</p><pre>" + third + fourth + "</pre>", leaves(text), plat.KindReference},
		"links":                              {"", "<p>" + first + "</p>", leaves(listed, listed, text, listed, listed, listed), plat.KindList},
		"what people say":                    {"", long, leaves(said, said, said, listed), plat.KindForum},
		"a forum says so":                    {`<script type="application/ld+json">{"@type":"DiscussionForumPosting"}</script>`, long, leaves(text), plat.KindForum},
		"a product":                          {`<meta property="og:type" content="product">`, long, leaves(text), plat.KindProduct},
		"one product by microdata":           {"", `<div itemscope itemtype="https://schema.org/Product"><div itemtype="https://schema.org/Offer">` + long + "</div></div>", leaves(text), plat.KindProduct},
		"one cart":                           {"", long + "<button>Add to <b>cart</b></button>", leaves(text), plat.KindProduct},
		"prose of a landing page":            {"", long, leaves(text), plat.KindReference},
		"many texts":                         {"", "<article>" + long + "</article><article>" + long + "</article><article>" + long + "</article><article>" + long + "</article>", leaves(text), plat.KindList},
		"many texts with days":               {"", strings.Repeat(`<article><h2>A</h2><time datetime="2026-01-30">30 January 2026</time>`+long+"</article>", 4), leaves(text), plat.KindList},
		"an article without a text":          {`<meta property="og:type" content="article">`, "", leaves(listed, listed), plat.KindList},
		"many products":                      {"", `<div itemtype="https://schema.org/Product">a</div><div itemtype="https://schema.org/Product">b</div>`, leaves(listed, listed, listed), plat.KindList},
	} {
		t.Run(name, func(t *testing.T) {
			got := Read(rendered(t, "<html><head><title>T</title>"+c.head+"</head><body><main>"+c.body+"</main></body></html>"), c.page)
			if got.Kind != c.want {
				t.Errorf("it is taken for %s, not %s", got.Kind, c.want)
			}
			if got.Kind == plat.KindList && got.Date != "" {
				t.Errorf("a list is of %s", got.Date)
			}
		})
	}
}

// All that is content is the text of a reference, and it comes back from its blocks.
func TestTheTextOfAReferenceIsAllOfItsContent(t *testing.T) {
	item := part("<li>two</li>", plat.RoleContent, plat.LabelList)
	item.Tag = "li"
	page := leaves(
		part("<nav><a href=x>Home</a></nav>", plat.RoleNavigation, plat.LabelNavigation),
		part("<h1>Sizes</h1>", plat.RoleContent, plat.LabelHeading),
		part("<pre>if x:\n    y()</pre>", plat.RoleContent, plat.LabelMain),
		part("<table><caption>All</caption><tr><td>a</td><td>1</td></tr></table>", plat.RoleContent, plat.LabelTable),
		part("<form>Find <input></form>", plat.RoleContent, plat.LabelForm),
		item, item,
		part("<p>© 2026</p>", plat.RoleFooter, plat.LabelFooter),
		part("<p> </p>", plat.RoleContent, plat.LabelOther),
	)
	a := Read(rendered(t, "<html><head><title>Sizes</title></head><body><pre>"+first+"</pre></body></html>"), page)
	const want = "Sizes\n\nif x:\n    y()\n\nAll\n\na\t1\n\nFind\n\ntwo\ntwo"
	if a.Kind != plat.KindReference || a.Text != want {
		t.Fatalf("%s with the text %q, not %q", a.Kind, a.Text, want)
	}
	k := a.Keep(page)
	if len(k.Text) > 0 {
		t.Errorf("%d passages are kept of a text that the blocks have", len(k.Text))
	}
	needed, layout := Needs(k, page.Blocks)
	if !layout || len(needed) != 7 || slices.Contains(needed, page.Blocks[1].Hash) {
		t.Errorf("%d contents are needed, layout: %v", len(needed), layout)
	}
	got, err := Restore(k, page.Blocks, &page.Layout)
	if err != nil || got.Text != want || got.Kind != a.Kind {
		t.Errorf("it came back as %s %q, %v", got.Kind, got.Text, err)
	}
	page.Blocks[2].Content = []byte("<h1>Others</h1>")
	if _, err := Restore(k, page.Blocks, &page.Layout); err == nil {
		t.Error("another text was taken for it")
	}
}
