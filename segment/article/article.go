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

	// Comments are those of readers, formatted as [markup.PlainText] does, with an empty line between two blocks. Empty
	// for a forum, whose posts are its text. They are found by the labels of the blocks, so [Extract] finds none.
	Comments string

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
// [Extract]; of any other kind of page it is all of the content, without comments but for a forum, with its code, tables, lists and
// captions, as [markup.PlainText] formats it: text left out of a reference could not be looked up,
// and only the reader knows which parts of a front page matter.
func Read(s *plat.Snapshot, page *plat.Page) Article { return Look(s).Article(page) }

// Extract finds the article of a page, in time linear in the snapshot and
// without other input. It accepts any snapshot, including one from a damaged
// file; for pages without an article it returns the closest match.
func Extract(s *plat.Snapshot) Article {
	r := Look(s)
	if r.finding == nil {
		return Article{}
	}
	return r.article()
}

// Title finds the title of a page as [Extract] does.
func Title(s *plat.Snapshot) string {
	if len(s.Nodes) == 0 {
		return ""
	}
	return find(s).title
}

// Reading is a page whose main text was looked for: evidence for the labels of its blocks, which decide about the
// text of most kinds of page.
type Reading struct {
	*finding           // nil for a page without nodes
	main     []float32 // by passage: the probability that it is main text
}

// Look reads a page, in time linear in the snapshot.
func Look(s *plat.Snapshot) *Reading {
	if len(s.Nodes) == 0 {
		return &Reading{}
	}
	f := find(s)
	return &Reading{f, f.view().main()}
}

// Article returns what [Read] does for the page that was read. page is its snapshot cut into blocks with labels and
// contents.
func (r *Reading) Article(page *plat.Page) Article {
	if r.finding == nil {
		return Article{}
	}
	a := r.article()
	if a.Kind = r.kindOf(&a, page.Blocks); a.Kind != plat.KindArticle {
		if all := whole(page.Blocks, &page.Layout, a.Kind); all != "" {
			a.Text = all
			if a.Kind == plat.KindList {
				a.Date = "" // its texts have days of their own
			}
		} else {
			a.Kind = plat.KindArticle // the labels mark no text
		}
	}
	a.Comments = comments(page.Blocks, &page.Layout, a.Kind)
	return a
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

// article returns the page as an article.
func (r *Reading) article() Article {
	end := r.begin
	if n := len(r.kept); n > 0 {
		end = r.kept[n-1] + 1
	}
	return Article{
		Text:    r.declared.instead(r.join(r.mainText(r.main))),
		Title:   r.title,
		Authors: r.authors(r.declared, r.shown, r.begin, end),
		Date:    r.date(r.declared, r.shown, r.begin, end),
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
