// Package snapshotfile writes snapshots to files and reads them, for "plat snapshot save", fixtures
// and measurements. [Write] encodes a [plat.Snapshot], [Read] decodes it; resources are not
// written.
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
//	picture  type (a string's length and bytes), length, bytes; length 0: no picture
//
// Numbers are varints; box edges are 1/64 px, the unit of Chrome's layout, as a
// difference from the previous node, or the float's bits where they are not a multiple of it.
// Columns of similar numbers keep the file small.
//
// Files of older versions of plat are read: removed fields of the header are translated in read.go,
// and new fields are zero. docs/format.md has an example.
package snapshotfile

// magicLine begins a file, unpacked.
const magicLine = "plat snapshot 1\n"
