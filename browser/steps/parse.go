package steps

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"slices"
	"strings"
	"time"

	"plat/plat"
	"plat/plat/urlpattern"

	"github.com/andybalholm/cascadia"
	"go.yaml.in/yaml/v3"
)

// Parse parses a file of rules. name identifies it in errors. Unknown keys, values of
// the wrong kind and meaningless steps are errors that name the line.
func Parse(name string, b []byte) ([]*Rule, error) {
	p := &parser{}
	rules := p.file(b)
	if p.err != nil {
		return nil, fmt.Errorf("%s: %w", name, p.err)
	}
	for _, r := range rules {
		r.File = name
	}
	return rules, nil
}

// Join combines the rules of several files. Two sessions of one name must be equal.
func Join(files ...[]*Rule) (*Set, error) {
	set := &Set{}
	known := map[string]*Rule{}
	for _, rules := range files {
		for _, r := range rules {
			if s := r.Session; s != nil {
				if other := known[s.Name]; other != nil && other.Session.Hash() != s.Hash() {
					return nil, fmt.Errorf("%s: line %d: session %q differs from that of %s, line %d; use another name", r.File, r.Line, s.Name, other.File, other.Line)
				}
				known[s.Name] = r
			}
			set.Rules = append(set.Rules, r)
		}
	}
	return set, nil
}

// parser walks the nodes of a file and keeps the first error. After an error, it
// yields zero values.
type parser struct{ err error }

func (p *parser) fail(n *yaml.Node, format string, args ...any) {
	if p.err == nil {
		p.err = fmt.Errorf("line %d: %w", n.Line, fmt.Errorf(format, args...))
	}
}

func (p *parser) file(b []byte) []*Rule {
	if len(b) > MaxFile {
		p.err = fmt.Errorf("the file has more than %d bytes", MaxFile)
		return nil
	}
	d := yaml.NewDecoder(bytes.NewReader(b))
	var doc, more yaml.Node
	switch err := d.Decode(&doc); {
	case errors.Is(err, io.EOF):
		p.err = errors.New("the file is empty; it begins with \"rules:\"")
		return nil
	case err != nil:
		p.err = err
		return nil
	}
	if err := d.Decode(&more); !errors.Is(err, io.EOF) {
		p.err = errors.New("there is more than one document")
		return nil
	}
	var rules []*Rule
	p.mapping(doc.Content[0], "a file of rules", []field{
		{"rules", func(n *yaml.Node) {
			for i, e := range p.list(n, "rules", MaxRules) {
				rules = append(rules, p.rule(e, i+1))
			}
		}},
	})
	if p.err == nil && len(rules) == 0 {
		p.fail(doc.Content[0], "there are no rules; the file begins with \"rules:\"")
	}
	names := map[string]bool{}
	for _, r := range rules {
		if p.err == nil && names[r.Name] {
			p.err = fmt.Errorf("line %d: there are two rules named %q", r.Line, r.Name)
		}
		names[r.Name] = true
	}
	return rules
}

// field is a key that a mapping may have.
type field struct {
	key  string
	read func(*yaml.Node)
}

// resolve follows an alias.
func resolve(n *yaml.Node) *yaml.Node {
	for range 8 {
		if n.Kind != yaml.AliasNode || n.Alias == nil {
			break
		}
		n = n.Alias
	}
	return n
}

// mapping reads the known keys of a mapping, each at most once.
func (p *parser) mapping(n *yaml.Node, what string, fields []field) (has map[string]bool) {
	n, has = resolve(n), map[string]bool{}
	if p.err != nil {
		return has
	}
	if n.Kind != yaml.MappingNode {
		p.fail(n, "%s is a mapping (key: value)", what)
		return has
	}
	for i := 0; i+1 < len(n.Content) && p.err == nil; i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		at := slices.IndexFunc(fields, func(f field) bool { return f.key == k.Value })
		switch {
		case k.Kind != yaml.ScalarNode || at < 0:
			var keys []string
			for _, f := range fields {
				keys = append(keys, f.key)
			}
			p.fail(k, "%s has no %q; write %s", what, k.Value, strings.Join(keys, ", "))
		case has[k.Value]:
			p.fail(k, "%q is given twice", k.Value)
		default:
			has[k.Value] = true
			fields[at].read(v)
		}
	}
	return has
}

