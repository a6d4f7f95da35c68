// Package noise tells what a page changes by itself from what somebody has changed.
//
// A page with a clock, a counter of views, or "5 minutes ago" is another one at every
// visit. [Weigh] takes such changes out of those between two versions. It compares the
// texts of each block, and says of each place where they differ why it is no news. Some the
// texts themselves show: a clock that has gone on, an age that has grown by the time between
// the visits. A second look at the page shows others: those where the two looks differ too. A
// [Mask] is what earlier looks have taught.
//
// What is told apart here is never a price, an amount, a score, a version, or a date of
// something else than the visit: a number counts as a time only if it has moved by as much
// as the time between the visits, or shows the time of both.
//
// The package is pure and deterministic: no I/O, no clock, no randomness.
package noise
