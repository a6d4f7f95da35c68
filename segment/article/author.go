package article

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"plat/plat/calendar"
	"plat/segment/article/phrases"
)

// authorNames are the meta elements that name authors.
var authorNames = []string{
	"article:author", "og:article:author", "author", "dc.creator", "dcterms.creator", "citation_author", "sailthru.author", "parsely-author", "byl",
	"cxenseparse:author", "vr:author", "shareaholic:article_author_name", "creator", "og:author",
}

// maxAuthors limits the list: bylines are shorter.
const maxAuthors = 8

// authors returns the authors: the declared persons, else the names in a byline
// near the text, else any declared names.
func (t *text) authors(d *declared, title, begin, end int) []string {
	site := d.site()
	var names []string
	for _, s := range d.authors[:min(len(d.authors), maxPersons)] {
		names = append(names, splitNames(cut(s, maxDeclared))...)
	}
	if names := persons(names, site); len(names) > 0 {
		return names
	}
	said := d.all(authorNames)
	for _, s := range said {
		if names := persons(splitNames(s), site); len(names) > 0 {
			return names
		}
	}
	if names := t.byline(title, begin, end); len(names) > 0 {
		return names
	}
	for _, s := range append(said, d.authors...) {
		if s = squeeze(s); s != "" && !strings.Contains(s, "://") && len(s) < 80 {
			return []string{s}
		}
	}
	if handle := strings.TrimPrefix(squeeze(d.first("twitter:creator")), "@"); handle != "" && len(handle) < 40 && !strings.ContainsAny(handle, "/ ") {
		return []string{handle}
	}
	return nil
}

// maxPersons limits how many names are examined to find those.
const maxPersons = 100

// persons keeps the names that look like a person's and are not the site's.
func persons(names []string, site string) (kept []string) {
	known := map[string]bool{"": true, bare(site): true}
	for _, n := range names[:min(len(names), maxPersons)] {
		if n = cleanName(cut(n, maxDeclared)); len(kept) == maxAuthors || !looksLikePerson(n) {
			continue
		}
		if b := bare(n); !known[b] {
			known[b] = true
			kept = append(kept, n)
		}
	}
	return kept
}

// notPeople are words in the names of organisations, sites and desks.
var notPeople = wordSet(`redaktion editorial staff team news online admin redakteur editor editors gmbh ag inc ltd llc verlag verband stiftung
	bund ev zeitung magazin magazine media medien press presse redaction desk agency dpa afp apa reuters ap www http https
	universität university institut institute group company corporation society foundation blog tv radio gmx webmaster user default unknown anonymous
	编辑 编辑部 管理员 佚名 匿名 本站 本报 本报讯 综合 整理 转载 原创 记者 作者 来源 未知`)

// notNames are words of a byline that are not part of a name.
var notNames = wordSet(`published posted updated veröffentlicht publiziert aktualisiert publicado publié admin min read
	comments kommentare kommentar uhr follow folgen share teilen author autor written datum date`)

// looksLikePerson reports whether a name has two to five words, each written
// like a name.
func looksLikePerson(s string) bool {
	words := strings.Fields(s)
	if len(words) == 1 && isHanName(s) {
		return !phrases.Labels.Has(s) && !phrases.Endings.Has(s)
	}
	if len(words) < 2 || len(words) > 5 || len(s) > 60 || phrases.Endings.Has(s) || phrases.Labels.Has(s) {
		return false
	}
	upper := 0
	for _, w := range words {
		if l := strings.ToLower(strings.Trim(w, ".,")); notPeople[l] || notNames[l] {
			return false
		}
		if i := strings.LastIndexByte(strings.TrimRight(w, "."), '.'); i >= 0 && i+2 < len(w) && unicode.IsLower(rune(w[i+1])) {
			return false // a host name
		}
		first := true
		for _, r := range w {
			if unicode.IsDigit(r) || strings.ContainsRune("@/:：|&!?#_", r) {
				return false
			}
			if first && (unicode.IsUpper(r) || unicode.Is(unicode.Lo, r)) {
				upper++
			}
			first = false
		}
	}
	return upper*2 >= len(words) && upper >= 1
}

// isHanName reports whether a word has two to four Chinese characters, and does
// not end like an organisation's name.
func isHanName(s string) bool {
	n := 0
	for _, r := range s {
		if n++; !unicode.Is(unicode.Han, r) {
			return false
		}
	}
	last, _ := utf8.DecodeLastRuneInString(s)
	return n >= 2 && n <= 4 && !notPeople[s] && !strings.ContainsRune("网網社报報部台局室院", last)
}

// bylines are the words that introduce a byline.
var bylines = []string{
	"by", "von", "written by", "posted by", "published by", "veröffentlicht von", "publiziert von", "story by", "words by", "text by", "text von", "text", "autor", "autorin", "autoren", "author", "authors", "ein beitrag von", "ein artikel von",
	"artikel von", "erstellt von", "geschrieben von", "verfasst von", "ein gastbeitrag von", "par", "por", "di", "da", "door", "av", "escribe", "escrito por", "redaktion", "interview", "interview von", "автор", "作者", "文", "记者",
}

// vague are bylines that introduce other lines as well, as in "Da Vinci sketch
// shown", by the languages in which they are accepted; otherwise a colon must
// follow, or the element must be named for an author.
var vague = map[string]string{"par": "fr", "por": "es pt", "di": "it", "av": "sv no nb nn", "da": "", "text": "", "interview": ""}

