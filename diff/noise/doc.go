// Package noise separates the changes that a page makes on its own, self-changes, from those that an
// author makes, which are news.
//
// A page with a clock, a view counter or "5 minutes ago" differs at every visit. [Weigh] removes such
// changes from those between two versions. It compares the texts of each block and gives a reason for
// each place that is not news. Some reasons follow from the texts: a clock that has advanced, an age
// that has grown by the time between the visits. Some follow from a second rendering at the same
// visit: places where the two renderings differ as well. The rest follows from a [Mask], which
// records the places that varied at earlier visits.
//
// By the texts alone, a price, an amount, a score, a version or the date of an event is always news:
// a number counts as a time only if it has moved by the time between the visits, or shows the time of
// both.
//
// The package is pure and deterministic: no I/O, no clock, no randomness.
package noise
