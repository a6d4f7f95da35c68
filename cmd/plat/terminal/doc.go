// Package terminal prints to a terminal, or to programs that parse the output of
// plat: lines, JSON, tables, trees, a progress line, and formatted numbers.
//
// All output goes through a [Screen]: it decides whether to show styles, and
// keeps the first error of standard output. Page content is untrusted input:
// [Text] and [Indent] make it safe for a terminal; other output of it must use
// [plat/excerpt.Printable].
package terminal
