// Package parts holds what pages about an archive have in common, those that package
// web serves and the report that package export writes: the style sheet, the
// functions of templates and their smallest pieces, and the history of blocks.
//
// A template made by [New] knows the functions
//
//	iso, clock      an instant: RFC 3339, and for people; UTC
//	size, count     bytes and numbers for people; plural N NOUN
//	kinds           numbers of changes, in the order in which people read kinds
//	join, ratio
//
// and the pieces "time" (of an instant), "changes" (of numbers by kind) and "marks"
// (of words that came, went or stayed).
package parts
