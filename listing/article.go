package listing

import (
	"strings"

	"plat"
	"plat/article"
	"plat/excerpt"
	"plat/term"
)

// Article prints what a page is about; again says that another was printed before it.
func Article(s *term.Screen, snap *plat.Snapshot, found article.Article, again, asJSON bool) {
	if asJSON {
		s.JSON(struct {
			URL      string   `json:"url"`
			Title    string   `json:"title"`
			Authors  []string `json:"authors"`
			Date     string   `json:"date"`
			Language string   `json:"language"`
			Text     string   `json:"text"`
		}{snap.URL, found.Title, append([]string{}, found.Authors...), found.Date, snap.Language, found.Text})
		return
	}
	if again {
		s.Print("")
	}
	title := found.Title
	if title == "" {
		title = snap.URL
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
	if found.Text == "" {
		s.Print(s.Paint(term.Faint, "(no text found)"))
		return
	}
	for _, l := range term.Indent(found.Text, "") {
		s.Print(l)
	}
}
