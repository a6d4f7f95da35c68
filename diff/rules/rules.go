package rules

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/andybalholm/cascadia"
	"go.yaml.in/yaml/v3"

	"plat/plat"
	"plat/plat/decodeerror"
	"plat/plat/saferegexp"
	"plat/plat/urlpattern"
)

// Prefix is the start of the names of notes that hold rules.
const Prefix = "rule/"

// maxText is the maximum length of an expression or a selector, in bytes.
const maxText = 1000

// A Rule makes changes of a part of some pages news, or not news. Exactly one of Block, Text and
// Selector is set.
type Rule struct {
	URL      string `yaml:"url" json:"url"`                               // or a pattern
	Block    int32  `yaml:"block,omitempty" json:"block,omitempty"`       // lineage
	Text     string `yaml:"text,omitempty" json:"text,omitempty"`         // a regular expression (RE2)
	Selector string `yaml:"selector,omitempty" json:"selector,omitempty"` // CSS
	Watch    bool   `yaml:"-" json:"watch,omitempty"`                     // the changes are news; false: they are not

	pattern  urlpattern.Pattern
	text     *regexp.Regexp
	selector cascadia.SelectorGroup
}

// Compile checks and prepares a rule. It makes a URL canonical; a pattern stays as it is.
func (r *Rule) Compile() (err error) {
	if !strings.Contains(r.URL, "*") && strings.Contains(r.URL, "://") {
		if r.URL, err = plat.Canonical(r.URL, nil); err != nil {
			return err
		}
	}
	given := 0
	for _, is := range []bool{r.Block != 0, r.Text != "", r.Selector != ""} {
		if is {
			given++
		}
	}
	switch {
	case given != 1:
		return errors.New("write exactly one of block, text and selector")
	case r.Block < 0:
		return fmt.Errorf("block %d: write the number of a block, as plat show prints it", r.Block)
	case len(r.Text) > maxText || len(r.Selector) > maxText:
		return fmt.Errorf("write at most %d characters", maxText)
	}
	if r.pattern, err = urlpattern.Parse(r.URL); err != nil {
		return err
	}
	if r.Block != 0 && strings.Contains(r.URL, "*") {
		return errors.New("block numbers belong to one page: write the URL of that page")
	}
	if r.Text != "" {
		if r.text, err = saferegexp.Compile(r.Text); err != nil {
			return fmt.Errorf("text: %w", err)
		}
		if r.text.MatchString("") && !r.Watch {
			return fmt.Errorf("text %q: it also matches an empty text; write an expression for the text to ignore", r.Text)
		}
	}
	if r.Selector != "" {
		if r.selector, err = cascadia.ParseGroup(r.Selector); err != nil {
			return fmt.Errorf("selector %q: %w", r.Selector, err)
		}
	}
	return nil
}

// String returns the rule in one line.
func (r *Rule) String() string {
	do := "ignore"
	if r.Watch {
		do = "watch"
	}
	switch {
	case r.Block != 0:
		return fmt.Sprintf("%s block %d of %s", do, r.Block, r.URL)
	case r.Text != "":
		return fmt.Sprintf("%s text %q of %s", do, r.Text, r.URL)
	}
	return fmt.Sprintf("%s selector %q of %s", do, r.Selector, r.URL)
}

// Note returns the name and the text of the note that stores a rule. Equal rules have the same name.
func (r *Rule) Note() (name, text string) {
	b, err := json.Marshal(r)
	if err != nil {
		panic("plat: rules: " + err.Error()) // marshaling text and numbers cannot fail
	}
	sum := sha256.Sum256(b)
	return Prefix + hex.EncodeToString(sum[:8]), string(b)
}

// A Set is a list of rules in the order of their URLs.
type Set []Rule

