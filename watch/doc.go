// Package watch finds new items on a page without configuration of where they appear.
//
//	m := watch.New()                    // knows nothing
//	r, err := m.Look(page, opt)         // first: learns the entries that are there
//	r, err = m.Look(page, opt)          // later: r.Items are new, changed, removed
//
// A page has lists: runs of entries of one shape, such as the articles of a blog, the rows of a
// table, or headings and the text below them. [Memory.Look] finds the lists that are worth
// reporting, knows which of their entries it has seen, and reports the rest.
//
//	tree.go, text.go   the restored page: elements and texts, the block of each
//	list.go            candidates: everything that repeats
//	entry.go           an entry's title, address, date
//	key.go             titles and addresses in the form in which they are compared
//	choose.go          which entries are items, and which lists to choose
//	further.go         additions to all other lists of the main part
//	followed.go        lists whose blocks change their labels
//	seen.go            whether an entry was seen before
//	order.go           changed, moved and removed entries, from their order
//	look.go            the whole method, and pages on which something is wrong
//	memory.go          the memory between two checks, as bytes
//
// Lists are found by their shape, their place on the page and the labels of their blocks.
// History confirms them: a list whose entries are new at every check is not reported, and
// neither is a list that appears all at once.
//
// The method begins with Zhou and Guo, "Website update monitor based on web crawler and
// improved LCS algorithms", Computer Applications and Software 34(1), 2017: items are the texts
// of links, and a text is new if a longest common subsequence of old and new does not match it
// and the old page does not contain it. order.go describes how plat differs.
//
// The package is pure: no I/O, no clock, no randomness. Pages are untrusted input.
package watch
