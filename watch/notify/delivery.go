package notify

import (
	"fmt"
	"html/template"
	"net/url"
	"strings"
	"unicode/utf8"

	"plat/plat"
	"plat/plat/excerpt"
)

// Delivery is a message with its items and subscriptions.
type Delivery struct {
	Message plat.Message

	// Subscriptions of the items: one, or several for a digest. Items of a subscription that is
	// missing here appear under the host of their page.
	Subscriptions []plat.Subscription

	Items []plat.Item // the message's items that are still stored, in order
}

// Limits of messages for users. Untrusted pages may produce items of any size and number.
const (
	maxTitle    = 200 // characters
	maxExcerpt  = 500 // characters
	maxLink     = 2048
	maxShown    = 50 // items
	maxChat     = 20 // items
	lineScanned = 4  // bytes examined for each character
)

// Subject returns the message in one line: the title of its only item, or the number of items.
func (d *Delivery) Subject() string {
	switch n := len(d.Items); {
	case n == 1:
		if title := itemTitle(&d.Items[0]); title != "" {
			return title
		}
		return line(fmt.Sprintf("1 %s on %s", kindWord(d.Items), d.source()), maxTitle)
	default:
		return line(fmt.Sprintf("%d %s on %s", n, kindWord(d.Items), d.source()), maxTitle)
	}
}

// source returns the title of the subscription, or the number of subscriptions.
func (d *Delivery) source() string {
	names := map[string]bool{}
	last := "plat"
	for i := range d.Items {
		last = d.titleOf(&d.Items[i])
		names[last] = true
	}
	switch {
	case len(names) > 1:
		return fmt.Sprintf("%d sites", len(names))
	case len(names) == 0 && len(d.Subscriptions) > 0:
		return subscriptionTitle(&d.Subscriptions[0])
	}
	return last
}

// titleOf returns the heading under which an item appears.
func (d *Delivery) titleOf(item *plat.Item) string {
	for i := range d.Subscriptions {
		if s := &d.Subscriptions[i]; s.ID == item.Subscription {
			return subscriptionTitle(s)
		}
	}
	return hostOf(item.Page)
}

func subscriptionTitle(s *plat.Subscription) string {
	if title := line(s.Title, maxTitle); title != "" {
		return title
	}
	return hostOf(s.URL)
}

func hostOf(raw string) string {
	if u, err := url.Parse(raw); err == nil && u.Host != "" {
		return line(u.Hostname(), maxTitle)
	}
	return "plat/plat"
}

// kindWord returns the word for items of one kind, or of several.
func kindWord(items []plat.Item) string {
	kind := kindOf(items)
	switch kind {
	case string(plat.ItemNew), string(plat.ItemChanged), string(plat.ItemRemoved):
		return kind
	}
	return "news"
}

// kindOf returns the kind of all items, or "mixed" if they differ.
func kindOf(items []plat.Item) string {
	kind := string(plat.ItemNew)
	for i := range items {
		switch k := string(items[i].Kind); {
		case i == 0:
			kind = k
		case k != kind:
			return "mixed"
		}
	}
	return kind
}

// itemTitle returns the title of an item, or a substitute if it has no title.
func itemTitle(item *plat.Item) string {
	for _, s := range []string{item.Title, item.Excerpt, plat.WithoutUser(item.URL)} {
		if s = line(s, maxTitle); s != "" {
			return s
		}
	}
	return ""
}

// line returns a text as one line of at most most characters, with single blanks, without
// control characters and bidirectional overrides.
func line(s string, most int) string {
	// Enough for most characters, so that a text of many megabytes is not processed.
	cut := false
	if limit := most*lineScanned + 1024; len(s) > limit {
		s, cut = s[:limit], true
	}
	s = strings.Join(strings.Fields(excerpt.Printable(strings.ToValidUTF8(s, "\uFFFD"))), " ")
	if utf8.RuneCountInString(s) > most {
		return excerpt.Line(s, most)
	}
	if cut {
		return s + "…"
	}
	return s
}

// link returns an item's URL without user and password, or the empty string if it is not a web
// address that can be shown.
func link(raw string) string {
	if len(raw) > maxLink || strings.ContainsAny(raw, " \t\r\n<>\"") || excerpt.Printable(raw) != raw {
		return ""
	}
	u, err := url.Parse(raw)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return ""
	}
	return plat.WithoutUser(raw)
}

// shownItem is an item in a message for users.
type shownItem struct {
	Heading string // name of the site, set on its first item
	Kind    string // empty for new items
	Title   string
	Link    string
	Excerpt string
	Date    string
}

