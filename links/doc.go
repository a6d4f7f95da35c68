// Package links says where pages lead, and what of that is visited too.
//
// [Page.Links] finds the links of a rendered page, each in its place: with its words, the
// block that it stands in, that block's label, topic and lineage, and the heading above it.
// [Scope] says which of them belong to a crawl, [InScope] makes jobs of these. It is pure:
// no I/O, no clock.
//
// Whoever wants another order of visits (by a topic, say) writes another method Choose.
package links
