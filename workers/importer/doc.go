// Package importer archives the pages of web archives that other programs, or plat, have recorded.
//
// [Open] reads files into a [Library]: WARC, WACZ, HAR, pages saved as one file, and folders that wget has mirrored. A
// library knows the place of every response, not its bytes, and lists the captures of pages among them. [Run] visits each
// capture: the browser renders the page from the library's responses of about that time and reaches no address. So
// each becomes a version as if plat had visited the page then, or an unchanged visit.
//
// Files that plat has exported have the versions themselves. These are stored as they were, block by block and byte for
// byte, without a browser: see native.go.
//
// Two imports of a file store its captures once: a capture that is not later than the last visit of its URL is left out.
package importer
