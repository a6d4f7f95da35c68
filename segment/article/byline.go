package article

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"plat/plat"
	"plat/plat/calendar"
	"plat/segment/article/phrases"
)

// bylines are the words that introduce a byline.
var bylines = []string{
	"by", "von", "written by", "posted by", "published by", "veröffentlicht von", "publiziert von", "story by", "words by", "text by", "text von", "text", "autor", "autorin", "autoren", "author", "authors", "ein beitrag von", "eingestellt von", "gepostet von", "ein artikel von",
	"artikel von", "erstellt von", "geschrieben von", "verfasst von", "ein gastbeitrag von", "par", "por", "di", "da", "door", "av", "escribe", "escrito por", "redaktion:", "interview", "interview von",
	"story and photos by", "story & photos by", "words and photos by", "words & photos by", "text and photos by", "text & photos by", "reporting by", "report by", "words", "story", "author(s)", "author (s)", "auteur(s)", "autor(en)", "autor/in", "autor:in", "auteur·rice", "auteure",
	"text & fotos", "text & foto", "text und fotos", "text und foto", "text und bilder", "text & bilder", "text + fotos", "text/fotos", "text/foto", "texte et photos", "texte & photos", "texte", "texto y fotos", "texto", "testo e foto", "testo", "tekst en foto's", "tekst i zdjęcia", "tekst i foto", "text och foto", "text och bild", "text a foto", "текст и фото", "автор", "作者", "文", "记者",
	"記者", "撰文", "撰稿", "执笔", "執筆", "執筆者", "筆者", "著者", "ライター", "글", "글쓴이", "작성자", "기자",
	"article by", "filed by", "authored by", "contributed by", "reported by", "rédigé par", "publié par", "écrit par", "proposé par", "auteur", "auteurs", "autrice", "publicado por", "autora", "autores",
	"a cura di", "scritto da", "pubblicato da", "autore", "autrice", "postado por", "geschreven door", "gepubliceerd door", "geplaatst door", "skriven av", "publicerad av",
	"skrevet av", "skrevet af", "publisert av", "af", "tekst", "tekst af", "teksti", "kirjoittaja", "kirjoittanut", "napisał", "napisała", "autorka", "autorzy", "tekst:", "napsal", "dodał", "dodała", "投稿者", "投稿",
	"napsala", "autoři", "írta", "szerző", "yazan", "yazar", "oleh", "penulis", "tác giả", "текст", "авторы", "написал", "написала", "автор текста", "автор статьи",
	"опубликовал", "συντάκτης", "γράφει ο", "γράφει η", "του", "της", "بقلم", "كتب", "كتبت", "מאת",
	"piše", "pišu", "napisao", "autori", "autorius", "autorė", "autoriai", "autors", "teksts", "от", "автори", "написа", "аўтар", "аутор", "пише",
	"de", "scris de", "publicat de", "text de", "per", "escrit per", "publicat per", "texto de", "texto por", "egilea", "idazlea", "höfundur", "skrifað af", "awdur", "údar",
	"ditulis oleh", "dilaporkan oleh", "oleh:", "penulis:", "الكاتب", "الكاتبة", "إعداد", "כתב", "כתבה", "נכתב על ידי", "نویسنده", "نویسندگان", "به قلم", "تحریر", "مصنف", "लेखक", "लेखिका",
	"লেখক", "লিখেছেন", "โดย", "เขียนโดย", "ผู้เขียน", "müəllif", "muallif", "ავტორი", "հեղինակ", "isinulat ni", "imeandikwa na", "kaleme alan", "người viết", "bài viết của",
}

// longestByline has the bylines in the order in which they are tried: "text von" before "text".
var longestByline = slices.SortedStableFunc(slices.Values(bylines), func(a, b string) int { return len(b) - len(a) })

