package article

import (
	"math"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"plat/plat"
)

// FuzzExtract checks that Extract handles any tree, is deterministic, and
// returns only results that can be stored.
func FuzzExtract(f *testing.F) {
	f.Add("The council voted, and the pier was closed for longer than anybody had thought.", "article-body ad", `{"@type":"Article","author":{"name":"Ann Rivers"}}`, []byte{1, 2, 3, 4, 5, 6, 7, 8}, float32(300))
	f.Add("By Ann Rivers, 31.01.2026 | 北码头下周关闭 a\xff", "comments sidebar", "[[[[", []byte{0, 0, 0, 0, 255, 255, 9, 3, 8, 2}, float32(math.NaN()))
	f.Add("", "", "", []byte{}, float32(math.Inf(-1)))
	f.Add("", "", "", []byte("\xecY,0"), float32(math.Inf(-1)))
	names := []string{"div", "a", "h1", "p", "li", "span", "script", "br", "td", "time", "title", "meta", "header", "article", "pre"}
	f.Fuzz(func(t *testing.T, text, class, ld string, tree []byte, w float32) {
		tree = tree[:min(len(tree), 300)]
		s := &plat.Snapshot{Title: text, URL: class, Language: class, Width: w}
		s.Styles = []plat.Style{{Display: "block", Opacity: 1, FontSize: w, FontWeight: 400}, {Display: "inline", Float: "left", Opacity: w, FontSize: 16}, {Position: "fixed", Hidden: true}}
		at := func(i int) int32 { // any number, including far out of range
			return int32(int8(tree[i%len(tree)]))
		}
		for i, b := range tree {
			n := plat.Node{
				Kind: plat.NodeKind(b % 7), HasBox: b%5 != 0, Parent: at(i + 1), End: int32(i) + at(i+2), Style: at(i+3) % 5,
				Box: plat.Rect{X: float32(b) - 20, Y: w, W: w, H: float32(b % 9)}, Name: names[int(b)%len(names)],
			}
			switch n.Kind {
			case plat.TextNode:
				n.Value = text[min(len(text), int(b)%16):]
				if b%3 == 0 {
					n.Value = ld
				}
			case plat.ElementNode:
				n.Attrs = []plat.Attr{
					{Name: "class", Value: class}, {Name: "type", Value: "application/ld+json"}, {Name: "datetime", Value: text},
					{Name: "name", Value: authorNames[int(b)%len(authorNames)]}, {Name: "property", Value: "og:title"}, {Name: "content", Value: text},
				}
			}
			s.Nodes = append(s.Nodes, n)
		}
		got := Extract(s)
		if again := Extract(s); !reflect.DeepEqual(got, again) {
			t.Errorf("once %+v, then %+v", got, again)
		}
		for _, v := range append([]string{got.Text, got.Title, got.Date}, got.Authors...) {
			if !utf8.ValidString(v) || strings.TrimSpace(v) != v {
				t.Errorf("%q is not fit to store", v)
			}
		}
		if strings.ContainsAny(got.Title, "\n\r") || len(got.Authors) > maxAuthors {
			t.Errorf("title %q, %d authors", got.Title, len(got.Authors))
		}
		if _, err := time.Parse(time.DateOnly, got.Date); got.Date != "" && err != nil {
			t.Errorf("date: %v", err)
		}
	})
}
