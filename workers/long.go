package workers

import (
	"plat/diff"
	"plat/plat"
)

// Limits of pages that are searched for self-changes: words, bytes, and bytes of a block, whose attributes are read
// as words too. The search keeps each word of up to three renderings in memory.
const (
	mostWords   = 300_000
	mostContent = 8 << 20
	mostOfBlock = 1 << 20
)

// tooLong reports whether blocks exceed a limit. Folded text counts by its length.
func tooLong(blocks []plat.Block) bool {
	content, text := 0, 0
	for i := range blocks {
		b := &blocks[i]
		content += len(b.Content)
		if len(b.Content) > mostOfBlock {
			return true
		}
		text += len(b.Text)
		for k := 0; k+1 < len(b.Folded); k += 2 {
			text += int(b.Folded[k+1]-b.Folded[k]) / 2
		}
	}
	if content > mostContent || text <= mostWords {
		return content > mostContent
	}
	words := 0
	for i := range blocks {
		b := &blocks[i]
		for k := 0; k+1 < len(b.Folded); k += 2 {
			words += int(b.Folded[k+1]-b.Folded[k]) / 2
		}
		for range diff.Each(b.Text) {
			if words++; words > mostWords {
				return true
			}
		}
	}
	return words > mostWords
}
