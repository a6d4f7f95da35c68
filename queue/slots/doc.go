// Package slots chooses which f of the n time slots of a period to visit a page in, such as 11
// of the 30 days of a month, from periods in which the page was looked at in every slot.
//
// The method is the time-aware incremental updating of a paper on distributed crawling,
// sections 2.3 and 3.1; "the paper" and the numbers of definitions, formulas and algorithms
// in this package mean it. Its formulas 1 to 10 are known to us only by the text around
// them; where they leave a choice, the comment says which one is made.
//
// [Plan] is the paper's: the slots whose snapshots resemble each other least, after a filter
// of slots that bring little. It finds the true minimum, or says how far it may be from it.
// [PlanDP] maximises what the paper measures plans by, accuracy and freshness, directly; it
// is exact too, and faster. [Uniform], [Random] and [Exhaustive] are what plans are compared
// with. A plan is good for the next period only if periods resemble each other: ask
// [Periodic] first.
//
// Slots count from 0; the paper's count from 1. A plan is a list of slots, ascending. The
// package is pure: no clock, no I/O, and randomness only from seeds.
package slots
