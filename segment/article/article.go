package article

import (
	"html"
	"regexp"
	"strings"

	"plat/plat"
)

// Article is the main text of a page, with its title, authors and date.
type Article struct {
	// Kind is the kind of page, "" if it was not determined.
	Kind plat.PageKind

	// Text is the text without markup, paragraphs separated by "\n\n", items of a list and lines of
	// one paragraph by "\n"; preformatted text, such as code, keeps its lines and blanks. Empty if
	// the page has no text.
	Text string

	// Title is one line, without the site's name. Empty if the page has no title.
	Title string

	// Authors are names as written on the page, without "by". Nil without authors; organisations only
	// if no person is named.
	Authors []string

	// Date is the day of publication as YYYY-MM-DD, in the time zone of the
	// page. Empty if unknown, and of a list.
	Date string
}

// Read extracts the article of a page, in time linear in the snapshot and without other input. page
// is the snapshot cut into blocks with labels and contents. The text of an article is that of
// [Extract]; of any other kind of page it is all of the content, with its code, tables, lists and
// captions, as [markup.PlainText] formats it: text left out of a reference could not be looked up,
// and only the reader knows which parts of a front page matter.
func Read(s *plat.Snapshot, page *plat.Page) Article {
	a, t, d, title := find(s)
	if t == nil {
		return a
	}
	if a.Kind = t.kindOf(d, &a, title, page.Blocks); a.Kind != plat.KindArticle {
		if all := whole(page.Blocks, &page.Layout); all != "" {
			a.Text = all
			if a.Kind == plat.KindList {
				a.Date = "" // its texts have days of their own
			}
		} else {
			a.Kind = plat.KindArticle // the labels mark no content
		}
	}
	return a
}

// Extract finds the article of a page, in time linear in the snapshot and
// without other input. It accepts any snapshot, including one from a damaged
// file; for pages without an article it returns the closest match.
func Extract(s *plat.Snapshot) Article {
	a, _, _, _ := find(s)
	return a
}

// find finds the article. It also returns the data it used, nil for a page without nodes, and the
// passage that shows the title, or at which the text begins.
func find(s *plat.Snapshot) (a Article, t *text, d *declared, title int) {
	if len(s.Nodes) == 0 {
		return
	}
	a, t, d, title, found := extract(s, false)
	if !found {
		// There is prose, but all of it has names of boilerplate.
		if b, t, d, title, found := extract(s, true); found {
			return b, t, d, title
		}
	}
	return a, t, d, title
}

// extract finds the article, and reports whether it contains prose or the page has no prose.
func extract(s *plat.Snapshot, wary bool) (a Article, t *text, d *declared, at int, found bool) {
	p := read(s, wary)
	d = p.declare()
	said, fallback := d.titles(s.Title)
	t = newText(p, said)
	region := t.find()
	in := t.inside(region)
	t.measure(in)
	begin := t.begin(in)
	title, at := t.title(said, fallback, d.site(), begin)
	kept := t.choose(region, in, at)
	end, prose := begin, int32(0)
	for _, i := range kept {
		end = i + 1
		prose += t.all[i].proseWeight()
	}
	a = Article{
		Text:    d.instead(t.join(kept)),
		Title:   title,
		Authors: t.authors(d, at, begin, end),
		Date:    t.date(d, at, begin, end),
	}
	if at < 0 {
		at = begin
	}
	return a, t, d, at, prose > 0 || !t.written()
}

// join concatenates passages.
func (t *text) join(kept []int) string {
	var b strings.Builder
	for k, i := range kept {
		q := &t.all[i]
		switch {
		case k == 0:
		case t.tag(q) == "li" && t.tag(&t.all[kept[k-1]]) == "li":
			b.WriteString("\n")
		default:
			b.WriteString("\n\n")
		}
		b.WriteString(q.text)
	}
	return b.String()
}

// Minimum length in bytes, and minimum ratio to the visible text, at which the
// text in JSON-LD replaces it: such a page shows only the beginning.
const (
	longBody   = 300
	bodyExcess = 3
)

// instead returns the visible text, or the one in JSON-LD if far less is
// visible.
func (d *declared) instead(shown string) string {
	if len(d.body) < longBody {
		return shown
	}
	body := html.UnescapeString(d.body)
	if anyTag.MatchString(body) {
		return shown
	}
	if body = squeezeLines(body); len(body) >= longBody && len(body) >= bodyExcess*len(shown) {
		return body
	}
	return shown
}

// anyTag matches markup.
var anyTag = regexp.MustCompile(`</?[A-Za-z!]`)

// squeezeLines collapses white space as squeeze does, line by line, and merges consecutive empty
// lines.
func squeezeLines(s string) string {
	var b strings.Builder
	empty := 0
	for line := range strings.Lines(strings.ReplaceAll(s, "\r\n", "\n")) {
		line = squeeze(line)
		switch {
		case line == "":
			empty++
			continue
		case b.Len() == 0:
		case empty > 0:
			b.WriteString("\n\n")
		default:
			b.WriteString("\n")
		}
		empty = 0
		b.WriteString(line)
	}
	return b.String()
}
