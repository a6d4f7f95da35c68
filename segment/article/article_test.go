package article

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// Four paragraphs that every rule accepts.
const (
	first  = "The harbour office closes the north pier on Monday, because divers found loose stones below the water line."
	second = "Ferries land at the south pier in the meantime, and the timetable stays as it was printed in spring."
	third  = "A crane will be brought from the west quay, which is why the road along the basin is closed for two nights."
	fourth = "The council had put the work off twice, and says now that it can be paid from what the fish market brings."
)

// Paragraphs of 40 letters; a Chinese news text has many of them.
var chinese = []string{
	"北码头下星期一起关闭两个星期，因为潜水员发现水下的石头松动了，需要立即修理。",
	"渡轮在此期间改在南码头停靠，而时刻表仍与春季所印的一样，港务局的人说道。",
	"起重机将从西码头运来，所以盆地旁边的道路要关闭两个晚上，请司机们注意绕行。",
}

func paragraphs(texts ...string) string { return "<p>" + strings.Join(texts, "</p><p>") + "</p>" }

func joined(texts ...string) string { return strings.Join(texts, "\n\n") }

func TestAPageWithEverythingAroundGivesItsTextTitleAuthorsAndDate(t *testing.T) {
	got := Extract(rendered(t, `<html lang="en"><head><title>North pier closes | The Harbour Notice</title>
<meta property="og:site_name" content="The Harbour Notice"><meta property="article:published_time" content="2026-01-31T08:00:00+01:00"></head><body class="has-sidebar comments-open">
<header><a href="/">The Harbour Notice</a><nav><ul><li><a href="/a">Ships</a><li><a href="/b">Quays and everything that happens between them, day and night</a></ul></nav></header>
<main><article class="post status-publish tag-advert category-comments">
<h1>North pier closes</h1><p class="dek">Two weeks without ferries</p><div class="byline">By <a rel="author" href="/ann">Ann Rivers</a> and Bob Stone</div><time datetime="2026-01-31">31 January</time>
<div class="share-buttons">Share this with everybody who lives in the town or has ever been there</div>
<div class="entry-content">`+paragraphs(first)+`<figure><img src="p.jpg"><figcaption>The pier as it was before the stones came loose, seen from the lighthouse.</figcaption></figure>
<figure><pre><code style="display:block"><span>depth 4 m</span>
  <span>at noon</span></code></pre></figure><h3>Depths<a href="#depths"> ¶</a></h3>
<h2>What remains</h2>`+paragraphs(second)+`<p><a href="/c">Read also: the crane on the west quay and what became of it</a></p><ul><li>Ferry one</li><li>Ferry two</li></ul><blockquote>`+paragraphs(third)+`</blockquote><p>Advertisement</p><p><a href="/r">[Reuters]</a></p>
<div class="ad-slot">Advertisement: ropes and chains for every vessel, at the best prices on quay four.</div>`+paragraphs(fourth)+`</div>
<div class="tags">Tags: pier, ferry, stones, council, and many more that nobody will ever look for</div></article>
<section class="related-posts"><h3>Related</h3>`+paragraphs("Another text altogether begins here, and it goes on for longer than anybody would read on.")+`</section>
<section id="comments"><h3>Comments (2)</h3>`+paragraphs(strings.Repeat("I have always said that the pier would not stand another winter, and nobody believed me. ", 3))+`</section></main>
<aside class="widget">`+paragraphs("Weather in the harbour today: wind from the west, rain in the evening, and fog at night.")+`</aside>
<footer>`+paragraphs("Published by the harbour office, which is open from eight in the morning until the last ferry leaves.")+`</footer></body></html>`))
	want := Article{
		Text:  joined(first, "depth 4 m\n  at noon", "Depths", "What remains", second, "Ferry one\nFerry two", third, "[Reuters]", fourth),
		Title: "North pier closes", Authors: []string{"Ann Rivers", "Bob Stone"}, Date: "2026-01-31",
	}
	if got.Text != want.Text {
		t.Errorf("text:\n%s\nwant:\n%s", got.Text, want.Text)
	}
	if got.Title != want.Title || !slices.Equal(got.Authors, want.Authors) || got.Date != want.Date {
		t.Errorf("title %q, authors %q, date %q", got.Title, got.Authors, got.Date)
	}
}

