package article

import (
	"fmt"
	"strings"
	"testing"

	"plat/plat"
)

func TestAPageIsSummedUp(t *testing.T) {
	prose := strings.TrimSpace(strings.Repeat("word ", 20)) + "."
	f := find(rendered(t, "<h2>A heading</h2><p>"+prose+"</p><ul><li>"+prose+"</li><li><a href=x>one two three four</a></li></ul><pre>some code</pre><table><tr><td>in a cell</td></tr></table><div class=comments><p>"+prose+"</p></div>"))
	var texts []string
	for i := range f.all {
		texts = append(texts, f.all[i].text[:3])
	}
	if got := strings.Join(texts, " "); got != "A h wor wor one som in  wor" {
		t.Fatal(got)
	}
	f.kept = []int{1, 6}
	s := f.pageSight([]float32{.25, .75, 1, .25, .5, 0, .25}, &Article{Authors: []string{"Ann"}})
	for name, got := range map[string][2]float64{
		"words":            {s.words, 2 + 20 + 20 + 4 + 2 + 3 + 20},
		"main":             {s.main, .5 + 15 + 20 + 1 + 1 + 5},
		"kept":             {s.kept, 40},
		"keptMain":         {s.keptMain, 15 + 5},
		"prose":            {s.prose, 15 + 20 + 5},
		"linked":           {s.linked, 1},
		"links":            {s.links, 4},
		"ends":             {s.ends, 15 + 20 + 5},
		"headings":         {s.headings, .25},
		"items":            {s.items, 20 + 1},
		"code":             {s.code, 1},
		"cells":            {s.cells, 0},
		"comments":         {s.comments, 20},
		"passages":         {s.passages, 3}, // the paragraph, the first item, the code
		"runs":             {s.runs, 2},
		"before":           {s.before, 2},
		"author":           {s.author, .5},
		"day":              {s.day, 0},
		"words of the top": {s.words * s.before, 2 * 71},
	} {
		if got[0] != got[1] {
			t.Errorf("%s: %v, want %v", name, got[0], got[1])
		}
	}
	if n := len(s.observe()); n != len(kindModel().Edges) {
		t.Errorf("%d values for %d features", n, len(kindModel().Edges))
	}
}

func TestAuthorsAndDaysBesideTheTitle(t *testing.T) {
	a := &Article{Authors: []string{"Ann Rivers", "Bob Stone"}, Date: "2026-01-31"}
	long := strings.Repeat("word ", 10)
	for _, tc := range []struct{ line, want string }{
		{"<div>x</div>", "0.5 0.5"},
		{"<div>By Bob Stone</div>", "1 0.5"},
		{"<div>Bob Stone " + long + "</div>", "0.5 0.5"},
		{"<table><tr><td>Bob Stone</td><th>31.01.2026</th></tr></table>", "0.5 0.5"},
		{"<div>31.01.2026</div>", "0.5 1"},
		{"<div>31.01.2026.</div>", "0.5 1"},
		{"<div>closed until 31.01.2026.</div>", "0.5 1"},               // no more than a line
		{"<div>the pier is closed until 31.01.2026.</div>", "0.5 0.5"}, // a sentence
		{"<div>31.01.2026 " + strings.Repeat("x", 200) + "</div>", "0.5 0.5"},
		{`<time datetime="2026-01-31">today</time>`, "0.5 1"},
		{"<div>Ann Rivers, 31.01.2026</div>", "1 1"},
	} {
		author, day := textOf(t, "<div>x</div>"+tc.line).byTitle(&declared{}, a, 0)
		if got := fmt.Sprint(author, " ", day); got != tc.want {
			t.Errorf("%s: %s, want %s", tc.line, got, tc.want)
		}
	}
	page := textOf(t, "<div>Ann Rivers, 31.01.2026</div>")
	for _, tc := range []struct {
		d    declared
		a    Article
		want string
	}{
		{declared{}, Article{}, "0 0"}, {declared{piece: piece{authors: []string{"Ann"}, published: "x"}}, Article{}, "0 0"},
	} {
		author, day := page.byTitle(&tc.d, &tc.a, 0)
		if got := fmt.Sprint(author, " ", day); got != tc.want {
			t.Errorf("%+v: %s, want %s", tc.a, got, tc.want)
		}
	}
	page = textOf(t, "<div>x</div>")
	page.URL = "https://a.test/2026/01/31/pier"
	if _, day := page.byTitle(&declared{}, a, 0); day != 1 {
		t.Errorf("a day in the address counts %v", day)
	}
}

