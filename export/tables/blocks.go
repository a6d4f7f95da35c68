package tables

import (
	"slices"
	"time"

	"plat/plat"
	"plat/storage"
	"plat/storage/history"
)

// Block is a row of [Blocks].
type Block struct {
	storage.Found
	Text    *string // nil: not loaded, or the block was removed
	OldText *string // of the block in the version before; nil: not loaded, or there is no such block
}

// Removed reports whether the row is the removal of its block.
func (b *Block) Removed() bool { return b.Change != nil && b.Change.Kind == plat.Removed }

// old returns the change of a row against a block, or nil.
func (b *Block) old() *storage.BlockChange {
	if b.Change == nil || b.Change.Old == nil {
		return nil
	}
	return b.Change
}

const (
	unasked  = "without --changed"
	noBefore = "without --changed, and if the block is new"
	noText   = "without --text"
)

// Blocks is the table of plat blocks.
var Blocks = Table[Block]{Name: "blocks", Columns: slices.Concat([]Column[Block]{
	text("url", "page", func(b *Block) string { return b.URL }),
	integer("version", "version in which the content was first seen; with `--changed` the version with the change", func(b *Block) int { return b.N }),
	instant("taken", "time of that version", func(b *Block) time.Time { return b.Taken }),
	text("change", "kind of change: `added`, `removed`, `content`, `link`, `image`, `format`, `moved`, `hidden`, `volatile`, `advertisement`, `first` (of the first version), `changed` (kind not recorded)", func(b *Block) plat.Kind {
		if b.Change == nil {
			return ""
		}
		return b.Change.Kind
	}).orNull(unasked),
	text("by_itself", "reason why the page brings this by itself, see [noise.md](noise.md)", func(b *Block) string { return b.SelfChange }).orNull("it is news"),
	integer("lineage", "number of the block on its page, the same in all versions", func(b *Block) int32 { return b.Block.Lineage }),
	text("hash", "SHA-256 of the content (HTML), hexadecimal", func(b *Block) string {
		if b.Removed() {
			return ""
		}
		return hashOf(b.Block.Hash)
	}).orNull("the block was removed"),
	text("label", "kind of content, such as `main`; for a removed block this and the columns up to `font_size` are as it was", func(b *Block) plat.Label { return b.Block.Label }),
	text("role", "place in the page, such as `content`, `navigation`", func(b *Block) plat.Role { return b.Block.Role }).orNull("unknown"),
	text("holds", "form of the content, such as `text`, `list`", func(b *Block) plat.Holds { return b.Block.Holds }).orNull("unknown"),
	number("confidence", "of the label, 0 to 1", func(b *Block) float32 { return b.Block.Confidence }),
	text("topic", "topic; empty if there is none", func(b *Block) string { return b.Block.Topic }).long(),
	integers("path", "ranks of elements from the document to the block, see [format.md](format.md)", func(b *Block) []int32 { return b.Block.Path }),
	integer("level", "depth in the block tree, 0 being the page", func(b *Block) int32 { return b.Block.Level }),
	text("tag", "name of its first element", func(b *Block) string { return b.Block.Tag }),
}, place(func(b *Block) history.Box { return history.Box(b.Block.Box) }), []Column[Block]{
	integer("chars", "length of the text without white space", func(b *Block) int32 { return b.Block.TextLen }).in("characters"),
	number("link_share", "share of `chars` in links, 0 to 1", func(b *Block) float32 { return b.Block.LinkShare }),
	number("image_share", "share of the area covered by images, 0 to 1", func(b *Block) float32 { return b.Block.ImageShare }),
	number("font_size", "largest font", func(b *Block) float32 { return b.Block.FontSize }).in("CSS px"),
	optionalText("text", noText+", and if the block was removed", "visible text", func(b *Block) *string { return b.Text }),
	integer("old_version", "the version before", func(b *Block) int {
		if b.Change == nil {
			return 0
		}
		return b.Change.N
	}).orNull(unasked + ", and in a first version"),
	instant("old_taken", "its time", func(b *Block) time.Time {
		if b.Change == nil {
			return time.Time{}
		}
		return b.Change.Took
	}).orNull(unasked + ", and in a first version"),
	text("old_hash", "`hash` of the block in the version before", func(b *Block) string {
		if c := b.old(); c != nil {
			return hashOf(c.Old.Hash)
		}
		return ""
	}).orNull(noBefore),
	optionalText("old_text", noText+", "+noBefore, "visible text in the version before", func(b *Block) *string { return b.OldText }),
})}
