package article

import (
	"encoding/json"
	"html"
	"maps"
	"slices"
	"strings"

	"plat/plat"
)

// declared is a page's machine-readable metadata.
type declared struct {
	meta      map[string][]string // by name or property, in lower case
	canonical string              // href of <link rel=canonical>

	pieces []piece // articles in JSON-LD, in page order
	piece          // merged, about the page's article

	// Types of the page according to schema.org and Open Graph.
	products, articles int
	forum, article     bool
	data               []any                     // the blocks of JSON-LD
	byID               map[string]map[string]any // its objects with a name, by @id
	publishers         []string                  // names of those who publish the articles
	persons            []string                  // names of the persons in JSON-LD that have an @id
	own                bool                      // an article in JSON-LD has the page's address or headline
}

// piece is an article in JSON-LD (schema.org/Article and its kinds).
type piece struct {
	headline  string
	authors   []string
	referred  bool // the authors are named by an @id alone
	published string
	changed   string // the last change
	body      string
	urls      []string
}

// maxLocale is the maximum length of a language tag, in bytes.
const maxLocale = 10

// maxPieces limits the number of pieces.
const maxPieces = 100

// maxLD limits a block of JSON-LD, in bytes, and maxDepth its nesting; the
// maxima on the pages examined were 400 kB and 8.
const maxLD, maxDepth = 2 << 20, 16

// declare reads the page's meta elements and JSON-LD.
func (p *page) declare() *declared {
	d := &declared{meta: map[string][]string{}}
	for i := int32(0); i < int32(len(p.Nodes)); i++ {
		n := &p.Nodes[i]
		if n.Kind != plat.ElementNode {
			continue
		}
		if kind, ok := n.Attr("itemtype"); ok && !p.at[i].inItem {
			d.typed(strings.TrimSpace(kind))
		}
		d.forum = d.forum || isThread(n)
		switch n.Name {
		case "meta":
			d.addMeta(n)
		case "link":
			if rel, _ := n.Attr("rel"); strings.EqualFold(rel, "canonical") {
				d.canonical, _ = n.Attr("href")
			}
		case "script":
			if isLD(n) {
				d.read(p.source(i))
			}
			i = p.at[i].end - 1 // in a damaged file, a script may contain a script
		}
	}
	d.resolve()
	d.piece = d.join(p.Snapshot)
	if p.locale = p.Language; p.locale == "" {
		p.locale = strings.ReplaceAll(cut(d.first("og:locale", "content-language", "dc.language", "language"), maxLocale), "_", "-")
	}
	d.article = strings.EqualFold(d.first("og:type"), "article") || d.articles == 1 || d.articles > 1 && d.headline != "" && d.own
	return d
}

// dublinCore are the names of Dublin Core's two vocabularies in meta elements, by the prefix that RDFa has.
var dublinCore = map[string]string{"dc": "dc", "dcterms": "dcterms", "dct": "dcterms"}

// addMeta records the value of a meta element by its names. Some pages write value in place of content.
func (d *declared) addMeta(n *plat.Node) {
	value, ok := n.Attr("content")
	if !ok {
		value, _ = n.Attr("value")
	}
	if value = squeeze(value); value == "" {
		return
	}
	for _, by := range []string{"property", "name", "itemprop", "http-equiv"} {
		if name, ok := n.Attr(by); ok {
			name = strings.ToLower(strings.TrimSpace(name))
			if space, rest, ok := strings.Cut(name, ":"); ok && dublinCore[space] != "" {
				name = dublinCore[space] + "." + rest
			}
			d.meta[name] = append(d.meta[name], value)
		}
	}
}

// isLD reports whether a script is a block of JSON-LD.
func isLD(n *plat.Node) bool {
	kind, _ := n.Attr("type")
	return strings.EqualFold(strings.TrimSpace(kind), "application/ld+json")
}

