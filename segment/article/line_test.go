package article

import (
	"slices"
	"strings"
	"testing"
)

// Each line is below a title and above a text, in a page of the language.
func TestLinesAboveATextNameItsAuthorsAndItsDay(t *testing.T) {
	const end = `<div class="entry-content"><p>` + first + `</p><p>` + second + `</p></div>`
	for _, tc := range []struct{ lang, line, authors, date string }{
		// words for "by" and "published" of other languages
		{"nb", `<p>Av Anna Strøm · Publisert 27. august 2018 kl. 10:05 · Sist oppdatert 28. august 2018</p>`, "Anna Strøm", "2018-08-27"},
		{"cs", `<p>Autor: Jan Novák | 27. 8. 2018 | 4 minuty čtení</p>`, "Jan Novák", "2018-08-27"},
		{"hu", `<p>Közzétéve: 2018.08.27. 10:05 Szerző: Kovács Anna</p>`, "Kovács Anna", "2018-08-27"},
		{"ro", `<p>de Ana Râu, 27 august 2018, 10:05</p>`, "Ana Râu", "2018-08-27"},
		{"bg", `<p>от Анна Речна | 27.08.2018</p>`, "Анна Речна", "2018-08-27"},
		{"hr", `<p>Piše: Ana Rijeka, 27.08.2018.</p>`, "Ana Rijeka", "2018-08-27"},
		{"sl", `<p>Piše: Ana Reka, 27. avgusta 2018 ob 10.05</p>`, "Ana Reka", "2018-08-27"},
		{"lt", `<p>Autorius: Ona Upė, 2018 m. rugpjūčio 27 d. 10:05</p>`, "Ona Upė", "2018-08-27"},
		{"lv", `<p>Autors: Anna Upe, 2018. gada 27. augusts</p>`, "Anna Upe", "2018-08-27"},
		{"ca", `<p>Per Anna Riu, 27 d'agost de 2018 a les 10:05</p>`, "Anna Riu", "2018-08-27"},
		{"gl", `<p>Por Ana Río, 27 de agosto de 2018</p>`, "Ana Río", "2018-08-27"},
		{"id", `<p>Ditulis oleh Ani Sungai pada 27 Agustus 2018</p>`, "Ani Sungai", "2018-08-27"},
		{"vi", `<p>Tác giả: Nguyễn Văn An - 27 tháng 8, 2018 10:05</p>`, "Nguyễn Văn An", "2018-08-27"},
		{"he", `<p>מאת: אנה נהר, 27 באוגוסט 2018, 10:05</p>`, "אנה נהר", "2018-08-27"},
		{"fa", `<p>نویسنده: آنا رود | ۵ شهریور ۱۳۹۷</p>`, "آنا رود", "2018-08-27"},
		{"hi", `<p>लेखक: अन्ना नदी | 27 अगस्त 2018</p>`, "अन्ना नदी", "2018-08-27"},
		{"th", `<p>โดย อันนา แม่น้ำ | 27 สิงหาคม 2561</p>`, "อันนา แม่น้ำ", "2018-08-27"},
		{"en", `<p>de Groot, Ann, 27 August 2018</p>`, "", "2018-08-27"},
		{"pt", `<p>de Lisboa, 27 de agosto de 2018</p>`, "", "2018-08-27"},

		// the time that the text takes to read
		{"en", `<p class="byline">By Ann Rivers · July 10, 2015 · 4 min read</p>`, "Ann Rivers", "2015-07-10"},
		{"en", `<p class="post-meta">Ann Rivers | 10 July 2015 | Reading time: 12 minutes</p>`, "Ann Rivers", "2015-07-10"},
		{"de", `<div class="meta">Von Ann Ströhm • 10. Juli 2015 • Lesezeit: ca. 4 Minuten</div>`, "Ann Ströhm", "2015-07-10"},
		{"fr", `<p>Par Anne Rivière — 10 juillet 2015 — 4 min de lecture</p>`, "Anne Rivière", "2015-07-10"},
		{"ru", `<p>Автор: Анна Речная · 10 июля 2015 · 4 минуты</p>`, "Анна Речная", "2015-07-10"},
		{"es", `<div><span>Ana Ríos</span> <span>•</span> <span>10 jul 2015</span> <span>•</span> <span>4 min</span></div>`, "Ana Ríos", "2015-07-10"},

		// the day of the week, the time of day and its zone
		{"en", `<p class="byline">Monday August 27, 2018 10:05 am PDT by <a href="/ann">Ann Rivers</a></p>`, "Ann Rivers", "2018-08-27"},
		{"en", `<p>By Ann Rivers and Bob Stone, Mon., Aug. 27, 2018, 18:05 GMT+1, 12 comments, 345 views</p>`, "Ann Rivers|Bob Stone", "2018-08-27"},
		{"en-GB", `<p class="date">27/08/2018 at 10.05pm BST | Ann Rivers in Rome and Bob Stone in Paris</p>`, "", "2018-08-27"},
		{"de", `<p>Montag, 27. August 2018, 18:05 Uhr MESZ, von Ann Ströhm, Redakteurin für Häfen und Schiffe</p>`, "Ann Ströhm", "2018-08-27"},
		{"sv", `<p>måndag 27 augusti 2018 kl. 18.05 Av Anna Ström och Bo Sten</p>`, "Anna Ström|Bo Sten", "2018-08-27"},
		{"pl", `<p>poniedziałek, 27 sierpnia 2018, godz. 18:05, autor: Anna Rzeka, komentarze: 12, czytań: 345, Port</p>`, "Anna Rzeka", "2018-08-27"},

		// what WordPress and others write
		{"en", `<p class="meta">Posted on August 27, 2018 by <a href="/ann">Ann Rivers</a> in <a href="/c">Piers</a> with <a href="#c">12 comments</a></p>`, "Ann Rivers", "2018-08-27"},
		{"en", `<p>Posted in <a href="/c">Piers</a>, <a href="/d">Quays</a> on 27 August 2018 by Ann Rivers - 3 Comments</p>`, "Ann Rivers", "2018-08-27"},
		{"en", `<p>Posted in Piers by Ann Rivers on August 27, 2018 · 3 comments</p>`, "Ann Rivers", "2018-08-27"},
		{"de", `<p>27. August 2018 um 10:05 · Häfen von Ann Ströhm · 6 Kommentare</p>`, "Ann Ströhm", "2018-08-27"},
		{"de", `<p>Veröffentlicht am 27. August 2018 von <a href="/ann">Ann Ströhm</a> in <a href="/c">Häfen</a> mit 12 Kommentaren</p>`, "Ann Ströhm", "2018-08-27"},
		{"es", `<p>Publicado el 27 de agosto de 2018 por Ana de la Cruz en Muelles con 12 comentarios</p>`, "Ana de la Cruz", "2018-08-27"},
		{"it", `<p>Pubblicato il 27 agosto 2018 da <a href="/autore/anna">Anna Fiume</a> in Porti | 3 commenti</p>`, "Anna Fiume", "2018-08-27"},
		{"nl", `<p>Geplaatst op 27 augustus 2018 door Anna van der Rivier in Havens met 12 reacties</p>`, "Anna van der Rivier", "2018-08-27"},

		// French, Portuguese
		{"fr", `<p>Publié le 27 août 2018 à 10h05 par Anne Rivière, mis à jour le 28 août 2018 à 9h00</p>`, "Anne Rivière", "2018-08-27"},
		{"fr", `<p class="auteur">Anne Rivière et Luc Pierre, le 27/08/2018 à 10:05, modifié le 28/08/2018 à 12:10</p>`, "Anne Rivière|Luc Pierre", "2018-08-27"},
		{"fr", `<p>Par Anne Le Fleuve, publié le lundi 27 août 2018, temps de lecture : 4 minutes</p>`, "Anne Le Fleuve", "2018-08-27"},
		{"pt-BR", `<p>Por Ana Rios, 27/08/2018 às 10h05 · Atualizado 28/08/2018 às 12h10 · 5 min de leitura</p>`, "Ana Rios", "2018-08-27"},

		// Chinese, Japanese, Korean
		{"zh", `<p>2018-08-27 10:05 来源：港口报 记者：张三 编辑：李四</p>`, "张三", "2018-08-27"},
		{"zh", `<p>2018年08月27日 10:05 | 来源：港口网 | 作者：张三 欧阳小明</p>`, "张三|欧阳小明", "2018-08-27"},
		{"zh", `<div>文/张三 2018-08-27 10:05:33 责任编辑：李四 阅读 1234</div>`, "张三", "2018-08-27"},
		{"zh-TW", `<p>記者張三／台北報導 2018/08/27 10:05</p>`, "張三", "2018-08-27"},
		{"ja", `<p>2018年8月27日 10時05分 執筆者：山田太郎 写真：鈴木一郎</p>`, "山田太郎", "2018-08-27"},
		{"ko", `<p>김민수 기자 · 입력 2018.08.27 10:05 · 수정 2018.08.28 09:00</p>`, "김민수", "2018-08-27"},

		// an author's own element, h-card, a link to the author's page
		{"en", `<div class="byline vcard"><span class="logo">The Harbour Gazette</span> | By <a rel="author" href="/ann">Ann Rivers</a> 27 August 2018</div>`, "Ann Rivers", "2018-08-27"},
		{"en", `<p>Piers / <a href="/author/ann-rivers/">Ann Rivers</a> / 27 August 2018</p>`, "Ann Rivers", "2018-08-27"},
		{"en", `<p>in Piers <a class="p-author h-card" href="/ann">Ann Rivers</a>, <time class="dt-published" datetime="2018-08-27T10:00">27 Aug</time></p>`, "Ann Rivers", "2018-08-27"},
		{"de", `<p>27.08.2018 | <span itemprop="author" itemscope><span itemprop="name">Ann Ströhm</span></span> | Häfen</p>`, "Ann Ströhm", "2018-08-27"},
		{"en", `<p>Filed by <a rel="nofollow author" href="/ann">Ann Rivers</a>, photos by Bob Stone, 27 August 2018</p>`, "Ann Rivers", "2018-08-27"},

		{"en", `<div class="post-header"><span class="vcard">Posted by <span class="fn">Ann Rivers</span></span> at <a rel="bookmark" href="/x"><abbr class="published" title="2018-08-27T10:05:00-07:00">10:05 AM</abbr></a></div>`, "Ann Rivers", "2018-08-27"},
		{"en", `<div><a href="/@ann">Ann Rivers</a> · <a href="#">Follow</a></div><div>4 min read · Aug 27, 2018</div>`, "Ann Rivers", "2018-08-27"},
		{"fi", `<p>Teksti: Anna Joki Kuvat: Pekka Kivi 27.8.2018</p>`, "Anna Joki", "2018-08-27"},

		// a time element behind a name
		{"en", `<div class="byline"><span class="fn">Ann Rivers</span> | <time datetime="2018-08-27T18:01:00-04:00">27 August</time></div>`, "Ann Rivers", "2018-08-27"},
		{"de", `<p class="author">Ann Ströhm, <time datetime="2018-08-27">vor drei Tagen</time></p>`, "Ann Ströhm", "2018-08-27"},
		{"en", `<p>By Ann Rivers <time datetime="2018-08-27T23:30:00+02:00">Monday</time></p>`, "Ann Rivers", "2018-08-27"},
		{"en", `<p class="byline">Ann Rivers <em>•</em> <time datetime="2018-08-27">Aug 27</time> <em>•</em> <a href="/c">Piers and quays of the world</a> • Share • Save</p>`, "Ann Rivers", "2018-08-27"},

		// the last change is no author, and another date is better
		{"en", `<p class="byline">Last updated on August 28th, 2018 at 09:00 am</p>`, "", "2018-08-28"},
		{"en", `<p class="byline">Ann Rivers, Lead Writer<br>Updated 28 August 2018, published 27 August 2018</p>`, "Ann Rivers", "2018-08-27"},
		{"de", `<p class="autor">Zuletzt aktualisiert am 28.08.2018 um 9:00 Uhr</p>`, "", "2018-08-28"},
		{"es", `<p class="author">Última actualización: 28 de agosto de 2018</p>`, "", "2018-08-28"},
		{"en", `<p class="byline">Medically reviewed by Bob Stone, MD — Written by Ann Rivers, PhD — Updated on August 28, 2018</p>`, "Ann Rivers, PhD", "2018-08-28"},

		// nobody: the site, a desk, a topic, who translated
		{"en", `<meta property="og:site_name" content="Quay Stories"><p class="byline">Quay Stories, 27 August 2018</p>`, "", "2018-08-27"},
		{"en", `<p class="byline">The Quay Story | 27 August 2018</p>`, "", "2018-08-27"},
		{"en", `<p><a href="/t/human-rights">Human Rights</a> · 27 August 2018 · 4 min read</p>`, "", "2018-08-27"},
		{"de", `<p class="author">Übersetzung: Bob Stein, 27.08.2018</p>`, "", "2018-08-27"},
		{"en", `<p>Photographs by Bob Stone, 27 August 2018</p>`, "", "2018-08-27"},
		{"fr", `<p class="auteur">Photo : Luc Pierre, 27 août 2018</p>`, "", "2018-08-27"},
		{"en", `<p>San Francisco – The pier closed on 27 August 2018 because divers had found loose stones there</p>`, "", ""},
	} {
		a := Extract(rendered(t, `<html lang="`+tc.lang+`"><h1>Pier</h1>`+tc.line+end))
		if got := strings.Join(a.Authors, "|"); got != tc.authors || a.Date != tc.date {
			t.Errorf("%s\n\tauthors %q, date %q, want %q, %q", tc.line, got, a.Date, tc.authors, tc.date)
		}
		if strings.Contains(a.Text, "2018") || !strings.Contains(a.Text, second) {
			t.Errorf("%s\n\tthe text is %q", tc.line, a.Text)
		}
	}
}

