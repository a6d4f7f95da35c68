package topic

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"plat/plat"
	"plat/plat/excerpt"
)

// New returns a tree of copies of topics. One whose Parent is among them, at any depth, is put
// below it, after those that are there already; the rest stay roots. Texts are cleaned.
func New(topics ...*Topic) (*Tree, error) {
	return build(topics, nil, false)
}

// Join returns a tree with the topics of both. Roots of other that have a Parent are put below
// it. No ID may be in both, and no Parent missing.
func (t *Tree) Join(other *Tree) (*Tree, error) {
	return build(slices.Concat(t.Roots, other.Roots), nil, true)
}

// builder makes a tree.
type builder struct {
	tree  *Tree
	lines map[*Topic]int // of topics in their document, if read from one
	order []*Topic       // copies, in the given order
}

// build makes a tree of copies. In a complete tree, no parent is missing.
func build(topics []*Topic, lines map[*Topic]int, whole bool) (*Tree, error) {
	b := &builder{tree: &Tree{byID: map[string]*Topic{}, names: map[string][]*Topic{}}, lines: lines}
	var tops []*Topic
	for _, t := range topics {
		c, err := b.copied(t, 1)
		if err != nil {
			return nil, err
		}
		tops = append(tops, c)
	}
	for i, c := range tops {
		parent := b.tree.byID[c.Parent]
		switch {
		case parent != nil:
			parent.Topics = append(parent.Topics, c)
		case whole && c.Parent != "":
			return nil, fmt.Errorf("topic %q: its parent %q does not exist", c.ID, c.Parent)
		case c.Parent != "" && !validID(c.Parent):
			return nil, b.wrong(topics[i], fmt.Errorf("the parent %q: %w", excerpt.Line(c.Parent, maxID), errID))
		default:
			b.tree.Roots = append(b.tree.Roots, c)
		}
	}
	for _, r := range b.tree.Roots {
		if err := b.index(r, 1); err != nil {
			return nil, err
		}
	}
	if len(b.tree.all) < len(b.order) {
		reached := map[*Topic]bool{}
		for _, t := range b.tree.all {
			reached[t] = true
		}
		lost := b.order[slices.IndexFunc(b.order, func(t *Topic) bool { return !reached[t] })]
		return nil, fmt.Errorf("topic %q is below itself; change its parent, or that of a topic above it", lost.ID)
	}
	return b.tree, nil
}

// wrong adds to an error which topic it is of.
func (b *builder) wrong(t *Topic, err error) error {
	err = fmt.Errorf("topic %q: %w", excerpt.Line(excerpt.Printable(t.ID), maxID), err)
	if line, known := b.lines[t]; known {
		return fmt.Errorf("line %d: %w", line, err)
	}
	return err
}

var errDepth = fmt.Errorf("topics are nested more than %d deep", MaxDepth)

// copied copies a topic and those in it, cleaned and checked.
func (b *builder) copied(t *Topic, depth int) (*Topic, error) {
	if t == nil {
		return nil, errors.New("a topic is nil")
	}
	if depth > MaxDepth {
		return nil, b.wrong(t, errDepth)
	}
	c, err := clean(t)
	switch {
	case err != nil:
		return nil, b.wrong(t, err)
	case b.tree.byID[c.ID] != nil:
		return nil, b.wrong(t, errors.New("a second topic has this ID; choose an unused one"))
	case len(b.order) == MaxTopics:
		return nil, b.wrong(t, fmt.Errorf("there are more than %d topics", MaxTopics))
	}
	b.tree.byID[c.ID] = c
	b.order = append(b.order, c)
	for _, sub := range t.Topics {
		s, err := b.copied(sub, depth+1)
		if err != nil {
			return nil, err
		}
		if s.Parent != "" && s.Parent != c.ID {
			return nil, b.wrong(sub, fmt.Errorf("its parent is %q, and it is in the topics of %q", s.Parent, c.ID))
		}
		s.Parent = c.ID
		c.Topics = append(c.Topics, s)
	}
	return c, nil
}

// index enters a topic of the tree and those below it.
func (b *builder) index(t *Topic, depth int) error {
	if depth > MaxDepth {
		return fmt.Errorf("topic %q: %w", t.ID, errDepth)
	}
	b.tree.all = append(b.tree.all, t)
	for _, name := range t.Names {
		key := fold(name)
		if !slices.Contains(b.tree.names[key], t) { // a name may be the same in two languages
			b.tree.names[key] = append(b.tree.names[key], t)
		}
	}
	for _, sub := range t.Topics {
		if err := b.index(sub, depth+1); err != nil {
			return err
		}
	}
	return nil
}

var errID = fmt.Errorf("an ID is of letters, digits and - _ . : / +, at most %d bytes", maxID)

func validID(id string) bool {
	ok := func(r rune) bool {
		return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("-_.:/+", r)
	}
	return id != "" && len(id) <= maxID && strings.IndexFunc(id, func(r rune) bool { return r == unicode.ReplacementChar || !ok(r) }) < 0
}

