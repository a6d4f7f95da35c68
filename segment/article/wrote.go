package article

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"plat/plat"
	"plat/segment/article/phrases"
)

// shareWord reports whether two lists of names have a word in common.
func shareWord(a, b []string) bool {
	known := map[string]bool{}
	for _, n := range a {
		for _, w := range tokens(n) {
			known[w] = true
		}
	}
	for _, n := range b {
		if slices.ContainsFunc(tokens(n), func(w string) bool { return known[w] }) {
			return true
		}
	}
	return false
}

// maxItem limits the text of an element that names an author, in bytes.
const maxItem = 80

// itemAuthors returns the names in the first element that microdata or RDFa declares to be an author: the name inside of it, or
// its text. In comments it is an author of the page only if the page is one of comments.
func (t *text) itemAuthors() (names []string) {
	const unset = -2
	scope, discussed := int32(unset), sync.OnceValue(t.discussed)
	for i := int32(0); i < int32(len(t.Nodes)) && len(names) < maxAuthors; i++ {
		n := &t.Nodes[i]
		if n.Kind != plat.ElementNode || !isAuthorItem(n) || t.at[i].all&(hintRelated|hintAside|hintFooter) != 0 {
			continue
		}
		if t.at[i].all&hintComments != 0 && !discussed() {
			continue
		}
		if name := t.itemName(i); name != "" {
			around := t.scope(i)
			if scope != unset && around != scope {
				break
			}
			if names, scope = append(names, splitNames(name)...), around; around < 0 {
				break
			}
		}
		i = t.at[i].end - 1
	}
	return names
}

// isAuthorItem reports whether microdata or RDFa declares an element to be an author.
func isAuthorItem(n *plat.Node) bool {
	if n.Name == "meta" || n.Name == "link" {
		return false
	}
	for i := range n.Attrs {
		if a := &n.Attrs[i]; (a.Name == "itemprop" || a.Name == "property") && a.Value[strings.LastIndexByte(a.Value, ':')+1:] == "author" {
			return true
		}
	}
	return false
}

// scope returns the nearest element around a node that describes a thing, -1 without such an element.
func (t *text) scope(i int32) int32 {
	for i = t.at[i].parent; i >= 0; i = t.at[i].parent {
		if _, ok := t.Nodes[i].Attr("itemscope"); ok {
			return i
		}
	}
	return -1
}

// itemName returns the name in an element that describes an author, else its text.
func (t *text) itemName(i int32) string {
	for k := i; k < t.at[i].end; k++ {
		n := &t.Nodes[k]
		if by, _ := n.Attr("itemprop"); by != "name" {
			continue
		}
		if name, ok := n.Attr("content"); ok {
			return squeeze(cut(name, maxItem))
		}
		i = k
		break
	}
	var all []string
	size := 0
	for k := i; k < t.at[i].end; k++ {
		if n := &t.Nodes[k]; n.Kind == plat.TextNode && t.at[k].text {
			if size += len(n.Value); size > maxItem {
				return ""
			}
			all = append(all, n.Value)
		}
	}
	return trimGlue(squeeze(strings.Join(all, "")))
}

// licensor returns the name that a license of Creative Commons on the page is to be attributed to.
func (t *text) licensor() string {
	for i := int32(0); i < int32(len(t.Nodes)); i++ {
		n := &t.Nodes[i]
		if n.Kind != plat.ElementNode {
			continue
		}
		property, _ := n.Attr("property")
		rel, _ := n.Attr("rel")
		if property == "cc:attributionName" || rel == "cc:attributionURL" {
			return t.itemName(i)
		}
	}
	return ""
}

// owner returns the full name of an author whose given name alone is known, if the page names its site by it, and the name of
// a site that has a title such as "Dr."; empty without such a name.
func (d *declared) owner(given, title string) string {
	for _, site := range d.siteNames(title) {
		words := strings.Fields(cut(site, maxSite))
		if len(words) < 2 || len(words) > 4 || !looksLikePerson(site) {
			continue
		}
		if given == "" && titles[words[0]] || given != "" && strings.EqualFold(words[0], given) {
			return squeeze(site)
		}
	}
	return ""
}

// titles are the titles of persons before their names.
var titles = wordSet("Dr. Dr Prof. Prof Professor")

// maxCredit is the maximum number of words of an element that names authors.
const maxCredit = 9

// markedAuthors returns the persons that the short elements named for authors agree on, wherever on the page they are.
func (t *text) markedAuthors(sites map[string]bool) (found []string) {
	for i := range t.all {
		q := &t.all[i]
		if q.weight() > maxCredit || t.near(q)&hintAuthor == 0 || t.at[q.first].all&(hintComments|hintRelated|hintNavigation|hintForm|hintAd|hintAside|hintFooter) != 0 || others.MatchString(q.text) {
			continue
		}
		said, _ := t.afterByline(t.spaced(q), true)
		names := firstPersons(splitNames(trimGlue(said)), sites)
		switch {
		case len(names) == 0:
		case found == nil:
			found = names
		case !slices.Equal(found, names):
			return nil
		}
	}
	return found
}

// firstPoster returns the author of the first text of a page of comments.
func (t *text) firstPoster(title int) []string {
	if !t.discussed() {
		return nil
	}
	for i := max(title, 0); i < len(t.all); i++ {
		q := &t.all[i]
		if all := t.at[q.first].all; all&hintComments == 0 || all&(hintRelated|hintNavigation|hintAside|hintForm) != 0 {
			continue
		}
		if q.prose() {
			return nil
		}
		if t.near(q)&hintAuthor == 0 {
			continue
		}
		if name := squeeze(t.Nodes[q.first].Value); !strings.ContainsAny(name, " :") && len(name) <= maxHandle {
			if names := oneName([]string{name}); names != nil {
				return names
			}
		}
	}
	return nil
}

