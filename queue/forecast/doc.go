// Package forecast reads from an archive what is believed of its URLs: how often they change,
// whether they have changed by now, when they are visited next and why, with their past visits
// (package schedule decides all of that), and which blocks of a page change most. It makes the
// memory that this rests on again from the visits, where it was lost.
package forecast
