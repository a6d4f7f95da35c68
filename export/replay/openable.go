package replay

import (
	"bytes"
	"slices"
	"unicode/utf8"

	"golang.org/x/net/html/charset"
)

// byteOrderMark is U+FEFF in UTF-8. Before a page it outweighs what the page says of its
// encoding (HTML, section 13.2.3.2).
const byteOrderMark = "\ufeff"

// Openable is a page as a file that browsers open right: with a byte order mark if they
// would not take it for UTF-8 by what it says within its first 1024 bytes.
func Openable(page []byte) []byte {
	notASCII := func(b byte) bool { return b >= utf8.RuneSelf }
	if !slices.ContainsFunc(page, notASCII) || bytes.HasPrefix(page, []byte(byteOrderMark)) {
		return page
	}
	head := slices.Clone(page[:min(len(page), 1024)])
	for i, b := range head {
		if notASCII(b) {
			head[i] = '?' // so that nothing is guessed from the text
		}
	}
	if _, name, _ := charset.DetermineEncoding(head, ""); name == "utf-8" {
		return page
	}
	return append([]byte(byteOrderMark), page...)
}
