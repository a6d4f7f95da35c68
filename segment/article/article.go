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
	if len(s.Nodes) == 0 {
		return Article{}
	}
	f := find(s)
	main := page.MainText
	if len(main) != len(s.Nodes) {
		main = f.mainByNode()
	}
	a := f.article(main)
	if a.Kind = f.kindOf(f.declared, &a, f.from, page.Blocks); a.Kind != plat.KindArticle {
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
	if len(s.Nodes) == 0 {
		return Article{}
	}
	f := find(s)
	return f.article(f.mainByNode())
}

// Title finds the title of a page as [Extract] does.
func Title(s *plat.Snapshot) string {
	if len(s.Nodes) == 0 {
		return ""
	}
	return find(s).title
}

// Main returns for each node of a page the probability that its text is main text, of any kind of page: 0 for nodes
// without a visible text. It takes time linear in the snapshot.
func Main(s *plat.Snapshot) []float32 {
	if len(s.Nodes) == 0 {
		return nil
	}
	return find(s).mainByNode()
}

// finding is a page with its article by the rules.
type finding struct {
	*text
	declared *declared
	region   int32
	title    string
	shown    int   // the passage that shows the title, −1 if there is no such passage
	begin    int   // the passage at which the text begins
	from     int   // shown or begin
	kept     []int // the passages of the text
}

// find reads a page by the rules.
func find(s *plat.Snapshot) *finding {
	f, prose := try(s, false)
	if !prose {
		// There is prose, but all of it has names of boilerplate.
		if wary, prose := try(s, true); prose {
			return wary
		}
	}
	return f
}

// try reads a page, and reports whether the article contains prose or the page has no prose.
func try(s *plat.Snapshot, wary bool) (f *finding, prose bool) {
	p := read(s, wary)
	f = &finding{declared: p.declare()}
	said, fallback := f.declared.titles(s.Title)
	f.text = newText(p, said)
	f.region = f.find()
	in := f.inside(f.region)
	f.measure(in)
	f.begin = f.text.begin(in)
	f.title, f.shown = f.text.title(said, fallback, f.declared.site(), f.begin)
	f.kept = f.choose(f.region, in, f.shown)
	if f.from = f.shown; f.from < 0 {
		f.from = f.begin
	}
	weight := int32(0)
	for _, i := range f.kept {
		weight += f.all[i].proseWeight()
	}
	return f, weight > 0 || !f.written()
}

// article returns the article, given the probability that the text of each node is main text.
func (f *finding) article(main []float32) Article {
	end := f.begin
	if n := len(f.kept); n > 0 {
		end = f.kept[n-1] + 1
	}
	return Article{
		Text:    f.declared.instead(f.join(f.mainText(func(i int) float32 { return main[f.all[i].first] }))),
		Title:   f.title,
		Authors: f.authors(f.declared, f.shown, f.begin, end),
		Date:    f.date(f.declared, f.shown, f.begin, end),
	}
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
