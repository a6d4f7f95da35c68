package topic

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Parse reads a tree; the format is that of the package. Errors name the line, except those of
// the tree as a whole.
func Parse(r io.Reader) (*Tree, error) {
	b, err := io.ReadAll(io.LimitReader(r, MaxBytes+1))
	if err != nil {
		return nil, err
	}
	if len(b) > MaxBytes {
		return nil, fmt.Errorf("the tree has more than %d MB; divide it into several", MaxBytes>>20)
	}
	p := &parser{lines: map[*Topic]int{}}
	topics := p.document(b)
	if p.err != nil {
		return nil, p.err
	}
	return build(topics, p.lines, false)
}

// parser walks the nodes of a document and keeps the first error. After an error, it yields
// zero values.
type parser struct {
	err   error
	lines map[*Topic]int
}

func (p *parser) fail(n *yaml.Node, format string, args ...any) {
	if p.err == nil {
		p.err = fmt.Errorf("line %d: %w", n.Line, fmt.Errorf(format, args...))
	}
}

func (p *parser) document(b []byte) (topics []*Topic) {
	d := yaml.NewDecoder(bytes.NewReader(b))
	var doc, more yaml.Node
	switch err := d.Decode(&doc); {
	case errors.Is(err, io.EOF):
		p.err = errors.New("the tree is empty; it begins with \"topics:\"")
		return nil
	case err != nil:
		p.err = err
		return nil
	}
	if err := d.Decode(&more); !errors.Is(err, io.EOF) {
		p.err = errors.New("there is more than one document; remove lines of ---, or divide the tree into several")
		return nil
	}
	p.mapping(doc.Content[0], "a tree", []field{
		{"topics", func(n *yaml.Node) { topics = p.topics(n, 1) }},
	})
	if p.err == nil && len(topics) == 0 {
		p.fail(doc.Content[0], "there are no topics; write them under \"topics:\"")
	}
	return topics
}

// topics reads a list of topics, depth below the document.
func (p *parser) topics(n *yaml.Node, depth int) (all []*Topic) {
	if depth > MaxDepth {
		p.fail(n, "%w", errDepth)
	}
	for _, e := range p.list(n, "topics", MaxTopics) {
		t := &Topic{}
		p.lines[t] = e.Line
		if len(p.lines) > MaxTopics {
			p.fail(e, "there are more than %d topics", MaxTopics)
		}
		fields := []field{
			{"id", func(n *yaml.Node) { t.ID = p.text(n, "id") }},
			{"names", func(n *yaml.Node) { t.Names = p.names(n) }},
			{"description", func(n *yaml.Node) { t.Description = p.text(n, "description") }},
			{"terms", func(n *yaml.Node) { t.Terms = p.terms(n) }},
			{"positive", func(n *yaml.Node) { t.Positive = p.examples(n, "positive") }},
			{"negative", func(n *yaml.Node) { t.Negative = p.examples(n, "negative") }},
			{"topics", func(n *yaml.Node) { t.Topics = p.topics(n, depth+1) }},
			{"parent", func(n *yaml.Node) {
				if t.Parent = p.text(n, "parent"); depth > 1 {
					p.fail(n, "a topic nested in a topic cannot name a parent")
				}
			}},
		}
		if has := p.mapping(e, "a topic", fields); p.err == nil && !has["id"] {
			p.fail(e, "the topic has no id")
		}
		all = append(all, t)
	}
	return all
}

func (p *parser) names(n *yaml.Node) map[string]string {
	if n.Kind == yaml.ScalarNode {
		return map[string]string{Undetermined: p.text(n, "names")}
	}
	all := map[string]string{}
	p.languages(n, "names", func(language string, n *yaml.Node) { all[language] = p.text(n, "a name") })
	return all
}

func (p *parser) terms(n *yaml.Node) map[string][]string {
	read := func(n *yaml.Node) (terms []string) {
		for _, e := range p.list(n, "terms", maxTerms) {
			terms = append(terms, p.text(e, "a term"))
		}
		return terms
	}
	if n.Kind == yaml.SequenceNode {
		return map[string][]string{Undetermined: read(n)}
	}
	all := map[string][]string{}
	p.languages(n, "terms", func(language string, n *yaml.Node) { all[language] = read(n) })
	return all
}

