package feed

import (
	"fmt"
	"html"
	"strings"
	"unicode/utf8"

	"plat/plat"
	"plat/plat/excerpt"
	"plat/storage/history"
)

// Change is one change of one block, as an entry.
type Change struct {
	Entry
	Text    string // new text, or old text if removed; for filters
	Kind    plat.Kind
	Label   plat.Label
	Lineage int32
	Version int

	// SelfChange is the reason why the change is not news, see [history.ChangeInfo]; empty if
	// it is news.
	SelfChange string
}

// changeExtension holds plat's extension fields of a change in JSON Feed.
type changeExtension struct {
	Kind    plat.Kind  `json:"kind"`
	Label   plat.Label `json:"label"`
	Lineage int32      `json:"lineage"`
	Version int        `json:"version"`

	SelfChange string `json:"by_itself,omitempty"`
}

// Pages builds absolute links to the comparison of two versions of a URL, and to the history of
// one of its lineages.
type Pages interface {
	Diff(url string, old, now int) string
	Block(url string, lineage int32) string
}

// Changes returns every change of a comparison, or, if lineage > 0, every change of that
// lineage.
func Changes(d *history.Diff, lineage int32, at Pages) []Change {
	var changes []Change
	made := map[int32]int{}
	for i := range d.Changes {
		c := &d.Changes[i]
		if c.Kind == plat.Same {
			continue
		}
		// A block that is split has several changes of one lineage.
		id := fmt.Sprintf("%s#plat-%d/%d", d.URL, c.Lineage, d.New)
		if made[c.Lineage]++; made[c.Lineage] > 1 {
			id += fmt.Sprintf(".%d", made[c.Lineage])
		}
		if lineage > 0 && c.Lineage != lineage {
			continue
		}
		it := Change{Kind: c.Kind, Label: c.Label, Lineage: c.Lineage, Version: d.New, SelfChange: c.SelfChange}
		switch {
		case c.NewText != nil:
			it.Text = plain(*c.NewText)
		case c.OldText != nil:
			it.Text = plain(*c.OldText)
		}
		link := at.Diff(d.URL, d.Old, d.New)
		it.Entry = Entry{ID: id, Title: changeTitle(c, it.Text), Link: link, Published: d.NewTaken, Updated: d.NewTaken,
			HTML: changeHTML(c, it.Text, d.FilesOf(c.New)) + fmt.Sprintf(`<p><a href="%s">Versions %d and %d compared</a>, <a href="%s">this block through time</a></p>`,
				html.EscapeString(link), d.Old, d.New, html.EscapeString(at.Block(d.URL, c.Lineage))),
			Tags:      []string{string(c.Kind), string(c.Label)},
			Extension: changeExtension{c.Kind, c.Label, c.Lineage, d.New, c.SelfChange},
		}
		changes = append(changes, it)
	}
	if apart := d.Apart(); len(apart) > 0 && lineage == 0 && d.Counts[plat.Image] > 0 {
		changes = append(changes, aroundBlocks(d, apart, at.Diff(d.URL, d.Old, d.New)))
	}
	return changes
}

// aroundBlocks returns the entry of changed style sheets, and of changed images that belong to
// no block.
func aroundBlocks(d *history.Diff, files []history.FileInfo, link string) Change {
	var b strings.Builder
	filesHTML(&b, files)
	fmt.Fprintf(&b, `<p><a href="%s">Versions %d and %d compared</a></p>`, html.EscapeString(link), d.Old, d.New)
	name := files[0].URL[strings.LastIndexByte(files[0].URL, '/')+1:]
	return Change{Kind: plat.Image, Label: plat.LabelMedia, Version: d.New, Text: plain(name), Entry: Entry{
		ID: fmt.Sprintf("%s#plat-files/%d", d.URL, d.New), Title: "Look changed: " + excerpt.Line(plain(name), 100), Link: link, Published: d.NewTaken, Updated: d.NewTaken,
		HTML: b.String(), Tags: []string{string(plat.Image), string(plat.LabelMedia)}, Extension: changeExtension{Kind: plat.Image, Label: plat.LabelMedia, Version: d.New},
	}}
}

