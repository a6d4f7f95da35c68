package article

import (
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"plat/segment/article/phrases"
)

// authorNames are the meta elements that name authors.
var authorNames = []string{
	"article:author", "og:article:author", "author", "dc.creator", "dcterms.creator", "citation_author", "citation_authors", "bepress_citation_author", "eprints.creators_name",
	"sailthru.author", "parsely-author", "byl", "cxenseparse:author", "vr:author", "shareaholic:article_author_name", "article.author", "article:author_name", "dc.creator.personalname",
	"rbauthors", "bt:author", "creator", "og:author",
}

// surnameFirst are those of them that libraries write as "Rivers, Ann".
var surnameFirst = wordSet("dc.creator dcterms.creator dc.creator.personalname citation_author citation_authors bepress_citation_author eprints.creators_name")

// maxAuthors limits the list: bylines are shorter.
const maxAuthors = 8

// authors returns the authors: the declared persons, else the names in a byline
// near the text, else those of whom sentences and boxes beside the text say that they wrote it, else any declared names.
func (t *text) authors(d *declared, title, begin, end int) []string {
	sites := d.sites(t.Title)
	declared := personsOf(d.authors, sites)
	byline := sync.OnceValue(func() collected { return t.byline(title, begin, end, sites) })
	if d.referred && len(byline().spoken) > 0 { // the declared one is the account that posted it, often not the author
		return byline().spoken
	}
	if len(declared) > 0 {
		return declared
	}
	if names := d.metaPersons(sites); len(names) > 0 {
		if spoken := byline().spoken; len(spoken) > 0 && !shareWord(names, spoken) { // every page of the site declares the others
			return spoken
		}
		return names
	}
	shown := byline()
	if len(shown.spoken) > 0 {
		return shown.spoken
	}
	item := t.itemAuthors()
	for _, names := range [][]string{persons(item, sites), t.saidToWrite(d, begin, end, sites), persons(splitNames(t.licensor()), sites)} {
		if len(names) > 0 {
			return names
		}
	}
	for _, names := range [][]string{d.authors, item} {
		if len(names) > 0 && !looksLikeFirm(names[0]) && !sites[bareSite(cut(names[0], maxSite))] {
			if name := oneName(splitNames(cut(names[0], maxDeclared))); name != nil {
				return name
			}
		}
	}
	if names := shown.best(); len(names) > 0 {
		if full := d.owner(names[0], t.Title); full != "" && len(names) == 1 {
			return []string{full}
		}
		return names
	}
	return t.distant(d, title, sites)
}

// distant returns the authors that are named far from the text, or only as organisations.
func (t *text) distant(d *declared, title int, sites map[string]bool) []string {
	if len(d.persons) == 1 {
		if names := personsOf(d.persons, sites); len(names) > 0 {
			return names
		}
	}
	if name := t.firstPoster(title); name != nil {
		return name
	}
	if said := t.scripted(authorKeys, func(s string) string { return s }); said != "" {
		if names := personsOf([]string{said}, sites); len(names) > 0 {
			return names
		}
	}
	if names := t.markedAuthors(sites); len(names) > 0 {
		return names
	}
	if name := d.owner("", t.Title); name != "" {
		return []string{name}
	}
	for _, s := range append(d.all(authorNames), d.authors...) {
		if s = squeeze(s); s != "" && !strings.Contains(s, "://") && len(s) < 80 {
			return []string{s}
		}
	}
	if handle := strings.TrimPrefix(squeeze(d.first("twitter:creator")), "@"); handle != "" && len(handle) < 40 && !strings.ContainsAny(handle, "/ ") {
		return []string{handle}
	}
	return nil
}

// metaPersons returns the persons that meta elements name as authors.
func (d *declared) metaPersons(sites map[string]bool) []string {
	for _, by := range authorNames {
		said := d.meta[by]
		if surnameFirst[by] {
			said = givenFirst(said)
		}
		if names := personsOf(said, sites); len(names) > 0 {
			return names
		}
	}
	return personsOf(d.labelled(), sites)
}

// labelled returns the names that a page gives to previews in messages, as "Written by".
func (d *declared) labelled() []string {
	for _, n := range []string{"1", "2"} {
		if label := d.first("twitter:label" + n); label != "" && (soleByline.Has(label) || startsAsByline(label+" X")) {
			return d.meta["twitter:data"+n]
		}
	}
	return nil
}

