// Package mementotest reads answers of Memento (RFC 7089) in tests.
package mementotest

import (
	"regexp"
	"strings"
	"testing"
)

var link = regexp.MustCompile(`^<([^<>\s"]+)>((?:; [a-z]+="[^"]*")+)(?:,\s*|$)`)

// Links returns the links of a Link header or a TimeMap: parameters by target.
func Links(t *testing.T, header string) map[string]string {
	t.Helper()
	links := map[string]string{}
	for header = strings.TrimSpace(header); header != ""; {
		m := link.FindStringSubmatch(header)
		if m == nil {
			t.Fatalf("invalid link: %.200q", header)
		}
		if links[m[1]] != "" {
			t.Errorf("%s is duplicated", m[1])
		}
		links[m[1]], header = m[2][2:], header[len(m[0]):]
	}
	return links
}
