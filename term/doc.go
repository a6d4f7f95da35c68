// Package term prints for people and programs that run plat in a terminal, or read
// what it prints: lines, JSON, tables, trees, a line of progress, and numbers as
// people write them.
//
// A [Screen] is what everything goes through: it knows whether styles are shown, and
// keeps the first error of standard output. What pages say is untrusted input:
// [Text] and [Indent] make it fit for a terminal; whoever prints it by other ways
// passes it through [plat/excerpt.Printable].
package term
