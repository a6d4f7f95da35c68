// Package workers visits pages: it combines rendering, segmentation, comparison and
// storage.
//
// [Worker.Visit] does a job once and never leaves the archive half changed; start
// reading with the function visit in visit.go. A Worker keeps only caches between visits,
// so any number may run concurrently, in one process or in many: races between two
// visits of a URL are resolved by the store's compare-and-swap.
//
// A [Crew] takes jobs from the frontier, has its Worker do them, and ends their leases: see job.go.
// For a crew, package fetch sends the requests that need no browser, and package traps avoids endless parts of
// sites and finds pages that are archived under a different URL.
package workers
