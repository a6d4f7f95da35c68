package tables

import (
	"encoding/json"
	"slices"
	"time"

	"plat/plat"
	"plat/storage/history"
)

// Versions is the table of plat versions. Block trees must be loaded.
var Versions = Table[plat.Version]{Name: "versions", Columns: slices.Concat([]Column[plat.Version]{
	text("url", "page", func(v *plat.Version) string { return v.URL }),
	integer("version", "number, from 1", func(v *plat.Version) int { return v.N }),
	instant("taken", "time of the capture", func(v *plat.Version) time.Time { return v.Taken }),
	integer("status", "HTTP status", func(v *plat.Version) int { return v.Capture.Status }).orNull("no answer over HTTP"),
	text("title", "title; empty if there is none", func(v *plat.Version) string { return v.Capture.Title }).long(),
	integer("blocks", "number of leaf blocks", history.Leaves),
	boolean("news", "it is the first version, or some of its changes are news", (*plat.Version).News),
}, kinds(), []Column[plat.Version]{
	integer("held_back", "number of changes that the page makes by itself", func(v *plat.Version) int {
		n := 0
		for _, x := range plat.SuppressedKinds(v.SelfChanges) {
			n += x
		}
		return n
	}),
	integer("page_bytes", "size of the HTML", func(v *plat.Version) int64 { return v.Capture.PageBytes }).in("bytes"),
	text("layout", "hash of the layout", func(v *plat.Version) string { return hashOf(v.Layout) }),
	integer("level", "depth of segmentation", func(v *plat.Version) int { return v.Level }),
	text("profile", "of segmentation: `visual` or `paper`", func(v *plat.Version) string { return v.Profile }),
	number("coverage", "share of the text that is in blocks, 0 to 1", func(v *plat.Version) float64 { return v.Coverage }),
	text("final_url", "URL after redirects", func(v *plat.Version) string { return v.Capture.FinalURL }),
	text("browser", "name and version of the browser", func(v *plat.Version) string { return v.Capture.Browser }),
	integer("width", "width of the window", func(v *plat.Version) int { return v.Capture.Width }).in("CSS px"),
	integer("height", "height of the window", func(v *plat.Version) int { return v.Capture.Height }).in("CSS px"),
	text("language", "language that the page declares", func(v *plat.Version) string { return v.Capture.Language }).orNull("it declares none"),
	text("settled", "why the page was captured at that moment, see [rendering.md](rendering.md)", func(v *plat.Version) plat.Settled { return v.Capture.Settled }).orNull("not recorded"),
	boolean("unsettled", "it was captured at a limit, before it was ready", func(v *plat.Version) bool { return v.Capture.Settled.Short() }),
	integer("coarse", "number of nodes of a page that had too many", func(v *plat.Version) int64 { return v.Capture.Coarse }).orNull("not too many"),
	text("steps", "hash of the steps on the page before the capture", func(v *plat.Version) string { return hashOf(v.Capture.Steps) }).orNull("no steps"),
	text("picture", "hash of the screenshot", func(v *plat.Version) string { return hashOf(v.Picture) }).orNull("no screenshot"),
	text("resources", "hash of the list of files that were kept", func(v *plat.Version) string { return hashOf(v.Resources) }).orNull("no files were kept"),
	text("meta", "fields of the metadata rules, as a JSON object", meta).long().orNull("no fields"),
})}

// kinds returns a column for each kind of change.
func kinds() (all []Column[plat.Version]) {
	for _, k := range plat.Kinds {
		about := "number of blocks with this change that is news"
		if !k.News() {
			about = "number of blocks with this change, which is no news by default"
		}
		all = append(all, integer(string(k), about, func(v *plat.Version) int { return v.Changes[k] }))
	}
	return all
}

// meta returns the metadata of a version as JSON, empty without fields.
func meta(v *plat.Version) string {
	if len(v.Meta) == 0 {
		return ""
	}
	b, err := json.Marshal(v.Meta)
	if err != nil {
		return "" // strings cannot fail
	}
	return string(b)
}
