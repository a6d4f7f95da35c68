package metadata

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/andybalholm/cascadia"
	"go.yaml.in/yaml/v3"

	"plat/plat/decodeerror"
	"plat/plat/saferegexp"
)

// Rules are ordered rules; see the package. A nil Rules is empty.
type Rules struct{ rules []rule }

// A rule sets metadata of the versions of some URLs.
type rule struct {
	url *regexp.Regexp
	set []setting // by name
}

// A setting is the source of one name's value.
type setting struct {
	name               string
	words              string
	url, match         *regexp.Regexp
	meta, header, attr string
	selector           cascadia.Selector
}

// Read parses rules in the format described in the package. An error names the rule.
func Read(from io.Reader) (*Rules, error) {
	var file struct {
		Rules []struct {
			URL string               `yaml:"url"`
			Set map[string]yaml.Node `yaml:"set"`
		} `yaml:"rules"`
	}
	text, err := decodeerror.ReadYAML(from)
	if err != nil {
		return nil, fmt.Errorf("metadata rules: %w", err)
	}
	d := yaml.NewDecoder(bytes.NewReader(text))
	d.KnownFields(true)
	if err := d.Decode(&file); err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("metadata rules: %w", decodeerror.YAML(err))
	}
	m := &Rules{}
	for i, f := range file.Rules {
		var r rule
		var err error
		if r.url, err = compiled(f.URL); err != nil {
			return nil, fmt.Errorf("metadata rules: rule %d: url: %w", i+1, err)
		}
		if len(f.Set) == 0 {
			return nil, fmt.Errorf("metadata rules: rule %d sets nothing; give it a \"set\"", i+1)
		}
		for name, node := range f.Set {
			v, err := readSetting(name, &node)
			if err != nil {
				return nil, fmt.Errorf("metadata rules: rule %d: %s: %w", i+1, name, err)
			}
			r.set = append(r.set, v)
		}
		slices.SortFunc(r.set, func(a, b setting) int { return strings.Compare(a.name, b.name) })
		m.rules = append(m.rules, r)
	}
	return m, nil
}

func readSetting(name string, node *yaml.Node) (setting, error) {
	v := setting{name: name}
	if node.Kind == yaml.ScalarNode {
		v.words = node.Value
		return v, nil
	}
	var from map[string]string
	if err := node.Decode(&from); err != nil {
		return v, decodeerror.YAML(err)
	}
	sources := 0
	var err error
	for key, value := range from {
		switch key {
		case "url":
			sources++
			v.url, err = compiled(value)
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
			v.attr = value
		case "match":
			v.match, err = compiled(value)
		default:
			err = fmt.Errorf("unknown key %q; known are url, meta, header, select, attr and match", key)
		}
		if err != nil {
			return v, err
		}
	}
	if sources != 1 {
		return v, fmt.Errorf("write exactly one of url, meta, header and select, not %d", sources)
	}
	if v.attr != "" && v.selector == nil {
		return v, errors.New("attr requires select")
	}
	return v, nil
}

func compiled(s string) (*regexp.Regexp, error) {
	if s == "" {
		return nil, nil
	}
	return saferegexp.Compile(s)
}
