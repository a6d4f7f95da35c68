// Package intake takes URLs into the archive's list of jobs.
//
// [Take] takes a few seeds. A [List] takes a list of any length while the first of its
// URLs are visited already: it holds one batch in memory, and notes in the archive how
// far it is. Every job of a list is due when the list was begun. So a list that is
// given again, after an interruption or by mistake, goes on where it was, and what was
// visited since is done: no URL is visited twice for one list.
package intake