func TestTextsOfAPageAreItsArticlesWithProse(t *testing.T) {
	prose := "<p>" + first + "</p>"
	for src, want := range map[string]int{
		prose: 0, "<article>" + prose + "</article>": 1, "<article>x</article>" + prose: 0, "<article>" + prose + "<article>" + prose + "</article></article>": 1,
		"<article>" + prose + "</article><article>" + prose + "</article>":                                      2,
		"<article>" + prose + "</article>" + prose + prose + `<article class="comment">` + prose + "</article>": 1,
		"<section>" + prose + "</section>":                                                                      0,
	} {
		if got := textOf(t, src).texts(); got != want {
			t.Errorf("%s has %d texts, want %d", src, got, want)
		}
	}
}

func TestContentIsSummedUp(t *testing.T) {
	block := func(text string, role plat.Role, label plat.Label, holds plat.Holds, links float32) plat.Block {
		return plat.Block{Text: text, TextLen: int32(len(text)), Role: role, Label: label, Holds: holds, LinkShare: links}
	}
	got := contentOf([]plat.Block{
		{Slot: -1, Text: "the whole page", TextLen: 14, Role: plat.RoleContent},
		block("1234567890", plat.RoleContent, plat.LabelMain, plat.HoldsText, .5),
		block("12345678", plat.RoleContent, plat.LabelList, plat.HoldsList, .25),
		block("1234", plat.RoleContent, plat.LabelComments, plat.HoldsComments, 0),
		block("123456", plat.RoleNavigation, plat.LabelNavigation, plat.HoldsList, 1),
	})
	if want := (content{chars: 22, linked: 7, lists: 8, comments: 4}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

func TestStructuredTextIsCodeTablesAndDefinitions(t *testing.T) {
	prose := strings.Repeat("word ", 12)
	for src, want := range map[string]float64{
		"": 0, "<p>abcd</p>": 0, "<pre>abcd</pre>": 1, "<dl><dt>abc<dd>d</dl><p>efgh</p>": .5, "<table><tr><th>ab<td>cd</table><p>efgh</p>": .5,
		"<table><tr><td>" + prose + "</table>": 0, "<p>abcd</p><pre hidden>abcd</pre>": 0, "<p>abcdefghij</p><footer><pre>abcd</pre></footer>": 0,
		"<pre>" + prose + "</pre>": 1,
	} {
		if got := textOf(t, src).structured(); got != want {
			t.Errorf("%s: %v, want %v", src, got, want)
		}
	}
}

func TestButtonsOfCartsAreCounted(t *testing.T) {
	for src, want := range map[string]int{
		"<button>Add to cart</button>": 1, "<button> ADD  to <b>Cart</b> </button>": 1, "<a href=x>Buy now</a><button>buy now</button>": 2, `<input value="In den Warenkorb">`: 1,
		"<div>Add to cart</div>": 0, "<button>Add to</button>cart": 0, "<button>Add</button>": 0, "<button hidden>Add to cart</button>": 0, `<div opacity="0"><button>Add to cart</button></div>`: 0,
		"<button>Add to cart" + strings.Repeat("<i></i>", 37) + "</button>": 1, "<button>Add to cart" + strings.Repeat("<i></i>", 38) + "</button>": 0,
		"<button>Add to cart" + strings.Repeat(" ", 48) + "</button>": 1, "<button>Add to cart" + strings.Repeat(" ", 49) + "</button>": 0,
	} {
		if got := textOf(t, src).carts(); got != want {
			t.Errorf("%s has %d, want %d", src, got, want)
		}
	}
	s := rendered(t, "<button>Add to cart</button>")
	for i := range s.Nodes {
		s.Nodes[i].Box.H = 0
	}
	if n := newText(read(s, false), nil).carts(); n != 0 {
		t.Errorf("a button without a size counts as %d", n)
	}
}

func TestTypesThatAPageDeclares(t *testing.T) {
	for name, want := range map[string]string{
		"NewsArticle": "1 0 false", "https://schema.org/BlogPosting": "1 0 false", "schema:Article": "1 0 false", "http://x.test/#Report": "1 0 false", "Review": "1 0 false", "Recipe": "1 0 false",
		"TechArticle": "0 0 false", "APIReference": "0 0 false", "JobPosting": "0 0 false", "Product": "0 1 false", "ProductGroup": "0 1 false", "DiscussionForumPosting": "0 0 true", "QAPage": "0 0 true",
		"Thing": "0 0 false", "": "0 0 false",
	} {
		d := &declared{}
		d.typed(name)
		if got := fmt.Sprint(d.articles, d.products, d.forum); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	for _, tc := range []struct {
		products int
		kind     string
		want     bool
	}{{0, "", false}, {1, "", true}, {2, "", false}, {0, "Product.item", true}, {2, "product", false}, {0, "website", false}} {
		d := &declared{products: tc.products, meta: map[string][]string{"og:type": {tc.kind}}}
		if d.product() != tc.want {
			t.Errorf("%+v", tc)
		}
	}
}
