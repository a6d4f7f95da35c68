package metadata

import (
	"bytes"
	"regexp"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"

	"plat/plat"
	"plat/segment/markup"
)

// maxValue limits the size of a metadata value, in bytes.
const maxValue = 1 << 10

// Apply returns the metadata of a page according to the rules; nil if it is empty.
func (m *Rules) Apply(url string, s *plat.Snapshot) map[string]string {
	if m == nil {
		return nil
	}
	var out map[string]string
	var doc *html.Node // parsed for the first selector
	parsed := false
	for i := range m.rules {
		r := &m.rules[i]
		if r.url != nil && !r.url.MatchString(url) {
			continue
		}
		for j := range r.set {
			v := &r.set[j]
			if v.selector != nil && !parsed {
				// A page nested too deeply for the parser gives no value.
				doc, _ = html.Parse(bytes.NewReader(markup.Serialize(s)))
				parsed = true
			}
			if value := v.of(url, s, doc); value != "" {
				if out == nil {
					out = map[string]string{}
				}
				out[v.name] = value
			}
		}
	}
	return out
}

// of returns the value of a setting, "" if it finds no value.
func (v *setting) of(url string, s *plat.Snapshot, doc *html.Node) string {
	value := v.words
	switch {
	case v.url != nil:
		value = part(v.url, url)
	case v.meta != "":
		value = metaTag(s, v.meta)
	case v.header != "":
		if field, ok := plat.HeaderField(s.Header, v.header); ok {
			value = field
		}
	case v.selector != nil && doc != nil:
		if n := v.selector.MatchFirst(doc); n != nil {
			value = textOf(n)
			if v.attr != "" {
				value = ""
				for _, a := range n.Attr {
					if a.Key == v.attr {
						value = a.Val
					}
				}
			}
		}
	}
	if v.match != nil {
		value = part(v.match, value)
	}
	value = strings.Join(strings.Fields(strings.ToValidUTF8(value, "")), " ")
	if len(value) > maxValue {
		value = value[:maxValue]
		for !utf8.ValidString(value) {
			value = value[:len(value)-1]
		}
	}
	return value
}

// part returns the first group of re's match, or the whole match if there is no
// group.
func part(re *regexp.Regexp, s string) string {
	m := re.FindStringSubmatch(s)
	switch {
	case m == nil:
		return ""
	case len(m) > 1:
		return m[1]
	}
	return m[0]
}

// metaTag returns the content of the first <meta> of that name.
func metaTag(s *plat.Snapshot, name string) string {
	for i := range s.Nodes {
		n := &s.Nodes[i]
		if n.Name != "meta" || n.Kind != plat.ElementNode {
			continue
		}
		for _, key := range []string{"name", "property", "itemprop", "http-equiv"} {
			if v, ok := n.Attr(key); ok && strings.EqualFold(v, name) {
				c, _ := n.Attr("content")
				return c
			}
		}
	}
	return ""
}

// textOf returns the text in n, hidden or not.
func textOf(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			b.WriteString(d.Data)
			b.WriteByte(' ')
		}
	}
	return b.String()
}
