// Package dial finds numbers of a text that run with the time, whatever the format: a clock with its
// date in any order, era and script, the time until a deadline, an uptime, a count of seconds.
//
// A format is not parsed. The numbers of two texts are paired by what is around them, and [Ran]
// searches neighbouring pairs that have moved by as much as the time between the texts: hours, minutes
// and seconds, with the numbers beside them that are parts of the date then; days, hours, minutes and
// seconds of a duration; or one large number. A time that has not moved does not run.
//
// The package is pure: no I/O, no clock.
package dial
