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

// Attribute is an attribute of a tag, counted among the tags of its name. Key is empty for
// the tag itself.
type Attribute struct {
	Tag string
	N   int
	Key string
}

// Of returns those of a piece of HTML.
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

// Differing returns the attributes in which two pieces of HTML differ, but for tokens.
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

// Kind is the kind of a change of other markup, where the words are explained.
func Kind(old, new []byte) plat.Kind {
	if k := diff.Markup(old, new); k != plat.Volatile {
		return k
	}
	return plat.Format
}

// String names it.
func (k Attribute) String() string { return fmt.Sprint(k.Tag, " ", k.N, " ", k.Key) }

// volatile reports whether two values of an attribute differ in tokens only.
func volatile(k Attribute, x, y string) bool {
	return k.Key != "" && diff.VolatileAttribute(k.Tag, k.Key, x, y)
}

// Tokens reports whether two values differ in tokens only, wherever these stand in them: hashes, UUIDs and
// other ids that nobody writes. That is no proof that they vary by themselves, unless it is known that the
// attribute does.
func Tokens(x, y string) bool {
	parts := func(s string) []string {
		return strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune("/?&=;#", r) })
	}
	return slices.EqualFunc(parts(x), parts(y), func(v, w string) bool { return v == w || diff.VolatileAttribute("", "data-", v, w) })
}

// Read reports whether people read an attribute, or go where it leads.
func (k Attribute) Read() bool {
	switch k.Key {
	case "href", "action", "formaction", "title", "alt", "value", "placeholder", "content", "aria-label", "datetime":
		return true
	}
	return false
}
