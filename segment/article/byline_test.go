package article

import (
	"slices"
	"testing"
	"time"
)

func TestAuthorsAreWhomThePageNames(t *testing.T) {
	const end = `<div class="entry-content"><p>` + first + `</p><p>` + second + `</p></div>`
	for _, tc := range []struct {
		name, page string
		want       []string
	}{
		{"JSON-LD, a list of people", `<script type="application/ld+json">{"@type":"NewsArticle","author":[{"@type":"Person","name":"Ann Rivers"},{"@type":"Person","name":"Bob Stone"}]}</script><h1>Pier</h1>`, []string{"Ann Rivers", "Bob Stone"}},
		{"JSON-LD, a list with offices", `<script type="application/ld+json">{"@type":"NewsArticle","author":[{"name":"Ann Rivers, Senior Writer, Harbour Gazette"},{"name":"Bob Stone"}]}</script><h1>Pier</h1>`, []string{"Ann Rivers", "Bob Stone"}},
		{"an office before the name", `<meta name="author" content="Chief Political Correspondent Ann Rivers"><h1>Pier</h1>`, []string{"Ann Rivers"}},
		{"JSON-LD, one @id for several", `<script type="application/ld+json">{"@type":"Article","author":{"@id":"#x"},"publisher":{"@id":"#x","@type":"Organization","name":"Works"},"editor":{"@id":"#x","name":"Ann Rivers"}}</script><h1>Pier</h1>`, []string{"Ann Rivers"}},
		{"JSON-LD that is broken by a line's end", "<script type='application/ld+json'>{\"@type\":\"Article\",\"headline\":\"a\nb\",\"author\":\"Ann Rivers\"};</script><h1>Pier</h1>", []string{"Ann Rivers"}},
		{"meta", `<meta name="author" content="Ann Rivers and Bob Stone"><h1>Pier</h1>`, []string{"Ann Rivers", "Bob Stone"}},
		{"a byline is better than a firm", `<meta name="author" content="Harbour Media GmbH"><h1>Pier</h1><p>Von Ann Rivers</p>`, []string{"Ann Rivers"}},
		{"a firm is better than nobody", `<meta name="author" content="Harbour Media GmbH"><h1>Pier</h1>`, []string{"Harbour Media GmbH"}},
		{"a profile's address is no name", `<meta property="article:author" content="https://social.test/ann"><h1>Pier</h1><span class="author">Ann Rivers</span>`, []string{"Ann Rivers"}},
		{"a byline with its date", `<h1>Pier</h1><p>Posted on 31 January 2026 by Ann Rivers in News</p>`, []string{"Ann Rivers"}},
		{"a byline in two elements", `<h1>Pier</h1><div>By</div><div>Ann Rivers</div>`, []string{"Ann Rivers"}},
		{"a byline before a date", `<h1>Pier</h1><div class="byline">Ann Rivers November 18, 2026</div>`, []string{"Ann Rivers"}},
		{"a name with small words", `<html lang="es"><h1>Pier</h1><p>Por Ana de la Cruz</p>`, []string{"Ana de la Cruz"}},
		{"a word that begins other lines as well", `<h1>Pier</h1><p>Da Vinci Sketch Shown</p>`, nil},
		{"the same before another such word", `<h1>Pier</h1><p>Text von Ann Rivers</p>`, []string{"Ann Rivers"}},
		{"the same with a colon", `<h1>Pier</h1><p>Text: Ann Rivers</p>`, []string{"Ann Rivers"}},
		{"the same in an element for authors", `<h1>Pier</h1><p class="author">Di Ann Rivers</p>`, []string{"Ann Rivers"}},
		{"JSON-LD, two in one", `<script type="application/ld+json">{"@type":"Article","author":"Ann Rivers and Bob Stone"}</script><h1>Pier</h1>`, []string{"Ann Rivers", "Bob Stone"}},
		{"a pen name", `<h1>Pier</h1><p>Posted by admiral</p>`, []string{"admiral"}},
		{"Chinese", `<h1>Pier</h1><p>作者：张三 编辑：李四</p>`, []string{"张三"}},
		{"Chinese, two", `<meta name="author" content="张三、欧阳小明"><h1>Pier</h1>`, []string{"张三", "欧阳小明"}},
		{"a Chinese source is no author", `<h1>Pier</h1><p>来源：新华社</p><p>责任编辑：李四</p>`, nil},
		{"a sentence that begins so is none", `<h1>Pier</h1><p>By the way, nobody knows when.</p>`, nil},
		{"a comment's author is none", `<h1>Pier</h1><div class="comment"><span class="author">Ann Rivers</span></div>`, nil},
		{"nobody", `<h1>Pier</h1>`, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := Extract(rendered(t, tc.page+end)).Authors; !slices.Equal(got, tc.want) {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

// TestAuthorsBesideOthers: names in sentences and lines that name more than the author.
func TestAuthorsBesideOthers(t *testing.T) {
	const end = `<div class="entry-content"><p>` + first + `</p><p>` + second + `</p></div>`
	for _, tc := range []struct {
		language, page string
		want           []string
	}{
		{"en", `<p>This story was written by Ann Rivers on May 3rd, 2026, and edited by Bob Stone.</p>`, []string{"Ann Rivers"}},
		{"de", `<p>Dieser Beitrag wurde verfasst von Ann Rivers am 3. Mai 2026.</p>`, []string{"Ann Rivers"}},
		{"ru", `<p>3 мая 2026. Текст: Анна Речная. Фото: Иван Камнев</p>`, []string{"Анна Речная"}},
		{"en", `<p>Posted by Ann Rivers Jr. on May 3, 2026</p>`, []string{"Ann Rivers Jr."}},
		{"en", `<p>By Ann Rivers (they/them) and Bob Stone (he/him) — May 3, 2026</p>`, []string{"Ann Rivers", "Bob Stone"}},
		{"de", `<p>Von A. Rivers, 3. Mai 2026</p>`, []string{"A. Rivers"}},
		{"es", `<p>por A. J. Ríos | 3 mayo 2026</p>`, []string{"A. J. Ríos"}},
		{"zh", `<p>新华社广州5月3日电（记者王大江、李小河）</p><p>2026-05-03 08:00</p>`, []string{"王大江", "李小河"}},
		{"zh", `<p>本报讯（本报记者 王大江）</p><p>2026-05-03</p>`, []string{"王大江"}},
		{"zh", `<p>2026-05-03（记者会实录）</p>`, nil},
		{"ko", `<p>입력 2026.05.03 08:00 | 김민수 기자 kim@news.test</p>`, []string{"김민수"}},
		{"ja", `<p>文・川田花子　2026年5月3日</p>`, []string{"川田花子"}},
		{"ja", `<p>公開日：2026/05/03　投稿者：kawada</p>`, []string{"kawada"}},
		{"pl", `<p>3 maja 2026 | Dodała: Anna Rzeka</p>`, []string{"Anna Rzeka"}},
		{"en", `<script type="application/ld+json">{"@type":"Article","author":{"@type":["Organization","Person"],"name":"Ann Rivers"}}</script>`, []string{"Ann Rivers"}},
		{"en", `<script type="application/ld+json">{"@type":"Article","author":{"@type":["Organization","Brand"],"name":"Ann Rivers"}}</script>`, nil},
	} {
		if got := Extract(rendered(t, `<html lang="`+tc.language+`"><h1>Pier</h1>`+tc.page+end)).Authors; !slices.Equal(got, tc.want) {
			t.Errorf("%s: %q, want %q", tc.page, got, tc.want)
		}
	}
}

func TestTheDateIsThatOfPublication(t *testing.T) {
	const end = `<div class="entry-content"><p>` + first + `</p><p>` + second + ` It was built in May 3, 1999.</p></div>`
	if got := Extract(rendered(t, `<h1>Pier</h1><p>31.01.2026</p>`+end+`<p class="date">1 February 2026</p>`)).Date; got != "2026-01-31" {
		t.Errorf("with a date above the text and one below it: %q", got)
	}
	for _, tc := range []struct{ name, page, want string }{
		{"JSON-LD", `<script type="application/ld+json">{"@type":"Article","datePublished":"2026-01-31T23:30:00-05:00","dateModified":"2026-02-03"}</script><h1>Pier</h1>`, "2026-01-31"},
		{"meta before what is shown", `<meta property="article:published_time" content="2026-01-31T00:00:00Z"><h1>Pier</h1><time datetime="2026-02-02">2 February</time>`, "2026-01-31"},
		{"a time element", `<h1>Pier</h1><time datetime="2026-01-31T10:00">yesterday</time>`, "2026-01-31"},
		{"words below the title", `<h1>Pier</h1><p>Samstag, 31. Januar 2026, 10:15 Uhr</p>`, "2026-01-31"},
		{"below the title before above it", `<p>Weather for 1 February 2026</p><h1>Pier</h1><p>31.01.2026</p>`, "2026-01-31"},
		{"what calls itself a date before what does not", `<h1>Pier</h1><p>Dry until 1 February 2026</p><p class="date">31.01.2026</p>`, "2026-01-31"},
		{"the address, if nothing else tells", `<link rel="canonical" href="https://a.test/2026/01/31/pier"><h1>Pier</h1>`, "2026-01-31"},
		{"last changed is better than nothing", `<meta property="article:modified_time" content="2026-01-31"><h1>Pier</h1>`, "2026-01-31"},
		{"a date in the text is none", `<h1>Pier</h1>`, ""},
		{"nor is a comment's", `<h1>Pier</h1><div class="comments"><p>31.01.2026</p></div>`, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := Extract(rendered(t, tc.page+end)).Date; got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

// TestDaysToComeAreThoseOfEvents: a page that announces something was not published on that day.
func TestDaysToComeAreThoseOfEvents(t *testing.T) {
	body := `<p>Next meeting: 14 January 2027</p><p>` + first + `</p><p>` + second + `</p><p>Published 2 December 2026</p>`
	for taken, want := range map[string]string{"2026-12-03T10:00:00Z": "2026-12-02", "2026-12-01T01:00:00Z": "2026-12-02", "2026-11-30T23:00:00Z": "", "2027-02-01T00:00:00Z": "2026-12-02"} {
		s := rendered(t, `<html lang="en-GB"><h1>Pier</h1>`+body)
		var err error
		if s.Taken, err = time.Parse(time.RFC3339, taken); err != nil {
			t.Fatal(err)
		}
		if got := Extract(s).Date; got != want {
			t.Errorf("at %s: %q, want %q", taken, got, want)
		}
	}
}