func TestDatelinesGiveTheDay(t *testing.T) {
	for line, want := range map[string]string{
		"NEW YORK, NY / QUAYWIRE / May 7, 2024 / ": "2024-05-07",
		"LONDON, 7 May 2024 (Harbour Press) – ":    "2024-05-07",
		"(7. Mai 2024) ":                                       "2024-05-07",
		"MADRID, España, 7 de mayo de 2024 -- ":                "2024-05-07",
		"The two firms were founded in Bonn on 7 May 2024 by ": "",
		"On May 7, 2024 ":                                      "",
	} {
		page := `<html lang="en"><h1>Pier</h1><div class="entry-content"><p><strong>` + line + `</strong>` + first + `</p><p>` + second + `</p></div>`
		a := Extract(rendered(t, page))
		if a.Date != want || !strings.HasPrefix(a.Text, strings.TrimSpace(line)) {
			t.Errorf("%q: the date is %q, want %q; the text is %q", line, a.Date, want, a.Text)
		}
	}
}

func TestDeclaredAuthorsAreAllOfThem(t *testing.T) {
	const end = `<h1>Pier</h1><div class="entry-content"><p>` + first + `</p><p>` + second + `</p></div>`
	for _, tc := range []struct {
		name, page string
		want       []string
	}{
		{"two elements", `<meta name="author" content="Ann Rivers"><meta name="author" content="Bob Stone">`, []string{"Ann Rivers", "Bob Stone"}},
		{"two properties", `<meta property="article:author" content="Ann Rivers"><meta property="article:author" content="https://social.test/bob"><meta property="article:author" content="Bob Stone">`, []string{"Ann Rivers", "Bob Stone"}},
		{"those of a journal", `<meta name="citation_author" content="Ann Rivers"><meta name="citation_author" content="Bob Stone"><meta name="citation_author" content="Cy Wood">`, []string{"Ann Rivers", "Bob Stone", "Cy Wood"}},
		{"one and many in one", `<meta name="dc.creator" content="Ann Rivers"><meta name="dc.creator" content="Bob Stone and Cy Wood">`, []string{"Ann Rivers", "Bob Stone", "Cy Wood"}},
		{"the same twice", `<meta name="author" content="Ann Rivers"><meta name="author" content="Ann Rivers">`, []string{"Ann Rivers"}},
		{"degrees", `<meta name="author" content="Ann Rivers, PhD, Bob Stone, Jr. and Cy Wood, M.D.">`, []string{"Ann Rivers, PhD", "Bob Stone, Jr.", "Cy Wood, M.D."}},
		{"an office and a firm", `<meta name="author" content="Ann Rivers, Senior Director of Quays, Harbour Works">`, []string{"Ann Rivers"}},
		{"a graph", `<script type="application/ld+json">{"@graph":[{"@type":"Article","headline":"Pier","author":{"@id":"#ann"}},{"@type":"Person","@id":"#ann","name":"Ann Rivers"}]}</script>`, []string{"Ann Rivers"}},
		{"a graph, two", `<script type="application/ld+json">{"@graph":[{"@type":"Person","@id":"#a","name":"Ann Rivers"},{"@type":"Person","@id":"#b","name":"Bob Stone"},{"@type":"NewsArticle","author":[{"@id":"#a"},{"@id":"#b"}]}]}</script>`, []string{"Ann Rivers", "Bob Stone"}},
		{"another script", `<script type="application/ld+json">{"@type":"BlogPosting","author":{"@id":"#ann"}}</script><script type="application/ld+json">[{"@type":["Person"],"@id":"#ann","name":"Ann Rivers"}]</script>`, []string{"Ann Rivers"}},
		{"a publisher in a graph", `<script type="application/ld+json">{"@graph":[{"@type":"Article","author":{"@id":"#org"}},{"@type":"NewsMediaOrganization","@id":"#org","name":"Harbour Works"}]}</script>`, nil},
		{"an @id of itself", `<script type="application/ld+json">{"@type":"Article","author":{"@id":"#x","author":{"@id":"#x"}}}</script>`, nil},
		{"creators", `<script type="application/ld+json">{"@type":"Article","creator":["Ann Rivers"]}</script>`, []string{"Ann Rivers"}},
		{"who posted it is not who wrote it", `<script type="application/ld+json">{"@graph":[{"@type":"Article","author":{"@id":"#bob"}},{"@type":"Person","@id":"#bob","name":"Bob Stone"}]}</script><p>Text: Ann Rivers</p>`, []string{"Ann Rivers"}},
	} {
		if got := Extract(rendered(t, tc.page+end)).Authors; !slices.Equal(got, tc.want) {
			t.Errorf("%s: %q, want %q", tc.name, got, tc.want)
		}
	}
}
