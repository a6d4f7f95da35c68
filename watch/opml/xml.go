package opml

import (
	"bufio"
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/mail"
	"strings"
	"time"

	"golang.org/x/net/html/charset"
	"golang.org/x/text/runes"
	"golang.org/x/text/transform"

	"plat/plat/excerpt"
	"plat/plat/metered"
)

// ErrOPML is returned for input that is not OPML, or beyond a limit.
var ErrOPML = errors.New("no readable OPML")

// Read reads a list, in any encoding that its XML declaration or a byte order mark names, as a
// stream. Common mistakes, such as "&" in URLs, are accepted. The error wraps [ErrOPML], and
// that of r if reading failed.
func Read(r io.Reader) (*Document, error) {
	text, err := utf8From(r)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrOPML, err)
	}
	left := int64(MaxBytes)
	in := &metered.Reader{In: text, Left: &left, Record: maxElement}
	d := xml.NewDecoder(in)
	d.Strict = false // "&" in a URL, where "&amp;" should be, is the most common mistake
	d.CharsetReader = func(label string, r io.Reader) (io.Reader, error) {
		if strings.HasPrefix(strings.ToLower(label), "utf-16") {
			return r, nil // it is already UTF-8
		}
		return charset.NewReaderLabel(label, r)
	}
	w := &walk{doc: &Document{}}
	for {
		in.Next(d.InputOffset())
		t, err := d.Token()
		switch {
		case errors.Is(err, io.EOF) && w.found:
			return w.doc, nil
		case errors.Is(err, io.EOF):
			return nil, fmt.Errorf("%w: it has no element opml", ErrOPML)
		case left <= 0 && errors.Is(err, metered.ErrLong):
			return nil, fmt.Errorf("%w: it is longer than %d MB; divide it", ErrOPML, MaxBytes>>20)
		case errors.Is(err, metered.ErrRecord):
			line, _ := d.InputPos()
			return nil, fmt.Errorf("%w: an element or text, up to line %d, is longer than %d kB; leave it out, or shorten it", ErrOPML, line, maxElement>>10)
		case err != nil:
			return nil, fmt.Errorf("%w: %w", ErrOPML, err)
		}
		switch t := t.(type) {
		case xml.StartElement:
			if err := w.start(t); err != nil {
				line, _ := d.InputPos()
				return nil, fmt.Errorf("%w: line %d: %w", ErrOPML, line, err)
			}
		case xml.CharData:
			w.chars(t)
		case xml.EndElement:
			w.end()
		}
	}
}

// utf8From decodes UTF-16, which an XML declaration cannot name, because it is itself encoded
// in it. In a list without a declared encoding, bytes that are not UTF-8 become U+FFFD. Control
// characters that are illegal in XML are removed.
func utf8From(in io.Reader) (io.Reader, error) {
	b := bufio.NewReader(in)
	raw, err := b.Peek(2)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	label := ""
	switch string(raw) {
	case "\xfe\xff", "\x00<":
		label = "utf-16be"
	case "\xff\xfe", "<\x00":
		label = "utf-16le"
	}
	if label != "" {
		r, err := charset.NewReaderLabel(label, b)
		if err != nil {
			return nil, err
		}
		b = bufio.NewReader(r)
	}
	mark, err := b.Peek(3)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if string(mark) == "\ufeff" {
		b.Discard(3) // it is in the buffer
	}
	head, err := b.Peek(200)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	head, _, declared := bytes.Cut(head, []byte("?>"))
	if named := declared && bytes.Contains(head, []byte("encoding")); named && !bytes.Contains(bytes.ToLower(head), []byte("utf-")) {
		return b, nil // a different encoding, for which the decoder calls CharsetReader
	}
	illegal := runes.Predicate(func(r rune) bool { return excerpt.XML(string(r)) == "" })
	return transform.NewReader(b, transform.Chain(runes.ReplaceIllFormed(), runes.Remove(illegal))), nil
}

// walk is the position of a reader in a list.
type walk struct {
	doc      *Document
	found    bool       // the element opml was found
	open     []string   // names of the enclosing elements
	parents  []*Outline // enclosing outlines
	outlines int
}