// givenFirst returns names with the given name first, where all have the surname first: "Rivers, Ann".
func givenFirst(said []string) (turned []string) {
	for _, list := range said[:min(len(said), maxPersons)] {
		for s := range strings.SplitSeq(cut(list, maxDeclared), ";") {
			surname, given, ok := strings.Cut(s, ",")
			given = strings.TrimSpace(given)
			if !ok || strings.Contains(given, ",") || len(strings.Fields(surname)) > 3 || len(strings.Fields(given)) > 3 || degrees[given] || len(strings.Fields(surname)) > 1 && len(strings.Fields(given)) > 1 {
				return said
			}
			turned = append(turned, given+" "+strings.TrimSpace(surname))
		}
	}
	return turned
}

// maxPersons limits how many names are examined to find those.
const maxPersons = 100

// personsOf returns the persons of several declarations, each of one or more names.
func personsOf(said []string, sites map[string]bool) (kept []string) {
	known := map[string]bool{}
	for _, s := range said[:min(len(said), maxPersons)] {
		for _, n := range persons(splitNames(cut(s, maxDeclared)), sites) {
			if b := bare(n); !known[b] && len(kept) < maxAuthors {
				known[b] = true
				kept = append(kept, n)
			}
		}
	}
	return kept
}

// maxSiteNames limits the number of names of publishers that are examined.
const maxSiteNames = 20

// sites returns the names of the site and its publishers, as bareSite writes them: the declared ones, and what a
// page's title has beside its headline.
func (d *declared) sites(title string) map[string]bool {
	sites := map[string]bool{"": true}
	for _, name := range d.siteNames(title) {
		sites[bareSite(cut(name, maxSite))] = true
	}
	return sites
}

// siteNames returns the names of the site and its publishers, as they are written.
func (d *declared) siteNames(title string) []string {
	names := []string{d.site(), d.first("application-name"), d.first("apple-mobile-web-app-title")}
	names = append(names, d.publishers[:min(len(d.publishers), maxSiteNames)]...)
	headline := bare(cut(d.headline+d.first("og:title"), maxDeclared))
	title = cut(title, maxDeclared)
	for _, sep := range separators {
		if i := strings.LastIndex(title, sep); i > 0 {
			if last := title[i+len(sep):]; headline == "" || !strings.Contains(headline, bare(last)) {
				names = append(names, last)
			}
		}
	}
	return names
}

// bareSite returns the letters and digits of a site's name, without the article before it.
func bareSite(s string) string {
	if len(s) > 4 && strings.EqualFold(s[:4], "the ") {
		s = s[4:]
	}
	return bare(s)
}

// persons keeps the names that look like a person's and are not the site's. The office of a person and what follows
// it are none: "Ann Rivers, Lead Writer, Harbour Gazette".
func persons(names []string, sites map[string]bool) (kept []string) {
	known := map[string]bool{}
	for _, n := range names[:min(len(names), maxPersons)] {
		if n = cleanName(cut(n, maxDeclared)); isOffice(n) {
			if len(kept) > 0 {
				break
			}
			n = withoutOffice(n)
		} else {
			n = inCapitals(n)
		}
		if len(kept) == maxAuthors || others.MatchString(n) || !looksLikePerson(n) || sites[bareSite(n)] {
			continue
		}
		if b := bare(n); b != "" && !known[b] {
			known[b] = true
			kept = append(kept, n)
		}
	}
	return kept
}

// inCapitals returns the name that is in capitals before the name of a newspaper: "ANN RIVERS Harbour Gazette".
func inCapitals(s string) string {
	words := strings.Fields(s)
	n := 0
	for n < len(words) && len(words[n]) > 1 && words[n] == strings.ToUpper(words[n]) {
		n++
	}
	if n >= 2 && n < len(words) && words[0] != strings.ToLower(words[0]) && looksLikeFirm(strings.ReplaceAll(strings.Join(words[n:], " "), "/", " ")) {
		return strings.Join(words[:n], " ")
	}
	return s
}