// filesHTML lists changed images and style sheets.
func filesHTML(b *strings.Builder, all []history.FileInfo) {
	listHTML(b, all, func(f *history.FileInfo) {
		what := "image"
		if f.Style() {
			what = "style sheet"
		}
		fmt.Fprintf(b, "%s %s: <del>%.12s, %d bytes</del> <ins>%.12s, %d bytes</ins>", what, lineHTML(f.URL, 300), f.Old, f.OldBytes, f.New, f.NewBytes)
	})
}

// kindWords begin the title of a change.
var kindWords = map[plat.Kind]string{
	plat.Added: "New", plat.Removed: "Gone", plat.Content: "Changed", plat.Moved: "Moved", plat.Link: "Link changed", plat.Image: "Image changed", plat.Format: "Markup changed",
	plat.Volatile: "Volatile", plat.Advertisement: "Advertisement", plat.Invisible: "Hidden text",
}

func changeTitle(c *history.ChangeInfo, text string) string {
	about := excerpt.Line(plain(c.Topic), 100)
	if about == "" {
		about = excerpt.Line(text, 100)
	}
	if about == "" {
		about = string(c.Label)
	}
	return kindWords[c.Kind] + ": " + about
}

// changeHTML renders a change as HTML, word by word for changed text.
func changeHTML(c *history.ChangeInfo, text string, files []history.FileInfo) string {
	words := history.Excerpt(c.Words)
	if len(words) == 0 {
		words = history.Excerpt([]history.Word{{Op: "equal", Text: text}})
	}
	var b strings.Builder
	b.WriteString("<p>")
	left := maxText
	for _, w := range words {
		text := plain(w.Text)
		if n := utf8.RuneCountInString(text); n > left {
			text = string([]rune(text)[:left]) + "…"
		}
		left -= utf8.RuneCountInString(text)
		text = escapeLines(text)
		switch {
		case w.SelfChange && w.Op == "delete":
			text = "" // a self-change is shown in its current state
		case w.SelfChange:
		case w.Op == "insert":
			text = "<ins>" + text + "</ins>"
		case w.Op == "delete":
			text = "<del>" + text + "</del>"
		}
		b.WriteString(text)
		if left <= 0 {
			break
		}
	}
	b.WriteString("</p>")
	attributesHTML(&b, c.Attributes)
	filesHTML(&b, files)
	return b.String()
}

// mostShown limits the attributes, and also the files, of a change in an entry.
const mostShown = 20

// listHTML writes a list, or nothing if it is empty.
func listHTML[T any](b *strings.Builder, all []T, item func(x *T)) {
	if len(all) == 0 {
		return
	}
	b.WriteString("<ul>")
	for i := range all {
		if i == mostShown {
			fmt.Fprintf(b, "<li>and %d more</li>", len(all)-i)
			break
		}
		b.WriteString("<li>")
		item(&all[i])
		b.WriteString("</li>")
	}
	b.WriteString("</ul>")
}

// lineHTML returns the beginning of a text as one line of HTML.
func lineHTML(text string, most int) string {
	return html.EscapeString(excerpt.Line(plain(text), most))
}

// attributesHTML lists the attributes in which a block differs.
func attributesHTML(b *strings.Builder, all []history.AttributeInfo) {
	listHTML(b, all, func(a *history.AttributeInfo) {
		of := a.Tag + " " + a.Name
		if a.Name == "href" {
			of = "link"
		}
		b.WriteString(html.EscapeString(of))
		if a.Text != "" {
			b.WriteString(" “" + lineHTML(a.Text, 100) + "”")
		}
		b.WriteString(":")
		if a.Old != "" {
			b.WriteString(" <del>" + lineHTML(a.Old, 300) + "</del>")
		}
		if a.New != "" {
			b.WriteString(" <ins>" + lineHTML(a.New, 300) + "</ins>")
		}
	})
}
