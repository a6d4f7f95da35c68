package workers

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/andybalholm/cascadia"
	"go.yaml.in/yaml/v3"
	"golang.org/x/net/html"

	"plat"
	"plat/markup"
)

// MetaRules set the metadata of versions by URL and content (BWAP section 3.1,
// "MetaData Generator"). They are written in YAML:
//
//	rules:
//	  - url: ^https://news\.example/          # regular expression; none: every URL
//	    set:
//	      publisher: Example News             # these words
//	      section:   {url: '^https://[^/]+/([^/]+)/'}
//	      published: {meta: 'article:published_time'}
//	      author:    {select: '.byline a', attr: title}   # attr: none is the text
//	      licence:   {header: link, match: '<([^>]+)>; rel="license"'}
//
// match picks a part of what a source gives: the first group, or all of it where
// there is none. Rules apply in order; of two that set the same name the later
// wins, if it finds a value.
type MetaRules struct{ rules []metaRule }

type metaRule struct {
	url *regexp.Regexp
	set []metaValue // by name
}

type metaValue struct {
	name              string
	words             string
	url, match        *regexp.Regexp
	meta, header, tag string
	selector          cascadia.Selector
}

// maxMetaValue bounds what a page can put into its metadata, in bytes.
const maxMetaValue = 1 << 10

// ReadMetaRules reads rules as described at MetaRules. An error names the rule.
func ReadMetaRules(r io.Reader) (*MetaRules, error) {
	var file struct {
		Rules []struct {
			URL string               `yaml:"url"`
			Set map[string]yaml.Node `yaml:"set"`
		} `yaml:"rules"`
	}
	d := yaml.NewDecoder(r)
	d.KnownFields(true)
	if err := d.Decode(&file); err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("metadata rules: %w", err)
	}
	m := &MetaRules{}
	for i, f := range file.Rules {
		var rule metaRule
		var err error
		if rule.url, err = expression(f.URL); err != nil {
			return nil, fmt.Errorf("metadata rules: rule %d: url: %w", i+1, err)
		}
		if len(f.Set) == 0 {
			return nil, fmt.Errorf("metadata rules: rule %d sets nothing; give it a \"set\"", i+1)
		}
		for name, node := range f.Set {
			v, err := readMetaValue(name, &node)
			if err != nil {
				return nil, fmt.Errorf("metadata rules: rule %d: %s: %w", i+1, name, err)
			}
			rule.set = append(rule.set, v)
		}
		slices.SortFunc(rule.set, func(a, b metaValue) int { return strings.Compare(a.name, b.name) })
		m.rules = append(m.rules, rule)
	}
	return m, nil
}

func readMetaValue(name string, node *yaml.Node) (metaValue, error) {
	v := metaValue{name: name}
	if node.Kind == yaml.ScalarNode {
		v.words = node.Value
		return v, nil
	}
	var from map[string]string
	if err := node.Decode(&from); err != nil {
		return v, err
	}
	sources := 0
	var err error
	for key, value := range from {
		switch key {
		case "url":
			sources++
			v.url, err = expression(value)
		case "meta":
			sources++
			v.meta = value
		case "header":
			sources++
			v.header = value
		case "select":
			sources++
			v.selector, err = cascadia.Compile(value)
		case "attr":
			v.tag = value
		case "match":
			v.match, err = expression(value)
		default:
			err = fmt.Errorf("there is no %q; there are url, meta, header, select, attr and match", key)
		}
		if err != nil {
			return v, err
		}
	}
	if sources != 1 {
		return v, fmt.Errorf("give one of url, meta, header and select; %d are given", sources)
	}
	if v.tag != "" && v.selector == nil {
		return v, errors.New("attr goes with select")
	}
	return v, nil
}

func expression(s string) (*regexp.Regexp, error) {
	if s == "" {
		return nil, nil
	}
	return regexp.Compile(s)
}

// Apply returns the metadata that the rules give a page; nil where they give
// none. A nil MetaRules has no rules.
func (m *MetaRules) Apply(url string, s *plat.Snapshot) map[string]string {
	if m == nil {
		return nil
	}
	var out map[string]string
	var doc *html.Node // parsed when the first selector asks
	parsed := false
	for i := range m.rules {
		rule := &m.rules[i]
		if rule.url != nil && !rule.url.MatchString(url) {
			continue
		}
		for j := range rule.set {
			v := &rule.set[j]
			if v.selector != nil && !parsed {
				// A page nested too deep for the parser gives no value.
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

func (v *metaValue) of(url string, s *plat.Snapshot, doc *html.Node) string {
	value := v.words
	switch {
	case v.url != nil:
		value = part(v.url, url)
	case v.meta != "":
		value = metaTag(s, v.meta)
	case v.header != "":
		for _, h := range s.Header {
			if strings.EqualFold(h[0], v.header) {
				value = h[1]
				break
			}
		}
	case v.selector != nil && doc != nil:
		if n := v.selector.MatchFirst(doc); n != nil {
			value = textOf(n)
			if v.tag != "" {
				value = ""
				for _, a := range n.Attr {
					if a.Key == v.tag {
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
	if len(value) > maxMetaValue {
		value = value[:maxMetaValue]
		for !utf8.ValidString(value) {
			value = value[:len(value)-1]
		}
	}
	return value
}

// part is the first group of what re finds, or all of it if there is no group.
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
