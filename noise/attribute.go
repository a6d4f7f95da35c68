package noise

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/net/html"

	"plat"
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

// read reports whether people read an attribute, or go where it leads.
func (k attribute) read() bool {
	switch k.key {
	case "href", "action", "title", "alt", "value", "placeholder", "content", "aria-label", "datetime":
		return true
	}
	return false
}

// variesWithin reports whether all that differs between two values of an attribute differs
// in a second look too.
func variesWithin(was, is, again string) bool {
	edits := Confirm(Edits(Text{Text: was}, Text{Text: is}), was, is, again)
	return !slices.ContainsFunc(edits, func(e Edit) bool { return e.Why == "" })
}

// numbersDiffer reports whether two values differ in numbers alone.
func numbersDiffer(was, is string) bool {
	a, b := parse(was), parse(is)
	for _, e := range Edits(Text{Text: was}, Text{Text: is}) {
		x, y := a.in(e.Old), b.in(e.New)
		if len(x) != len(y) {
			return false
		}
		for i := range x {
			if x[i].shape() != '0' || y[i].shape() != '0' {
				return false
			}
		}
	}
	return true
}

// otherTags reports whether tags stand between other words than before, as in the second look
// too, if there was one.
func otherTags(old, now, second *plat.Block) bool {
	is := skeleton(now.Content)
	return skeleton(old.Content) != is && (second == nil || skeleton(second.Content) == is)
}

// skeleton is the tags of a piece of HTML, without attributes, and its words by their shapes.
func skeleton(content []byte) string {
	var b strings.Builder
	for z := html.NewTokenizer(bytes.NewReader(content)); ; {
		switch z.Next() {
		case html.ErrorToken:
			return b.String()
		case html.StartTagToken, html.SelfClosingTagToken:
			name, _ := z.TagName()
			b.WriteString("<" + string(name))
		case html.EndTagToken:
			name, _ := z.TagName()
			b.WriteString(">" + string(name))
		case html.TextToken:
			for _, w := range parse(string(z.Text())).all {
				b.WriteByte(w.shape())
			}
		}
	}
}
