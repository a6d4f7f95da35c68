// Package forecast tells from an archive what is expected of its URLs: how often each changes,
// whether it has changed by now, and when and why it is visited next, with its past visits and the
// blocks that change most. Package schedule makes these estimates; forecast reads them. Two
// writers are also here: [Setter] gives known URLs a new schedule, and [Rebuilder] restores lost
// policy memories from the visits.
package forecast
