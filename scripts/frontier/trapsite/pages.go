package trapsite

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// Kind says how a page's three addresses belong together.
type Kind string

// Kinds of pages.
const (
	Redirects Kind = "redirect"        // the second and third redirect to the first
	Canonical Kind = "canonical"       // the second and third name the first as canonical; one is a print view without the site's menus
	Copies    Kind = "copy"            // equal blocks, and nothing that says so
	Volatile  Kind = "volatile copy"   // equal blocks, except a volatile one
	Permuted  Kind = "permuted query"  // the same parameters in a different order
	Misnamed  Kind = "wrong canonical" // copies; all of them name the section's list as canonical
)

// Kinds lists all kinds, in order of display.
var Kinds = []Kind{Redirects, Canonical, Copies, Volatile, Permuted, Misnamed}

// Style is the kind of a page's text.
type Style string

// Styles of pages.
const (
	Article Style = "article" // several paragraphs
	Short   Style = "short"   // one sentence and the marker
	Numbers Style = "numbers" // a data sheet; pages of a series differ in numbers only
)

// Page is a real page.
type Page struct {
	N         int
	Section   int
	Kind      Kind
	Style     Style
	Volatile  bool      // has a volatile block
	Addresses [3]string // path and query; the first is the page's own
	Marker    string    // text that only this page has
	Title     string
}

// section is a part of the site with lists of its pages.
type section struct {
	name   string
	title  string
	shape  int // of its pages' addresses
	pages  []int
	first  string // address of its first list
	number int
	serial bool // pages are linked from the previous one only, except the first of each serial
}

const (
	perSection = 200
	perList    = 50
	perSerial  = 40 // so deep are links to the last page of a serial
)

// makePages makes all sections and pages.
func (s *Site) makePages(n int) {
	for from := 0; from < n; from += perSection {
		i := len(s.sections)
		r := s.random(fmt.Sprint("section ", i))
		sec := &section{name: fmt.Sprintf("%s%s", s.words[100+i%200], strings.Repeat("x", i/200)), title: s.title(r), shape: (i + int(s.seed)) % shapes, number: i}
		sec.first = "/" + sec.name + "/"
		s.sections = append(s.sections, sec)
		for k := from; k < min(n, from+perSection); k++ {
			sec.pages = append(sec.pages, k)
			s.Pages = append(s.Pages, s.newPage(k, sec))
		}
	}
	s.shallow = n
	if last := s.sections[len(s.sections)-1]; len(s.sections) > 1 {
		last.serial, s.shallow = true, last.pages[0]
	}
	for i := range s.Pages {
		p := &s.Pages[i]
		s.markers[p.Marker] = i
		for k, a := range p.Addresses {
			s.addresses[normal(a)] = place{i, k}
		}
	}
}

// newPage chooses the properties of a page. Kinds alternate, so that each occurs in each
// section.
func (s *Site) newPage(n int, sec *section) Page {
	r := s.random(fmt.Sprint("page ", n))
	p := Page{N: n, Section: sec.number, Kind: Kinds[n%5], Style: Article, Title: s.title(r)}
	if n%33 == 7 {
		p.Kind = Misnamed
	}
	switch x := r.IntN(20); {
	case x < 2:
		p.Style = Short
	case x < 4:
		p.Style = Numbers
	}
	p.Volatile = p.Kind == Volatile || p.Kind != Copies && p.Kind != Misnamed && r.IntN(3) == 0
	// Three words whose numbers are the digits of n: no two pages have the same.
	w := s.words
	p.Marker = fmt.Sprintf("%s %s %s", w[n%400], w[n/400%400], w[n*7%400])
	if p.Style == Numbers {
		// The series is the section's, so that pages differ in numbers only.
		p.Title = "Data sheet of the series " + sec.title
		p.Marker = fmt.Sprint("no. ", 40_000+n*3)
	}
	p.Addresses = s.addressesOf(&p, sec, r)
	return p
}

// shapes is the number of shapes that pages' own addresses have.
const shapes = 8

// own returns a page's first address.
func (s *Site) own(p *Page, sec *section, r *rand.Rand) string {
	slug := strings.Join([]string{s.word(r), s.word(r), fmt.Sprint(p.N)}, "-")
	n := p.N % perSection
	switch {
	case p.Kind == Permuted, sec.shape == 0:
		return fmt.Sprintf("/%s/item?%s=%d&%s=%s", sec.name, s.names.id, p.N, s.names.category, s.word(r))
	}
	switch sec.shape {
	case 1: // dates; month and day are often the same number
		return fmt.Sprintf("/%s/20%02d/%02d/%02d/%s", sec.name, 10+n%15, 1+n%12, 1+n/2%12, slug)
	case 2: // a name twice, as in /project/project/
		w := s.word(r)
		return fmt.Sprintf("/%s/%s/%s/%s.html", sec.name, w, w, slug)
	case 3: // deep
		return fmt.Sprintf("/%s/en/v%d/%s/%s/part%d/%s/", sec.name, n%3, s.words[n%7], s.words[7+n%11], n%9, slug)
	case 4: // a pair of names twice, as in /java/util/doc-files/java/util/
		a, b := s.words[n%20], s.words[20+n%20]
		return fmt.Sprintf("/%s/%s/%s/files/%s/%s/%s.html", sec.name, a, b, a, b, slug)
	case 5: // long
		return fmt.Sprintf("/%s/%s-%s-%s-%s-%s-%s", sec.name, slug, s.word(r), s.word(r), s.word(r), s.word(r), s.word(r))
	case 6: // numbers
		return fmt.Sprintf("/%s/%d/", sec.name, 10_000+p.N)
	}
	return fmt.Sprintf("/%s/%s", sec.name, slug)
}

// addressesOf returns the addresses of a page.
func (s *Site) addressesOf(p *Page, sec *section, r *rand.Rand) (all [3]string) {
	all[0] = s.own(p, sec, r)
	with := func(param, value string) string {
		if strings.Contains(all[0], "?") {
			return all[0] + "&" + param + "=" + value
		}
		return all[0] + "?" + param + "=" + value
	}
	m := &s.names
	switch p.Kind {
	case Redirects:
		all[1] = fmt.Sprintf("/%s/%d", m.redirect, p.N)
		all[2] = strings.TrimSuffix(strings.Replace(all[0], "/"+sec.name+"/", "/"+sec.name+"-old/", 1), "/") + ""
	case Canonical:
		all[1] = with(m.track, s.words[30+p.N%12])
		all[2] = "/" + m.print + all[0]
	case Permuted:
		path, query, _ := strings.Cut(all[0], "?")
		params := strings.Split(query, "&")
		slices.Reverse(params)
		all[1] = path + "?" + strings.Join(params, "&")
		all[2] = path + "?" + params[0] + "&" + m.language + "=&" + params[1]
	default:
		all[1] = "/" + m.mirror + all[0]
		all[2] = with(m.language, "en")
	}
	return all
}

// Serial reports whether page n is part of a serial, deep below the lists.
func (s *Site) Serial(n int) bool { return n >= s.shallow }

// some returns a page that many things may link to.
func (s *Site) some(r *rand.Rand) int { return r.IntN(s.shallow) }

// address returns the URL of page n in a link. It depends on from, the source of the link, so
// that all three URLs are in use.
func (s *Site) address(n, from int) string { return s.Pages[n].Addresses[(n+from)%3] }
