package diff

import (
	"bytes"
	"slices"
	"strings"

	"golang.org/x/net/html"

	"plat/plat"
)

// Attribute is an attribute in which two versions of a piece of HTML differ: one that readers read,
// follow, or see the effect of.
type Attribute struct {
	Tag, Key string
	Text     string // of the element, if it has an end tag and is a link, a time or a button with a formaction
	Old, New string // empty: no such element or attribute
}

// Link reports whether the attribute is the target of a link, of a form or of a frame.
func (a *Attribute) Link() bool { return leads(a.Tag, a.Key) }

// Image reports whether the attribute is the address of the image shown.
func (a *Attribute) Image() bool { return shows(a.Tag, a.Key) }

// read lists the attributes that readers read on any element; reads adds those of certain elements.
var read = []string{"alt", "title", "datetime", "aria-label", "placeholder"}

// reads reports whether readers read an attribute, or see its target.
func reads(tag, key string) bool {
	return leads(tag, key) || shows(tag, key) || slices.Contains(read, key)
}

// leads reports whether an attribute is the address of another document: one that a reader follows,
// sends data to, or sees in a frame.
func leads(tag, key string) bool {
	switch key {
	case "href":
		return tag == "a" || tag == "area"
	case "action":
		return tag == "form"
	case "formaction":
		return tag == "button" || tag == "input"
	case "src":
		return tag == "iframe" || tag == "frame" || tag == "embed"
	case "data":
		return tag == "object"
	}
	return false
}

// shows reports whether an attribute is the address of an image.
func shows(tag, key string) bool {
	return tag == "img" && key == "src" || tag == "video" && key == "poster"
}

// element is an element with attributes that readers read.
type element struct {
	tag, text string
	attrs     []html.Attribute
}

// elements returns the elements of a piece of HTML that have such attributes, in document order.
func elements(content []byte) (all []element) {
	open := -1 // link, time or button whose text is read
	for z := html.NewTokenizer(bytes.NewReader(content)); ; {
		switch z.Next() {
		case html.ErrorToken:
			return all
		case html.TextToken:
			if open >= 0 {
				all[open].text += string(z.Text())
			}
		case html.EndTagToken:
			if name, _ := z.TagName(); open >= 0 && string(name) == all[open].tag {
				open = -1
			}
		case html.StartTagToken, html.SelfClosingTagToken:
			t := z.Token()
			e := element{tag: t.Data}
			for _, a := range t.Attr {
				if reads(t.Data, a.Key) && a.Val != "" {
					e.attrs = append(e.attrs, a)
				}
			}
			if len(e.attrs) == 0 {
				continue
			}
			all = append(all, e)
			if e.tag == "a" || e.tag == "time" || e.tag == "button" && e.value("formaction") != "" {
				open = len(all) - 1
			}
		}
	}
}

// value returns the value of an attribute; empty if it is absent.
func (e *element) value(key string) string {
	for i := range e.attrs {
		if e.attrs[i].Key == key {
			return e.attrs[i].Val
		}
	}
	return ""
}

func (e *element) equal(o *element) bool {
	return e.tag == o.tag && e.text == o.text && slices.Equal(e.attrs, o.attrs)
}

// Attributes returns the attributes that readers read and in which two versions of a piece of HTML
// differ, except for tokens in addresses. Elements are paired by tag and text, in order; then by tag.
func Attributes(old, new []byte) []Attribute {
	was, is := elements(old), elements(new)
	for len(was) > 0 && len(is) > 0 && was[0].equal(&is[0]) {
		was, is = was[1:], is[1:]
	}
	for len(was) > 0 && len(is) > 0 && was[len(was)-1].equal(&is[len(is)-1]) {
		was, is = was[:len(was)-1], is[:len(is)-1]
	}
	partner := make([]int, len(is)) // index in was, from 1
	taken := make([]bool, len(was))
	for _, key := range []func(e *element) string{
		func(e *element) string { return e.whole() },
		func(e *element) string { return e.tag + "\x00" + strings.Join(strings.Fields(e.text), " ") },
		func(e *element) string { return e.tag },
	} {
		waits := map[string][]int{}
		for i := range was {
			if !taken[i] {
				waits[key(&was[i])] = append(waits[key(&was[i])], i)
			}
		}
		for j := range is {
			if k := key(&is[j]); partner[j] == 0 && len(waits[k]) > 0 {
				partner[j], taken[waits[k][0]] = waits[k][0]+1, true
				waits[k] = waits[k][1:]
			}
		}
	}
	var all []Attribute
	for j := range is {
		var before element
		if partner[j] > 0 {
			before = was[partner[j]-1]
		}
		all = append(all, differing(&before, &is[j])...)
	}
	for i := range was {
		if !taken[i] {
			all = append(all, differing(&was[i], &element{})...)
		}
	}
	return all
}

// whole returns a key of an element and all its attributes that are read.
func (e *element) whole() string {
	var b strings.Builder
	b.WriteString(e.tag + "\x00" + e.text)
	for i := range e.attrs {
		b.WriteString("\x00" + e.attrs[i].Key + "\x00" + e.attrs[i].Val)
	}
	return b.String()
}

// differing returns the attributes in which two elements differ; one of them may be empty.
func differing(was, is *element) (all []Attribute) {
	shown := is
	if is.tag == "" {
		shown = was
	}
	add := func(key string) {
		a := Attribute{Tag: shown.tag, Key: key, Text: strings.Join(strings.Fields(shown.text), " "), Old: was.value(key), New: is.value(key)}
		if a.Old != a.New && !a.volatile() {
			all = append(all, a)
		}
	}
	for i := range is.attrs {
		add(is.attrs[i].Key)
	}
	for i := range was.attrs {
		if is.value(was.attrs[i].Key) == "" {
			add(was.attrs[i].Key)
		}
	}
	return all
}

// volatile reports whether two addresses differ in tokens only.
func (a *Attribute) volatile() bool {
	return (a.Link() || a.Image()) && a.Old != "" && a.New != "" && VolatileAttribute(a.Tag, a.Key, a.Old, a.New)
}

// Markup returns the kind of a change between two pieces of HTML with the same words and different
// bytes.
func Markup(old, new []byte) plat.Kind {
	if _, ok := Volatile(old, new); ok {
		return plat.Volatile
	}
	k := plat.Format
	for _, a := range Attributes(old, new) {
		switch {
		case a.Link():
			return plat.Link
		case a.Image():
			k = plat.Image
		}
	}
	return k
}
