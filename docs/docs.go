// Package docs gives tests the text of format.md and its worked examples, to compare them with
// the code.
package docs

import (
	_ "embed"
	"encoding/hex"
	"fmt"
	"strings"
)

// Format is the text of format.md.
//
//go:embed format.md
var Format string

// Example returns the content of the fence "```hex NAME" or "```text NAME" of format.md: the
// bytes of its hexadecimal digits, without comments after ";", or the text without its last
// line break.
func Example(name string) ([]byte, error) {
	for _, kind := range [...]string{"hex", "text"} {
		_, body, ok := strings.Cut(Format, "\n```"+kind+" "+name+"\n")
		if !ok {
			continue
		}
		body, _, _ = strings.Cut(body, "\n```")
		if kind == "text" {
			return []byte(body), nil
		}
		var digits strings.Builder
		for line := range strings.Lines(body) {
			line, _, _ = strings.Cut(line, ";")
			digits.WriteString(strings.Join(strings.Fields(line), ""))
		}
		return hex.DecodeString(digits.String())
	}
	return nil, fmt.Errorf("format.md has no example %q", name)
}

// Section returns the part of format.md under a heading, up to the next heading of the same or
// a higher rank, with single blanks between its words; empty without such a heading.
func Section(heading string) string {
	_, text, ok := strings.Cut(Format, "\n"+heading+"\n")
	if !ok {
		return ""
	}
	rank := len(heading) - len(strings.TrimLeft(heading, "#"))
	for n := rank; n > 0; n-- {
		text, _, _ = strings.Cut(text, "\n"+strings.Repeat("#", n)+" ")
	}
	return strings.Join(strings.Fields(text), " ")
}
