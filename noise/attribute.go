package noise

import (
	"bytes"
	"strings"
	"time"

	"golang.org/x/net/html"

	"plat"
)

// variesWithin reports whether all that differs between two values of an attribute differs
// in a second look too.
func variesWithin(was, is, again string) bool {
	a, b := parse(was), parse(is)
	all := confirmed(edits(a, seen{}, b, time.Time{}), a, b, parse(again))
	return !anyOpen(all)
}

// numbersDiffer reports whether two values differ in numbers alone.
func numbersDiffer(was, is string) bool {
	a, b := parse(was), parse(is)
	for _, e := range edits(a, seen{}, b, time.Time{}) {
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
