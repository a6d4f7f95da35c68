// Package intake adds URLs to the archive's list of jobs.
//
// [Take] adds a few seeds. A [List] adds a list of any length while the first of its URLs are
// visited already: it holds one batch in memory, and notes its progress in the archive. Every job
// of a list is due when the list was begun. So a list that is given again, after an interruption
// or by mistake, continues where it ended, and its visited URLs are done: no URL is visited twice
// for one list.
//
// A file is identified by a hash of the bytes read from it, so it may have grown. A list that can
// be read only once is identified by its first 64 KiB, or all if it is shorter, if these arrive
// within a second; else it counts as a new list each time.
package intake
