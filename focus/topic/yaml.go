package topic

import (
	"bytes"
	"maps"
	"slices"
	"strconv"

	"go.yaml.in/yaml/v3"
)

// YAML returns the tree as [Parse] reads it.
func (t *Tree) YAML() []byte {
	var b bytes.Buffer
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	if err := e.Encode(mapping(pair{"topics", list(0, t.Roots, func(r *Topic) *yaml.Node { return r.node(true) })})); err != nil {
		panic("plat: topic: " + err.Error()) // no text fails
	}
	return b.Bytes()
}

// node returns a topic as a value of YAML. Only a root has the key parent: the place of any other topic
// implies its parent.
func (t *Topic) node(root bool) *yaml.Node {
	pairs := []pair{{"id", scalar(t.ID)}}
	add := func(key string, is bool, value *yaml.Node) {
		if is {
			pairs = append(pairs, pair{key, value})
		}
	}
	add("parent", root && t.Parent != "", scalar(t.Parent))
	add("names", len(t.Names) > 0, byLanguage(t.Names, scalar))
	add("description", t.Description != "", scalar(t.Description))
	add("terms", len(t.Terms) > 0, byLanguage(t.Terms, func(terms []string) *yaml.Node { return list(yaml.FlowStyle, terms, scalar) }))
	add("positive", len(t.Positive) > 0, list(0, t.Positive, Example.node))
	add("negative", len(t.Negative) > 0, list(0, t.Negative, Example.node))
	add("topics", len(t.Topics) > 0, list(0, t.Topics, func(sub *Topic) *yaml.Node { return sub.node(false) }))
	return mapping(pairs...)
}

func (e Example) node() *yaml.Node {
	switch {
	case e.Text != "":
		return mapping(pair{"text", scalar(e.Text)})
	case e.URL != "":
		return mapping(pair{"url", scalar(e.URL)})
	}
	pairs := []pair{{"url", scalar(e.Block.URL)}, {"block", number(int(e.Block.Lineage))}}
	if e.Block.Version != 0 {
		pairs = append(pairs, pair{"version", number(e.Block.Version)})
	}
	return mapping(pairs...)
}

// byLanguage returns a mapping by language, or the value itself if its only language is
// Undetermined.
func byLanguage[T any](of map[string]T, value func(T) *yaml.Node) *yaml.Node {
	if only, ok := of[Undetermined]; ok && len(of) == 1 {
		return value(only)
	}
	var pairs []pair
	for _, l := range slices.Sorted(maps.Keys(of)) {
		pairs = append(pairs, pair{l, value(of[l])})
	}
	return mapping(pairs...)
}

type pair struct {
	key   string
	value *yaml.Node
}

func mapping(pairs ...pair) *yaml.Node {
	n := &yaml.Node{Kind: yaml.MappingNode}
	for _, p := range pairs {
		n.Content = append(n.Content, scalar(p.key), p.value)
	}
	return n
}

func list[T any](style yaml.Style, of []T, value func(T) *yaml.Node) *yaml.Node {
	n := &yaml.Node{Kind: yaml.SequenceNode, Style: style}
	for _, e := range of {
		n.Content = append(n.Content, value(e))
	}
	return n
}

func scalar(s string) *yaml.Node { return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: s} }

func number(i int) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!int", Value: strconv.Itoa(i)}
}
