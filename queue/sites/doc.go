// Package sites keeps a crawl out of parts of a site that have no end, and archives a page
// that has several addresses under one of them.
//
// It applies package traps to a crawl. A [Guard] keeps what is known of each host, as notes in
// the archive too, so that workers share it. It is asked four times:
//
//   - [Guard.Spare], before a visit: is the URL another address of a known page, or of a
//     pattern that brings nothing?
//   - [Guard.Main], when the page is read: is it archived under another URL already?
//   - [Guard.Keep], with the page's links: which are followed, and under which address?
//   - [Guard.Learn], or [Guard.Missed] if there was no page, takes over what the visit shows.
package sites
