// Package attributes compares the attributes of two pieces of HTML.
package attributes

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/net/html"

	"plat/diff"
	"plat/plat"
)

// Attribute identifies an attribute by its tag, the index of the tag among those of the same name,
// and its key. Key is empty for the tag itself.
type Attribute struct {
	Tag string
	N   int
	Key string
}

// Of returns the attributes of a piece of HTML.
func Of(content []byte) map[Attribute]string {
	all, seen := map[Attribute]string{}, map[string]int{}
	for z := html.NewTokenizer(bytes.NewReader(content)); ; {
		switch z.Next() {
		case html.ErrorToken:
			return all
		case html.StartTagToken, html.SelfClosingTagToken:
			t := z.Token()
			n := seen[t.Data]
			seen[t.Data]++
			all[Attribute{t.Data, n, ""}] = ""
			for _, a := range t.Attr {
				all[Attribute{t.Data, n, a.Key}] = a.Val
			}
		}
	}
}

// Differing returns the attributes in which two pieces of HTML differ, except for tokens.
func Differing(was, is map[Attribute]string) []Attribute {
	var all []Attribute
	for k, x := range was {
		if y, ok := is[k]; !ok || x != y && !volatile(k, x, y) {
			all = append(all, k)
		}
	}
	for k := range is {
		if _, ok := was[k]; !ok {
			all = append(all, k)
		}
	}
	return all
}

// Kind returns the kind of a change of markup in a block whose words are explained.
func Kind(old, new []byte) plat.Kind {
	if k := diff.Markup(old, new); k != plat.Volatile {
		return k
	}
	return plat.Format
}

// String returns the tag, its index and the key.
func (k Attribute) String() string { return fmt.Sprint(k.Tag, " ", k.N, " ", k.Key) }

// volatile reports whether two values of an attribute differ in tokens only.
func volatile(k Attribute, x, y string) bool {
	return k.Key != "" && diff.VolatileAttribute(k.Tag, k.Key, x, y)
}

// Tokens reports whether two values differ only in tokens, at any position: hashes, UUIDs and other
// generated IDs. It does not prove that the attribute varies; the mask must know that.
func Tokens(x, y string) bool {
	parts := func(s string) []string {
		return strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune("/?&=;#", r) })
	}
	return slices.EqualFunc(parts(x), parts(y), func(v, w string) bool { return v == w || diff.VolatileAttribute("", "data-", v, w) })
}

// Read reports whether readers see an attribute, or follow it.
func (k Attribute) Read() bool {
	switch k.Key {
	case "href", "action", "formaction", "title", "alt", "value", "placeholder", "content", "aria-label", "datetime":
		return true
	}
	return false
}