// source returns the text of script i, truncated to the limit.
func (p *page) source(i int32) string {
	var b strings.Builder
	for c := i + 1; c < p.at[i].end && b.Len() <= maxLD; c++ {
		b.WriteString(p.Nodes[c].Value)
	}
	return b.String()
}

// first returns the first value of one of the named meta elements.
func (d *declared) first(names ...string) string {
	for _, name := range names {
		if v := d.meta[name]; len(v) > 0 {
			return v[0]
		}
	}
	return ""
}

// read parses a block of JSON-LD. Invalid JSON is ignored.
func (d *declared) read(src string) {
	if len(src) > maxLD {
		return
	}
	var v any
	if json.Unmarshal([]byte(cleanJSON(src)), &v) != nil {
		return
	}
	d.data = append(d.data, v)
}

// resolve reads the blocks of JSON-LD: one may name objects of another.
func (d *declared) resolve() {
	for _, v := range d.data {
		d.index(v, 0)
	}
	for _, v := range d.data {
		d.walk(v, 0)
	}
	d.data, d.byID = nil, nil
}

// index records the objects that others name by their @id.
func (d *declared) index(v any, depth int) {
	if depth > maxDepth {
		return
	}
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			d.index(e, depth+1)
		}
	case map[string]any:
		id, _ := v["@id"].(string)
		if _, ok := v["name"]; ok && id != "" {
			if d.byID == nil {
				d.byID = map[string]map[string]any{}
			}
			if _, known := d.byID[id]; !known {
				d.byID[id] = v
				if name, ok := v["name"].(string); ok && len(d.persons) < maxPersons && slices.Contains(kinds(v["@type"]), "Person") {
					d.persons = append(d.persons, name)
				}
			}
		}
		for _, key := range slices.Sorted(maps.Keys(v)) { // the first object counts
			d.index(v[key], depth+1)
		}
	}
}

// cleanJSON removes common defects of embedded JSON: comments and CDATA marks,
// and raw line breaks in strings.
func cleanJSON(s string) string {
	s = strings.TrimSpace(s)
	for _, mark := range []string{"<!--", "//<![CDATA[", "<![CDATA[", "/*<![CDATA[*/"} {
		s = strings.TrimPrefix(s, mark)
	}
	for _, mark := range []string{"-->", "//]]>", "]]>", "/*]]>*/", ";"} {
		s = strings.TrimSuffix(strings.TrimSpace(s), mark)
	}
	return strings.Map(func(r rune) rune {
		if r < ' ' {
			return ' '
		}
		return r
	}, s)
}

func (d *declared) walk(v any, depth int) {
	if depth > maxDepth {
		return
	}
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			d.walk(e, depth+1)
		}
	case map[string]any:
		names := kinds(v["@type"])
		for _, name := range names {
			d.typed(name)
		}
		if slices.ContainsFunc(names, func(name string) bool { return isArticle(name) || name == "Question" }) {
			d.add(v)
		}
		for _, key := range []string{"@graph", "mainEntity", "mainEntityOfPage", "hasPart"} {
			if e, ok := v[key]; ok {
				d.walk(e, depth+1)
			}
		}
	}
}

// isArticle reports whether a type is a kind of article.
func isArticle(name string) bool {
	return strings.HasSuffix(name, "Article") || strings.HasSuffix(name, "Posting") || name == "Report" || name == "Review" || name == "Recipe" || name == "WebPage" || name == "CreativeWork"
}

// kinds returns the names in an @type.
func kinds(v any) (names []string) {
	switch v := v.(type) {
	case string:
		names = append(names, v)
	case []any:
		for _, e := range v {
			names = append(names, kinds(e)...)
		}
	}
	return names
}

