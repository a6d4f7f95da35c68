package noise

import (
	"bytes"
	"fmt"

	"golang.org/x/net/html"

	"plat/diff"
)

// attribute is an attribute of a tag, counted among the tags of its name; key is empty for
// the tag itself.
type attribute struct {
	tag string
	n   int
	key string
}

// attributes are those of a piece of HTML.
func attributes(content []byte) map[attribute]string {
	all, seen := map[attribute]string{}, map[string]int{}
	for z := html.NewTokenizer(bytes.NewReader(content)); ; {
		switch z.Next() {
		case html.ErrorToken:
			return all
		case html.StartTagToken, html.SelfClosingTagToken:
			t := z.Token()
			n := seen[t.Data]
			seen[t.Data]++
			all[attribute{t.Data, n, ""}] = ""
			for _, a := range t.Attr {
				all[attribute{t.Data, n, a.Key}] = a.Val
			}
		}
	}
}

// differing are the attributes in which two pieces of HTML differ, but for tokens.
func differing(was, is map[attribute]string) []attribute {
	var all []attribute
	for k, x := range was {
		if y, ok := is[k]; !ok || x != y && !volatileAttribute(k, x, y) {
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

func (k attribute) hash() uint32 { return hashOf(fmt.Sprint(k.tag, " ", k.n, " ", k.key)) }

// volatileAttribute reports whether two values of an attribute differ in tokens only.
func volatileAttribute(k attribute, x, y string) bool {
	tag := func(value string) []byte {
		return []byte("<" + k.tag + " " + k.key + "=\"" + html.EscapeString(value) + "\">")
	}
	_, ok := diff.Volatile(tag(x), tag(y))
	return k.key != "" && ok
}
