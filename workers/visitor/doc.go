// Package visitor puts together what visits pages: an egress guard, a browser behind
// it, the check that spares renderings, labels, and a worker.
//
// [Open] makes all of it for an archive, [OpenRenderer] the browser alone, and
// [NewWorker] a worker over pages that need no browser. Settings reach this package as
// [Options], already checked; where they come from is not its business. [Visitor.Crew]
// has the same visitor take its work from a frontier.
//
// [FreeDisk] and [FreeMemory] return guards: functions whose error reports a shortage, with the available
// amount, the required one in bytes, and the remedy. Workers start no new jobs while a guard returns an error.
//
// What is opened is closed in the order in which its parts need one another, by one
// Close, when no visit is under way any more. The archive and the frontier belong to
// the caller and outlive the visitor.
package visitor
