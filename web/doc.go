// Package web serves an archive over HTTP, to people and programs.
//
// For people there are pages, rendered on the server from the templates in
// pages/ and those of package layout, and one style sheet, without a build step. They work without scripts;
// a small script adds keyboard navigation over blocks. For programs there are
// JSON under /api/v1, described by openapi.yaml (a test checks conformance);
// feeds of changes; and Memento (RFC 7089): TimeGate, TimeMap and mementos.
//
//	/                 the archive: sites, and URLs by prefix
//	/url?url=URL      a URL's versions on a time line; when it is visited again, and why
//	/version?url=&version=  a version: its picture, its blocks drawn over it, the block tree
//	/diff?url=&old=&new=    two versions side by side
//	/block?url=&lineage=    one block through time
//	/replay?url=&version=   a version as it looked
//	/search?q=        block versions, with the time each was present
//	/fleet            the crawl queue and its progress
//	/watch            subscriptions, their items and feeds: see package watchweb
//	/web/TIME/URL     a memento: the page itself, rebuilt from its blocks
//
// Archived content is untrusted and never part of these pages. A memento is
// sent with a policy that gives it an opaque origin and forbids scripts, forms
// and all requests except for resources archived with it (replay.go; package
// replay rewrites it). Everything else from an archived page is escaped as text
// by the templates.
package web