// vague are bylines that introduce other lines as well, as in "Da Vinci sketch
// shown", by the languages in which they are accepted; otherwise a colon must
// follow, or the element must be named for an author.
var vague = map[string]string{"words": "", "story": "", "texte": "", "texto": "", "testo": "", "text & fotos": "", "text & foto": "", "text und fotos": "", "text und foto": "",
	"text und bilder": "", "text & bilder": "", "text + fotos": "", "text/fotos": "", "text/foto": "", "texte et photos": "", "texte & photos": "", "texto y fotos": "", "testo e foto": "",
	"tekst en foto's": "", "tekst i zdjęcia": "", "tekst i foto": "", "text och foto": "", "text och bild": "", "text a foto": "", "текст и фото": "",
	"par": "fr", "por": "es pt gl", "كتب": "ar", "כתב": "", "כתבה": "", "teksts": "", "إعداد": "", "تحریر": "", "text de": "ro ca", "texto de": "es pt gl", "โดย": "th",
	"kaleme alan": "", "di": "it", "av": "sv no nb nn", "da": "", "text": "", "interview": "",
	"af": "da", "tekst": "", "teksti": "", "текст": "", "του": "el", "της": "el", "oleh": "id ms", "文": "", "글": "", "기자": "", "記者": "", "记者": ""}

// local are bylines that are another preposition in other languages, by those in which they are accepted: "de Lisboa".
var local = map[string]string{"de": "ro", "per": "ca", "от": "bg mk"}

// speaks reports whether a list of languages has that of the page.
func (t *text) speaks(languages string) bool {
	own, _, _ := strings.Cut(strings.ToLower(t.locale), "-")
	for l := range strings.FieldsSeq(languages) {
		if l == own {
			return true
		}
	}
	return false
}

// afterByline returns the rest of a text after its byline words, and whether it is a byline. marked reports
// that its element is named for an author.
func (t *text) afterByline(s string, marked bool) (string, bool) {
	said, ok := afterByline(s)
	words := s[:len(s)-len(said)]
	word := strings.TrimRight(words, ": \n：/／・")
	if in := local[strings.ToLower(word)]; in != "" && ok {
		if t.speaks(in) {
			return said, true
		}
		return s, false
	}
	if !ok || marked {
		return said, ok
	}
	in, isVague := vague[strings.ToLower(word)]
	if _, more := afterByline(said); !isVague || more || strings.ContainsAny(words[len(word):], ":：/／・") {
		return said, true // "Text von …"
	}
	if t.speaks(in) {
		return said, true
	}
	return s, false
}

// collected are the names of the bylines seen so far.
type collected struct {
	spoken  []string // after a word such as "by"
	linked  []string // in an element for the author alone, or a link to an author's page
	named   []string // in an element named for an author, or beside a date
	single  []string // of one word
	pending bool     // the last passage was "By", and the name follows
}

// byline returns the authors named in the passages around the title, or else
// below the text: after a word such as "by", in an element named for an
// author, or alone in a line about the text. Single-word names are used only if there are no longer ones. The names
// of the site are authors only after such a word, if no person is named.
func (t *text) byline(title, begin, end int, sites map[string]bool) (c collected) {
	if title < 0 || title > begin {
		title = begin
	}
	for i := max(title-8, 0); i < min(begin+2, len(t.all)); i++ {
		if i != title {
			t.collect(&c, i, title, sites)
		}
	}
	if len(c.spoken)+len(c.linked)+len(c.named) == 0 {
		c.pending = false
		for i := max(end-2, 0); i < min(end+12, len(t.all)); i++ {
			t.collect(&c, i, title, sites)
		}
	}
	return c
}

// best returns the names of the strongest kind.
func (c *collected) best() []string {
	switch {
	case len(c.spoken) > 0:
		return c.spoken
	case len(c.linked) > 0:
		return c.linked
	case len(c.named) > 0:
		return c.named
	}
	return c.single
}

