package watch

import (
	"strings"
	"unicode"

	"golang.org/x/net/html/atom"
	"golang.org/x/text/unicode/norm"

	"plat/plat/calendar"
	"plat/plat/weburl"
)

// Entry is one entry of a list.
type Entry struct {
	Title   string
	URL     string // absolute; empty if the entry has no link of its own
	Excerpt string // the whole text, a line for each paragraph, at most maxExcerpt bytes
	Dated   calendar.Day
	Block   int32 // index of the leaf in which it begins, or -1

	key     string // titleKey of the title
	version string // in the title, such as 1.2.3; empty if it names no version
	features
}

// maxExcerpt limits the stored text of an entry, in bytes.
const maxExcerpt = 2000

// features are the properties by which an entry is classified.
type features struct {
	linked  bool // the title is a link
	heading bool // the title is a heading
	own     bool // the link leads to a place on the same page
	prose   bool // its first line is a sentence with a link in it
	opens   bool // it begins with a date and has no link
	apart   bool // its date has a line or an element of its own, or begins or ends a line
	named   bool // its only link has the same text as in most entries
	outer   bool // it is in an element outside of the page's main part
	words   int  // in the title
	text    int  // number of characters
	lead    int  // number of characters before the first link
	links   int  // number of different links to other pages
	cells   int  // number of cells of a row, 0 if one is a header

	id     string   // of an entry of a feed: its identifier, unless that is its link or shared
	extra  uint64   // hash of its texts but title, numbers and dates: it distinguishes entries of one title
	called string   // the text of the last link
	urls   []string // of all links
	lines  []string
}

// link is a link inside of a record.
type link struct {
	url     string
	text    string
	heading bool // it is in a heading, or encloses one
	own     bool // it leads to a place on the same page
}

// entry parses a record, and returns false if it has no title.
func (t *tree) entry(r record) (Entry, bool) {
	e := Entry{Block: t.nodes[r.first].block}
	e.outer = t.nodes[r.first].outer
	e.lines = t.lines(r)
	if len(e.lines) == 0 {
		e.lines = t.pictured(r)
	}
	if len(e.lines) == 0 {
		return e, false
	}
	links, heading := t.scan(r, &e)
	e.name(t, r, links, heading)
	for i := range links {
		e.urls = append(e.urls, links[i].url)
	}
	if len(links) > 0 {
		e.called = links[len(links)-1].text
	}
	e.date(t, r, heading)
	e.title(tidy(e.Title))
	e.extra = t.extra(&e)
	e.Excerpt = cut(strings.Join(e.lines, "\n"), maxExcerpt)
	return e, e.Title != ""
}

// title sets the title.
func (e *Entry) title(title string) {
	e.Title, e.key, e.version, e.words = title, titleKey(title), versionOf(title), len(strings.Fields(title))
}

// pictured returns the text of a linked image, for a record that has no text. The link has to
// lead to a page of the same site: images that lead elsewhere are logos and adverts.
func (t *tree) pictured(r record) []string {
	for i := r.first; i < r.end; i++ {
		if n := &t.nodes[i]; n.tag == atom.A && n.href != "" {
			if l := t.linkAt(i); l.text != "" && !l.own && !n.hidden && host(l.url) == host(t.self) {
				return []string{l.text}
			}
		}
	}
	return nil
}

// host returns the host of an address or of its key.
func host(u string) string {
	u, _, _ = strings.Cut(urlKey(u), "/")
	return u
}

// scan counts the features of an entry, and returns its links and its first heading, or -1.
func (t *tree) scan(r record, e *Entry) (links []link, heading int32) {
	heading = -1
	headers := false
	seen := map[string]bool{}
	closed := int32(0) // end of the last link
	for i := r.first; i < r.end; i++ {
		n := &t.nodes[i]
		if n.tag == atom.A {
			closed = n.end
		}
		switch {
		case n.isText():
			e.text += int(n.chars)
			if len(links) == 0 && i >= closed {
				e.lead += int(n.chars)
			}
		case n.tag == atom.Time && !e.Dated.OK():
			if d, ok := calendar.Find(cut(n.time, 10), t.style); ok {
				e.Dated, e.apart = d, true
			}
		case n.tag == atom.Td:
			e.cells++
		case heading < 0 && headingLevel(n.tag) > 0 && t.totals[n.end].text > t.totals[i].text && t.textOf(i) != "":
			heading = i
		case n.tag == atom.Th:
			headers = true
		case n.tag == atom.A && n.href != "":
			l := t.linkAt(i)
			if l.url == "" || l.text == "" {
				continue
			}
			l.heading = l.heading || heading >= 0 && i < t.nodes[heading].end
			links = append(links, l)
			if !l.own && !seen[l.url] {
				seen[l.url] = true
				e.links++
			}
		}
	}
	if headers {
		e.cells = 0
	}
	return links, heading
}

