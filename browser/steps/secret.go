package steps

import (
	"fmt"
	"regexp"
	"strings"
)

// Ref refers to a secret. It may be printed, logged and hashed.
type Ref struct {
	From string // "env" or "file"
	Name string // of the variable, or path of the file
}

// String returns the reference as written in a file.
func (r Ref) String() string { return "${" + r.From + ":" + r.Name + "}" }

// part of a value: text, or a reference.
type part struct {
	text string
	ref  Ref
}

var (
	reference = regexp.MustCompile(`\$\{([^}]*)\}`)
	variable  = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
)

// references splits a validated value into parts.
func references(value string) []part {
	var parts []part
	at := 0
	for _, m := range reference.FindAllStringSubmatchIndex(value, -1) {
		if m[0] > at {
			parts = append(parts, part{text: value[at:m[0]]})
		}
		from, name, _ := strings.Cut(value[m[2]:m[3]], ":")
		parts = append(parts, part{ref: Ref{from, name}})
		at = m[1]
	}
	if at < len(value) {
		parts = append(parts, part{text: value[at:]})
	}
	return parts
}

// checkReferences rejects malformed references.
func checkReferences(value string) error {
	for _, m := range reference.FindAllStringSubmatch(value, -1) {
		from, name, ok := strings.Cut(m[1], ":")
		switch {
		case !ok || from != "env" && from != "file" || name == "":
			return fmt.Errorf("%q is not a reference; write ${env:NAME} or ${file:PATH}", m[0])
		case from == "env" && !variable.MatchString(name):
			return fmt.Errorf("%q: %q is not the name of a variable", m[0], name)
		}
	}
	if i := strings.Index(reference.ReplaceAllString(value, ""), "${"); i >= 0 {
		return fmt.Errorf("a ${ is not closed; write ${env:NAME} or ${file:PATH}")
	}
	return nil
}

// Secret reports whether the step's value refers to a secret.
func (s *Step) Secret() bool { return reference.MatchString(s.Value) }

// Resolve returns the step's value with references replaced, and the secrets used,
// which only the page may see.
func (s *Step) Resolve(lookup func(Ref) (string, error)) (value string, secrets []string, err error) {
	var b strings.Builder
	for _, p := range references(s.Value) {
		if p.ref == (Ref{}) {
			b.WriteString(p.text)
			continue
		}
		if lookup == nil {
			return "", nil, fmt.Errorf("%v: secrets are not available here", p.ref)
		}
		secret, err := lookup(p.ref)
		if err != nil {
			return "", nil, fmt.Errorf("%v: %w", p.ref, err)
		}
		secrets = append(secrets, secret)
		b.WriteString(secret)
	}
	return b.String(), secrets, nil
}