// collect takes the names from passage i.
func (t *text) collect(c *collected, i, title int, sites map[string]bool) {
	q := &t.all[i]
	if m := wired.FindStringSubmatch(cut(q.text, maxDeclared)); m != nil && i >= title && t.at[q.first].all&boilerplate == 0 {
		if names := splitNames(m[1]); !slices.ContainsFunc(names, func(n string) bool {
			return !isHanName(n) || strings.ContainsRune(notReporters, firstRune(n))
		}) {
			c.spoken = append(c.spoken, persons(names, sites)...)
			return
		}
	}
	skip := hintComments | hintRelated | hintNavigation | hintForm
	if i > title && t.stampIn(q) != "" {
		skip &^= hintNavigation // a line about the text, below its title
	}
	if t.at[q.first].all&skip != 0 || q.weight() > maxLine {
		return
	}
	shown := t.spaced(q)
	l, about := readLine(shown, t.dates())
	if phrases.Credit(shown) && !startsAsByline(shown) && !slices.ContainsFunc(l.parts, startsAsByline) {
		return
	}
	if q.prose() && !about && !startsAsByline(shown) {
		return
	}
	near := t.near(q)
	marked := near&hintAuthor != 0
	if !about {
		l.parts = []string{strings.Trim(shown, marks)}
	}
	before := len(c.spoken)
	var bare, found []string
	introduced := c.pending
	lined := about || q.weight() <= maxLine && t.stampIn(q) != ""
	if len(c.linked) == 0 && (lined || near&(hintAuthor|hintByline) != 0 || q.weight() < minProse) {
		c.linked = persons(t.linked(q), sites)
	}
	for _, part := range l.parts {
		if others.MatchString(part) {
			c.pending = false
			continue
		}
		said, spoken := t.afterByline(part, marked || about && unicode.IsLower(firstRune(part))) // "… 2018 da Anna Fiume"
		for _, form := range []*regexp.Regexp{titled, reported} {
			if m := form.FindStringSubmatch(part); m != nil && !spoken && !strings.ContainsRune(notReporters, firstRune(m[1])) {
				said, spoken = m[1], true
			}
		}
		if name, ok := behind(part); ok && about && !spoken {
			said, spoken = name, true
		}
		spoken = spoken || c.pending
		if c.pending = soleByline.Has(part); c.pending {
			continue
		}
		names := splitNames(trimGlue(said))
		if spoken && len(names) == 1 {
			names[0] = withoutStop(names[0])
		}
		if spoken && before == 0 {
			c.spoken = append(c.spoken, persons(names, sites)...)
		}
		if introduced = introduced || spoken; spoken || !about {
			found = append(found, names...)
		}
		if !spoken && len(bare) == 0 {
			bare = persons(names, sites)
		}
	}
	switch {
	case len(c.named) > 0 || introduced && len(c.spoken) > 0:
	case marked, about && t.named(q, &l, i, title):
		c.named = bare
	}
	if (introduced || marked) && len(c.spoken)+len(c.named)+len(c.single) == 0 && !q.ends {
		c.single = oneName(found)
	}
}

// maxTopic is the maximum number of words before "by" in a part of a line about a text.
const maxTopic = 3

// behind returns what is behind a word such as "by" in a part of a line about a text that begins with its topic: "News by
// Ann Rivers".
func behind(part string) (name string, ok bool) {
	for _, by := range []string{" was written by ", " wurde verfasst von ", " wurde geschrieben von ", " a été écrit par ", " fue escrito por "} {
		if of, name, ok := strings.Cut(part, by); ok && len(strings.Fields(of)) == 2 {
			return name, true // "This story was written by Ann Rivers"
		}
	}
	for _, by := range []string{" by ", " von ", " par ", " por ", " door "} {
		if topic, name, ok := strings.Cut(part, by); ok && len(strings.Fields(topic)) <= maxTopic {
			return name, true
		}
	}
	return "", false
}

// named reports whether a line about the text names its author without a word such as "by": it is one of bylines, or
// right below the title, with the date and the time that the text takes to read. Topics are beside dates as well, as links.
func (t *text) named(q *passage, l *line, i, title int) bool {
	return t.near(q)&hintByline != 0 && q.linked == 0 || l.timed && len(l.dates) > 0 && q.linked == 0 && i > title && i <= title+2
}

// linked returns the names in elements that are for the author alone, and in links to the pages of authors.
func (t *text) linked(q *passage) (names []string) {
	for i, n := q.first, q.last; i <= n; i++ {
		if up := t.at[i].parent; t.Nodes[i].Kind == plat.TextNode && up >= 0 && t.ofAuthor(up) {
			names = append(names, splitNames(trimGlue(squeeze(t.Nodes[i].Value)))...)
		}
	}
	return names
}

