package markup_test

import (
	"fmt"

	"plat/plat"
	"plat/segment/markup"
)

// sight holds the state of each text of a page.
type sight map[int32]markup.State

func (s sight) OfText(node int32) markup.State { return s[node] }
func (sight) OfGenerated(k int32) markup.State { return markup.Shown }

// A page is serialised with one block as a part, whose text omits folded
// content, and then restored.
func Example() {
	s := &plat.Snapshot{Nodes: []plat.Node{
		0: {Kind: plat.DocumentNode, Parent: -1, End: 6},
		1: {Kind: plat.ElementNode, Name: "body", Parent: 0, End: 6},
		2: {Kind: plat.ElementNode, Name: "div", Parent: 1, End: 6},
		3: {Kind: plat.TextNode, Value: "Fish & chips", Parent: 2, End: 4},
		4: {Kind: plat.ElementNode, Name: "p", Parent: 2, End: 6},
		5: {Kind: plat.TextNode, Value: "allergens", Parent: 4, End: 6},
	}}
	parts := []markup.Part{{Nodes: plat.Span{First: 2, End: 6}}}
	var w markup.Written
	w.Write(s)
	w.Locate(s, parts, sight{5: markup.Folded})
	html := w.HTML
	div := &parts[0]
	content := html[div.From:div.To]
	fmt.Printf("%s\n", content)
	fmt.Printf("shown: %s\n", markup.Text(content, div.Hidden))
	folded, _ := markup.Unshown(content, div.Hidden, div.Folded)
	fmt.Printf("folded: %s\n", folded)

	layout := plat.Layout{HTML: append(html[:div.From:div.From], html[div.To:]...), Slots: []int32{int32(div.From)}}
	page, err := markup.Restore(&layout, []plat.Block{
		{Parent: -1, Slot: -1},
		{Slot: 0, Content: content},
	})
	fmt.Println(string(page), err)

	// Output:
	// <div>Fish &amp; chips<p>allergens</p></div>
	// shown: Fish & chips
	// folded: allergens
	// <body><div>Fish &amp; chips<p>allergens</p></div></body> <nil>
}
