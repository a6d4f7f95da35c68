package article

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"plat/plat"
	"plat/plat/calendar"
)

// line is a short passage beside a text, taken apart: "By Ann Rivers · July 10, 2015 · 4 min read".
type line struct {
	parts []string // the text between dates, times and separators, in order, without words such as "posted on"
	dates []day
	timed bool // it says how long the text takes to read
}

// day is a date in a line.
type day struct {
	calendar.Day
	changed bool // "updated on"
	posted  bool // "published on"
}

// maxLine is the maximum number of words of a line about a text, and maxRunning that of its words in lower case
// that do not belong to such lines: a sentence with a date has more.
const maxLine, maxRunning = 30, 2

// maxPosted is the same for a line that begins with "posted", "published" or "by".
const maxPosted = 5

// maxPart is the maximum length of one part of such a line, in bytes.
const maxPart = 90

// maxRun is the maximum number of letters of scripts without blanks in one part of a line about a text.
const maxRun = 16

var (
	// clock matches the time of a day with its zone: "10:05 am PDT", "10h05", "18.30 Uhr".
	clock = regexp.MustCompile(`(?:\b[aà] |\bum |\bkl\.? ?)?\b\d{1,2}(?::\d{2}){1,2}(?:\s?(?:[AaPp]\.?[Mm]\b\.?|[Uu]hr\b|h\b|hrs?\b))?` + zone + `|\b\d{1,2} ?h ?\d{2}\b|\b\d{1,2}(?:[.:]\d{2})?\s?(?:[Uu]hr\b|[AaPp]\.?[Mm]\b\.?)` + zone + `|\bkl\.? ?\d{1,2}[.:]\d{2}`)

	// reading matches the time that a text takes to read: "4 min read", "Lesezeit: 3 Minuten".
	reading = regexp.MustCompile(`(?i)(?:(?:reading|read) time|lesezeit|lesedauer|(?:temps|durée) de lecture|tiempo de lectura|tempo di lettura|tempo de leitura|lästid|leestijd|lukuaika|czas czytania|время чтения|阅读时间)?[:：]?\s*(?:ca\. |~)?\d{1,3}(?:[-–]\d{1,3})?[- ]?(?:min(?:s|ute[sn]?|uti|utos|uts|uter|uten|uuttia)?\b\.?|минут[аы]?|мин\.?|分钟|分鐘|分|분|λεπτά|dakika|dk\b|phút|menit)(?: ?(?:read(?:ing)?(?: time)?|to read|lesezeit|lesedauer|de lecture|de lectura|di lettura|de leitura|läsning|lästid|leestijd|чтения|на чтение|czytania|čtení|okuma|で読める))?`)

	// counts matches numbers of comments, views and the like, and how long ago something was.
	counts = regexp.MustCompile(`(?i)\(?\d+ (?:second|minute|min|hour|hr|day|week|month|year)s? ago\)?|\(?(?:vor|il y a|hace|há) \d+ \pL+\)?|(?:with |mit |avec |con |com )?\d[\d.,]*k? ?(?:comments?|shares?|views?|likes?|replies|reads?|kommentare?r?|commentaires?|comentarios?|comentários?|commenti|reacties|комментари\pL*|просмотр\pL*|komentarz\pL*|komentář\pL*|评论|評論|阅读|閱讀|条评论)|` +
		`(?:\b(?:comments?|views?|kommentare|aufrufe|commentaires|vues|comentarios|lecturas|visitas|commenti|visite|komentarze|odsłon|czytań|komentáře)|комментариев|комментарии|просмотров|просмотры|阅读|閱讀|浏览|瀏覽|评论|点击|閲覧数|조회|조회수|댓글) ?[:：]? ?\(?\d[\d.,]*k?\b\)?`)

	// between matches the separators of a line, and the blank before a label in Chinese and Japanese.
	between = regexp.MustCompile(`[|｜•·●∙▪\n]|\s[-–—~]\s|\s//\s|\s(?:[Pp]hotos?|[Ff]otos?|[Bb]ild(?:er)?|[Kk]uvat?|[Ii]llustrations?|[Tt]ext|[Ff]otografie|[Ff]ot\.|Фото|Текст)\s?:|\s+(?:` + labels + `)\s*[：:／/]`)
)

const zone = `(?:\s?\(?(?:UTC|GMT|MEZ|MESZ|MSK|BST|IST|[A-Z]{1,3}T)\b(?:[+-]\d{1,2}(?::?\d{2})?)?\)?)?`