func (p *parser) list(n *yaml.Node, what string, most int) []*yaml.Node {
	if n = resolve(n); p.err != nil {
		return nil
	}
	if n.Kind != yaml.SequenceNode {
		p.fail(n, "%s is a list", what)
		return nil
	}
	if len(n.Content) > most {
		p.fail(n, "%s has %d entries; at most %d are allowed", what, len(n.Content), most)
		return nil
	}
	return n.Content
}

func (p *parser) text(n *yaml.Node, what string) string {
	if n = resolve(n); p.err != nil {
		return ""
	}
	switch {
	case n.Kind != yaml.ScalarNode || n.Tag == "!!null":
		p.fail(n, "%s is a text", what)
	case strings.TrimSpace(n.Value) == "":
		p.fail(n, "%s is empty", what)
	case len(n.Value) > MaxText:
		p.fail(n, "%s has more than %d bytes", what, MaxText)
	default:
		return n.Value
	}
	return ""
}

func (p *parser) yes(n *yaml.Node, what string) bool {
	if n = resolve(n); p.err != nil {
		return false
	}
	var b bool
	if n.Kind != yaml.ScalarNode || n.Tag != "!!bool" || n.Decode(&b) != nil {
		p.fail(n, "%s is true or false", what)
	}
	return b
}

func (p *parser) duration(n *yaml.Node, what string) time.Duration {
	s := p.text(n, what)
	if p.err != nil {
		return 0
	}
	d, err := time.ParseDuration(s)
	if err != nil || d <= 0 || d > MaxTimeout {
		p.fail(n, "%s is %q; write a duration up to %v, such as 500ms or 5s", what, s, MaxTimeout)
		return 0
	}
	return d
}

func (p *parser) pattern(n *yaml.Node, what string) urlpattern.Pattern {
	s := p.text(n, what)
	if p.err != nil {
		return urlpattern.Pattern{}
	}
	pattern, err := urlpattern.Parse(s)
	if err != nil {
		p.fail(n, "%w", err)
	}
	return pattern
}

// selector parses CSS, its parts separated by ">>>".
func (p *parser) selector(n *yaml.Node, what string) string {
	s := p.text(n, what)
	if p.err != nil {
		return ""
	}
	if err := checkSelector(s); err != nil {
		p.fail(n, "%s: %w", what, err)
	}
	return s
}

// SplitSelector splits a selector at shadow roots.
func SplitSelector(s string) []string {
	parts := strings.Split(s, ">>>")
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	return parts
}

// checkSelector detects invalid selectors before a browser is started. Cascadia does
// not know all of CSS, so only certainly invalid selectors are errors here; the
// browser reports the rest.
func checkSelector(s string) error {
	for _, part := range SplitSelector(s) {
		if part == "" {
			return fmt.Errorf("selector %q: a part is empty", s)
		}
		if _, err := cascadia.ParseGroup(part); err != nil && !strings.Contains(part, ":") {
			return fmt.Errorf("selector %q: %w", part, err)
		}
	}
	return nil
}

