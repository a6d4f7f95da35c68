package trapsite

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// choice is a value of a facet.
type choice struct {
	facet facet
	value string
}

// param is a parameter of the query, in the order in which it was chosen.
type param struct{ name, value string }

// items is the number of items of the shop; each is a real page.
const items = 60

// item returns the page of item i.
func (s *Site) item(i int) *Page { return &s.Pages[i*7%s.shallow] }

// has reports whether an item has a value; each has two of each facet.
func (s *Site) has(i int, c choice) bool {
	r := s.random(fmt.Sprint("item ", i, c.facet.name))
	one, other := c.facet.values[r.IntN(8)], c.facet.values[r.IntN(8)]
	return c.value == one || c.value == other
}

// shopURL is that of a list of items: choices in their order, then parameters in
// theirs.
func (s *Site) shopURL(choices []choice, params []param) string {
	var b strings.Builder
	b.WriteString("/" + s.names.shop + "/")
	var query []string
	for _, c := range choices {
		if c.facet.query {
			query = append(query, c.facet.name+"="+c.value)
		} else {
			b.WriteString(c.facet.name + s.names.facetSeparator + c.value + "/")
		}
	}
	for _, p := range params {
		query = append(query, p.name+"="+p.value)
	}
	if len(query) > 0 {
		b.WriteString("?" + strings.Join(query, "&"))
	}
	return b.String()
}

// chosen parses the result of shopURL.
func (s *Site) chosen(rest, query string) (choices []choice, params []param) {
	m := &s.names
	if m.facetSeparator == "/" { // name/value/name/value/
		parts := strings.Split(rest, "/")
		rest = ""
		for i := 0; i+1 < len(parts); i += 2 {
			rest += parts[i] + "\x00" + parts[i+1] + "/"
		}
	} else {
		rest = strings.ReplaceAll(rest, m.facetSeparator, "\x00")
	}
	text := strings.Split(rest, "/")
	for part := range strings.SplitSeq(query, "&") {
		part, _ = url.QueryUnescape(part)
		text = append(text, strings.Replace(part, "=", "\x00", 1))
	}
	for _, part := range text {
		name, value, _ := strings.Cut(part, "\x00")
		i := slices.IndexFunc(m.facets, func(f facet) bool { return f.name == name })
		switch {
		case i >= 0 && slices.Contains(m.facets[i].values, value):
			choices = append(choices, choice{m.facets[i], value})
		case name == m.sort || name == m.view || name == m.size || name == m.page:
			params = append(params, param{name, value})
		}
	}
	return choices, params
}

// shop lists the items that have all that was chosen.
func (s *Site) shop(d *document, r *http.Request, rest string) {
	choices, params := s.chosen(rest, r.URL.RawQuery)
	var found []int
	for i := range items {
		if !slices.ContainsFunc(choices, func(c choice) bool { return !s.has(i, c) }) {
			found = append(found, i)
		}
	}
	total := len(found)
	found = s.arrange(found, params)
	title := "Shop"
	for _, c := range choices {
		title += ", " + c.value
	}
	d.begin(title, "")
	d.add("<h1>%s</h1><p>%d items</p><ul>", title, total)
	for _, i := range found {
		p := s.item(i)
		d.add("<li>%s <i>%d.50</i></li>", link(s.address(p.N, i), p.Title), 3+i*37%90)
	}
	d.add("</ul>")
	s.refine(d, choices, params)
	d.end()
}

// arrange sorts items and cuts out a part of the list.
func (s *Site) arrange(found []int, params []param) []int {
	size, page := 12, 1
	for _, p := range params {
		n, _ := strconv.Atoi(p.value)
		switch {
		case p.name == s.names.sort:
			rand.New(rand.NewPCG(s.seed, uint64(len(p.value)))).Shuffle(len(found), func(i, k int) { found[i], found[k] = found[k], found[i] })
		case p.name == s.names.size && n > 0:
			size = min(n, items)
		case p.name == s.names.page && n > 0:
			page = n
		}
	}
	from := min(len(found), (page-1)*size)
	return found[from:min(len(found), from+size)]
}

// refine writes links that add or take away a choice, and those of order, view and
// size.
func (s *Site) refine(d *document, choices []choice, params []param) {
	m := &s.names
	d.add("<aside>")
	for _, f := range m.facets {
		d.add("<h3>%s</h3><ul>", upper(f.name))
		for _, v := range f.values {
			now := slices.Clone(choices)
			if i := slices.IndexFunc(now, func(c choice) bool { return c.facet.name == f.name && c.value == v }); i >= 0 {
				now = slices.Delete(now, i, i+1)
			} else {
				now = append(now, choice{f, v})
			}
			d.add("<li>%s</li>", link(s.shopURL(now, params), v))
		}
		d.add("</ul>")
	}
	d.add("<p>")
	for _, p := range []param{{m.sort, "price"}, {m.sort, "name"}, {m.sort, "newest"}, {m.view, "grid"}, {m.view, "list"}, {m.size, "24"}, {m.size, "48"}, {m.page, "2"}, {m.page, "3"}} {
		now := slices.DeleteFunc(slices.Clone(params), func(x param) bool { return x.name == p.name })
		d.add("%s ", link(s.shopURL(choices, append(now, p)), p.name+" "+p.value))
	}
	d.add("</p></aside>")
}
