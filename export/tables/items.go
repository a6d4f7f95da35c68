package tables

import (
	"time"

	"plat/plat"
)

// Items is the table of plat watch items.
var Items = Table[plat.Item]{Name: "items", Columns: []Column[plat.Item]{
	text("id", "name of the item", func(i *plat.Item) string { return i.ID }),
	text("subscription", "ID of its subscription", func(i *plat.Item) string { return i.Subscription }),
	text("kind", "`new`, `changed`, `removed`, `text`, or `present` (it was there at the first look)", func(i *plat.Item) plat.ItemKind { return i.Kind }),
	text("title", "title", func(i *plat.Item) string { return i.Title }).long(),
	text("url", "target of its link", func(i *plat.Item) string { return plat.WithoutUser(i.URL) }).long().orNull("it has no link of its own"),
	text("excerpt", "the rest of its text; of a changed item the added text", func(i *plat.Item) string { return i.Excerpt }).long().orNull("no further text"),
	instant("dated", "date that the page gives", func(i *plat.Item) time.Time { return i.Dated }).orNull("it gives none"),
	instant("seen", "time of the version with it", func(i *plat.Item) time.Time { return i.Seen }),
	text("page", "URL of the page with it", func(i *plat.Item) string { return i.Page }),
	integer("version", "version of that page", func(i *plat.Item) int { return i.Version }),
	integer("lineage", "number of the block with it", func(i *plat.Item) int32 { return i.Lineage }).orNull("in no block"),
}}
