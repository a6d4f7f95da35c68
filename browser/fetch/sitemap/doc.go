// Package sitemap reads lists of URLs that sites publish for crawlers.
//
// [Read] accepts every form in the protocol (sitemaps.org/protocol.html,
// version 0.9): sitemap files, index files, text files, RSS 2.0 and Atom feeds;
// any of them gzipped. It detects the form by content, since names and media
// types of such files are often wrong. It reads a stream and holds one entry at
// a time.
//
// # Duties of the caller
//
// Read does no I/O except on its reader. It yields every absolute http or https
// URL, as written. Canonicalising URLs, deciding whether they are in scope (the
// protocol's "Sitemap file location" restricts a sitemap to its own host and
// folder), following an index and limiting how far are up to the caller.
//
// # Untrusted files
//
// [Limits] bounds everything that could grow: bytes before and after
// decompression, entries, nesting, the size of one token. Declared entities are
// never expanded, and nothing is fetched. A gzip file inside a gzip file is an
// error.
//
// Common mistakes are tolerated: "&" without escape, invalid UTF-8, control
// characters, wrong namespaces, a wrong "utf-16" in the declaration. For XML
// broken beyond that, the entries before the error are yielded, and the error
// gives its position.
package sitemap
