package tables

import (
	"slices"
	"strings"
	"time"

	"plat/plat"
	"plat/storage"
	"plat/storage/history"
)

// Hit is a row of [Hits].
type Hit struct {
	history.SpanInfo
	Score   float64
	Ranked  bool // the search has words
	Snippet []storage.Part
}

// Hits is the table of plat search.
var Hits = Table[Hit]{Name: "search", Columns: slices.Concat([]Column[Hit]{
	text("url", "page", func(h *Hit) string { return h.URL }),
	integer("lineage", "number of the block on its page, the same in all versions", func(h *Hit) int32 { return h.Lineage }),
	text("hash", "SHA-256 of the content (HTML), hexadecimal", func(h *Hit) string { return h.Hash }),
	integer("first", "first version with it", func(h *Hit) int { return h.First }),
	instant("since", "time of that version", func(h *Hit) time.Time { return h.Since }),
	integer("last", "last version with it", func(h *Hit) int { return h.Last }),
	instant("seen", "last visit that found it", func(h *Hit) time.Time { return h.Seen }),
	integer("gone", "first version without it", func(h *Hit) int {
		if h.Gone == nil {
			return 0
		}
		return *h.Gone
	}).orNull(stillThere),
	instant("until", "time of that version", func(h *Hit) time.Time {
		if h.Until == nil {
			return time.Time{}
		}
		return *h.Until
	}).orNull(stillThere),
	text("label", "kind of content, such as `main`", func(h *Hit) plat.Label { return h.Label }),
	text("role", "place in the page, such as `content`, `navigation`", func(h *Hit) plat.Role { return h.Role }).orNull("unknown"),
	text("holds", "form of the content, such as `text`, `list`", func(h *Hit) plat.Holds { return h.Holds }).orNull("unknown"),
	text("topic", "topic; empty if there is none", func(h *Hit) string { return h.Topic }).long(),
}, place(func(h *Hit) history.Box { return h.Box }), []Column[Hit]{
	integer("chars", "length of the text without white space", func(h *Hit) int32 { return h.Chars }).in("characters"),
	{Name: "score", Type: Number, Null: "the search has no words", About: "quality of the match; comparable within one search", of: func(h *Hit) value {
		return value{null: !h.Ranked, number: float32(h.Score)}
	}},
	text("snippet", "part of the text around the words", func(h *Hit) string {
		var b strings.Builder
		for _, p := range h.Snippet {
			b.WriteString(p.Text)
		}
		return b.String()
	}).long(),
	text("text", "visible text", func(h *Hit) string {
		if h.Text == nil {
			return ""
		}
		return *h.Text
	}).long(),
})}

const stillThere = "the last version has it"