// labels are the labels of such lines in Chinese and Japanese, as in "来源：新华社 记者：张三".
const labels = `来源|來源|出处|记者|記者|作者|撰文|撰稿|编辑|編輯|责任编辑|責任編輯|责编|责任|摄影|攝影|校对|审核|编译|时间|時間|发布时间|日期|阅读|浏览|执笔|執筆者|筆者|著者`

// spaced returns the text of a passage that may be a line about a text, with blanks between words of two elements that only a
// style sheet keeps apart: "ByAnn RiversMay 3".
func (t *text) spaced(q *passage) string {
	if q.first >= q.last || q.weight() > maxLine || len(q.text) > calendar.MaxText {
		return q.text
	}
	var b strings.Builder
	rest, before := q.text, "" // text of the element before
	for i := q.first; i <= q.last; i++ {
		n := &t.Nodes[i]
		if n.Kind != plat.TextNode {
			continue
		}
		piece := squeeze(n.Value)
		if piece == "" {
			continue
		}
		if blank := strings.TrimLeft(rest, " \n"); len(blank) < len(rest) {
			b.WriteString(rest[:len(rest)-len(blank)])
			rest, before = blank, ""
		}
		if !strings.HasPrefix(rest, piece) {
			continue
		}
		if glued(before, piece) {
			b.WriteByte(' ')
		}
		b.WriteString(piece)
		rest, before = rest[len(piece):], piece
	}
	return b.String() + rest
}

// glued reports whether two words of two elements are not one word: the first is "by", or the second begins with a capital or
// a digit, and neither is an initial.
func glued(before, after string) bool {
	last, size := utf8.DecodeLastRuneInString(before)
	first, other := utf8.DecodeRuneInString(after)
	if len(before) == size || len(after) == other || !unicode.IsLetter(last) && !unicode.IsDigit(last) {
		return false
	}
	return unicode.IsUpper(first) || unicode.IsDigit(first) || soleByline.Has(before)
}

// readLine takes a text apart. It reports false for a text that is longer than a line about another, or that has
// words of a sentence.
func readLine(s string, style calendar.Style) (l line, about bool) {
	if len(s) > calendar.MaxText {
		return l, false
	}
	var b strings.Builder
	from := 0
	for _, d := range calendar.All(s, style) {
		before := s[from:d.From]
		if says(sinces, before) {
			continue
		}
		l.dates = append(l.dates, day{d.Day, says(changes, before), says(publishes, before)})
		b.WriteString(before)
		b.WriteString(" | ")
		from = d.To
	}
	b.WriteString(s[from:])
	rest := b.String()
	if strings.ContainsAny(rest, "0123456789") {
		rest = counts.ReplaceAllString(clock.ReplaceAllString(rest, " | "), " | ")
		if short := reading.ReplaceAllString(rest, " | "); short != rest {
			rest, l.timed = short, true
		}
	}
	words, running := 0, 0
	for _, part := range splitParts(rest) {
		if part = trimGlue(part); part == "" {
			continue
		}
		l.parts = append(l.parts, part)
		wide := 0
		for w := range strings.FieldsSeq(part) {
			words++
			r, _ := utf8.DecodeRuneInString(w)
			if w = strings.Trim(w, ".,:;()"); !glue[strings.ToLower(w)] && !quiet[w] && (unicode.IsLower(r) || unicode.IsDigit(r)) && !particles[w] {
				running++
			}
			for _, r := range w {
				if blankless(r) {
					wide++
				}
			}
		}
		if wide > maxRun || len(part) > maxPart {
			return l, false
		}
	}
	most := maxRunning
	if len(l.dates) > 0 && posted(s) {
		most = maxPosted
	}
	return l, (len(l.dates) > 0 || l.timed) && words <= maxLine && running <= most
}

// posted reports whether a line begins with a word that is before the date or the author of a text.
func posted(s string) bool { return saysPosted(s) || startsAsByline(s) }

// saysPosted reports whether a line begins with a word that is before the date of a text.
func saysPosted(s string) bool {
	first := firstWord(s)
	return len(first) > 3 && glue[first] && !weekdays[first] && calendar.MonthOf(first) == 0
}

// firstWord returns the first word of a line, in lower case.
func firstWord(s string) string {
	first, _, _ := strings.Cut(strings.TrimLeft(s, marks), " ")
	return strings.ToLower(strings.Trim(first, ":：,."))
}

