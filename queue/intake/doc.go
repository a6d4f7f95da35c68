// Package intake takes URLs into the archive's list of jobs.
//
// [Take] takes a few seeds. A [List] takes a list of any length while the first of its
// URLs are visited already: it holds one batch in memory, and notes in the archive how
// far it is. Every job of a list is due when the list was begun. So a list that is
// given again, after an interruption or by mistake, goes on where it was, and what was
// visited since is done: no URL is visited twice for one list.
//
// A file is known by the bytes that were taken of it, so it may have grown. A list that can
// be read only once is known by its first 64 KiB, or all if it is shorter, if these come
// within a second; else it is another list each time.
package intake