func TestWhatBelongsToATextIsFoundHoweverItIsWrapped(t *testing.T) {
	long := paragraphs(first, second, third, fourth)
	other := "Another text altogether begins here, and it goes on for longer than anybody would care to read."
	for _, tc := range []struct {
		name, body, want string
	}{
		{"paragraphs divided by line breaks", `<div>` + first + `<br><br>` + second + `<br> <br/>` + third + `</div>`, joined(first, second, third)},
		{"one line break is none", `<div><p>` + first + `<br>` + second + `</p>` + paragraphs(third, fourth) + `</div>`, joined(first+"\n"+second, third, fourth)},
		{"paragraphs wrapped one by one", `<main><div class="b"><p>` + strings.Join([]string{first, second, third}, `</p></div><div class="b"><p>`) + `</p></div></main>`, joined(first, second, third)},
		{"a text in two sections of unlike names", `<article><h1>Pier</h1><div class="intro">` + paragraphs(first, second) + `</div><div class="more"><div>` + paragraphs(third, fourth) + `</div></div></article>`, joined(first, second, third, fourth)},
		{"a big first letter beside its paragraph", `<div><p><span float="left" size="60">T</span>` + first[1:] + `</p>` + paragraphs(second, third) + `</div>`, joined(first, second, third)},
		{"teasers of other texts do not", `<article><h2>Pier</h2><div>` + long + `</div></article>` + strings.Repeat(`<section><h3><a href="/x">What else happened in the harbour this week</a></h3><p>`+other+`</p></section>`, 12), joined(first, second, third, fourth)},
		{"a wrapper's name says nothing of the text in it", `<div class="comments-open sidebar-right popup"><h1>Pier</h1>` + long + `</div><p>Imprint</p>`, joined(first, second, third, fourth)},
		{"nor does one that all paragraphs have", `<div>` + strings.ReplaceAll(long, "<p>", `<p class="caption">`) + `</div>`, joined(first, second, third, fourth)},
		{"a text that has another thing's name, on a page with much else", `<h1>Pier</h1><div class="gallery">` + long + `</div><div class="comments">` + strings.Repeat("<p>"+other+"</p>", 9) + `</div>`, joined(first, second, third, fourth)},
		{"headings that are links", `<h1>News</h1><div><h2><a href="/1">The north pier closes today</a></h2>` + paragraphs(first, second) + `<h2><a href="#2">The ferry goes on from the south pier</a></h2>` + paragraphs(third, fourth) + `</div>`, joined("The north pier closes today", first, second, "The ferry goes on from the south pier", third, fourth)},
		{"links that only look like headings", `<h1>News</h1><div>` + paragraphs(first, second) + `<h3><a href="/1">Read also: the ferry goes on</a></h3><h3><a href="/2">And what else happens today</a></h3></div>`, joined(first, second)},
		{"a heading that ends the text", `<div>` + long + `<h3>Comments</h3><div><p>` + other + `</p></div></div>`, joined(first, second, third, fourth)},
		{"the same heading put into the text", `<div>` + paragraphs(first, second, third) + `<h3>Related</h3>` + paragraphs(fourth) + `</div>`, joined(first, second, third, fourth)},
		{"a long summary above the text begins it", `<h1>Pier</h1><div class="top"><p>` + first + ` ` + second + `</p></div><div class="entry-content">` + paragraphs(third, fourth) + `</div>`, joined(first+" "+second, third, fourth)},
		{"a short one is a subtitle", `<h1>Pier</h1><div class="top"><p>Two weeks without ferries, says the harbour office today.</p></div><div class="entry-content">` + paragraphs(third, fourth) + `</div>`, joined(third, fourth)},
		{"so is one in the text", `<h1>Pier</h1><div class="entry-content"><p class="standfirst">Two weeks without ferries are what the town will have to live with.</p>` + paragraphs(third, fourth) + `</div>`, joined(third, fourth)},
		{"what stands above the title is none of it", `<article><p>` + other + `</p><h1>Pier</h1>` + long + `</article>`, joined(first, second, third, fourth)},
		{"what calls itself the text is all of it", `<h1>Pier</h1><div class="article-body"><div><div>` + paragraphs(first, second, third) + `</div></div><div><div><p>` + fourth + `</p></div></div></div>`, joined(first, second, third, fourth)},
		{"a page without a long paragraph", `<nav><a href="/">Home</a></nav><div>Fog tonight.</div><div class="entry-content"><h3>Camera</h3><p>Widelux.</p><h3>Film</h3><p>Fuji 400.</p></div><footer>Imprint</footer>`, joined("Camera", "Widelux.", "Film", "Fuji 400.")},
		{"Chinese, which has no blanks", `<nav>首页 新闻 天气</nav><div><p>` + strings.Repeat("北码头下星期一起关闭两个星期，因为潜水员发现水下的石头松动了。", 3) + `</p><p>渡轮改在南码头停靠。</p></div>`, strings.Repeat("北码头下星期一起关闭两个星期，因为潜水员发现水下的石头松动了。", 3) + "\n\n渡轮改在南码头停靠。"},
		{"Chinese in short paragraphs", `<h1>北码头</h1><div>` + paragraphs(chinese...) + `<p>【广告】</p>` + paragraphs(chinese[0]) + `<p>来源：港口通告</p><p>（责任编辑：李四）</p></div>`, joined(chinese[0], chinese[1], chinese[2], chinese[0])},
		{"Thai, which has blanks between sentences only", `<nav>หน้าแรก ข่าว อากาศ</nav><div>` + paragraphs("ท่าเรือด้านเหนือจะปิดในวันจันทร์เพราะนักประดาน้ำพบหินหลวมใต้น้ำ", "เรือข้ามฟากจะจอดที่ท่าเรือด้านใต้จนกว่าจะซ่อมเสร็จเรียบร้อย") + `</div>`, joined("ท่าเรือด้านเหนือจะปิดในวันจันทร์เพราะนักประดาน้ำพบหินหลวมใต้น้ำ", "เรือข้ามฟากจะจอดที่ท่าเรือด้านใต้จนกว่าจะซ่อมเสร็จเรียบร้อย")},
		{"a long address is no paragraph", `<div>` + paragraphs(first, second) + `</div><div>https://harbour.test/` + strings.Repeat("pier-", 40) + `</div>`, joined(first, second)},
		{"a mark around the text is no link", `<div><a name="top">` + paragraphs(first, second, third) + `</a></div>`, joined(first, second, third)},
		{"code keeps its lines", `<div>` + paragraphs(first, second) + "<pre>make pier\nmake ferry</pre>" + paragraphs(third) + `</div>`, joined(first, second, "make pier\nmake ferry", third)},
		{"no text at all", `<nav></nav>`, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := Extract(rendered(t, tc.body)).Text; got != tc.want {
				t.Errorf("got:\n%s\nwant:\n%s", got, tc.want)
			}
		})
	}
}

