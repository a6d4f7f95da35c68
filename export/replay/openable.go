package replay

import (
	"bytes"
	"slices"
	"unicode/utf8"

	"golang.org/x/net/html/charset"
)

// byteOrderMark is U+FEFF in UTF-8. At the start of a page it overrides the page's declared
// encoding (HTML, section 13.2.3.2).
const byteOrderMark = "\ufeff"

// Openable returns a page as a file that browsers open correctly: with a byte order mark unless
// its first 1024 bytes declare UTF-8.
func Openable(page []byte) []byte {
	notASCII := func(b byte) bool { return b >= utf8.RuneSelf }
	if !slices.ContainsFunc(page, notASCII) || bytes.HasPrefix(page, []byte(byteOrderMark)) {
		return page
	}
	head := slices.Clone(page[:min(len(page), 1024)])
	for i, b := range head {
		if notASCII(b) {
			head[i] = '?' // so that the text is not used for guessing
		}
	}
	if _, name, _ := charset.DetermineEncoding(head, ""); name == "utf-8" {
		return page
	}
	return append([]byte(byteOrderMark), page...)
}
