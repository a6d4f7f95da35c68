package trapsite

import (
	"fmt"
	"net/url"
	"strconv"
)

// list is a list of a section's pages, or the start page.
type list struct {
	section *section // nil: the start page
	part    int      // from 0
}

func (s *Site) makeLists() {
	s.lists["/"] = list{}
	for _, sec := range s.sections {
		for part := 0; part < sec.lists(); part++ {
			s.lists[s.listAddress(sec, part)] = list{sec, part}
		}
	}
}

func (s *Site) listAddress(sec *section, part int) string {
	if part == 0 {
		return sec.first
	}
	return fmt.Sprintf("%s?%s=%d", sec.first, s.names.page, part+1)
}

// query is the part of a query that tells lists apart.
func (l list) query(s *Site, q url.Values) string {
	if n, err := strconv.Atoi(q.Get(s.names.page)); err == nil && n > 1 && l.section != nil {
		return fmt.Sprintf("?%s=%d", s.names.page, n)
	}
	return ""
}

func (s *Site) writeList(d *document, l list) {
	if l.section == nil {
		d.begin("Welcome", "")
		d.add("<h1>Welcome</h1><p>%s</p><ul>", s.paragraph(s.random("start"), 3))
		for _, sec := range s.sections {
			d.add("<li>%s %s</li>", link(sec.first, sec.title), s.sentence(s.random("about "+sec.name)))
		}
		d.add("</ul>")
		d.end()
		return
	}
	sec := l.section
	d.begin(sec.title, "")
	d.add("<h1>%s</h1>", sec.title)
	if l.part == 0 {
		d.add("<p>%s</p>", s.paragraph(s.random("intro "+sec.name), 3))
	}
	d.add("<ul class=list>")
	for _, n := range sec.listed(l.part) {
		p := &s.Pages[n]
		d.add("<li>%s", link(s.address(n, 0), p.Title))
		if p.Style != Numbers {
			d.add("<p>%s</p>", s.sentence(s.random(fmt.Sprint("teaser ", n))))
		}
		d.add("</li>")
	}
	d.add("</ul><p>")
	for part := 0; part < sec.lists(); part++ {
		if part == l.part {
			d.add("%d ", part+1)
		} else {
			d.add("%s ", link(s.listAddress(sec, part), fmt.Sprint(part+1)))
		}
	}
	d.add("</p>")
	d.end()
}

// lists is the number of lists of a section.
func (sec *section) lists() int {
	if sec.serial {
		return 1
	}
	return (len(sec.pages) + perList - 1) / perList
}

// listed are the pages on a list: of serials the first ones only.
func (sec *section) listed(part int) (all []int) {
	if !sec.serial {
		return sec.pages[part*perList : min(len(sec.pages), (part+1)*perList)]
	}
	for k := 0; k < len(sec.pages); k += perSerial {
		all = append(all, sec.pages[k])
	}
	return all
}
