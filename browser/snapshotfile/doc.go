// Package snapshotfile writes snapshots to files and reads them: those of "plat snapshot
// save", of fixtures and of measurements. [Write] takes a [plat.Snapshot], [Read] gives it
// back; resources are not written.
//
// A snapshot file is, gzipped:
//
//	magic    "plat snapshot 1\n"
//	header   length, JSON: the Snapshot without Nodes, Styles, Lines and Picture,
//	         and without Resources, which are not written
//	strings  count, then length and bytes of each: every name and value once
//	styles   length, JSON
//	nodes    count, then one column after the other over all nodes
//	lines    count, then one column after the other
//	picture  type (a string's length and bytes), length, bytes; length 0 is none
//
// Numbers are varints; box edges are 1/64 px, the unit of Chrome's layout, as a
// difference from the node before, or the float's bits where they are no
// multiple of it. Columns of like numbers are what makes the file small.
//
// Files of older versions of plat are read: fields of the header that are gone are
// translated in read.go, and those that are new are zero. docs/format.md has an example.
package snapshotfile

// magicLine begins a file, unpacked.
const magicLine = "plat snapshot 1\n"
