// Package links extracts a page's links and decides which of them are followed.
//
// [Page.Links] finds the links of a rendered page with their context: their text,
// their block, its label, topic and lineage, and the heading above. [Scope] says
// which of them belong to a crawl, and [InScope] turns these into jobs. The package
// is pure: no I/O, no clock.
//
// To visit links in a different order (by topic, for example), write your own method Choose.
package links
