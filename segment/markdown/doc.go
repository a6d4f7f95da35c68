// Package markdown sets the text of a page as Markdown (CommonMark 0.31 with the tables and
// the strikethrough of GitHub), with headings, lists, tables, code, quotes, links, emphasis
// and images.
//
// [Of] reads the leaves that hold the text, in their places in the layout, as
// [article.Cuts] names them. The words are those of the text; images with an alternative
// text stand where they are on the page. What it returns depends on the stored bytes alone,
// so it is the same for a page that was just rendered and for its version in an archive.
//
//	read     elements and texts into blocks: paragraphs, lists, tables   build.go, element.go
//	tables   which are tables of data, and which lay out the page        table.go
//	write    blocks as lines                                             write.go
//	inline   emphasis, links and code in a line                          inline.go
//	escape   what a text must not begin                                  escape.go
//	links    absolute URLs of schemes that are safe                      link.go
//
// Pages are untrusted input. No HTML is in the Markdown; what a page says that looks like
// markup is escaped; links lead only to http, https, ftp and mailto; it has no character that
// a terminal obeys. Time and size are linear in the page: blocks nest at most maxNest deep,
// and a table that spans or ragged rows would enlarge is written cell by cell.
//
// No parser of HTML is used: from the bytes that package markup writes it need not build the
// same DOM, and it refuses deep documents.
package markdown
