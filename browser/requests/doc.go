// Package requests lists what a page has loaded, its own documents left out, with the headers that
// tell whether it would be the same again.
//
// There are two sources. Of a page by https, Chrome's Network domain tells; it is on all the time
// there, and a [Log] gathers its events. Of one by http the guard knows: all that is in the clear
// went through the page's lane ([Cache.FromLane]). What the lane cannot know is what goes through
// a tunnel, by https; and what came out of the cache that a tab has filled for the page before,
// for which the page's own list of resources is asked.
package requests
