package article_test

import (
	"fmt"

	"plat/plat"
	"plat/segment/article"
)

func ExampleExtract() {
	block := plat.Style{Display: "block", Opacity: 1, FontSize: 16, FontWeight: 400}
	heading := plat.Style{Display: "block", Opacity: 1, FontSize: 32, FontWeight: 700}
	page := &plat.Snapshot{
		URL: "https://notice.test/2026/01/31/pier", Title: "North pier closes - The Harbour Notice",
		Styles: []plat.Style{block, heading},
		Nodes:  []plat.Node{{Kind: plat.DocumentNode, Parent: -1, HasBox: true, Box: plat.Rect{W: 800, H: 200}}},
	}
	add := func(style, name, text string) {
		st, y, i := int32(0), float32(len(page.Nodes)*20), int32(len(page.Nodes))
		if style == "heading" {
			st = 1
		}
		box := plat.Rect{X: 8, Y: y, W: 700, H: 20}
		page.Nodes = append(page.Nodes,
			plat.Node{Kind: plat.ElementNode, Name: name, End: i + 2, HasBox: true, Style: st, Box: box},
			plat.Node{Kind: plat.TextNode, Value: text, Parent: i, End: i + 2, HasBox: true, Style: st, Box: box})
		page.Nodes[0].End = i + 2
	}
	add("block", "nav", "Home Ships Quays")
	add("heading", "h1", "North pier closes")
	add("block", "p", "By Ann Rivers")
	add("block", "p", "The pier closes on Monday for two weeks, because divers found loose stones at its head.")
	add("block", "p", "Ferries land at the south pier.")
	add("block", "footer", "Published by the harbour office every morning, on paper and here, for all who sail or wait.")

	a := article.Extract(page)
	fmt.Println(a.Title)
	fmt.Println(a.Authors, a.Date)
	fmt.Println(a.Text)
	// Output:
	// North pier closes
	// [Ann Rivers] 2026-01-31
	// The pier closes on Monday for two weeks, because divers found loose stones at its head.
	//
	// Ferries land at the south pier.
}
