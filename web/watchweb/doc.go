// Package watchweb shows subscriptions and their items over HTTP: to people as pages, to feed
// readers as feeds and OPML, to programs as JSON. It is a part of package web, which guards it.
//
//	/watch                    all subscriptions; forms to add one, and to mark items read
//	/watch/items              items of all, of a tag, of a group, or those that are unread
//	/watch/digest             what was found in a period
//	/watch/ID                 one subscription: settings, state, items, where they stand on the page
//	/watch/ID/pick, /watch/pick?url=   the picker: blocks chosen on the page's picture
//	/watch/ID/test            which lists are found on the last version, and why
//	/watch/feed.atom, .rss, .json, /watch/digest.atom, …, /watch/opml
//	/api/v1/watch…            the same for programs
//
//	watched.go   routes, what a request selects
//	list.go, items.go, one.go, pick.go, test.go, digest.go   pages
//	forms.go     what forms change: nothing is changed by GET
//	feeds.go     feeds and OPML
//	api.go, apichange.go   JSON
//
// Titles, excerpts and addresses come from pages and are untrusted input: they are shown as
// text, on one line, without control characters and bidirectional overrides, and lead only to
// addresses of the web.
package watchweb
