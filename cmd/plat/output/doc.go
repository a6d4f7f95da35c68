// Package output prints what the archive holds and what visits came to, for people at a
// terminal: versions and their blocks as trees, what changed between two, why nodes of a
// page are blocks, and the lines of a batch.
//
// Everything goes to a [term.Screen], which keeps the first error of writing. What pages
// say is made fit for a terminal here.
package output
