// Package theme holds the common parts of the pages of package web and the report of package
// export: the style sheet, template functions and snippets, and the history of blocks.
//
// A template made by [New] has the functions
//
//	iso, clock      an instant: RFC 3339, and readable; UTC
//	size, count     readable bytes and numbers; plural N NOUN
//	kinds           numbers of changes, in display order
//	join, ratio
//
// and the snippets "time" (of an instant), "changes" (numbers by kind) and
// "marks" (added, removed and unchanged words).
package theme
