package sitemap

import (
	"bufio"
	"encoding/xml"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// leads returns the kind of a file by its root element, and the elements that
// lead to one entry, the root first.
func leads(root string) (Kind, []string) {
	switch root {
	case "urlset":
		return URLSet, []string{"urlset", "url"}
	case "sitemapindex":
		return Index, []string{"sitemapindex", "sitemap"}
	case "rss":
		return RSS, []string{"rss", "channel", "item"}
	case "feed":
		return Atom, []string{"feed", "entry"}
	}
	return Unknown, nil
}

// field is the meaning of an element in an entry.
type field int

const (
	loc field = iota
	lastmod
	priority
	changefreq
	guid // of an RSS item, if it is a permanent link
	fields
	none field = -1
)

// walk follows the tags of a file. It compares local names and checks that the
// prefix is the root's, so that <image:loc> is not taken for <loc> and the name
// of the namespace does not matter.
type walk struct {
	*reading
	to     []string    // see leads
	prefix string      // of the root
	open   [4]xml.Name // the outermost open elements; no entry is deeper
	depth  int         // number of open elements
	match  int         // number of these, from the root, that match to
	field  field       // of the open element, or none
	text   []byte      // in that element
	raw    [fields]string
}

func (s *reading) xml(in *bufio.Reader) error {
	m := &meter{r: in, max: s.lim.Token}
	m.token()
	d := xml.NewDecoder(m)
	// Not strict: "&" in a URL, where "&amp;" should be, is the most common
	// mistake of all. The decoder knows no entities but XML's five.
	d.Strict = false
	d.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil } // it is UTF-8 by now
	w := &walk{reading: s, field: none}
	for {
		m.token()
		t, err := d.RawToken()
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return at(d, err)
		}
		switch t := t.(type) {
		case xml.StartElement:
			if err := w.start(t); err != nil {
				return at(d, err)
			}
		case xml.CharData:
			if err := w.chars(t); err != nil {
				return at(d, err)
			}
		case xml.EndElement:
			entry, err := w.end(t)
			if err != nil {
				return at(d, err)
			}
			if entry {
				if err := s.entry(w.entry()); err != nil {
					return err
				}
			}
			if w.depth == 0 {
				return nil // content after the root is ignored
			}
		}
	}
}

// at adds the position to an error.
func at(d *xml.Decoder, err error) error {
	line, column := d.InputPos()
	return fmt.Errorf("sitemap, line %d, column %d: %w", line, column, err)
}

func (w *walk) start(t xml.StartElement) error {
	d := w.depth
	if d == w.lim.Depth {
		return fmt.Errorf("%w: elements nested more than %d deep", ErrTooLarge, d)
	}
	w.depth++
	if d < len(w.open) {
		w.open[d] = t.Name
	}
	if d == 0 {
		if w.Kind, w.to = leads(t.Name.Local); w.Kind == Unknown {
			return fmt.Errorf("%w: the root element is <%.40s>", ErrFormat, t.Name.Local)
		}
		w.prefix, w.match = t.Name.Space, 1
		return nil
	}
	if w.match != d {
		return nil
	}
	switch {
	case d == len(w.to):
		w.field = w.fieldOf(t)
		w.text = w.text[:0]
	case t.Name.Local == w.to[d] && t.Name.Space == w.prefix:
		w.match++
		w.raw = [fields]string{}
	}
	return nil
}

// fieldOf returns the meaning of an element in an entry.
func (w *walk) fieldOf(t xml.StartElement) field {
	if w.Kind == RSS && t.Name.Local == "date" {
		return lastmod // Dublin Core's, under any prefix
	}
	if t.Name.Space != w.prefix {
		return none
	}
	switch w.Kind {
	case RSS:
		switch t.Name.Local {
		case "link":
			return loc
		case "guid":
			if permanent(t.Attr) {
				return guid
			}
		case "pubDate":
			return lastmod
		}
	case Atom:
		switch t.Name.Local {
		case "link":
			w.alternate(t.Attr)
		case "updated", "modified": // RFC 4287 section 4.2.15; Atom 0.3
			return lastmod
		}
	default:
		switch t.Name.Local {
		case "loc":
			return loc
		case "lastmod":
			return lastmod
		case "priority":
			return priority
		case "changefreq":
			return changefreq
		}
	}
	return none
}

// permanent reports whether a guid is a URL, as it is unless it says otherwise (RSS 2.0, <guid>).
func permanent(attrs []xml.Attr) bool {
	for _, a := range attrs {
		if strings.EqualFold(a.Name.Local, "isPermaLink") {
			return !strings.EqualFold(strings.TrimSpace(a.Value), "false")
		}
	}
	return true
}

// alternate takes the URL of an Atom link, if it is that of the page (RFC 4287
// section 4.2.7.2: no relation is "alternate").
func (w *walk) alternate(attrs []xml.Attr) {
	rel, href := "alternate", ""
	for _, a := range attrs {
		switch a.Name {
		case xml.Name{Local: "rel"}:
			rel = a.Value
		case xml.Name{Local: "href"}:
			href = a.Value
		}
	}
	if rel == "alternate" && w.raw[loc] == "" {
		w.raw[loc] = strings.TrimSpace(href)
	}
}

func (w *walk) chars(t xml.CharData) error {
	if w.field == none || w.depth != len(w.to)+1 {
		return nil
	}
	if len(w.text)+len(t) > w.lim.Token {
		return fmt.Errorf("%w: a text of more than %d bytes", ErrTooLarge, w.lim.Token)
	}
	w.text = append(w.text, t...)
	return nil
}

// end reports whether an entry ends.
func (w *walk) end(t xml.EndElement) (entry bool, err error) {
	if w.depth == 0 {
		return false, fmt.Errorf("</%.40s> closes nothing", t.Name.Local)
	}
	w.depth--
	d := w.depth
	if d < len(w.open) && w.open[d] != t.Name {
		return false, fmt.Errorf("</%.40s> closes <%.40s>", t.Name.Local, w.open[d].Local)
	}
	if d == len(w.to) && w.match == d && w.field != none {
		if w.raw[w.field] == "" {
			w.raw[w.field] = strings.TrimSpace(string(w.text))
		}
		w.field = none
	}
	if d < w.match {
		entry = w.match == len(w.to)
		w.match--
	}
	return entry, nil
}

func (w *walk) entry() Entry {
	e := Entry{Loc: w.raw[loc], LastMod: date(w.raw[lastmod]), Priority: NoPriority, ChangeFreq: w.raw[changefreq]}
	if e.Loc == "" && (absolute(w.raw[guid]) || strings.HasPrefix(w.raw[guid], "/")) { // "tag:…" and numbers are no URLs
		e.Loc = w.raw[guid]
	}
	if p, err := strconv.ParseFloat(w.raw[priority], 64); err == nil && 0 <= p && p <= 1 {
		e.Priority = p
	}
	return e
}