// ofAuthor reports whether an element, or one of the two around it, is for the name of the author alone.
func (t *text) ofAuthor(i int32) bool {
	for k := 0; i >= 0 && k < 3; i, k = t.at[i].parent, k+1 {
		n := &t.Nodes[i]
		for j := range n.Attrs {
			switch a := &n.Attrs[j]; a.Name {
			case "rel":
				if slices.Contains(strings.Fields(a.Value), "author") {
					return true
				}
			case "class":
				for w := range strings.FieldsSeq(a.Value) {
					if w == "fn" || w == "p-author" || w == "h-card" {
						return true
					}
				}
			case "itemprop":
				if a.Value == "author" {
					return true
				}
			case "href":
				if n.Name == "a" && len(a.Value) < maxName && authorPage.MatchString(a.Value) {
					return true
				}
			}
		}
	}
	return false
}

// authorPage matches the addresses of pages of authors.
var authorPage = regexp.MustCompile(`(?i)/(?:authors?|autor(?:en|es|i)?|auteurs?|journalists?|journalistes?|redakteure?|reporters?|writers?|contributors?|columnists?)/[^/?#]+/?(?:[?#].*)?$|/@[^/?#]+/?(?:[?#].*)?$`)

// titled matches names with what they are behind, without a word before: "김민수 기자".
var titled = regexp.MustCompile(`^([\p{Hangul}\p{Han}\p{Katakana}\p{Hiragana}・ ,，、·]{2,20}?)\s?(?:기자|특파원|객원기자|인턴기자|논설위원|칼럼니스트|記者|记者|特派員|支局長)(?: [\w.+-]+@[\w.-]+)?$`)

// reported matches the name of a reporter between what they are and where: "記者張三／台北報導".
var reported = regexp.MustCompile(`^(?:本报|本報|本网|本刊|实习)?(?:记者|記者) ?(\p{Han}{2,4})(?:[／/ ]|$)`)

// wired matches the names of reporters in brackets at the beginning of a report: "新华社北京12月2日电（记者张三、李四）".
var wired = regexp.MustCompile(`^.{0,90}?[（(](?:本报|本網|本网|本刊|实习|见习)?(?:记者|記者)[ ：:]?(\p{Han}{2,4}(?:[、，, ]\p{Han}{2,4}){0,4})[）)]`)

// notReporters follow 记者 in other words and in sentences: 记者会, a press conference.
const notReporters = "会會站团團节節手按从從在"

// others matches lines that name an editor, reviewer, translator or photographer of the text, or its source, and so not the
// author.
var others = regexp.MustCompile(`(?i)^(?:(?:and |und |et |y |e |och |og |en )?(?:medically |legally |clinically |expert |last )*(?:reviewed|edited|updated|checked|fact[- ]checked|translated|compiled|sponsored|presented|narrated|verified|approved|curated|hosted|produced|photographed|illustrated|powered|designed) by\b|` +
	`(?:photos?|photographs?|photographie|images?|pictures?|video|illustrations?|graphics?|foto|fotos|bild|bilder|fotografie|grafik|crédits?|source|quelle|fuente|fonte|bron|źródło|zdroj|источник|фото|редактор|editor|redigering|foto[:：]) ?(?:by|von|par|por|di|av|af|door|:|：)|` +
	`(?:lektorat|übersetzung|traduction|traducción|traduzione|translation|fact check)\b|` +
	`(?:aktualisiert|geprüft|überprüft|übersetzt|bearbeitet|fotografiert) von\b|(?:relu|traduit|mis à jour|vérifié) par\b|(?:revisado|actualizado|traducido|editado|atualizado) por\b|` +
	`(?:来源|來源|出处|编辑|編輯|责任编辑|責任編輯|责编|责任|摄影|攝影|校对|审核|编译|监制|监审|翻译|出典|写真|撮影|編集|사진|편집|출처)\s*[:：／/])`)

// firstRune returns the first character of a text.
func firstRune(s string) rune {
	r, _ := utf8.DecodeRuneInString(s)
	return r
}

// lastRune returns the last character of a text.
func lastRune(s string) rune {
	r, _ := utf8.DecodeLastRuneInString(s)
	return r
}

