package trapsite

import (
	"fmt"
	"html"
	"math/rand/v2"
	"strings"
)

// writePage writes a real page as it is at one of its addresses.
func (s *Site) writePage(d *document, at place) {
	p := &s.Pages[at.page]
	head := ""
	switch {
	case p.Kind == Misnamed:
		head = canonical(s.sections[p.Section].first)
	case p.Kind == Canonical && (at.which > 0 || p.N%2 == 0): // some name themselves
		head = canonical(p.Addresses[0])
	}
	if p.Kind == Canonical && at.which == 2 {
		d.bare(p.Title, head, s.text(p)+"<p>"+link(p.Addresses[0], "Full view")+"</p>")
		return
	}
	d.begin(p.Title, head)
	d.add("%s", s.text(p))
	if p.Volatile {
		s.volatile(d, p)
	}
	s.around(d, p)
	d.end()
}

func canonical(url string) string {
	return fmt.Sprintf(`<link rel=canonical href="%s">`, html.EscapeString(url))
}

// text returns the page's own content.
func (s *Site) text(p *Page) string {
	var b strings.Builder
	r := s.random(fmt.Sprint("text ", p.N))
	fmt.Fprintf(&b, "<article><h1>%s</h1>", p.Title)
	switch p.Style {
	case Short:
		fmt.Fprintf(&b, "<p>%s</p>", s.sentence(r))
	case Numbers:
		s.sheet(&b, p, r)
	default:
		for i, n := 0, 3+r.IntN(4); i < n; i++ {
			if i == 2 {
				fmt.Fprintf(&b, "<h2>%s</h2>", s.title(r))
			}
			fmt.Fprintf(&b, "<p>%s</p>", s.paragraph(r, 3+r.IntN(4)))
		}
	}
	fmt.Fprintf(&b, "<p>%s%s.</p></article>", s.names.filed, p.Marker)
	return b.String()
}

// sheet writes a table whose words are those of the section's other sheets.
func (s *Site) sheet(b *strings.Builder, p *Page, r *rand.Rand) {
	same := s.random(fmt.Sprint("sheet ", p.Section))
	fmt.Fprintf(b, "<p>%s</p><table>", s.paragraph(same, 3))
	for range 6 {
		fmt.Fprintf(b, "<tr><th>%s</th><td>%d.%d</td></tr>", upper(s.word(same)), r.IntN(900), r.IntN(10))
	}
	b.WriteString("</table>")
}

// volatile writes a block that differs at each request.
func (s *Site) volatile(d *document, p *Page) {
	t := d.tick
	switch p.N / 5 % 3 {
	case 0:
		d.add("<aside><p>It is %02d:%02d:%02d o'clock.</p></aside>", 6+t/3600%18, t/60%60, t%60)
	case 1:
		d.add(`<aside><p>You are visitor %d of this page.</p><form action="/search-%s"><input type=hidden name=token value=%016x><input name=q></form></aside>`, 15_000+7*t, s.words[491], uint64(t)*0x9e3779b97f4a7c15)
	default:
		n := int(t*7919) % s.shallow
		d.add("<aside><h3>Read today</h3><p>%s</p><p>%s</p></aside>", link(s.address(n, 3), s.Pages[n].Title), s.sentence(s.random(fmt.Sprint("teaser ", n))))
	}
}

// around writes links to other pages, to traps and to nothing.
func (s *Site) around(d *document, p *Page) {
	r := s.random(fmt.Sprint("around ", p.N))
	m := &s.names
	d.add("<aside><h3>Related</h3><ul>")
	for i := range 4 {
		n := s.some(r)
		d.add("<li>%s</li>", link(s.address(n, i+4), s.Pages[n].Title))
	}
	d.add("</ul></aside><p>")
	if s.Serial(p.N) {
		s.neighbours(d, p)
	} else {
		last := s.shallow
		d.add("%s %s ", link(s.address((p.N+last-1)%last, 1), "Previous"), link(s.address((p.N+1)%last, 2), "Next"))
	}
	d.add("%s</p>", link(s.sections[p.Section].first, "All of this section"))
	switch {
	case p.N%3 == 0:
		f := m.facets[r.IntN(len(m.facets))]
		d.add("<p>In the shop: %s</p>", link(s.shopURL([]choice{{f, f.values[r.IntN(8)]}}, nil), "like this"))
	case p.N%7 == 1:
		d.add("<p>%s</p>", link(s.calendarURL(2015+r.IntN(16), 1+r.IntN(12), 0), "That month"))
	case p.N%11 == 2:
		d.add("<p>%s</p>", link("/"+m.help+"/"+s.word(r)+"/"+s.word(r), "How this works"))
	}
	if p.N%20 == 3 { // relative, as broken links often are
		d.add("<p>%s</p>", link("old-"+s.word(r)+"/"+s.word(r)+".html", "The earlier text"))
	}
}

// neighbours writes the links of a page of a serial.
func (s *Site) neighbours(d *document, p *Page) {
	k := (p.N - s.shallow) % perSerial
	if k > 0 {
		d.add("%s ", link(s.address(p.N-1, 1), "Previous part"))
	}
	if k < perSerial-1 && p.N+1 < len(s.Pages) {
		d.add("%s ", link(s.address(p.N+1, 2), "Next part"))
	}
	for i := range 3 {
		d.add("%s ", link(s.address(p.N, i), []string{"Link to this part", "Share it", "Other view"}[i]))
	}
}
