// Package visitor assembles the parts that visit pages: an egress guard, a browser behind
// it, validation, labels, and a worker.
//
// [Open] makes all of it for an archive, [OpenRenderer] the browser alone, and
// [NewWorker] a worker over pages that need no browser. [Options] are
// already checked. [Visitor.Crew] returns a crew that takes work for the same visitor from a frontier.
//
// [FreeDisk] and [FreeMemory] return guards: functions whose error reports a shortage, with the available
// amount, the required one in bytes, and the remedy. Workers start no new jobs while a guard returns an error.
//
// One Close closes all parts, in the order of their dependencies, when no visit is under way. The archive and the frontier belong to
// the caller and outlive the visitor.
package visitor
