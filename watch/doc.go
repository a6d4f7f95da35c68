// Package watch finds what is new on a page, without being told where to look.
//
//	m := watch.New()                    // knows nothing
//	r, err := m.Look(page, opt)         // first: what is there is learnt
//	r, err = m.Look(page, opt)          // later: r.Items are new, changed, removed
//
// A page has lists: runs of entries of one shape, as the articles of a blog, the rows of a
// table, headings with what follows them. [Memory.Look] finds those whose entries are worth
// telling of, knows which entries it has ever seen, and reports the others.
//
//	tree.go, text.go   the restored page: elements and texts, the block of each
//	list.go            candidates: whatever repeats
//	entry.go           an entry's title, address, date
//	choose.go          which entries are items, and which lists to choose
//	seen.go            whether an entry is one that was seen before
//	order.go           what was changed, moved and removed, from the order of the entries
//	look.go            all of it, and when something is wrong with the page
//	memory.go          what is remembered between looks, as bytes
//
// Lists are found by their shape, their place on the page and the labels of their blocks.
// History confirms them: a list whose entries are others at every look is not told of, nor
// is one that turns up as a whole.
//
// The method begins with Zhou and Guo, "Website update monitor based on web crawler and
// improved LCS algorithms", Computer Applications and Software 34(1), 2017: items are the texts
// of links, and what a longest common subsequence of old and new does not match is new, if it
// does not stand in the old page. See order.go for what became of that.
//
// The package is pure: no I/O, no clock, no randomness. Pages are untrusted input.
package watch