// withoutOffice returns the name of a person in a text with an office: the first two words of "Ann Rivers Environment reporter",
// what follows in "Chief Political Correspondent Ann Rivers".
func withoutOffice(s string) string {
	words := strings.Fields(s)
	last := -1 // word of an office
	for i, w := range words {
		if isOffice(w) {
			last = i
		}
	}
	switch after := words[last+1:]; {
	case len(after) >= 2:
		return strings.Join(after, " ")
	case len(words) >= 4:
		return words[0] + " " + words[1]
	}
	return s
}

// offices are words for what a person does.
var offices = wordSet(`writer reporter correspondent journalist columnist contributor author director manager officer ceo cto cfo founder cofounder president
	professor lecturer researcher scientist fellow analyst engineer consultant specialist expert strategist producer photographer critic reviewer dietitian
	nutritionist attorney redakteur redakteurin journalistin korrespondent korrespondentin reporterin autorin rédacteur rédactrice journaliste redactor redactora
	periodista giornalista redattore redattrice redacteur verslaggever redaktör skribent toimittaja dziennikarz dziennikarka redaktorka redaktor novinář
	корреспондент журналист редактор обозреватель 記者 记者 기자 operations`)

// officeEnd matches compounds of German that end in an office: "Projektleiterin".
var officeEnd = regexp.MustCompile(`\pL(?:leiter|redakteur|sprecher|referent|journalist|direktor|präsident|autor|professor|korrespondent|kolumnist)(?:in)?$`)

// isOffice reports whether a text contains the word for an office: "Lead Writer".
func isOffice(s string) bool {
	first := true
	for w := range strings.FieldsSeq(strings.ToLower(s)) {
		if w = strings.Trim(w, ".,"); offices[w] && !(first && w == "professor") || officeEnd.MatchString(w) {
			return true
		}
		first = false
	}
	return false
}

// notPeople are words in the names of organisations, sites and desks.
var notPeople = wordSet(`redaktion editorial staff team news online admin redakteur editor editors gmbh ag inc ltd llc verlag verband stiftung
	bund ev zeitung magazin magazine media medien press presse redaction desk agency dpa afp apa reuters ap www http https
	universität university institut institute group company corporation society foundation blog tv radio gmx webmaster user default unknown anonymous
	rédaction redacción redazione redacția redakce redakcja redaktionen toimitus reporters correspondent writer wire gazette times herald tribune chronicle observer courier daily weekly
	journal dispatch telegraph examiner inquirer bulletin kurier anzeiger tageblatt nachrichten rundschau newsroom newsdesk bureau contributors
	编辑 编辑部 管理员 佚名 匿名 本站 本报 本报讯 综合 整理 转载 原创 记者 作者 来源 未知`)

// notNames are words of a byline that are not part of a name.
var notNames = wordSet(`published posted updated veröffentlicht publiziert aktualisiert publicado publié admin min read
	comments kommentare kommentar uhr follow folgen share teilen author autor written datum date last update modified reviewed edited article story
	posts view all search site website menu subscribe newsletter eingestellt via by reading lesezeit minuten minutes yesterday gestern heute tags category kategorie home print drucken`)

// looksLikeFirm reports whether a name has a word of organisations, sites and desks.
func looksLikeFirm(s string) bool {
	for w := range strings.FieldsSeq(strings.ToLower(s)) {
		if notPeople[strings.Trim(w, ".,")] || notNames[strings.Trim(w, ".,")] {
			return true
		}
	}
	return false
}

// looksLikePerson reports whether a name has two to five words, each written
// like a name.
func looksLikePerson(s string) bool {
	words := strings.Fields(s)
	if len(words) == 1 && isHanName(s) {
		return !offices[s] && !phrases.Labels.Has(s) && !phrases.Endings.Has(s)
	}
	if len(words) < 2 || len(words) > 5 || len(s) > 60 || isOffice(s) || strings.EqualFold(words[0], "the") || phrases.Endings.Has(s) || phrases.Labels.Has(s) {
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
			if first && strings.ContainsRune("'\"‘“„«", r) {
				return false
			}
			if first && (unicode.IsUpper(r) || unicode.Is(unicode.Lo, r)) {
				upper++
			} else if first && len(words) == 2 && unicode.IsLower(r) && !particles[w] {
				return false // "Find me"
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