func TestHiddenContentIsNoTextUnlessAllIsHidden(t *testing.T) {
	hidden := "This offer is for subscribers only, and it is shown when the scripts of the page have decided that you are none."
	for _, tc := range []struct{ name, body, want string }{
		{"not displayed", `<div>` + paragraphs(first, second) + `<p hidden>` + hidden + `</p></div>`, joined(first, second)},
		{"transparent", `<div>` + paragraphs(first, second) + `<p opacity="0">` + hidden + `</p></div>`, joined(first, second)},
		{"but what stands in an element without a box of its own is seen", `<div>` + paragraphs(first) + `<slot style="display:contents">` + paragraphs(second) + `</slot></div>`, joined(first, second)},
		{"off the page", `<div>` + paragraphs(first, second) + `<p x="-9000">` + hidden + `</p></div>`, joined(first, second)},
		{"lying over the page", `<div>` + paragraphs(first, second, third) + `<div position="fixed"><p>` + hidden + `</p></div></div>`, joined(first, second, third)},
		{"for screen readers, in the midst of a line", `<div><p>` + first[:30] + `<span class="sr-only"> (opens in a new window)</span>` + first[30:] + `</p>` + paragraphs(second) + `</div>`, joined(first, second)},
		{"terms longer than the text", `<article>` + paragraphs(first, second) + `</article><div hidden>` + strings.Repeat("<p>"+hidden+"</p>", 12) + `</div>`, joined(first, second)},
		{"a text of which only the beginning is shown", `<article>` + paragraphs(first) + strings.ReplaceAll(paragraphs(second, third, fourth, second+" "+third), "<p>", "<p hidden>") + `</article><p hidden>` + hidden + `</p>`, joined(first, second, third, fourth, second+" "+third)},
		{"a page in an element of a line, hidden from screen readers", `<span aria-hidden="true"><div>` + paragraphs(first, second, third) + `</div></span>`, joined(first, second, third)},
		{"nor one that is named for what lies over pages", `<span class="modal">` + strings.Repeat(strings.Join([]string{first, second, third}, "<br><br>")+"<br><br>", 4) + `</span>`, joined(first, second, third, first, second, third, first, second, third, first, second, third)},
		{"all is hidden until scripts show it", `<div hidden>` + paragraphs(first, second, third) + `</div><p>Please switch on JavaScript</p>`, joined(first, second, third)},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := Extract(rendered(t, tc.body)).Text; got != tc.want {
				t.Errorf("got:\n%s\nwant:\n%s", got, tc.want)
			}
		})
	}
}

