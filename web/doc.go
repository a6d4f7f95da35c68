// Package web shows an archive to people and programs over HTTP.
//
// For people there are pages, rendered here from the templates in pages/ and one
// style sheet, without a build step; they work without scripts, and a small one
// adds the keyboard walk over blocks. For programs there is JSON under /api/v1,
// described by openapi.yaml and held to it by a test; feeds of what changed; and
// Memento (RFC 7089): TimeGate, TimeMap and mementos.
//
//	/                 the archive: sites, and URLs by what they begin with
//	/url?url=URL      a URL's versions on a time line
//	/version?url=&version=  a version: its picture, its blocks drawn over it, the block tree
//	/diff?url=&old=&new=    two versions side by side
//	/block?url=&lineage=    one block through time
//	/replay?url=&version=   a version as it looked
//	/search?q=        block versions, with when they came and when they went
//	/fleet            what is to be visited, and how that goes
//	/web/TIME/URL     a memento: the page itself, rebuilt from its blocks
//
// What was archived is a stranger's text and never part of these pages: a
// memento is answered with a policy that puts it into an origin of its own and
// forbids scripts, forms and every request but those for what was archived with
// it (replay.go; package replay rewrites it). Everything else that a page said is text in a template.
package web