// publishes are words before the day of publication alone, in lower case.
var publishes = wordSet(`posted published submitted veröffentlicht publiziert publié publiée publicado publicada pubblicato pubblicata gepubliceerd geplaatst
	publicerad publicerat publisert udgivet julkaistu opublikowano publikováno опубликовано опубліковано közzétéve yayınlanma diterbitkan δημοσίευση
	objavljeno objavljena публикувано публикувана објављено publicat publicată paskelbta publikuota publicēts avaldatud argitaratua birt פורסם نشر نُشر انتشار प्रकाशित เผยแพร่ dipublikasikan yayınlandı`)

// readLines takes a text of several lines apart, and returns the first of them that is a line about a text: in prose, not the
// first of all, which is the heading of what follows.
func readLines(s string, prose bool, style calendar.Style) (l line, about bool) {
	n := 0
	for one := range strings.SplitSeq(s, "\n") {
		if n++; n > maxLines {
			break
		}
		if l, about = readLine(one, style); about && len(l.dates) > 0 && (n > 1 || !prose || l.dates[0].posted) {
			return l, true
		}
	}
	return line{}, false
}

// maxLines is the maximum number of lines of a text that readLines reads.
const maxLines = 8

// splitParts splits a line at its separators; a label begins a part.
func splitParts(s string) (parts []string) {
	for {
		at := between.FindStringIndex(s)
		if at == nil {
			return append(parts, s)
		}
		parts = append(parts, s[:at[0]])
		if _, size := utf8.DecodeRuneInString(s[at[0]:]); at[1]-at[0] > size && strings.ContainsAny(s[at[0]:at[1]], "：:／/") && !strings.Contains(s[at[0]:at[1]], "//") {
			s = strings.TrimLeft(s[at[0]:], " ") // the label is part of the next
		} else {
			s = s[at[1]:]
		}
	}
}

// glue are the words around dates and names in lines about a text, in the languages of their readers. They begin and
// end its parts, and are no names.
var glue = wordSet(`on at in with and the to posted published publish date time written created added filed under uploaded released first originally
	updated update last modified edited corrected changed reviewed am um vom den der die uhr veröffentlicht erschienen publiziert erstellt geschrieben gepostet
	aktualisiert geändert stand zuletzt letzte aktualisierung datum publié publiée paru rédigé mis mise à jour le la les modifié dernière dans a
	publicado publicada creado escrito actualizado actualizada última actualización el las los a en pubblicato scritto aggiornato aggiornamento il alle ore
	ultimo postado criado escrito atualizado atualizada em às o gepubliceerd geplaatst geschreven bijgewerkt laatst gewijzigd op om publicerad publicerat skriven uppdaterad
	uppdaterat senast den kl udgivet offentliggjort opdateret senest publisert oppdatert skrevet sist endret julkaistu päivitetty klo opublikowano
	opublikowany dodano zaktualizowano aktualizacja data dnia w o godz publikováno vydáno aktualizováno dne v zveřejněno publikované опубликовано обновлено
	дата публикации в оновлено опубліковано közzétéve megjelent frissítve publicat actualizat la yayınlanma güncelleme tarihi 发布 发表 发布于 发表于 更新于 更新 时间 发布时间 日期
	公開 公開日 更新日 投稿日 掲載 配信 작성 입력 수정 등록 기사입력 đăng lúc ngày cập nhật diterbitkan pada
	objavljeno objavljena posodobljeno ažurirano ob u публикувано публикувана обновена година г објављено ажурирано paskelbta atnaujinta publikuota publicēts atjaunots plkst avaldatud
	uuendatud kell publicat actualitzat les argitaratua eguneratua birt uppfært פורסם עודכן בשעה نشر نُشر في تحديث آخر انتشار تاریخ ساعت प्रकाशित अपडेट अपडेटेड เผยแพร่ เมื่อ วันที่ เวลา น อัปเดต dipublikasikan
	diperbarui pukul wib yayınlandı tarihinde güncellendi saat`)

// quiet are words between names and dates that are not removed from the ends of parts.
var quiet = wordSet("by von par por di da door av af od foto fotos photo photos pictures text autor author from with mit et und och og en ja i и та και ve dan și és")

// particles are parts of names in lower case.
var particles = wordSet("de del della di da dos du van von der den la le el al bin ibn ter ten zu y e af the die das")

