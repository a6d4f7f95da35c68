// Package replay turns an archived version into a page for viewing.
//
// The archive holds the page after its scripts had run, byte for byte (see
// [plat/history.Page]), and the style sheets, images and fonts that it used:
// the resources, listed in a [plat.Manifest]. For viewing, references must
// point to those resources and links to other mementos, and active content
// (scripts, refreshes, forms) must be removed. There are two ways:
//
//   - [View] makes a page for our own server, with scripts off. Its resources are served under
//     paths signed by a [Key]: a page with an opaque origin sends no credentials, so the
//     signature proves that the client was shown the page. Style sheets are served through
//     [Assets.CSS].
//   - [Playable] makes a page for web archive players, which look resources up under their own
//     URLs. [Alone] converts resources for that.
//
// A document of XML with style sheets stays XML (xml.go), as HTML its rules would apply to other elements.
//
// For a view, rewriting only affects appearance: the Content-Security-Policy of its response
// makes it inert. A playable page has no such policy. It is written so that it is inert however
// a browser parses it (inert.go).
//
// Pages are untrusted input: rewriting never fails because of a page's content,
// and its result is bounded by a multiple of the page's size.
package replay