// soleByline are bylines followed by the name in the next passage.
var soleByline = phrases.Lines("by\nby:\nautor:\nauteur :\nauteur:\nauthor:\nauteur(s) :\nauteur(s):\nauthor(s):\nautor(en):\nautor(es):\nwritten by:\nposted by:\neingestellt von\ngepostet von\nautor des beitrags\nauteur de l'article\nescrito por\npublicado por\nscritto da\ndoor\nvon\npar\npor\nposted by\npublished by\nwritten by\narticle by\nauthored by\nautor\nautorin\nauthor\nauthors\ntext\nauteur\nauteurs\nartikel von\nverfasst von\nveröffentlicht von\ngeschrieben von")

func startsAsByline(s string) bool {
	_, ok := afterByline(s)
	return ok && len(s) < 120
}

// oneName returns the first of the names if it may be a pseudonym or a desk's,
// as in "Posted by admiral42".
func oneName(found []string) []string {
	if len(found) == 0 {
		return nil
	}
	n := trimEnd(cleanName(found[0]))
	words := strings.Fields(strings.ToLower(n))
	if len(words) == 0 || len(words) > 4 || quiet[words[len(words)-1]] || isOffice(n) || len(n) > 40 || strings.ContainsAny(n, ":：?!") || phrases.Labels.Has(n) || phrases.Endings.Has(n) ||
		strings.IndexFunc(n, unicode.IsLetter) < 0 || slices.ContainsFunc(words, func(w string) bool { return notNames[strings.TrimRight(w, "0123456789")] }) {
		return nil
	}
	for _, w := range strings.Fields(n)[1:] {
		if unicode.IsLower(firstRune(w)) && !particles[w] && !strings.Contains(w, ".") {
			return nil // "Find me"
		}
	}
	if _, ok := calendar.Find(n, calendar.Style{}); ok {
		return nil
	}
	return []string{n}
}

// afterByline returns the text after the words that introduce a byline, and whether there are such
// words.
func afterByline(s string) (string, bool) {
	lower := strings.ToLower(s)
	for _, b := range longestByline {
		rest, ok := strings.CutPrefix(lower, b)
		if !ok || rest == "" || !strings.ContainsRune(": \n", rune(rest[0])) && !strings.HasPrefix(rest, "：") && !(b[0] >= 0x80 && strings.ContainsRune("/／・", firstRune(rest))) {
			continue
		}
		if len(lower) != len(s) {
			return s, false
		}
		return strings.TrimLeft(s[len(b):], ": \n：/／・"), true
	}
	if at := kindBy.FindStringIndex(s); at != nil {
		return s[at[1]:], true
	}
	for _, b := range []string{"By", "Von"} { // an icon or style is between
		if rest, ok := strings.CutPrefix(s, b); ok && rest != "" && unicode.IsUpper(rune(rest[0])) {
			return rest, true
		}
	}
	// "Posted on 13 January 2014 by NAME", "Publiziert am 13. Januar 2014 von NAME"
	for _, b := range []string{" by ", " von ", " por ", " par ", "\nby ", "\nvon "} {
		i := strings.Index(lower, b)
		if i < 0 || i > 80 || len(lower) != len(s) {
			continue
		}
		if _, dated := calendar.Find(s[:i], calendar.Style{}); dated || strings.HasPrefix(lower, "posted") || strings.HasPrefix(lower, "publi") {
			return s[i+len(b):], true
		}
	}
	return s, false
}

// kindBy matches the kind of a text before its author: "Eine Kolumne von Ann Rivers".
var kindBy = regexp.MustCompile(`^(?i:(?:gast)?kommentar|analyse|gastbeitrag|kolumne|essay|rezension|reportage|porträt|glosse|leitartikel|meinung|review|opinion|analysis|commentary|column|editorial|feature|chronique|tribune|opinión|análisis|columna|opinione) (?:von|by|par|por|de|di) |` +
	`^(?:Eine?|An?|Une?|Una?|Guest|Gast) ?[\pL-]{4,20} (?:von|by|par|por|di) `)

// nameEnds are the possible ends of a name in a byline.
var nameEnds = []string{" | ", " - ", " – ", " — ", " · ", " • ", "\n", " @", " am ", " on ", " at ", " in ", " um ", " für ", " for ", " (", " gespeichert", " kategorie", " published", " updated", " posted", " vom ", " // ", " ©", " filed under", ". this entry", " add ", " leave ", " says"}

