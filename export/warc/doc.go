// Package warc writes web archives in standard formats: WARC/1.1 (ISO
// 28500:2017), its CDXJ index, and WACZ 1.1.1, which packs both for players.
//
//	A record is one capture of one URI: a head of named fields, and a block.
//	A WARC file is a sequence of records, each a separate gzip member, so
//	that a record can be read by its offset alone; the first, a warcinfo,
//	describes the file.
//	A CDXJ index has a line for each record except warcinfo records, sorted by
//	SURT (the URI with its host reversed), then by time.
//	A WACZ is a ZIP file with WARC files, their index, and a list of pages.
//
// The writers are strict: a record that violates the standard, or a field value with a line
// break, is an error, and is not written. They hold one record in memory, and a limited part of
// the index, see [Index].
package warc
