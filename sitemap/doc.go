// Package sitemap reads the lists of URLs that sites offer to crawlers.
//
// [Read] takes every form that the protocol (sitemaps.org/protocol.html, version
// 0.9) knows: sitemap files, index files, text files, RSS 2.0 and Atom feeds; any
// of them gzipped. It tells them apart by their content, for names and media
// types of such files are often wrong. It reads as a stream and holds one entry
// at a time.
//
// # What the caller does
//
// Read does no I/O but on its reader. It hands on every absolute http or https
// URL, as written: bringing it to canonical form, and deciding whether it is in
// scope (the protocol's "Sitemap file location" wants a sitemap to speak of its
// own host and folder only), are the caller's. So is following an index, and
// bounding how far.
//
// # Strangers' files
//
// All that could grow is bounded by [Limits], whatever the file says: bytes
// before and after unzipping, entries, nesting, the size of one token. A document
// type may declare entities, but none is ever expanded nor anything fetched. A
// gzip file inside a gzip file is refused.
//
// Common mistakes are forgiven: "&" without escape, octets that are no UTF-8,
// control characters, wrong namespaces, a wrong "utf-16" in the declaration.
// Where XML is broken beyond that, the entries before the break have been handed
// on, and the error says where it is.
package sitemap