// name finds the entry's title and address.
func (e *Entry) name(t *tree, r record, links []link, heading int32) {
	main := mainLink(links, e.lines[0])
	e.Title = e.lines[0]
	part := false // the title is a small part of the line
	row := t.nodes[r.first].tag == atom.Tr
	switch {
	case heading >= 0 && !t.onlyDate(t.textOf(heading)):
		e.Title, e.heading = t.textOf(heading), true
	case row:
		// A row has the title and the link of its first cell.
		if main != nil && e.links > 1 && !strings.Contains(e.lines[0], main.text) {
			main = nil
		}
	case main != nil && (len(main.text) >= len(e.lines[0])/2 || vague(e.lines[0])):
		e.Title = main.text
	case main != nil && strings.HasPrefix(e.lines[0], main.text) && count(main.text) >= minName:
		e.Title, part = main.text, true // a counter or the like follows
	}
	if main != nil {
		e.URL, e.own = main.url, main.own
		switch {
		case main.heading:
			e.linked = true
		case e.heading:
			e.linked = e.links == 1 && vague(main.text)
		default:
			e.linked = !part && strings.HasPrefix(e.Title, main.text) && count(main.text)*2 >= count(e.Title)
		}
		if !e.heading && vague(e.Title) && len(main.text) > len(e.Title) {
			e.Title = main.text
		}
	}
	if e.heading || e.linked {
		return
	}
	if e.links == 0 && e.text < 400 && len(e.lines) < 4 && t.opensWithDate(e.lines[0]) {
		e.opens = len(e.lines) > 1 || count(e.lines[0]) > 14
		e.Title = strings.Join(e.lines, " ")
	} else {
		e.Title = bare(t.undated(e.Title))
		e.linked = main != nil && !part && !row && e.Title == main.text // a short one beside its date
	}
	e.prose = len(strings.Fields(e.lines[0])) > 25
}

// onlyDate reports whether a text is only a date.
func (t *tree) onlyDate(s string) bool {
	if len(s) > 40 {
		return false
	}
	all := t.dates(s)
	return len(all) > 0 && count(s[:all[0].From])+count(s[all[0].To:]) < 3
}

// minName is the minimum number of characters for a link at the start of a line to be the
// title.
const minName = 12

// mainLink returns the link that leads to an entry: the link in its heading, else the link that
// begins its first line, else the link with the longest text. It returns nil if there are no
// links.
func mainLink(links []link, first string) *link {
	var best *link
	most := 0
	for i := range links {
		l := &links[i]
		score := count(l.text)
		if l.heading {
			score += 1000
		}
		if strings.HasPrefix(first, l.text) {
			score += 200
		}
		if l.own {
			score -= 500
		}
		if vague(l.text) {
			score -= 100
		}
		if best == nil || score > most {
			best, most = l, score
		}
	}
	return best
}

// holdsHeading reports whether a link encloses a heading.
func (t *tree) holdsHeading(i int32) bool {
	for c := i + 1; c < t.nodes[i].end; c++ {
		if headingLevel(t.nodes[c].tag) > 0 {
			return true
		}
	}
	return false
}

// date finds the entry's date: in a time element, else the first in its first lines, else in
// its address. Dates in a list or table below a heading belong to something else.
func (e *Entry) date(t *tree, r record, heading int32) {
	if !e.Dated.OK() {
		end := r.end
		if heading >= 0 {
			for i := t.nodes[heading].end; i < r.end; i++ {
				if tag := t.nodes[i].tag; tag == atom.Ul || tag == atom.Ol || tag == atom.Table || tag == atom.Dl {
					end = i
					break
				}
			}
		}
		e.Dated, e.apart = t.dateIn(t.lines(record{r.first, end}))
	}
	if !e.Dated.OK() && e.linked {
		if d, ok := calendar.Find(calendar.InPath(e.URL), t.style); ok {
			e.Dated = d
		}
	}
}

// dateIn returns the first date in the first lines, and whether it begins or ends its line.
func (t *tree) dateIn(lines []string) (day calendar.Day, apart bool) {
	for _, line := range lines[:min(len(lines), 6)] {
		if all := t.dates(line); len(all) > 0 {
			return all[0].Day, all[0].From < 3 || count(line[all[len(all)-1].To:]) < 3
		}
	}
	return calendar.Day{}, false
}

// opensWithDate reports whether a text begins with a date.
func (t *tree) opensWithDate(s string) bool {
	all := t.dates(s)
	return len(all) > 0 && all[0].From < 3
}

// undated returns a title without the date at its start or end, or unchanged if only the date
// would remain.
func (t *tree) undated(s string) string {
	if len(s) > calendar.MaxText {
		return s
	}
	if all := t.dates(s); len(all) > 0 {
		if before := strings.TrimRight(s[:all[0].From], " -–—:,(["); count(before) >= 3 {
			return before
		}
		if after := strings.TrimLeft(s[all[0].To:], " -–—:,)]"); count(after) >= 3 {
			return after
		}
	}
	return s
}

// bare returns a title up to its version, if punctuation follows: then the rest is links to
// files and the like.
func bare(s string) string {
	v := versionOf(s)
	if v == "" {
		return s
	}
	head, rest, _ := strings.Cut(s, v)
	if rest = strings.TrimSpace(rest); head != "" && rest != "" && strings.ContainsAny(rest[:1], "([-–:|") {
		return head + v
	}
	return s
}

