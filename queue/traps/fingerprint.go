package traps

import (
	"crypto/sha256"
	"encoding/binary"
	"io"
	"unicode"
	"unicode/utf8"

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
	// In pieces: a text may have megabytes, at the moment of a visit that takes the most memory.
	h := sha256.New()
	io.WriteString(h, title+"\x00")
	piece := make([]byte, 0, 4<<10)
	for _, r := range blocks[longest].Text {
		if unicode.IsDigit(r) {
			continue
		}
		if piece = utf8.AppendRune(piece, r); len(piece) > cap(piece)-utf8.UTFMax {
			h.Write(piece)
			piece = piece[:0]
		}
	}
	h.Write(piece)
	return binary.BigEndian.Uint64(h.Sum(nil))
}
