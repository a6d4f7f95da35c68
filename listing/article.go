package listing

import (
	"strings"
	"time"

	"plat"
	"plat/article"
	"plat/excerpt"
	"plat/term"
)

// Article prints what a page is about: one that was rendered, or if v is not nil that version.
// again says that another was printed before it.
func Article(s *term.Screen, url, language string, v *plat.Version, found article.Article, again, asJSON bool) {
	if asJSON {
		j := struct {
			URL      string     `json:"url"`
			Version  int        `json:"version,omitempty"`
			Taken    *time.Time `json:"taken,omitempty"`
			Kind     string     `json:"kind"`
			Title    string     `json:"title"`
			Authors  []string   `json:"authors"`
			Date     string     `json:"date"`
			Language string     `json:"language"`
			Text     string     `json:"text"`
		}{URL: url, Kind: string(found.Kind), Title: found.Title, Authors: append([]string{}, found.Authors...), Date: found.Date, Language: language, Text: found.Text}
		if v != nil {
			taken := v.Taken.UTC()
			j.Version, j.Taken = v.N, &taken
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
	s.Print(s.Paint(term.Bold, excerpt.Printable(title)))
	var said []string
	if len(found.Authors) > 0 {
		said = append(said, strings.Join(found.Authors, ", "))
	}
	if found.Date != "" {
		said = append(said, found.Date)
	}
	if len(said) > 0 {
		s.Print(s.Paint(term.Faint, excerpt.Printable(strings.Join(said, ", "))))
	}
	s.Print("")
	text := found.Text
	if first, rest, _ := strings.Cut(text, "\n"); first == found.Title { // of other kinds than articles it begins the text
		text = strings.TrimLeft(rest, "\n")
	}
	if text == "" {
		s.Print(s.Paint(term.Faint, "(no text found)"))
		return
	}
	for _, l := range term.Indent(text, "") {
		s.Print(l)
	}
}