func (w *walk) start(t xml.StartElement) error {
	name := strings.ToLower(t.Name.Local)
	if len(w.open) == 0 {
		if name != "opml" {
			return fmt.Errorf("it begins with <%s>, not with <opml>", clean(name, 40))
		}
		w.found = true
	}
	if w.open = append(w.open, name); len(w.open) > MaxDepth+2 {
		return fmt.Errorf("elements are nested more than %d deep", MaxDepth+2)
	}
	if name != "outline" {
		return nil
	}
	if w.outlines++; w.outlines > MaxOutlines {
		return fmt.Errorf("it has more than %d outlines; divide it", MaxOutlines)
	}
	into := &w.doc.Outlines
	if n := len(w.parents); n > 0 {
		into = &w.parents[n-1].Outlines
	}
	*into = append(*into, outlineOf(t.Attr))
	w.parents = append(w.parents, &(*into)[len(*into)-1])
	return nil
}

func outlineOf(attrs []xml.Attr) (o Outline) {
	text := ""
	for _, a := range attrs {
		value := strings.TrimSpace(a.Value)
		switch strings.ToLower(a.Name.Local) {
		case "title":
			o.Title = clean(value, maxText)
		case "text":
			text = clean(value, maxText)
		case "htmlurl":
			o.Page = value
		case "xmlurl":
			o.Feed = value
		case "url":
			o.Link = value
		case "category":
			o.Tags = sortedTags(strings.SplitN(value, ",", maxSplit+1))
		}
	}
	if o.Title == "" {
		o.Title = text
	}
	return o
}

// chars stores the title and the date in the head.
func (w *walk) chars(t xml.CharData) {
	if len(w.open) != 3 || w.open[1] != "head" {
		return
	}
	text := strings.TrimSpace(string(t))
	switch w.open[2] {
	case "title":
		w.doc.Title = clean(w.doc.Title+text, maxText)
	case "datecreated":
		if at, err := mail.ParseDate(text); err == nil {
			w.doc.Made = at
		}
	}
}

func (w *walk) end() {
	n := len(w.open) - 1
	if w.open[n] == "outline" {
		w.parents = w.parents[:len(w.parents)-1]
	}
	w.open = w.open[:n]
}

type xmlOPML struct {
	XMLName xml.Name `xml:"opml"`
	Version string   `xml:"version,attr"`
	Head    xmlHead  `xml:"head"`
	Body    xmlBody  `xml:"body"`
}

type xmlHead struct {
	Title string `xml:"title"`
	Made  string `xml:"dateCreated,omitempty"`
	Docs  string `xml:"docs"`
}

type xmlBody struct {
	Outlines []xmlOutline `xml:"outline"`
}

type xmlOutline struct {
	Text     string       `xml:"text,attr"`
	Title    string       `xml:"title,attr,omitempty"`
	Type     string       `xml:"type,attr,omitempty"`
	Feed     string       `xml:"xmlUrl,attr,omitempty"`
	Page     string       `xml:"htmlUrl,attr,omitempty"`
	Link     string       `xml:"url,attr,omitempty"`
	Category string       `xml:"category,attr,omitempty"`
	Outlines []xmlOutline `xml:"outline"`
}

// Marshal writes a list as OPML 2.0. Outlines with a feed are of type rss, outlines with only a
// page of type link. Dates have the format of RFC 822. Control characters and the like are
// removed from texts, and percent-encoded in URLs.
func (d *Document) Marshal() ([]byte, error) {
	x := xmlOPML{Version: "2.0", Head: xmlHead{Title: excerpt.XML(d.Title), Docs: "http://opml.org/spec2.opml"}, Body: xmlBody{written(d.Outlines)}}
	if !d.Made.IsZero() {
		x.Head.Made = d.Made.Format(time.RFC1123Z)
	}
	b, err := xml.MarshalIndent(x, "", "  ")
	return excerpt.Shown(append([]byte(xml.Header), append(b, '\n')...)), err
}

func written(outlines []Outline) (all []xmlOutline) {
	for _, o := range outlines {
		x := xmlOutline{Text: excerpt.XML(o.Title), Feed: excerpt.URL(o.Feed), Page: excerpt.URL(o.Page), Link: excerpt.URL(o.Link),
			Category: excerpt.XML(strings.Join(o.Tags, ",")), Outlines: written(o.Outlines)}
		switch {
		case o.Feed != "":
			x.Type, x.Title = "rss", x.Text // readers show title, or else text
		case o.Link != "":
			x.Type = "link"
		case o.Page != "":
			x.Type, x.Link = "link", x.Page
		}
		all = append(all, x)
	}
	return all
}