// clean returns a copy of a topic without those in it.
func clean(t *Topic) (*Topic, error) {
	if !validID(t.ID) {
		return nil, errID
	}
	c := &Topic{ID: t.ID, Parent: t.Parent}
	var err error
	if c.Description, err = text(t.Description, "the description", maxText); err != nil {
		return nil, err
	}
	if c.Names, err = names(t.Names); err != nil {
		return nil, err
	}
	if c.Terms, err = terms(t.Terms); err != nil {
		return nil, err
	}
	if c.Positive, err = examples(t.Positive, "positive"); err != nil {
		return nil, err
	}
	if c.Negative, err = examples(t.Negative, "negative"); err != nil {
		return nil, err
	}
	if !c.says() {
		return nil, errors.New("it has no words; add a name, terms or a positive example")
	}
	return c, nil
}

// says reports whether there is anything to compare pages with.
func (t *Topic) says() bool {
	for _, e := range t.Positive {
		if e.Text == "" {
			return true // a page or a block, whose words are in the archive
		}
	}
	return slices.ContainsFunc(t.own(1), func(x Text) bool { return word(x.Text) })
}

// word reports whether a text has a letter or a digit.
func word(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
}

// text returns a text as one line, without control characters.
func text(s, what string, most int) (string, error) {
	if len(s) > most {
		return "", fmt.Errorf("%s has more than %d bytes", what, most)
	}
	return strings.Join(strings.Fields(excerpt.Printable(s)), " "), nil
}

func names(of map[string]string) (map[string]string, error) {
	all := map[string]string{}
	for _, l := range slices.Sorted(maps.Keys(of)) {
		language, err := code(l, len(all))
		if err != nil {
			return nil, fmt.Errorf("names: %w", err)
		}
		name, err := text(of[l], "the name in "+language, maxName)
		switch {
		case err != nil:
			return nil, err
		case all[language] != "":
			return nil, fmt.Errorf("names: there are two in %q", language)
		case name != "":
			all[language] = name
		}
	}
	return all, nil
}

// terms returns terms that differ, in their order.
func terms(of map[string][]string) (map[string][]string, error) {
	all := map[string][]string{}
	for _, l := range slices.Sorted(maps.Keys(of)) {
		language, err := code(l, len(all))
		switch {
		case err != nil:
			return nil, fmt.Errorf("terms: %w", err)
		case all[language] != nil:
			return nil, fmt.Errorf("terms: there are two lists in %q", language)
		case len(of[l]) > maxTerms:
			return nil, fmt.Errorf("there are more than %d terms in %q", maxTerms, language)
		}
		known := map[string]bool{"": true}
		for _, s := range of[l] {
			term, err := text(s, fmt.Sprintf("the term %q", excerpt.Line(s, 40)), maxName)
			if err != nil {
				return nil, err
			}
			if key := fold(term); !known[key] {
				known[key] = true
				all[language] = append(all[language], term)
			}
		}
	}
	return all, nil
}

// tag is a language tag by its form alone; which are registered does not matter here.
var tag = regexp.MustCompile(`^[a-z]{2,3}(-[a-z0-9]{1,8}){0,4}$`)

// code returns the code of a language in lower case. before is the number of earlier ones.
func code(language string, before int) (string, error) {
	l := strings.ToLower(language)
	if !tag.MatchString(l) {
		return "", fmt.Errorf("%q is not a language code; write one such as en, zh or pt-BR", excerpt.Line(excerpt.Printable(language), 40))
	}
	if before == maxLanguages {
		return "", fmt.Errorf("there are more than %d languages", maxLanguages)
	}
	return l, nil
}

func examples(of []Example, kind string) ([]Example, error) {
	if len(of) > maxExamples {
		return nil, fmt.Errorf("there are more than %d %s examples", maxExamples, kind)
	}
	var all []Example
	for i, e := range of {
		e, err := e.clean()
		if err != nil {
			return nil, fmt.Errorf("%s example %d: %w", kind, i+1, err)
		}
		all = append(all, e)
	}
	return all, nil
}

func (e Example) clean() (_ Example, err error) {
	given := 0
	for _, is := range []bool{e.Text != "", e.URL != "", e.Block != Block{}} {
		if is {
			given++
		}
	}
	if given != 1 {
		return e, errors.New("write exactly one: a text, a url, or a url and a block")
	}
	if e.Text, err = text(e.Text, "the text", maxText); err != nil {
		return e, err
	}
	switch {
	case e.URL != "":
		e.URL, err = canonical(e.URL)
	case e.Block != Block{}:
		if e.Block.Lineage < 1 || e.Block.Version < 0 {
			return e, fmt.Errorf("block %d, version %d: write the number of a block, as plat show prints it", e.Block.Lineage, e.Block.Version)
		}
		e.Block.URL, err = canonical(e.Block.URL)
	case e.Text == "":
		return e, errors.New("the text is empty")
	}
	return e, err
}

// canonical returns a URL as archives have it.
func canonical(raw string) (string, error) {
	if len(raw) > maxURL {
		return "", fmt.Errorf("the URL has more than %d bytes", maxURL)
	}
	return plat.Canonical(raw, nil)
}
