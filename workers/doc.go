// Package workers visits pages: the one place where rendering, segmentation,
// comparison and storage meet.
//
// [Worker.Visit] does a job once and never leaves the archive half changed; the
// function visit in visit.go, read top to bottom, is the program. A Worker holds
// no state of its own between visits, so any number may run at once, in one
// process or in many: what decides between two that visit the same URL is the
// store's compare-and-swap.
package workers
