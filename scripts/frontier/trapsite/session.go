package trapsite

import (
	"fmt"
	"hash/fnv"
	"net/http"
	"strings"
)

// session answers the forum. Its menus lead to the same places as everywhere, with a
// session id; so do its links to real pages.
func (s *Site) session(d *document, r *http.Request, rest string) {
	rest, _, _ = strings.Cut(rest, ";")
	d.sign = s.signer(r.URL.String())
	m := &s.names
	board, thread := 0, 0
	if n, _ := fmt.Sscanf(rest, "board%d/thread%d", &board, &thread); n == 0 {
		s.boards(d)
		return
	}
	board, thread = board%8, thread%6
	about := s.random(fmt.Sprint("board ", board, thread))
	title := s.title(about)
	d.begin(title, "")
	d.add("<h1>%s</h1>", title)
	for i := range 1 + thread {
		d.add("<div class=post><b>%s</b><p>%s</p></div>", upper(s.word(about)), s.paragraph(about, 2+i%2))
	}
	d.add("<ul>")
	for t := 1; t < 6 && thread == 0; t++ {
		d.add("<li>%s</li>", link(d.sign(fmt.Sprintf("/%s/board%d/thread%d", m.forum, board, t)), s.title(s.random(fmt.Sprint("board ", board, t)))))
	}
	n := s.some(about)
	d.add("</ul><p>%s %s</p>", link(d.sign(s.Pages[n].Addresses[0]), s.Pages[n].Title), link(d.sign("/"+m.forum+"/"), "All boards"))
	d.end()
}

func (s *Site) boards(d *document) {
	d.begin("Talk", "")
	d.add("<h1>Talk</h1><ul>")
	for b := range 8 {
		d.add("<li>%s</li>", link(d.sign(fmt.Sprintf("/%s/board%d", s.names.forum, b)), s.title(s.random(fmt.Sprint("board ", b, 0)))))
	}
	d.add("</ul>")
	d.end()
}

// signer returns a function that adds a session id to links, which differs for every requested
// URL.
func (s *Site) signer(asked string) func(string) string {
	h := fnv.New128a()
	fmt.Fprintln(h, s.seed, asked)
	id := fmt.Sprintf("%X", h.Sum(nil))
	return func(url string) string {
		path, query, has := strings.Cut(url, "?")
		switch {
		case s.names.sessionInPath && has:
			return path + ";" + s.names.session + "=" + id + "?" + query
		case s.names.sessionInPath:
			return path + ";" + s.names.session + "=" + id
		case has:
			return url + "&" + s.names.session + "=" + id
		}
		return url + "?" + s.names.session + "=" + id
	}
}
