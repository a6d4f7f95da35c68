package traps

import (
	"encoding/binary"
	"strings"
	"unicode"

	"plat/plat"
)

// minFingerprint is the least length of the longest leaf of a page, in characters.
const minFingerprint = 100

// Fingerprint returns a value that similar pages have in common: a hash of title and longest text
// of a leaf, without digits. 0 if that is too short.
func Fingerprint(title string, blocks []plat.Block) uint64 {
	longest := -1
	for i := range blocks {
		if blocks[i].Leaf() && (longest < 0 || blocks[i].TextLen > blocks[longest].TextLen) {
			longest = i
		}
	}
	if longest < 0 || blocks[longest].TextLen < minFingerprint {
		return 0
	}
	text := strings.Map(func(r rune) rune {
		if unicode.IsDigit(r) {
			return -1
		}
		return r
	}, blocks[longest].Text)
	h := plat.HashOf([]byte(title + "\x00" + text))
	return binary.BigEndian.Uint64(h[:])
}