func (p *parser) rule(n *yaml.Node, number int) *Rule {
	r := &Rule{Name: fmt.Sprintf("rule %d", number), Line: n.Line}
	var session *yaml.Node
	has := p.mapping(n, "a rule", []field{
		{"name", func(n *yaml.Node) { r.Name = p.text(n, "name") }},
		{"match", func(n *yaml.Node) {
			if resolve(n).Kind == yaml.ScalarNode {
				r.Match = []urlpattern.Pattern{p.pattern(n, "match")}
				return
			}
			for _, e := range p.list(n, "match", MaxSteps) {
				r.Match = append(r.Match, p.pattern(e, "match"))
			}
		}},
		{"consent", func(n *yaml.Node) { r.Consent = p.yes(n, "consent") }},
		{"session", func(n *yaml.Node) { session = n }},
		{"steps", func(n *yaml.Node) { r.Steps = p.steps(n, "steps", false) }},
	})
	if p.err != nil {
		return r
	}
	if len(r.Match) == 0 {
		p.fail(n, "rule %q matches nothing; add a \"match\"", r.Name)
		return r
	}
	if session != nil {
		r.Session = p.session(session, r)
	}
	if !r.Consent && r.Session == nil && !has["steps"] {
		p.fail(n, "rule %q does nothing; add steps, a session or consent: true", r.Name)
	}
	if p.err == nil && !slices.ContainsFunc(r.Match, func(m urlpattern.Pattern) bool { return m.Host() != "*" }) {
		for i := range r.Steps {
			if r.Steps[i].Secret() {
				p.fail(n, "rule %q matches every host, and would send its secrets to any; name the hosts", r.Name)
			}
		}
	}
	return r
}

func (p *parser) session(n *yaml.Node, r *Rule) *Session {
	s := &Session{}
	has := p.mapping(n, "a session", []field{
		{"name", func(n *yaml.Node) { s.Name = p.text(n, "name") }},
		{"hosts", func(n *yaml.Node) {
			for _, e := range p.list(n, "hosts", MaxSteps) {
				host := strings.TrimSuffix(strings.ToLower(p.text(e, "a host")), ".")
				if u, err := url.Parse("http://" + host); p.err == nil && (err != nil || u.Hostname() != strings.Trim(host, "[]")) {
					p.fail(e, "%q is not a host; write example.org, which includes its subdomains", host)
				}
				s.Hosts = append(s.Hosts, strings.Trim(host, "[]"))
			}
		}},
		{"check", func(n *yaml.Node) { s.Check = p.check(n) }},
		{"login", func(n *yaml.Node) { s.Login = p.steps(n, "login", true) }},
	})
	if p.err != nil {
		return s
	}
	for _, key := range []string{"check", "login"} {
		if !has[key] {
			p.fail(n, "the session has no %q", key)
			return s
		}
	}
	if len(s.Hosts) == 0 {
		for _, m := range r.Match {
			if h := strings.TrimPrefix(m.Host(), "*."); h != "*" && !slices.Contains(s.Hosts, plat.DomainOf(h)) {
				s.Hosts = append(s.Hosts, plat.DomainOf(h))
			}
		}
	}
	if len(s.Hosts) == 0 {
		p.fail(n, "the rule matches every host, so the session must name its own: hosts: [example.org]")
		return s
	}
	for _, h := range s.Hosts {
		if net.ParseIP(h) == nil && strings.Contains(h, ".") && plat.DomainOf(h) == h && !plat.HasDomain(h) {
			p.fail(n, "%q is a public suffix, under which different owners register domains; name the site", h)
		}
	}
	if s.Name == "" {
		s.Name = s.Hosts[0]
	}
	for i := range s.Login {
		if step := &s.Login[i]; step.Action == Goto && p.err == nil {
			if u, err := url.Parse(step.URL); err != nil || !s.Covers(u.Hostname()) {
				p.err = fmt.Errorf("line %d: goto %s leads to a host that is not one of the session's (%s)", step.Line, step.URL, strings.Join(s.Hosts, ", "))
			}
		}
	}
	return s
}

func (p *parser) check(n *yaml.Node) Check {
	var c Check
	has := p.mapping(n, "check", []field{
		{"present", func(n *yaml.Node) { c.Present = p.selector(n, "present") }},
		{"absent", func(n *yaml.Node) { c.Absent = p.selector(n, "absent") }},
		{"url", func(n *yaml.Node) { c.URL = new(p.pattern(n, "url")) }},
		{"not_url", func(n *yaml.Node) { c.NotURL = new(p.pattern(n, "not_url")) }},
	})
	if p.err == nil && len(has) == 0 {
		p.fail(n, "check is empty; add present, absent, url or not_url")
	}
	return c
}
