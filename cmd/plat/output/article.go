package output

import (
	"strings"

	"plat/cmd/plat/terminal"
	"plat/plat"
	"plat/plat/excerpt"
	"plat/segment/article"
	"plat/segment/markdown"
	"plat/storage/history"
)

// Article prints the article of a page: of a rendered page, or if v is not nil of that version.
// set is its text as Markdown, nil to print plain text. again is set after the first article.
func Article(s *terminal.Screen, url, language string, v *plat.Version, found article.Article, set *markdown.Document, again, asJSON bool) {
	if asJSON {
		j := history.TextInfo{URL: url, Kind: string(found.Kind), Title: found.Title, Authors: append([]string{}, found.Authors...), Date: found.Date, Language: language, Text: found.Text, Comments: found.Comments}
		if v != nil {
			taken := v.Taken.UTC()
			j.Version, j.Taken = v.N, &taken
		}
		if set != nil {
			body := set.Body()
			j.Markdown = &body
		}
		s.JSON(j)
		return
	}
	if again {
		s.Print("")
	}
	title := found.Title
	if title == "" {
		title = url
	}
	var said []string
	if len(found.Authors) > 0 {
		said = append(said, strings.Join(found.Authors, ", "))
	}
	if found.Date != "" {
		said = append(said, found.Date)
	}
	if set != nil {
		setArticle(s, set, title, strings.Join(said, ", "))
		return
	}
	s.Print(s.Paint(terminal.Bold, excerpt.Printable(title)))
	if len(said) > 0 {
		s.Print(s.Paint(terminal.Faint, excerpt.Printable(strings.Join(said, ", "))))
	}
	s.Print("")
	text := found.Text
	if first, rest, _ := strings.Cut(text, "\n"); excerpt.Undivided(first) == found.Title { // of other kinds than articles it begins the text
		text = strings.TrimLeft(rest, "\n")
	}
	switch {
	case text != "":
		printLines(s, text)
	case found.Text == "": // else its title is all that it says
		s.Print(s.Paint(terminal.Faint, "(no text found)"))
	}
}

// printLines prints a text with its tabs, which code and tables have.
func printLines(s *terminal.Screen, text string) {
	for line := range strings.SplitSeq(text, "\n") {
		cells := strings.Split(line, "\t")
		for i := range cells {
			cells[i] = excerpt.Printable(cells[i])
		}
		s.Print(strings.Join(cells, "\t"))
	}
}

// setArticle prints a text as Markdown. Nothing of it is painted: a file or a pipe gets the same.
func setArticle(s *terminal.Screen, set *markdown.Document, title, said string) {
	printLines(s, set.Page(title, said))
	if set.Body() == "" {
		s.Print("")
		s.Print("(no text found)")
	}
}