// add adds the properties of an article.
func (d *declared) add(m map[string]any) {
	if len(d.pieces) == maxPieces {
		return
	}
	text := func(v any) string { s, _ := v.(string); return squeeze(s) }
	a := piece{
		headline: text(m["headline"]), authors: d.people(m["author"], 0), published: text(m["datePublished"]), changed: text(m["dateModified"]),
	}
	if by, ok := m["author"].(map[string]any); ok && by["name"] == nil {
		a.referred = len(a.authors) > 0
	}
	if len(a.authors) == 0 {
		a.authors = d.people(m["creator"], 0)
	}
	if of, ok := m["publisher"].(map[string]any); ok && len(d.publishers) < maxPieces {
		if name := cut(text(d.named(of)["name"]), maxSite); name != "" {
			d.publishers = append(d.publishers, name)
		}
	}
	if a.published == "" {
		a.published = text(m["dateCreated"])
	}
	a.body, _ = m["articleBody"].(string)
	of, _ := m["mainEntityOfPage"].(map[string]any)
	for _, v := range []any{m["url"], m["@id"], m["mainEntityOfPage"], of["@id"], of["url"]} {
		if u := text(v); u != "" {
			a.urls = append(a.urls, u)
		}
	}
	d.pieces = append(d.pieces, a)
}

// sameHeadline is the minimum agreement of a headline with the page's title.
const sameHeadline = 0.6

// join merges the pieces: the first takes precedence. If some match this page's address or headline,
// those with a different headline are ignored.
func (d *declared) join(s *plat.Snapshot) (all piece) {
	var titles []declaredTitle
	for _, title := range []string{d.first("og:title"), s.Title} {
		if title = squeeze(cut(title, maxDeclared)); title != "" {
			titles = append(titles, declare(title))
		}
	}
	var here, nameless, other []piece
	for _, a := range d.pieces {
		switch {
		case slices.ContainsFunc(a.urls, func(u string) bool { return u == d.canonical || u == d.first("og:url") || u == s.URL }),
			agreement(cut(a.headline, maxDeclared), titles) >= sameHeadline:
			here = append(here, a)
		case a.headline == "":
			nameless = append(nameless, a)
		default:
			other = append(other, a)
		}
	}
	if slices.ContainsFunc(here, func(a piece) bool { return a.headline != "" }) {
		other, d.own = nil, true
	}
	for _, a := range slices.Concat(here, other, nameless) {
		if all.headline == "" {
			all.headline = a.headline
		}
		if all.published == "" {
			all.published, all.changed = a.published, a.changed
		}
		if all.body == "" {
			all.body = a.body
		}
		if len(all.authors) == 0 {
			all.authors, all.referred = a.authors, a.referred
		}
	}
	return all
}

// named returns an object of JSON-LD, or the one with a name that its @id stands for.
func (d *declared) named(v map[string]any) map[string]any {
	if _, ok := v["name"]; ok {
		return v
	}
	if id, _ := v["@id"].(string); d.byID[id] != nil {
		return d.byID[id]
	}
	return v
}

// people returns the names in an author property of JSON-LD: a string, an
// object with a name, or a list of these.
func (d *declared) people(v any, depth int) (names []string) {
	if depth > maxDepth {
		return nil
	}
	switch v := v.(type) {
	case string:
		if s := squeeze(html.UnescapeString(cut(v, maxDeclared))); s != "" && !strings.Contains(s, "://") {
			names = append(names, s)
		}
	case []any:
		for _, e := range v {
			names = append(names, d.people(e, depth+1)...)
		}
	case map[string]any:
		v = d.named(v)
		if is := kinds(v["@type"]); slices.Contains(is, "Person") || !slices.ContainsFunc(is, func(kind string) bool { return strings.HasSuffix(kind, "Organization") || kind == "Corporation" }) {
			if names = d.people(v["name"], depth+1); names == nil {
				given, _ := v["givenName"].(string)
				family, _ := v["familyName"].(string)
				names = d.people(given+" "+family, depth+1)
			}
		}
	}
	return names
}

// squeeze collapses white space to single blanks, and replaces invalid UTF-8.
func squeeze(s string) string {
	return strings.Join(strings.Fields(strings.ToValidUTF8(s, "\uFFFD")), " ")
}
