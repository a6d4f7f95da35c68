// Package trapsite serves a generated web site on which a crawler can be measured:
// pages with text of their own, each under three addresses, and beside them six parts
// without end, linked as on real sites.
//
//	calendar   months, weeks and days of all years; a few events in a few years
//	session    every link carries a fresh session id, also those to real pages
//	facets     filters in paths and queries, in every order, over the same items
//	repeat     a/b/a/b/…: the server reads only the end of a path
//	loop       relative links, with different words at every depth
//	notfound   unknown paths answer 200, name the path, and link on from it
//
// All of it follows from the number of pages and the seed, except for the volatile
// blocks of pages, which also depend on the number of requests. A different seed gives
// different words, names of paths and parameters and, if a part of the site can be built in
// several ways, a different way.
//
// Real pages include features that rules and comparisons may mistake for traps: dates such as
// 2020/10/10, names that occur twice in a path, deep paths, pages that differ in
// numbers only, short pages, and pages that declare a wrong canonical page. A tenth are parts of
// serials, reachable only from the previous part, up to 42 links from the start page.
package trapsite