// tidy removes the number of an entry ("3. ") and the sign of a heading's permalink.
func tidy(s string) string {
	if at := strings.IndexAny(s, ":.)"); at > 0 && at < 5 && strings.Trim(s[:at], "0123456789") == "" && strings.HasPrefix(s[at+1:], " ") {
		s = s[at+2:]
	}
	s = strings.TrimRight(s, " ¶#§∞🔗")
	return cut(strings.TrimSpace(norm.NFC.String(s)), 1000)
}

// versionOf returns the first version in a title, such as 1.2.3, or the empty string. A price is none.
func versionOf(s string) string {
	if !strings.Contains(s, ".") {
		return ""
	}
	s = unpriced(s)
	for f := range strings.FieldsFuncSeq(s, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("()[]{}:,;_/–—", r) }) {
		f = strings.TrimRight(f, ".-")
		if at := strings.IndexAny(f, "0123456789"); at > 0 && strings.IndexByte("-vV", f[at-1]) >= 0 {
			f = f[at:]
		}
		f, _, _ = strings.Cut(f, "-")
		f = strings.TrimRightFunc(f, func(r rune) bool { return r == '.' || unicode.IsLetter(r) })
		dots, digits := 0, 0
		for i, r := range f {
			switch {
			case r >= '0' && r <= '9':
				digits++
			case r == '.' && i > 0:
				dots++
			}
		}
		if dots > 0 && digits > dots && f[0] >= '0' && f[0] <= '9' {
			return f
		}
	}
	return ""
}

// product returns the name of a product with its version, such as "flink 1.9.0": a page for
// downloads lists one release in several places. It is empty if the entry is not a version, or
// is an article about one. An entry of a feed with an identifier is its own product.
func (e *Entry) product() string {
	if e.id != "" {
		return "id " + e.id
	}
	if e.version == "" || !strings.Contains(e.Title, " ") || e.linked && !isFile(e.URL) {
		return ""
	}
	head, _, _ := strings.Cut(e.Title, e.version)
	var b strings.Builder
	for w := range strings.FieldsSeq(titleKey(strings.NewReplacer("®", " ", "™", " ").Replace(head))) {
		switch w {
		case "apache", "the", "version", "release", "releases", "download", "latest", "stable", "v":
			continue
		}
		b.WriteString(w)
		b.WriteByte(' ')
	}
	if b.Len() == 0 {
		return ""
	}
	return b.String() + e.version
}

// isFile reports whether a URL leads to a file to download.
func isFile(u string) bool {
	u, _, _ = strings.Cut(u, "?")
	for _, end := range fileEnds {
		if strings.HasSuffix(u, end) {
			return true
		}
	}
	return false
}

var fileEnds = []string{".tgz", ".gz", ".bz2", ".xz", ".zip", ".jar", ".exe", ".msi", ".dmg", ".pkg", ".deb", ".rpm", ".whl", ".iso", ".7z", ".war", ".apk"}

// vague reports whether a text says nothing about its entry, such as "Read more".
func vague(s string) bool {
	s = strings.Trim(strings.ToLower(s), " .…»›→>[]()¶#")
	return vagueTexts[s] || count(s) < 2
}

var vagueTexts = func() map[string]bool {
	m := map[string]bool{}
	for s := range strings.SplitSeq(`more|read more|continue reading|details|learn more|permalink|link|here|download|downloads|continue|full story|read|view|view more|`+
		`see more|show more|edit|reply|comments|share|source|pdf|html|asc|sha1|sha256|sha512|md5|signature|mehr|weiterlesen|mehr lesen|weiter|lire la suite|`+
		`en savoir plus|leer más|ver más|leggi tutto|lees meer|详情|更多|阅读全文|查看详情|続きを読む|더보기|подробнее|читать далее`, "|") {
		m[s] = true
	}
	return m
}()

// linkAt parses the link at a node, once for all records that contain it. The link's heading
// field says only whether it encloses one.
func (t *tree) linkAt(i int32) link {
	n := &t.nodes[i]
	if n.link == 0 {
		l := link{url: t.resolve(n.href), text: t.textOf(i), heading: t.holdsHeading(i)}
		l.own = t.samePage(l.url)
		n.link = int32(len(t.links))
		t.links = append(t.links, l)
	}
	return t.links[n.link]
}

// resolve returns the absolute form of an address, or the empty string if it leads nowhere.
func (t *tree) resolve(href string) string {
	if len(href) > maxURL {
		return ""
	}
	to := t.base.Resolve(href)
	switch weburl.Scheme(to) {
	case "http", "https", "mailto", "ftp", "magnet", "tel", "irc":
		return to
	}
	return ""
}

// maxURL is the longest address of an entry, in bytes. It is also the longest that plat visits.
const maxURL = 16 << 10

// samePage reports whether an address leads to a place on the same page.
func (t *tree) samePage(u string) bool {
	return urlKey(weburl.WithoutFragment(u)) == t.self
}
