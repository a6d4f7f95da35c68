package steps

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

func (p *parser) steps(n *yaml.Node, what string, login bool) []Step {
	var all []Step
	for _, e := range p.list(n, what, MaxSteps) {
		all = append(all, p.step(e, login))
	}
	if p.err == nil && len(all) == 0 {
		p.fail(n, "%s is empty", what)
	}
	return all
}

// step parses one action. It is long because it has a case for every action.
func (p *parser) step(n *yaml.Node, login bool) Step {
	s := Step{Line: n.Line}
	is := func(a Action, read func(*yaml.Node)) field {
		return field{string(a), func(n *yaml.Node) {
			if s.Action != "" {
				p.fail(n, "a step is one action; %s and %s are two steps", s.Action, a)
				return
			}
			s.Action = a
			read(n)
		}}
	}
	selector := field{"selector", func(n *yaml.Node) { s.Selector = p.selector(n, "selector") }}
	frame := field{"frame", func(n *yaml.Node) {
		if s.Frame = p.selector(n, "frame"); strings.Contains(s.Frame, ">>>") {
			p.fail(n, "frame: the iframe cannot be in a shadow root")
		}
	}}
	value := field{"value", func(n *yaml.Node) {
		if s.Value = p.text(n, "value"); p.err == nil {
			if err := checkReferences(s.Value); err != nil {
				p.fail(n, "value: %w", err)
			}
		}
	}}
	common := []field{
		{"optional", func(n *yaml.Node) { s.Optional = p.yes(n, "optional") }},
		{"timeout", func(n *yaml.Node) { s.Timeout = p.duration(n, "timeout") }},
	}
	// long parses the long form of an action; the keys in need are required.
	long := func(n *yaml.Node, need []string, fields ...field) map[string]bool {
		has := p.mapping(n, string(s.Action), append(fields, common...))
		for _, key := range need {
			if p.err == nil && !has[key] {
				p.fail(n, "%s needs %q", s.Action, key)
			}
		}
		return has
	}
	short := func(n *yaml.Node) bool { return resolve(n).Kind == yaml.ScalarNode }

	fields := []field{
		is(Click, func(n *yaml.Node) {
			if short(n) {
				s.Selector = p.selector(n, "click")
				return
			}
			long(n, []string{"selector"}, selector, frame, field{"repeat", func(n *yaml.Node) {
				text := p.text(n, "repeat")
				var err error
				if s.Repeat, err = strconv.Atoi(text); p.err == nil && (err != nil || s.Repeat < 1 || s.Repeat > MaxRepeat) {
					p.fail(n, "repeat is %q; write 1 to %d", text, MaxRepeat)
				}
			}})
		}),
		is(Fill, func(n *yaml.Node) { long(n, []string{"selector", "value"}, selector, frame, value) }),
		is(Select, func(n *yaml.Node) {
			long(n, []string{"selector", "value"}, selector, frame, value)
			if s.Secret() {
				p.fail(n, "select: a secret can only be filled in")
			}
		}),
		is(Press, func(n *yaml.Node) {
			key := func(n *yaml.Node) {
				if s.Key = p.text(n, "key"); p.err == nil && !KnownKey(s.Key) {
					p.fail(n, "unknown key %q; write %s or one character", s.Key, strings.Join(Keys, ", "))
				}
			}
			if short(n) {
				key(n)
				return
			}
			long(n, []string{"key"}, field{"key", key}, selector, frame)
		}),
		is(Wait, func(n *yaml.Node) {
			if short(n) {
				text := p.text(n, "wait")
				if text != "" && text[0] >= '0' && text[0] <= '9' {
					s.Pause = p.duration(n, "wait")
					return
				}
				s.Selector, s.State = p.selector(n, "wait"), Visible
				return
			}
			has := long(n, nil, selector, frame,
				field{"state", func(n *yaml.Node) {
					s.State = State(p.text(n, "state"))
					if p.err == nil && !slices.Contains([]State{Visible, Hidden, Present, Absent}, s.State) {
						p.fail(n, "unknown state %q; write visible, hidden, present or absent", s.State)
					}
				}},
				field{"url", func(n *yaml.Node) { s.URL = p.pattern(n, "url").String() }})
			switch {
			case p.err != nil:
			case has["selector"] == has["url"]:
				p.fail(n, "wait needs a selector or a url")
			case has["url"] && (has["state"] || has["frame"]):
				p.fail(n, "wait for a url has neither state nor frame")
			case has["selector"] && s.State == "":
				s.State = Visible
			}
		}),
		is(Scroll, func(n *yaml.Node) {
			target := func(n *yaml.Node) {
				if text := p.text(n, "scroll"); text == Top || text == Bottom {
					s.To = text
				} else {
					s.Selector = p.selector(n, "scroll")
				}
			}
			if short(n) {
				target(n)
				return
			}
			has := long(n, nil, field{"to", target}, field{"selector", func(n *yaml.Node) { s.Selector = p.selector(n, "selector") }}, frame)
			if p.err == nil && has["to"] == has["selector"] {
				p.fail(n, "scroll needs to (top or bottom), or a selector")
			}
		}),
		is(Goto, func(n *yaml.Node) {
			read := func(n *yaml.Node) {
				s.URL = p.text(n, "goto")
				if u, err := url.Parse(s.URL); p.err == nil && (err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil) {
					p.fail(n, "goto: %q is not a page's URL; write https://example.org/login", s.URL)
				}
			}
			if !login {
				p.fail(n, "goto is allowed in login only: the captured page is that of the URL")
				return
			}
			if short(n) {
				read(n)
				return
			}
			long(n, []string{"url"}, field{"url", read})
		}),
		is(Evaluate, func(n *yaml.Node) {
			read := func(n *yaml.Node) { s.Script = p.text(n, "script") }
			if short(n) {
				read(n)
				return
			}
			long(n, []string{"script"}, field{"script", read})
		}),
	}
	p.mapping(n, "a step", fields)
	if p.err == nil && s.Action == "" {
		p.fail(n, "the step is empty")
	}
	return s
}

// Keys are the key names that press supports, beside single characters.
var Keys = []string{"Enter", "Tab", "Escape", "Backspace", "Delete", "Space", "ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "PageUp", "PageDown", "Home", "End"}

// KnownKey reports whether press supports a key.
func KnownKey(key string) bool {
	return slices.Contains(Keys, key) || len([]rune(key)) == 1
}
