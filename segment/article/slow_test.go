package article

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"plat/fixtures"
	"plat/plat"
)

// slowest is the maximum ratio of the times for two pages whose sizes differ by a factor of four.
const slowest = 8

// block makes nodes by hand, including ones that no parser would make.
type block struct{ nodes []plat.Node }

// open adds an element that lasts until the node end is set; text adds a text.
func (b *block) open(parent int32, name string, attrs ...plat.Attr) int32 {
	b.nodes = append(b.nodes, plat.Node{Kind: plat.ElementNode, Name: name, Parent: parent, Attrs: attrs, HasBox: true, Box: plat.Rect{X: 8, Y: float32(len(b.nodes)), W: 800, H: 20}})
	return int32(len(b.nodes)) - 1
}

func (b *block) text(parent int32, s string) {
	b.nodes = append(b.nodes, plat.Node{Kind: plat.TextNode, Value: s, Parent: parent, End: int32(len(b.nodes)) + 1, HasBox: true, Box: plat.Rect{X: 8, Y: float32(len(b.nodes)), W: 800, H: 20}})
}

func (b *block) end(i int32) { b.nodes[i].End = int32(len(b.nodes)) }

func (b *block) snapshot() *plat.Snapshot {
	return &plat.Snapshot{Nodes: b.nodes, Styles: []plat.Style{{Display: "block", Opacity: 1, FontSize: 16}}}
}

// A page designed to be slow costs no more than any page of its size: code that searches ancestors,
// attributes, headings or names must not do so for every node.
func TestAPageMadeToBeSlowIsNot(t *testing.T) {
	for name, page := range map[string]func(n int) *plat.Snapshot{
		"many authors and a long site name": func(n int) *plat.Snapshot {
			b := &block{}
			root := b.open(-1, "html")
			b.open(root, "meta", plat.Attr{Name: "property", Value: "og:site_name"}, plat.Attr{Name: "content", Value: strings.Repeat("site ", n)})
			b.end(int32(len(b.nodes)) - 1)
			script := b.open(root, "script", plat.Attr{Name: "type", Value: "application/ld+json"})
			var names []string
			for i := range n {
				names = append(names, fmt.Sprintf("%q", "Ann "+strings.Repeat("I", i%7)+"Rivers"))
			}
			b.text(script, `{"@type":"Article","author":[`+strings.Join(names, ",")+`]}`)
			b.end(script)
			b.end(root)
			return b.snapshot()
		},
		"scripts in scripts": func(n int) *plat.Snapshot {
			b := &block{}
			for i := range n {
				b.open(int32(i)-1, "script", plat.Attr{Name: "type", Value: "application/ld+json"})
			}
			b.text(int32(n)-1, `"x`)
			for i := range b.nodes {
				b.end(int32(i))
			}
			return b.snapshot()
		},
		"an element of many attributes around many paragraphs": func(n int) *plat.Snapshot {
			b := &block{}
			var attrs []plat.Attr
			for i := range n {
				attrs = append(attrs, plat.Attr{Name: fmt.Sprint("a", i)})
			}
			root := b.open(-1, "div", attrs...)
			for range n {
				p := b.open(root, "p")
				b.text(p, "one two")
				b.end(p)
			}
			b.end(root)
			return b.snapshot()
		},
		"deep": func(n int) *plat.Snapshot {
			b := &block{}
			for i := range n {
				if i%5 == 4 {
					b.text(int32(i)-1, first)
				} else {
					b.open(int32(i)-1, []string{"h1", "div", "p"}[i%3], plat.Attr{Name: "class", Value: "comments sidebar related"})
				}
			}
			for i := range b.nodes {
				b.end(int32(i))
			}
			return b.snapshot()
		},
		"flat": func(n int) *plat.Snapshot {
			b := &block{}
			root := b.open(-1, "div", plat.Attr{Name: "class", Value: "comments sidebar related"})
			for i := range n / 2 {
				p := b.open(root, "p")
				b.text(p, []string{first, "Related", "Comments (3)"}[i%3])
				b.end(p)
			}
			b.end(root)
			s := b.snapshot()
			s.Title = strings.Repeat("title ", n/4)
			return s
		},
	} {
		t.Run(name, func(t *testing.T) {
			const n = 5_000
			var few, many time.Duration
			for range 5 { // code that is slow is slow each time
				few, many = fastest(t, page(n)), fastest(t, page(4*n))
				if many <= slowest*max(few, 2*time.Millisecond) {
					return
				}
			}
			t.Errorf("%v for %d, %v for %d", few, n, many, 4*n)
		})
	}
}

// fastest returns the least of three times: other processes may have slowed the rest.
func fastest(t *testing.T, s *plat.Snapshot) time.Duration {
	best := time.Hour
	for range 3 {
		best = min(best, fixtures.Timed(t, func() { Extract(s) }))
	}
	return best
}
