package traps

import (
	"encoding/binary"
	"strings"
	"unicode"

	"plat/plat"
)

// minFingerprint is how many characters the longest leaf of a page must have.
const minFingerprint = 100

// Fingerprint returns what pages that look alike have in common: a hash of title and
// longest text of a leaf, without digits. 0 if that is too short.
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
