// Package crawl lists the jobs of a crawl that ends: each of its URLs is visited once, however often
// the archive has visited it before.
//
// The job list of an archive serves visits without an end. It has one job per URL, a link to a known
// URL adds none, and subscriptions and schedules add jobs at any time. A crawl therefore has a list of
// its own, in a file beside the archive. A [Store] joins the two for a crew of package workers:
// versions and visits go to the archive, jobs and their ends to the list.
//
//	Store     the archive, with the jobs of the crawl      store.go, limit.go
//	Progress  numbers of visited and of remaining pages    progress.go
//	Summary   the outcomes of all of its URLs              progress.go
//
// The list outlives the process: a crawl that is opened again continues after its last visit.
// Visits are first in the archive and then in the list, so after a crash in between the page is
// visited again, and no page is left out.
package crawl
