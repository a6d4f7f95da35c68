package links

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"plat/plat"
)

func src(name, url string) el {
	return el{name: name, attrs: []plat.Attr{{Name: "src", Value: url}}, shown: true}
}

func TestFramesAreLinksIfTheyAreWanted(t *testing.T) {
	s := tree(el{name: "body", shown: true, kids: []el{
		a("one", txt("first")),
		src("iframe", "inside.html#part"),
		{name: "frameset", shown: true, kids: []el{src("frame", " /menu "), src("frame", "about:blank"), {name: "frame", shown: true}}},
		{name: "iframe", attrs: []plat.Attr{{Name: "href", Value: "href"}}, shown: true}, // has no src
		src("img", "picture.png"),
		a("two", txt("second")),
	}})
	for _, frames := range []bool{false, true} {
		var got []string
		for _, l := range (&Page{Snapshot: s, Frames: frames}).Links(nil, 100) {
			got = append(got, fmt.Sprintf("%s %s %q", l.Kind, l.URL, l.Text))
		}
		want := []string{`anchor https://a.test/dir/one "first"`, `anchor https://a.test/dir/two "second"`}
		if frames {
			want = []string{want[0], `frame https://a.test/dir/inside.html ""`, `frame https://a.test/menu ""`, want[1]}
		}
		if strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("frames %t: links\n%s\nwant\n%s", frames, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}

// Node is the element of the link: its subtree has the text.
func TestTheNodeOfALinkIsItsElement(t *testing.T) {
	s := tree(el{name: "body", shown: true, kids: []el{
		el{name: "link", attrs: []plat.Attr{{Name: "rel", Value: "canonical"}, {Name: "href", Value: "canonical"}}},
		a("one", txt("first")), txt("between"), a("two", el{name: "b", shown: true, kids: []el{txt("second")}}), src("iframe", "three"), a("one", txt("again")),
	}})
	found := (&Page{Snapshot: s, Frames: true}).Links(nil, 100)
	if len(found) != 5 {
		t.Fatalf("%d links, want 5", len(found))
	}
	for i, want := range []struct{ name, text string }{{"link", ""}, {"a", "first"}, {"a", "second"}, {"iframe", ""}, {"a", "again"}} {
		l := found[i]
		n := &s.Nodes[l.Node]
		if n.Name != want.name || wordsOf(s, l.Node) != want.text {
			t.Errorf("link %d, %s, is node %d, %s with text %q; want %v", i, l.URL, l.Node, n.Name, wordsOf(s, l.Node), want)
		}
	}
}

// A heading of a megabyte above many links is read once, not for each.
func TestALongHeadingAboveManyLinks(t *testing.T) {
	kids := []el{{name: "h1", shown: true, kids: []el{txt(strings.Repeat("x ", 500_000))}}}
	for i := range 20_000 {
		kids = append(kids, a(fmt.Sprint("to", i%10), txt("a link")))
	}
	s := tree(el{name: "body", shown: true, kids: kids})
	start := time.Now()
	found := (&Page{Snapshot: s}).Links(nil, 5_000)
	if len(found) != 20_000 || !strings.HasPrefix(found[19_999].Heading, "x x x") || len(found[0].Heading) > maxText {
		t.Errorf("%d links", len(found))
	}
	if took := time.Since(start); took > 10*time.Second { // minutes, if it is read for each
		t.Errorf("20,000 links below a long heading took %v", took)
	}
}
