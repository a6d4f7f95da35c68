package segment

import (
	"fmt"
	"strings"
	"testing"

	"plat/plat"
)

func TestOf(t *testing.T) {
	var r nameReader
	for _, c := range []struct {
		name, attr, value string
		want              nameSet
	}{
		{"div", "class", "page-header", Header},
		{"div", "class", "siteFooter wide", Footer},
		{"div", "id", "subnav", Nav},
		{"div", "id", "domain", 0},
		{"div", "class", "football", 0},
		{"div", "role", "complementary", Side},
		{"div", "title", "header", 0},
		{"nav", "class", "sidebar", Nav | Side},
		{"main", "", "", Main},
	} {
		for range 2 { // the cached result is the same
			n := plat.Node{Kind: plat.ElementNode, Name: c.name, Attrs: []plat.Attr{{Name: c.attr, Value: c.value}}}
			if got := r.Of(&n); got != c.want {
				t.Errorf("<%s %s=%q>: %b, want %b", c.name, c.attr, c.value, got, c.want)
			}
		}
	}
}

// A page of many names, or of long ones, does not fill the memory.
func TestAReaderKeepsFewNames(t *testing.T) {
	var r nameReader
	for i := range 3 * maxKnown {
		n := plat.Node{Kind: plat.ElementNode, Name: "div", Attrs: []plat.Attr{{Name: "class", Value: fmt.Sprintf("menu-%d", i)}, {Name: "id", Value: strings.Repeat("x", maxName+1) + fmt.Sprint(i)}}}
		if got := r.Of(&n); got != Nav {
			t.Fatalf("%d: %b", i, got)
		}
	}
	if len(r.known) > maxKnown {
		t.Errorf("%d names are kept, more than %d", len(r.known), maxKnown)
	}
}
