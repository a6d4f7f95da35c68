package trapsite

import (
	"fmt"
	"net/http"
	"strings"
)

// repeat answers the notes: six pages, found by the last segment of a path. Their
// links are relative where they should not be, so that paths repeat.
func (s *Site) repeat(d *document, r *http.Request, rest string) {
	parts := strings.Split(strings.Trim(rest, "/"), "/")
	last := parts[len(parts)-1]
	k := 0
	for i := range 6 {
		if last == s.words[200+i] {
			k = i
		}
	}
	about := s.random(fmt.Sprint("notes ", k))
	title := s.title(about)
	d.begin(title, "")
	d.add("<h1>%s</h1><p>%s</p><ul>", title, s.paragraph(about, 4))
	pair := s.words[200] + "/" + s.words[201] + "/"
	other := s.words[200+(k+2)%6] + "/" + s.words[200+(k+5)%6] + "/"
	d.add("<li>%s</li><li>%s</li>", link(pair, upper(s.words[200])), link(other, "See also"))
	d.add("<li>%s</li></ul>", link(s.words[200+(k+1)%6]+"/", "Next"))
	d.end()
}

// loop answers the help: twelve texts, one of which is found by any path of any depth.
// Relative links have words that depend on the whole path.
func (s *Site) loop(d *document, r *http.Request, rest string) {
	path := strings.Trim(rest, "/")
	here := s.random("path " + path)
	about := s.random(fmt.Sprint("help ", here.IntN(12)))
	title := s.title(about)
	d.begin(title, "")
	d.add("<h1>%s</h1>", title)
	if s.seed%2 == 0 { // where one is, as many sites show it
		d.add("<p>%s</p>", strings.ReplaceAll(path, "/", " › "))
	}
	d.add("<p>%s</p><p>%s</p><ul>", s.paragraph(about, 4), s.paragraph(about, 3))
	for _, text := range []string{"Overview", "More on this", ""} {
		to := s.word(here) + "/" + s.word(here)
		if text == "" {
			text = upper(strings.ReplaceAll(to, "/", " "))
		}
		d.add("<li>%s</li>", link(to, text))
	}
	d.add("</ul>")
	d.end()
}

// notFound answers unknown paths with status 200, names the path, and links on from it.
func (s *Site) notFound(d *document, r *http.Request, rest string) {
	here := s.random("unknown " + rest)
	name := strings.NewReplacer("<", "", ">", "", "&", "", "%", "").Replace(rest)
	d.begin("Not found", "")
	d.add("<h1>This page was not found</h1><p>There is nothing at <b>/%s</b>. It may have moved, or never have been here.</p><ul>", name)
	last := strings.TrimSuffix(name[strings.LastIndexByte("/"+name, '/'):], ".html")
	d.add("<li>%s</li>", link(s.word(here)+"/sitemap.html", "Map of the site"))
	d.add("<li>%s</li>", link("contact/"+s.word(here)+".html", "Contact"))
	d.add("<li>%s</li></ul>", link(last+"/"+s.words[210+here.IntN(20)]+".html", "Did you mean this?"))
	d.end()
}