// shownMessage is a message for users.
type shownMessage struct {
	Subject string
	Items   []shownItem
	More    int
	About   string // URL of the page
}

func (d *Delivery) shown(most int) shownMessage {
	m := shownMessage{Subject: d.Subject()}
	heading := ""
	for i := range d.Items {
		item := &d.Items[i]
		if i == most {
			m.More = len(d.Items) - most
			break
		}
		s := shownItem{Title: itemTitle(item), Link: link(item.URL), Excerpt: line(item.Excerpt, maxExcerpt)}
		if s.Excerpt == s.Title {
			s.Excerpt = ""
		}
		if item.Kind == plat.ItemChanged || item.Kind == plat.ItemRemoved {
			s.Kind = string(item.Kind)
		}
		if !item.Dated.IsZero() {
			s.Date = item.Dated.UTC().Format("2006-01-02")
		}
		if t := d.titleOf(item); len(d.Subscriptions) != 1 && t != heading {
			heading, s.Heading = t, t
		}
		m.Items = append(m.Items, s)
	}
	if len(d.Subscriptions) == 1 {
		m.About = link(d.Subscriptions[0].URL)
	}
	return m
}

// Text returns the message as plain text, for mail.
func (d *Delivery) Text() string { return d.shown(maxShown).text() }

func (m shownMessage) text() string {
	var b strings.Builder
	for i, item := range m.Items {
		if i > 0 {
			b.WriteString("\n")
		}
		if item.Heading != "" {
			b.WriteString("== " + item.Heading + " ==\n\n")
		}
		b.WriteString(strings.TrimPrefix(item.Kind+": ", ": ") + item.Title)
		if item.Date != "" {
			b.WriteString(" (" + item.Date + ")")
		}
		b.WriteString("\n")
		if item.Link != "" {
			b.WriteString(item.Link + "\n")
		}
		if item.Excerpt != "" {
			b.WriteString(item.Excerpt + "\n")
		}
	}
	if m.More > 0 {
		fmt.Fprintf(&b, "\nand %d more\n", m.More)
	}
	if m.About != "" {
		b.WriteString("\n-- \n" + m.About + "\n")
	}
	return b.String()
}

var page = template.Must(template.New("mail").Parse(`<!DOCTYPE html>
<html><head><meta charset="utf-8"><title>{{.Subject}}</title></head>
<body style="font-family:sans-serif;max-width:40em">
{{range .Items}}{{with .Heading}}<h2 style="font-size:1.1em">{{.}}</h2>
{{end}}<p>{{with .Kind}}{{.}}: {{end}}{{if .Link}}<a href="{{.Link}}"><bdi>{{.Title}}</bdi></a>{{else}}<b><bdi>{{.Title}}</bdi></b>{{end}}{{with .Date}} <span style="color:#666">{{.}}</span>{{end}}{{with .Excerpt}}<br>
<bdi>{{.}}</bdi>{{end}}</p>
{{end}}{{if .More}}<p>and {{.More}} more</p>
{{end}}{{with .About}}<p style="color:#666;font-size:.9em"><a href="{{.}}">{{.}}</a></p>
{{end}}</body></html>
`))

// HTML returns the message as an HTML document, for mail.
func (d *Delivery) HTML() string {
	var b strings.Builder
	if err := page.Execute(&b, d.shown(maxShown)); err != nil {
		panic(err) // the template and its data are our own, and a Builder accepts everything
	}
	return b.String()
}

// chat returns the message as a short text of at most most bytes, in the markup of a service.
func (d *Delivery) chat(most int, in markup) string {
	for n := min(maxChat, len(d.Items)); ; n-- {
		m := d.shown(n)
		for i := range m.Items {
			item := &m.Items[i]
			for _, s := range []*string{&item.Heading, &item.Title, &item.Excerpt} {
				*s = in.text(*s)
			}
			item.Link = in.link(item.Link)
		}
		m.About = in.link(m.About)
		if text := strings.TrimSpace(m.text()); len(text) <= most || n <= 1 {
			return cutBytes(text, most)
		}
	}
}

// cutBytes cuts a text to at most most bytes, between two characters.
func cutBytes(s string, most int) string {
	if len(s) <= most {
		return s
	}
	const dots = "…"
	s = s[:max(0, most-len(dots))]
	for len(s) > 0 {
		if r, size := utf8.DecodeLastRuneInString(s); r != utf8.RuneError || size > 1 {
			break
		}
		s = s[:len(s)-1]
	}
	return s + dots
}