// changes are words that say that a text was changed, in lower case.
var changes = wordSet(`updated update modified edited corrected changed revised reviewed aktualisiert aktualisierung geändert zuletzt stand jour modifié
	modifiée actualizado actualizada actualización aggiornato aggiornamento atualizado atualizada bijgewerkt gewijzigd uppdaterad uppdaterat opdateret oppdatert
	endret päivitetty zaktualizowano aktualizacja aktualizováno обновлено изменено оновлено frissítve actualizat güncelleme güncellendi ažurirano posodobljeno обновена ажурирано atnaujinta atjaunots uuendatud actualitzat eguneratua uppfært עודכן تحديث अपडेट अपडेटेड อัปเดต diperbarui 更新 更新于 更新日 最終更新 수정 업데이트`)

// sinces are words before the day on which something began that goes on, in lower case.
var sinces = wordSet("since seit depuis desde dal dall founded established joined registered registriert inscrit gegründet fondé fundado")

// says reports whether one of the last words before a date is in a set.
func says(set map[string]bool, before string) bool {
	words := strings.FieldsFunc(strings.ToLower(before), func(r rune) bool { return !unicode.IsLetter(r) })
	for _, w := range words[max(0, len(words)-4):] {
		if set[w] {
			return true
		}
	}
	return false
}

// marks are removed from both ends of a part.
const marks = " ,;:()[]（）【】/~–—-*@，、。"

// trimGlue removes the words around dates from both ends of a part, and weekdays.
func trimGlue(part string) string {
	part = strings.Trim(part, marks)
	for part != "" {
		word, rest := part, ""
		if i := strings.IndexAny(part, " \n\t:："); i >= 0 {
			_, size := utf8.DecodeRuneInString(part[i:])
			word, rest = part[:i], part[i+size:]
		}
		if !isGlue(word, part) || saysBy(part) || initial.MatchString(part) || others.MatchString(part) {
			break
		}
		part = strings.Trim(rest, marks)
	}
	return trimEnd(part)
}

// initial matches the initial of a name: "A. Rivers".
var initial = regexp.MustCompile(`^\p{Lu}\. ?\p{Lu}`)

// trimEnd removes the words around dates from the end of a part.
func trimEnd(part string) string {
	for part != "" {
		i := strings.LastIndexAny(part, " \n\t")
		if w := part[i+1:]; !isGlue(w, strings.TrimRight(part[:max(i, 0)], " ")+w) {
			break
		}
		part = strings.Trim(part[:max(i, 0)], marks)
	}
	return part
}

// isGlue reports whether a word, as it is written, is no part of a name; part is what it begins or ends. "Le" and
// "Sun" begin names as well.
func isGlue(word, part string) bool {
	w := strings.ToLower(strings.Trim(word, ".,:"))
	switch {
	case particles[w]:
		return glue[w] && w == word
	case glue[w]:
		return true
	case !weekdays[w]:
		return zones[word]
	}
	return len(w) > 3 || word == part || strings.Trim(word, ".,") != word || strings.HasSuffix(strings.TrimSuffix(part, word), ",")
}

// zones are time zones that are left of a time without its number.
var zones = wordSet("GMT UTC EST EDT CST CDT MST MDT PST PDT CET CEST BST IST JST MEZ MESZ")

// saysBy reports whether a part begins with words that introduce a name, as "written by" and "posted by" do.
func saysBy(part string) bool {
	_, ok := afterByline(part)
	return ok
}

// weekdays are the days of the week and their abbreviations.
var weekdays = wordSet(`monday tuesday wednesday thursday friday saturday sunday mon tue tues wed thu thur thurs fri sat sun
	montag dienstag mittwoch donnerstag freitag samstag sonnabend sonntag mo di mi do fr sa so lundi mardi mercredi jeudi vendredi samedi dimanche
	lunes martes miércoles jueves viernes sábado domingo lunedì martedì mercoledì giovedì venerdì sabato domenica segunda-feira terça-feira quarta-feira
	quinta-feira sexta-feira maandag dinsdag woensdag donderdag vrijdag zaterdag zondag måndag tisdag onsdag torsdag fredag lördag söndag mandag tirsdag lørdag søndag
	poniedziałek wtorek środa czwartek piątek sobota niedziela pondělí úterý středa čtvrtek pátek neděle понедельник вторник среда четверг пятница суббота воскресенье
	hétfő kedd szerda csütörtök péntek szombat vasárnap maanantai tiistai keskiviikko torstai perjantai lauantai sunnuntai
	星期一 星期二 星期三 星期四 星期五 星期六 星期日 星期天 周一 周二 周三 周四 周五 周六 周日 月曜日 火曜日 水曜日 木曜日 金曜日 土曜日 日曜日 월요일 화요일 수요일 목요일 금요일 토요일 일요일`)