// FromNotes parses the rules of an archive. It leaves out those that it cannot parse, and lists them
// in the error: a newer plat may have written them.
func FromNotes(notes map[string]string) (Set, error) {
	var all Set
	var errs []error
	for name, text := range notes {
		var r Rule
		err := json.Unmarshal([]byte(text), &r)
		if err == nil {
			err = r.Compile()
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("note %s: %w", name, decodeerror.JSON(err)))
			continue
		}
		all = append(all, r)
	}
	all.sort()
	return all, errors.Join(errs...)
}

func (s Set) sort() {
	slices.SortFunc(s, func(a, b Rule) int {
		return cmp.Or(cmp.Compare(a.URL, b.URL), cmp.Compare(a.Block, b.Block), cmp.Compare(a.Text, b.Text), cmp.Compare(a.Selector, b.Selector))
	})
}

// For returns the rules that apply to a URL.
func (s Set) For(raw string) Set {
	u, err := url.Parse(raw)
	if err != nil {
		return nil
	}
	var all Set
	for i := range s {
		if r := &s[i]; r.URL == raw || r.pattern.Matches(u) {
			all = append(all, *r)
		}
	}
	return all
}

// A BlockRule lists the rules for a block of a page.
type BlockRule struct {
	URL              string
	Lineage          int32
	Ignored, Watched bool     // by lineage
	Others           []string // further rules of the page that may apply to the block, as text
}

// OfBlock returns the rules of the set for a block.
func (s Set) OfBlock(url string, lineage int32) *BlockRule {
	b := &BlockRule{URL: url, Lineage: lineage}
	for _, r := range s.For(url) {
		switch {
		case r.Block == lineage && r.Watch:
			b.Watched = true
		case r.Block == lineage:
			b.Ignored = true
		case r.Block == 0:
			b.Others = append(b.Others, r.String())
		}
	}
	return b
}

// Of returns rules for the same pages, one per block, text and selector.
func Of(at string, blocks []int32, texts, selectors []string, watch bool) (Set, error) {
	var all Set
	for _, n := range blocks {
		all = append(all, Rule{URL: at, Block: n, Watch: watch})
	}
	for _, s := range texts {
		all = append(all, Rule{URL: at, Text: s, Watch: watch})
	}
	for _, s := range selectors {
		all = append(all, Rule{URL: at, Selector: s, Watch: watch})
	}
	for i := range all {
		if err := all[i].Compile(); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// document is the form of a set in YAML.
type document struct {
	Ignore []Rule `yaml:"ignore,omitempty"`
	Watch  []Rule `yaml:"watch,omitempty"`
}

// YAML returns the set as a user writes it.
func (s Set) YAML() string {
	var d document
	for _, r := range s {
		if r.Watch {
			d.Watch = append(d.Watch, r)
		} else {
			d.Ignore = append(d.Ignore, r)
		}
	}
	if len(s) == 0 {
		return ""
	}
	var b bytes.Buffer
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	if err := e.Encode(d); err != nil {
		panic("plat: rules: " + err.Error())
	}
	return b.String()
}

// Parse reads a YAML document of rules.
func Parse(in io.Reader) (Set, error) {
	text, err := decodeerror.ReadYAML(in)
	if err != nil {
		return nil, fmt.Errorf("rules: %w", err)
	}
	var d document
	dec := yaml.NewDecoder(bytes.NewReader(text))
	dec.KnownFields(true)
	if err := dec.Decode(&d); err != nil && len(bytes.TrimSpace(text)) > 0 {
		return nil, fmt.Errorf("rules: %w", decodeerror.YAML(err))
	}
	var all Set
	add := func(what string, list []Rule, watch bool) error {
		for i, r := range list {
			r.Watch = watch
			if err := r.Compile(); err != nil {
				return fmt.Errorf("%s, rule %d: %w", what, i+1, err)
			}
			all = append(all, r)
		}
		return nil
	}
	if err := add("ignore", d.Ignore, false); err != nil {
		return nil, err
	}
	if err := add("watch", d.Watch, true); err != nil {
		return nil, err
	}
	all.sort()
	return all, nil
}
