// Package slots plans periods: it chooses which f of the n time slots of a period to visit a page
// in, such as 11 of the 30 days of a month, from past periods in which every slot had a visit.
//
// The method is the time-aware incremental updating of a paper on distributed crawling, sections
// 2.3 and 3.1; "the paper" and the numbers of definitions, formulas and algorithms in this package
// mean it. We know its formulas 1 to 10 only from the text around them; where they leave a choice,
// a comment names the one that we made.
//
// [Plan] is the method of the paper: the slots whose snapshots resemble each other least, after a
// filter of slots that bring little. It finds the true minimum, or says how far it may be from it.
// [PlanDP] maximises the measures of the paper, accuracy and freshness, directly; it is exact too,
// and faster. [Uniform], [Random] and [Exhaustive] are for comparison. A plan is good for the next
// period only if periods resemble each other: check with [Periodic] first.
//
// Slots count from 0; the paper's count from 1. A plan is a list of slots, ascending. The
// package is pure: no clock, no I/O, and randomness only from seeds.
package slots
