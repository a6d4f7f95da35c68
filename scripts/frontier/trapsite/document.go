package trapsite

import (
	"fmt"
	"html"
	"strings"
)

// document is a page being written.
type document struct {
	strings.Builder
	site *Site
	tick int64                   // of this request
	sign func(url string) string // changes the links of menus; nil: leaves them
}

func (d *document) add(format string, args ...any) { fmt.Fprintf(d, format, args...) }

// link is an anchor. Text is escaped.
func link(url, text string) string {
	return fmt.Sprintf(`<a href="%s">%s</a>`, html.EscapeString(url), html.EscapeString(text))
}

// menu is a link within the site's menus.
func (d *document) menu(url, text string) string {
	if d.sign != nil {
		url = d.sign(url)
	}
	return link(url, text)
}

// begin writes the common beginning of all documents. Head is HTML.
func (d *document) begin(title, head string) {
	s, m := d.site, &d.site.names
	d.add(`<!doctype html><html lang=en><head><meta charset=utf-8><title>%s – %s</title><link rel=icon href=data:,>`, html.EscapeString(title), upper(s.words[490]))
	d.add(`<style>body{font-family:sans-serif;margin:0 auto;max-width:1000px}header,footer,.head,.foot{background:#e8eef4;padding:12px}nav a{margin-right:12px}aside{border-left:2px solid #ccc;padding-left:12px;margin:16px 0}p{margin:8px 0}</style>%s</head><body>`, head)
	d.add(`<header><b>%s</b><nav>`, upper(s.words[490]))
	d.add("%s ", d.menu("/", "Start"))
	for i, sec := range s.sections {
		if i < 12 {
			d.add("%s ", d.menu(sec.first, sec.title))
		}
	}
	entry := "/" + m.calendar + "/"
	for _, e := range [][2]string{{entry, "What is on"}, {"/" + m.forum + "/", "Talk"}, {"/" + m.shop + "/", "Shop"}, {"/" + m.wiki + "/", "Notes"}, {"/" + m.help + "/", "Help"}} {
		d.add("%s ", d.menu(e[0], e[1]))
	}
	d.add("</nav></header><main>")
}

// end writes the common end of all documents.
func (d *document) end() {
	s := d.site
	r := s.random("footer")
	d.add("</main><footer><p>%s</p><p>%s · %s</p></footer></body></html>", s.sentence(r), upper(s.words[490]), d.menu("/", "Start"))
}

// bare writes a whole document without menus: a print view.
func (d *document) bare(title, head, body string) {
	d.add(`<!doctype html><html lang=en><head><meta charset=utf-8><title>%s</title><link rel=icon href=data:,>%s</head><body>%s</body></html>`, html.EscapeString(title), head, body)
}