// splitNames splits a byline into names.
func splitNames(s string) []string {
	if strings.Contains(s, "://") {
		return nil
	}
	s = pronouns.ReplaceAllString(s, "")
	if i := strings.IndexByte(s, '<'); i > 3 { // "Ann Rivers <ann at example.org>"
		s = s[:i]
	}
	cut := len(s)
	lower := strings.ToLower(s)
	if len(lower) == len(s) {
		for _, e := range nameEnds {
			if i := strings.Index(lower, e); i > 1 && i < cut {
				cut = i
			}
		}
	}
	s = s[:cut]
	if i := strings.Index(s, "："); i > 0 { // "张三 编辑：李四"
		s = s[:max(strings.LastIndexByte(s[:i], ' '), 0)]
	}
	if i := strings.IndexFunc(s, unicode.IsDigit); i > 3 && (strings.ContainsRune(s, ' ') || !unicode.IsLetter(lastRune(s[:i]))) { // not "admiral42"
		s = strings.TrimSpace(s[:i])
		if last := strings.LastIndexByte(s, ' '); last > 0 && calendar.MonthOf(strings.Trim(s[last:], " ,.")) > 0 {
			s = s[:last]
		}
	}
	if i := strings.IndexByte(s, '@'); i > 3 { // "Ann Rivers@annrivers", "Ann Rivers ann@quay.test"
		if blank := strings.LastIndexByte(s[:i], ' '); blank > 3 && strings.ContainsRune(s[i:], '.') {
			i = blank
		}
		s = s[:i]
	}
	if strings.Contains(s, " ") { // "Ann Rivers/dpa", but "det/dpa"
		s = strings.ReplaceAll(s, "/", ",")
		if !strings.Contains(s, " | ") {
			s = strings.ReplaceAll(s, "|", ",")
		}
	}
	for _, and := range []string{" and ", " und ", " et ", " y ", " och ", " og ", " en ", " ja ", " i ", " и ", " та ", " και ", " ve ", " dan ", " và ", " és ", " și ", " & ", ";", " e ", " / ", " + ", " with ", " avec ", " mit ", " con ", "、", "，", "；"} {
		s = strings.ReplaceAll(s, and, ",")
	}
	if words := strings.Fields(s); len(words) > 1 && !slices.ContainsFunc(words, func(w string) bool { return !isHanName(w) }) {
		return words // "张三 欧阳小明"
	}
	var names []string
	for n := range strings.SplitSeq(s, ",") {
		switch n = cleanName(n); {
		case n == "":
		case len(names) > 0 && degrees[n]:
			names[len(names)-1] += ", " + strings.TrimSpace(n)
		default:
			names = append(names, n)
		}
	}
	return names
}

// degrees follow a name after a comma.
var degrees = wordSet("Jr Jr. Sr Sr. II III IV PhD Ph.D. Ph.D MD M.D. DO DDS DVM RN RD RDN CPA CFA CFP MBA MPH MSc BSc MA JD J.D. Esq Esq. LCSW PsyD EdD PharmD DrPH")

// pronouns are those of a person, after the name: "Ann Rivers (she/her)".
var pronouns = regexp.MustCompile(`\((?i:she|he|they|xe|ze|sie|er|elle|il|ella|él)(?: ?/ ?\pL+)+\)`)

// withoutStop returns a name without the stop of its sentence: "Text: Ann Rivers."
func withoutStop(s string) string {
	name, ok := strings.CutSuffix(s, ".")
	last := name[strings.LastIndexByte(name, ' ')+1:]
	if !ok || utf8.RuneCountInString(last) < 3 || strings.Contains(last, ".") || degrees[last+"."] {
		return s
	}
	return name
}

// cleanName strips the surroundings of a name.
func cleanName(s string) string {
	s = squeeze(s)
	for _, b := range []string{"via ", "by ", "von ", "By ", "Von ", "BY ", "VON ", "Autor ", "Author ", "Text: ", "Autor: ", "Author: "} {
		s = strings.TrimPrefix(s, b)
	}
	return strings.Trim(s, " ,;:|-–—·•*\"'“”„»«()[]")
}