func TestANarrowColumnBesideTheTextIsNoneOfIt(t *testing.T) {
	note := "Ropes and chains are sold on quay four, from eight in the morning."
	page := `<div>` + paragraphs(first, second) + `<p x="%d" w="%d">` + note + `</p>` + paragraphs(third) + `</div>`
	beside, below := Extract(rendered(t, fmt.Sprintf(page, 900, 200))), Extract(rendered(t, fmt.Sprintf(page, 8, 200)))
	if want := joined(first, second, third); beside.Text != want {
		t.Errorf("beside:\n%s\nwant:\n%s", beside.Text, want)
	}
	if want := joined(first, second, note, third); below.Text != want {
		t.Errorf("in the column:\n%s\nwant:\n%s", below.Text, want)
	}
}

func TestAPageThatShowsOnlyTheBeginningGivesTheDeclaredText(t *testing.T) {
	body := first + " " + second + " " + third + " " + fourth
	page := `<head><script type="application/ld+json">{"@context":"https://schema.org","@graph":[{"@type":"NewsArticle","headline":"Pier","articleBody":"` + body + `"}]}</script></head><div><p>%s</p></div>`
	if got := Extract(rendered(t, fmt.Sprintf(page, first))).Text; got != body {
		t.Errorf("got %q", got)
	}
	if got := Extract(rendered(t, fmt.Sprintf(page, first+" "+second))).Text; got != first+" "+second {
		t.Errorf("a page that shows enough gives %q", got)
	}
	lines := strings.Replace(page, body, first+`\n`+second+`\n\n`+third+` &amp; &quot;more&quot; `+fourth, 1)
	if got, want := Extract(rendered(t, fmt.Sprintf(lines, "Read on"))).Text, first+"\n"+second+"\n\n"+third+` & "more" `+fourth; got != want {
		t.Errorf("of lines and entities it gives %q, want %q", got, want)
	}
	for _, tag := range []string{"<br>", "&lt;p&gt;", "</p>"} {
		if got := Extract(rendered(t, fmt.Sprintf(strings.Replace(page, body, body+tag, 1), first))).Text; got != first {
			t.Errorf("with %s in it it gives %q", tag, got)
		}
	}
}

func TestOfSeveralDeclaredArticlesThePageIsOne(t *testing.T) {
	const other, own = `{"@type":"Article","headline":"Another text","url":"https://a.test/other","author":"Bob Stone"}`, `{"@type":"Article","headline":"The north pier closes","url":"https://a.test/pier","author":"Ann Rivers"}`
	for _, tc := range []struct{ name, head, ld, want string }{
		{"by its headline", `<title>The north pier closes - Notice</title>`, `[` + other + `,` + own + `]`, "Ann Rivers"},
		{"by its address", `<link rel="canonical" href="https://a.test/pier">`, `[` + other + `,` + own + `]`, "Ann Rivers"},
		{"the first", ``, `[` + other + `,` + own + `]`, "Bob Stone"},
		{"none of a list", ``, `{"@type":"ItemList","itemListElement":[` + other + `]}`, ""},
	} {
		got := strings.Join(Extract(rendered(t, `<head>`+tc.head+`<script type="application/ld+json">`+tc.ld+`</script></head><div>`+paragraphs(first, second)+`</div>`)).Authors, ", ")
		if got != tc.want {
			t.Errorf("%s: %q, want %q", tc.name, got, tc.want)
		}
	}
}