// afterByline returns the rest of a passage after its byline words, and whether
// the passage is a byline.
func (t *text) afterByline(q *passage) (string, bool) {
	said, ok := afterByline(q.text)
	if !ok || t.near(q)&hintAuthor != 0 {
		return said, ok
	}
	word, rest := q.text, ""
	if i := strings.IndexAny(word, ": \n"); i >= 0 {
		word, rest = word[:i], strings.TrimLeft(word[i:], " \n")
	}
	in, isVague := vague[strings.ToLower(word)]
	if _, more := afterByline(rest); !isVague || more || strings.HasPrefix(rest, ":") {
		return said, true // "Text von …"
	}
	lang, _, _ := strings.Cut(strings.ToLower(t.Language), "-")
	for l := range strings.FieldsSeq(in) {
		if l == lang {
			return said, true
		}
	}
	return q.text, false
}

// byline returns the authors named in the passages around the title, or else
// below the text: after a word such as "by", or in an element named for an
// author. Single-word names are used only if there are no longer ones.
func (t *text) byline(title, begin, end int) []string {
	if title < 0 || title > begin {
		title = begin
	}
	var spoken, named, single []string
	pending := false // the last passage was "By", and the name follows
	look := func(i int) {
		q := &t.all[i]
		if phrases.Credit(q.text) && !startsAsByline(q.text) {
			return
		}
		if t.at[q.first].all&(hintComments|hintRelated|hintNavigation|hintForm) != 0 || q.weight() > 30 || q.prose() && !startsAsByline(q.text) {
			return
		}
		said, introduced := t.afterByline(q)
		introduced = introduced || pending
		if pending = soleByline.Has(q.text); pending {
			return
		}
		found := splitNames(said)
		switch {
		case introduced && len(spoken) == 0:
			spoken = persons(found, "")
		case t.near(q)&hintAuthor != 0 && len(named) == 0:
			named = persons(found, "")
		default:
			return
		}
		if len(spoken)+len(named)+len(single) == 0 && !q.ends {
			single = oneName(found)
		}
	}
	for i := max(title-8, 0); i < min(begin+2, len(t.all)); i++ {
		if i != title {
			look(i)
		}
	}
	if len(spoken)+len(named) == 0 {
		pending = false
		for i := max(end-2, 0); i < min(end+12, len(t.all)); i++ {
			look(i)
		}
	}
	switch {
	case len(spoken) > 0:
		return spoken
	case len(named) > 0:
		return named
	}
	return single
}

// soleByline are bylines followed by the name in the next passage.
var soleByline = phrases.Lines("by\nvon\npar\npor\nposted by\npublished by\nwritten by\nautor\nautorin\nauthor\nauthors\ntext\nauteur\nauteurs\nartikel von\nverfasst von\nveröffentlicht von\ngeschrieben von")

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
	n := cleanName(found[0])
	words := strings.Fields(strings.ToLower(n))
	if len(words) == 0 || len(words) > 4 || len(n) > 40 || strings.ContainsAny(n, ":：?!") || phrases.Labels.Has(n) || phrases.Endings.Has(n) ||
		strings.IndexFunc(n, unicode.IsLetter) < 0 || slices.ContainsFunc(words, func(w string) bool { return notNames[w] }) {
		return nil
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
	for _, b := range bylines {
		rest, ok := strings.CutPrefix(lower, b)
		if !ok || rest == "" || !strings.ContainsRune(": \n", rune(rest[0])) && !strings.HasPrefix(rest, "：") {
			continue
		}
		if len(lower) != len(s) {
			return s, false
		}
		return strings.TrimLeft(s[len(b):], ": \n："), true
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

// nameEnds are the possible ends of a name in a byline.
var nameEnds = []string{" | ", " - ", " – ", " — ", " · ", " • ", "\n", " am ", " on ", " at ", " in ", " um ", " für ", " for ", " (", " gespeichert", " kategorie", " published", " updated", " posted", " vom ", " // "}

// splitNames splits a byline into names.
func splitNames(s string) []string {
	if strings.Contains(s, "://") {
		return nil
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
	if i := strings.IndexFunc(s, unicode.IsDigit); i > 3 {
		s = strings.TrimSpace(s[:i])
		if last := strings.LastIndexByte(s, ' '); last > 0 && calendar.MonthOf(strings.Trim(s[last:], " ,.")) > 0 {
			s = s[:last]
		}
	}
	for _, and := range []string{" and ", " und ", " et ", " y ", " & ", ";", " e ", " / ", "、", "，", "；"} {
		s = strings.ReplaceAll(s, and, ",")
	}
	var names []string
	for n := range strings.SplitSeq(s, ",") {
		if n = cleanName(n); n != "" {
			names = append(names, n)
		}
	}
	return names
}

// cleanName strips the surroundings of a name.
func cleanName(s string) string {
	s = squeeze(s)
	for _, b := range []string{"by ", "von ", "By ", "Von ", "BY ", "VON ", "Autor ", "Author ", "Text: ", "Autor: ", "Author: "} {
		s = strings.TrimPrefix(s, b)
	}
	return strings.Trim(s, " ,;:|-–—·•*\"'“”„»«()[]")
}
