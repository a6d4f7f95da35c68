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

// Prefix begins the names of the notes of rules.
const Prefix = "rule/"

// maxText is how many bytes an expression or a selector may have.
const maxText = 1000

// A Rule says of a part of some pages that its changes are no news, or that they are.
// Exactly one of Block, Text and Selector is set.
type Rule struct {
	URL      string `yaml:"url" json:"url"`                               // or a pattern
	Block    int32  `yaml:"block,omitempty" json:"block,omitempty"`       // its lineage
	Text     string `yaml:"text,omitempty" json:"text,omitempty"`         // a regular expression (RE2)
	Selector string `yaml:"selector,omitempty" json:"selector,omitempty"` // CSS
	Watch    bool   `yaml:"-" json:"watch,omitempty"`                     // its changes are news; otherwise they are none

	pattern  urlpattern.Pattern
	text     *regexp.Regexp
	selector cascadia.SelectorGroup
}

// Compile checks a rule, and prepares it. A URL is made canonical, a pattern stays as it is.
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
		return errors.New("blocks have numbers of their own in each page: write the URL of one")
	}
	if r.Text != "" {
		if r.text, err = saferegexp.Compile(r.Text); err != nil {
			return fmt.Errorf("text: %w", err)
		}
		if r.text.MatchString("") && !r.Watch {
			return fmt.Errorf("text %q: it matches nothing at all, too; write what is to be ignored", r.Text)
		}
	}
	if r.Selector != "" {
		if r.selector, err = cascadia.ParseGroup(r.Selector); err != nil {
			return fmt.Errorf("selector %q: %w", r.Selector, err)
		}
	}
	return nil
}

// String is the rule in a line.
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

// Note is the name and the text of the note that keeps a rule. Equal rules have one name.
func (r *Rule) Note() (name, text string) {
	b, err := json.Marshal(r)
	if err != nil {
		panic("plat: rules: " + err.Error()) // no text and no number fails
	}
	sum := sha256.Sum256(b)
	return Prefix + hex.EncodeToString(sum[:8]), string(b)
}

// A Set is rules, in the order of their URLs.
type Set []Rule

// FromNotes reads the rules of an archive. Those that cannot be read are left out, and said
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
			errs = append(errs, fmt.Errorf("the note %s: %w", name, decodeerror.JSON(err)))
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

// For returns the rules that hold for a URL.
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

// A BlockRule is what holds for a block of a page.
type BlockRule struct {
	URL              string
	Lineage          int32
	Ignored, Watched bool     // by its number
	Others           []string // rules of the page that may hold for it, in words
}

// OfBlock returns what the set says of a block.
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

// Of makes rules of the same pages, one of each part: the blocks, texts and selectors.
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

// YAML is the set as people write it.
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
