package article

import (
	"fmt"
	"strings"
	"testing"

	"plat/plat"
)

func TestPointsOfAnArticle(t *testing.T) {
	// A page of 20 lines with 2,000 letters of prose in each of two paragraphs.
	prose := strings.TrimSpace(strings.Repeat("word ", 400))
	body := "<p>" + prose + "</p><p>" + prose + "</p>"
	text := func(n int) string { return strings.Repeat("x", n) }
	all := len(prose) * 2
	for _, tc := range []struct {
		name  string
		body  string
		d     declared
		a     Article
		texts int
		c     content
		want  float64
	}{
		{"nothing", body, declared{}, Article{Text: text(all / 2)}, 0, content{bytes: float64(all), own: 1}, 0},
		{"a declaration", body, declared{article: true}, Article{Text: text(all / 2)}, 0, content{bytes: float64(all)}, 3},
		{"most of the content", body, declared{}, Article{Text: text(600)}, 0, content{bytes: 1000}, 1},
		{"less than most", body, declared{}, Article{Text: text(599)}, 0, content{bytes: 1000}, 0},
		{"a day", body, declared{}, Article{Text: text(599), Date: "2026-01-31"}, 0, content{bytes: 1000}, .5},
		{"a declared day", body, declared{piece: piece{published: "2026-01-31"}}, Article{Text: text(599), Date: "2026-01-31"}, 0, content{bytes: 1000}, 1},
		{"a day of the page's meta elements", body, declared{meta: map[string][]string{"date": {"x"}}}, Article{Text: text(599), Date: "2026-01-31"}, 0, content{bytes: 1000}, 1},
		{"an author", body, declared{}, Article{Text: text(599), Authors: []string{"Ann"}}, 0, content{bytes: 1000}, .5},
		{"a declared author", body, declared{piece: piece{authors: []string{"Ann"}}}, Article{Text: text(599), Authors: []string{"Ann"}}, 0, content{bytes: 1000}, 1},
		{"both, one declared", body, declared{piece: piece{authors: []string{"Ann"}}}, Article{Text: text(599), Authors: []string{"Ann"}, Date: "2026-01-31"}, 0, content{bytes: 1000}, 1.5},
		{"both", body, declared{piece: piece{authors: []string{"Ann"}, published: "2026-01-31"}}, Article{Text: text(599), Authors: []string{"Ann"}, Date: "2026-01-31"}, 0, content{bytes: 1000}, 3},
		{"three quarters of all prose, with a day", body, declared{}, Article{Text: text((all*3 + 3) / 4), Date: "2026-01-31"}, 0, content{bytes: 9e9}, 1.5},
		{"less of it", body, declared{}, Article{Text: text((all*3+3)/4 - 1), Date: "2026-01-31"}, 0, content{bytes: 9e9}, .5},
		{"as much without a day", body, declared{}, Article{Text: text((all*3 + 3) / 4)}, 0, content{bytes: 9e9}, 0},
		{"a long text that is nearly all", body, declared{}, Article{Text: text(2500)}, 0, content{bytes: 3125}, 2},
		{"a shorter one", body, declared{}, Article{Text: text(2499)}, 0, content{bytes: 2499}, 1},
		{"a long one that is less", body, declared{}, Article{Text: text(2500)}, 0, content{bytes: 3126}, 1},
		{"a little code", body + "<pre>" + text(17) + "</pre>", declared{}, Article{Text: text(2500)}, 0, content{bytes: 3125}, 1},
		{"much code", body + "<pre>" + text(900) + "</pre>", declared{}, Article{Text: text(2500)}, 0, content{bytes: 3125}, -1},
		{"code", body + "<pre>" + text(700) + "</pre>", declared{}, Article{Text: text(2500)}, 0, content{bytes: 3125}, 0},
		{"little of the content and of the prose", body, declared{}, Article{Text: text(900)}, 0, content{bytes: 9e9, own: 9e9}, -2},
		{"little of the content", body, declared{}, Article{Text: text(1200)}, 0, content{bytes: 9e9, own: 9e9}, 0},
		{"little of the prose", body, declared{}, Article{Text: text(900)}, 0, content{bytes: 9e9, own: 1000}, 0},
		{"little of them, and declared", body, declared{article: true}, Article{Text: text(900)}, 0, content{bytes: 9e9, own: 9e9}, 3},
		{"three texts", body, declared{}, Article{Text: text(all / 2)}, 3, content{bytes: float64(all)}, 0},
		{"four texts", body, declared{}, Article{Text: text(all / 2)}, 4, content{bytes: float64(all)}, -2},
		{"four texts of a declared article", body, declared{article: true}, Article{Text: text(all / 2)}, 4, content{bytes: float64(all)}, 3},
	} {
		if got := textOf(t, tc.body).evidence(&tc.d, &tc.a, 0, tc.texts, &tc.c); got != tc.want {
			t.Errorf("%s: %v points, want %v", tc.name, got, tc.want)
		}
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
	if want := (content{chars: 22, linked: 7, lists: 8, comments: 4, bytes: 22, own: 11}); got != want {
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