func (p *parser) examples(n *yaml.Node, kind string) (all []Example) {
	for _, n := range p.list(n, kind, maxExamples) {
		var e Example
		has := p.mapping(n, "an example", []field{
			{"text", func(n *yaml.Node) { e.Text = p.text(n, "text") }},
			{"url", func(n *yaml.Node) { e.URL = p.text(n, "url") }},
			{"block", func(n *yaml.Node) { e.Block.Lineage = int32(p.number(n, "block")) }},
			{"version", func(n *yaml.Node) { e.Block.Version = p.number(n, "version") }},
		})
		switch {
		case p.err != nil:
			return nil
		case has["text"] == has["url"], has["text"] && len(has) > 1:
			p.fail(n, "an example is a text, a url, or a url and a block")
		case has["version"] && !has["block"]:
			p.fail(n, "a version needs a block; add the block")
		case has["block"]:
			e.Block.URL, e.URL = e.URL, ""
		}
		if e, err := e.clean(); err != nil {
			p.fail(n, "%w", err)
		} else {
			all = append(all, e)
		}
	}
	return all
}

// field is a key that a mapping may have.
type field struct {
	key  string
	read func(*yaml.Node)
}

// mapping reads the known keys of a mapping.
func (p *parser) mapping(n *yaml.Node, what string, fields []field) (has map[string]bool) {
	has = map[string]bool{}
	p.pairs(n, what, func(k, v *yaml.Node) {
		at := slices.IndexFunc(fields, func(f field) bool { return f.key == k.Value })
		if at < 0 {
			var keys []string
			for _, f := range fields {
				keys = append(keys, f.key)
			}
			p.fail(k, "%s has no %q; write %s", what, short(k.Value), strings.Join(keys, ", "))
			return
		}
		has[k.Value] = true
		fields[at].read(v)
	})
	return has
}

// languages reads a mapping whose keys are codes of languages.
func (p *parser) languages(n *yaml.Node, what string, read func(language string, n *yaml.Node)) {
	known := 0
	p.pairs(n, what+" by language", func(k, v *yaml.Node) {
		language, err := code(k.Value, known)
		if err != nil {
			p.fail(k, "%s: %w", what, err)
			return
		}
		known++
		read(language, v)
	})
}

// pairs calls read for the keys of a mapping, which are texts and differ even without regard to
// case.
func (p *parser) pairs(n *yaml.Node, what string, read func(k, v *yaml.Node)) {
	if p.alias(n); p.err != nil {
		return
	}
	if n.Kind != yaml.MappingNode {
		p.fail(n, "%s is a mapping (key: value)", what)
		return
	}
	known := map[string]bool{}
	for i := 0; i+1 < len(n.Content) && p.err == nil; i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		lower := strings.ToLower(k.Value)
		switch {
		case k.Kind != yaml.ScalarNode:
			p.alias(k)
			p.fail(k, "a key of %s is a text", what)
		case known[lower]:
			p.fail(k, "%q is given twice", short(k.Value))
		default:
			known[lower] = true
			read(k, v)
		}
	}
}

// alias refuses aliases: few bytes of them can expand to any number of topics.
func (p *parser) alias(n *yaml.Node) {
	if n.Kind == yaml.AliasNode {
		p.fail(n, "*%s is an alias, which is not supported; write out its value", short(n.Value))
	}
}

func (p *parser) list(n *yaml.Node, what string, most int) []*yaml.Node {
	p.alias(n)
	switch {
	case p.err != nil:
	case n.Kind != yaml.SequenceNode:
		p.fail(n, "%s is a list", what)
	case len(n.Content) > most:
		p.fail(n, "%s has %d entries; at most %d are allowed", what, len(n.Content), most)
	default:
		return n.Content
	}
	return nil
}

func (p *parser) text(n *yaml.Node, what string) string {
	p.alias(n)
	switch {
	case p.err != nil:
	case n.Kind != yaml.ScalarNode || n.ShortTag() == "!!null" || n.ShortTag() == "!!binary":
		p.fail(n, "%s is a text", what)
	case strings.TrimSpace(n.Value) == "":
		p.fail(n, "%s is empty", what)
	default:
		return n.Value
	}
	return ""
}

func (p *parser) number(n *yaml.Node, what string) int {
	s := p.text(n, what)
	i, err := strconv.ParseInt(s, 10, 32)
	if p.err == nil && (err != nil || i < 1) {
		p.fail(n, "%s is %q; write a number from 1 on", what, short(s))
	}
	return int(i)
}

// short shortens a text for an error message, since it may be as long as the document.
func short(s string) string {
	if r := []rune(s[:min(len(s), 400)]); len(r) > 40 || len(s) > 400 {
		return string(r[:min(len(r), 39)]) + "…"
	}
	return s
}
