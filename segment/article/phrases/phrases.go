// Package phrases recognizes lines that occur on many pages, in many languages: those that introduce
// boilerplate beside a text, and those that name its source.
package phrases

import "strings"

// Labels are lines that introduce adjacent content and are never part of a
// text: English, German, French, Spanish, Italian, Portuguese, Russian,
// Chinese, Japanese.
var Labels = Lines(`advertisement
advertising
advert
ad
sponsored
sponsored content
continue reading below
continue reading
story continues below
story continues below advertisement
article continues below
anzeige
werbung
publicidad
publicité
pubblicità
publicidade
реклама
read more
read also
also read
share
share this
share this story
share this article
share on facebook
share on twitter
teilen
drucken
print
click to tweet
tweet
email
comments
leave a comment
you may also like
you might also like
recommended
related
related articles
related stories
mehr zum thema
lesen sie auch
auch interessant
das könnte sie auch interessieren
lire aussi
à lire aussi
te puede interesar
leia também
leggi anche
читайте также
view this post on instagram
subscribe
subscribe now
loading
video
up next
广告
廣告
責任編輯
责任编辑
相关推荐
相关阅读
相关新闻
推荐阅读
延伸阅读
版权所有
来源
來源
関連記事
広告`)

// Endings are headings of sections that follow a text.
var Endings = Lines(`comments
leave a comment
leave a reply
leave comment
post a comment
join the conversation
discussion
kommentare
kommentar schreiben
kommentar verfassen
leserkommentare
schreibe einen kommentar
schreiben sie einen kommentar
diskussion
ihre meinung
commentaires
laisser un commentaire
comentarios
deja un comentario
comentários
commenti
lascia un commento
комментарии
отзывы
добавить отзыв
評論
评论
related
related articles
related stories
related posts
related content
related news
related topics
recommended
recommended stories
recommended for you
more stories
more news
more from
most popular
most read
trending
you may also like
you might also like
share this
share this story
share this article
share this post
sharing is caring
about the author
about this article
über den autor
über die autorin
zur person
mehr zum thema
mehr zu diesem thema
weitere artikel
weitere beiträge
weitere beiträge zum thema
weitere themen
ähnliche artikel
ähnliche beiträge
das könnte sie auch interessieren
das könnte dich auch interessieren
das könnte ihnen auch gefallen
das könnte dir auch gefallen
auch interessant
lesen sie auch
meistgelesen
lire aussi
à lire aussi
sur le même sujet
articles similaires
te puede interesar
noticias relacionadas
artículos relacionados
leia também
leggi anche
articoli correlati
читайте также
похожие статьи
相关阅读
相关新闻
相关推荐
推荐阅读
関連記事
newsletter
tags`)

// credits begin lines that name the source or editors of a text.
var credits = []string{"来源", "來源", "责任编辑", "責任編輯", "编辑", "版权所有", "作者", "记者"}

// Credit reports whether a line names the source or editors of a text: "责任编辑：李四".
func Credit(s string) bool {
	if len(s) > maxLine {
		return false
	}
	s = strings.TrimLeft(s, "（(【[ ")
	for _, c := range credits {
		if rest, ok := strings.CutPrefix(s, c); ok && (strings.HasPrefix(rest, "：") || strings.HasPrefix(rest, ":")) {
			return true
		}
	}
	return false
}

// Set is a set of lines, in lower case.
type Set map[string]bool

// Lines returns the lines of a text as a set.
func Lines(text string) Set {
	m := Set{}
	for l := range strings.Lines(text) {
		m[strings.TrimSpace(l)] = true
	}
	return m
}

// maxLine is the length of the longest line in bytes, with room for
// punctuation.
const maxLine = 90

// Has reports whether the set contains a line, ignoring its case and the punctuation and numbers
// around it: "Comments (3)".
func (m Set) Has(line string) bool {
	return len(line) <= maxLine && m[strings.ToLower(strings.Trim(line, " :*.…!–—-[]()0123456789：【】（）"))]
}
