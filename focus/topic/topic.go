package topic

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
)

// Limits of a tree.
const (
	MaxBytes  = 4 << 20 // of a document
	MaxTopics = 10_000
	MaxDepth  = 16 // topics from a root to the deepest, both counted

	maxID        = 100    // bytes
	maxName      = 300    // bytes of a name or a term
	maxText      = 20_000 // bytes of a description or of an example
	maxURL       = 4096   // bytes
	maxLanguages = 50
	maxTerms     = 2000 // of a language
	maxExamples  = 500  // of a kind
)

// Undetermined is the language of texts without a given language (ISO 639-2).
const Undetermined = "und"

// Topic is a subject of pages. Topics of a [Tree] are shared: do not change them.
type Topic struct {
	ID          string
	Parent      string              // ID; of a root: empty, or a topic of the tree that this one is to be joined to
	Names       map[string]string   // by language
	Description string              // in any language, mainly for display
	Terms       map[string][]string // by language: words and phrases that pages on the topic use

	Positive, Negative []Example // texts and pages on the topic, and ones that resemble it but are not

	Topics []*Topic // directly below
}

// Example is a text, an archived page or a block of one. Exactly one of its fields is set.
type Example struct {
	Text  string
	URL   string // of a page, all of it; canonical
	Block Block
}

// Block is a block of an archived page.
type Block struct {
	URL     string // canonical
	Lineage int32  // as plat.Block.Lineage, from 1 on
	Version int    // of the page, from 1 on; 0: the latest
}

// Name returns the name in the first of the languages that has one, otherwise in any; the ID
// without a name.
func (t *Topic) Name(languages ...string) string {
	for _, l := range slices.Concat(languages, []string{"en"}, slices.Sorted(maps.Keys(t.Names))) {
		if name, ok := t.Names[strings.ToLower(l)]; ok {
			return name
		}
	}
	return t.ID
}

// Tree is topics and their order. The zero Tree is empty; further trees are made by [New], [Parse]
// and [Tree.Join], and may be used by several goroutines.
type Tree struct {
	Roots []*Topic // do not change it

	all   []*Topic
	byID  map[string]*Topic
	names map[string][]*Topic // by their folded name
}

// All returns the topics in order, each before those below it.
func (t *Tree) All() []*Topic { return slices.Clone(t.all) }

// Path returns the topics from a root to a topic of the tree, which is the last.
func (t *Tree) Path(to *Topic) []*Topic {
	var path []*Topic
	for ; to != nil; to = t.byID[to.Parent] {
		path = append(path, to)
	}
	slices.Reverse(path)
	return path
}

// Find returns the topic of an ID, otherwise that of a name in any language, without regard
// to case. If several topics have the name, the error lists them.
func (t *Tree) Find(idOrName string) (*Topic, error) {
	if found := t.byID[idOrName]; found != nil {
		return found, nil
	}
	name := fold(idOrName)
	switch found := t.names[name]; len(found) {
	case 1:
		return found[0], nil
	case 0:
		return nil, fmt.Errorf("no topic has the ID or the name %q%s", idOrName, t.similar(name))
	default:
		return nil, fmt.Errorf("%d topics have the name %q; write the ID of one: %s", len(found), idOrName, t.list(found))
	}
}

// shown is the number of topics that an error lists.
const shown = 10

// similar says which topics have a name in their ID or names.
func (t *Tree) similar(name string) string {
	var found []*Topic
	for _, o := range t.all {
		for _, s := range append(slices.Collect(maps.Values(o.Names)), o.ID) {
			if name != "" && strings.Contains(fold(s), name) {
				found = append(found, o)
				break
			}
		}
	}
	if len(found) == 0 {
		return ""
	}
	return "; similar: " + t.list(found)
}

// list names topics by their ID and path.
func (t *Tree) list(topics []*Topic) string {
	var b strings.Builder
	for i, o := range topics[:min(len(topics), shown)] {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(o.ID)
		b.WriteString(" (")
		for j, p := range t.Path(o) {
			if j > 0 {
				b.WriteString(" › ")
			}
			b.WriteString(p.Name())
		}
		b.WriteString(")")
	}
	if more := len(topics) - shown; more > 0 {
		fmt.Fprintf(&b, " and %d more", more)
	}
	return b.String()
}

// fold makes names equal that differ in case or spaces only.
func fold(s string) string {
	return strings.Map(func(r rune) rune {
		// The least of the runes that are equal without regard to case, as strings.EqualFold
		// compares them: lower case alone would keep ς and σ apart.
		least := r
		for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
			least = min(least, f)
		}
		return least
	}, strings.Join(strings.Fields(s), " "))
}