// maxHandle is the maximum length of a name that a user of a forum has, in bytes.
const maxHandle = 30

// wroteIt match sentences that name the author of a text: "This article was written by Ann Rivers".
var wroteIt = []*regexp.Regexp{
	regexp.MustCompile(`(?i)\b(?:post|article|story|piece|blog|column|guide|interview|report|recipe|essay|tutorial)\b[^.\n]{0,24}\b(?:written|authored|contributed) by:? ([^.;\n]{4,80})`),
	regexp.MustCompile(`(?i)^(?:written|authored) by:? ([^.;\n]{4,80})`),
	regexp.MustCompile(`(?i)\b(?:artikel|beitrag|text|bericht)\b[^.\n]{0,30}\bvon ([^.;\n]{4,60}?) (?:verfasst|geschrieben|erstellt)\b`),
	regexp.MustCompile(`(?i)\b(?:article|texte|billet)\b[^.\n]{0,24}\b(?:écrit|rédigé) par ([^.;\n]{4,80})`),
	regexp.MustCompile(`(?i)\b(?:artículo|texto|artigo|articolo|testo)\b[^.\n]{0,24}\b(?:escrito|redactado|scritto) (?:por|da) ([^.;\n]{4,80})`),
}

// aboutAuthor are the headings of boxes about the author of a text.
var aboutAuthor = phrases.Lines("about the author\nabout the authors\nabout author\nauthor\nauthor of this post\nauthor of this article\nmeet the author\nwritten by\nwords by\narticle by\nthe author\n" +
	"über den autor\nüber die autorin\nüber die autoren\nzum autor\nzur autorin\nder autor\ndie autorin\nautor\nautorin\nà propos de l'auteur\nà propos de l’auteur\nà propos de l'autrice\nl'auteur\nl’auteur\n" +
	"sobre el autor\nsobre la autora\nacerca del autor\nsobre o autor\nsobre a autora\nl'autore\nl’autore\nsull'autore\ninformazioni sull'autore\nover de auteur\nom författaren\nom forfatteren\n" +
	"o autorze\no autorovi\nоб авторе\nавтор\n关于作者\n作者简介\n作者介绍\n著者プロフィール\nこの記事を書いた人\n執筆者プロフィール\n글쓴이 소개")

// maxAfter is the number of passages after a text in which a box about its author is expected.
const maxAfter = 30

// saidToWrite returns the persons of whom the page says that they wrote its text: in its summary, at the beginning and at the
// end of the text, in a box about the author, and in brackets behind the last words.
func (t *text) saidToWrite(d *declared, begin, end int, sites map[string]bool) []string {
	last := min(end, len(t.all))
	lines := []string{d.first("description", "og:description")}
	for i := max(begin-3, 0); i < last; i++ {
		if i < begin+3 || i >= last-3 {
			lines = append(lines, t.all[i].text)
		}
	}
	for _, s := range lines {
		for _, form := range wroteIt {
			if m := form.FindStringSubmatch(cut(s, 4*maxDeclared)); m != nil {
				if names := firstPersons(splitNames(m[1]), sites); len(names) > 0 {
					return names
				}
			}
		}
	}
	if names := t.labelledInText(begin, last, sites); len(names) > 0 {
		return names
	}
	for i := begin; i+1 < min(last+maxAfter, len(t.all)); i++ {
		if q := &t.all[i]; q.weight() <= 5 && aboutAuthor.Has(strings.TrimRight(q.text, " :")) && t.at[q.first].all&(hintComments|hintRelated|hintNavigation|hintForm) == 0 {
			line, _, _ := strings.Cut(t.all[i+1].text, "\n")
			if names := firstPersons(splitNames(line), sites); len(names) > 0 && t.all[i+1].weight() <= maxLine {
				return names
			}
		}
	}
	for i := min(last, len(t.all)-1); i >= max(begin, last-3); i-- {
		if m := inBrackets.FindStringSubmatch(t.all[i].text); m != nil {
			if names := persons(splitNames(m[1]), sites); len(names) > 0 {
				return names
			}
		}
	}
	return nil
}

// inBrackets matches a name in brackets behind a text.
var inBrackets = regexp.MustCompile(`[.!?…]["”“»]? ?\(([^()/]{5,40})\)[ +*]*$`)

// labelledInText returns the names behind a label in the second half of the text: "Author: Ann Rivers, head of the harbour office".
func (t *text) labelledInText(begin, end int, sites map[string]bool) []string {
	for i := end - 1; i >= begin+(end-begin)/2; i-- {
		q := &t.all[i]
		if q.weight() > maxLine || !strings.ContainsAny(cut(q.text, 30), ":：") || others.MatchString(q.text) || saysPosted(q.text) {
			continue
		}
		said, ok := t.afterByline(q.text, false)
		if !ok || !strings.ContainsAny(q.text[:len(q.text)-len(said)], ":：") {
			continue
		}
		if names := firstPersons(splitNames(said), sites); len(names) > 0 {
			return names
		}
	}
	return nil
}

// firstPersons returns the persons before the first name that is not one: "Ann Rivers, diver, Harbour Works".
func firstPersons(names []string, sites map[string]bool) (kept []string) {
	for _, n := range names {
		found := persons([]string{n}, sites)
		if len(found) == 0 {
			break
		}
		kept = append(kept, found...)
	}
	return kept
}
