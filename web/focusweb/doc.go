// Package focusweb shows focused crawls over HTTP: to people as pages, to programs as JSON. It is a
// part of package web, which guards it.
//
//	/focus                  all crawls, and a form to begin one
//	/focus/ID               one crawl: how far it is, its pages, sites and waiting links
//	/focus/ID/why?url=      why a page was visited, or waits
//	/api/v1/focus…          the same for programs
//
//	focused.go         routes, and what all of them need
//	list.go, one.go    pages; curve.go draws the harvest
//	pages.go           pages of a crawl, the best first
//	why.go             explanations
//	forms.go           what forms change: nothing is changed by GET
//	api.go             JSON
//
// Titles and addresses come from pages and are untrusted input: they are shown as text, on one
// line, without control characters and bidirectional overrides, and lead only to addresses of the
// web.
package focusweb
