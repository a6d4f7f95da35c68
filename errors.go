package plat

import (
	"errors"
	"time"
)

// Sentinel errors: only those on which a caller decides something.
var (
	// ErrNotFound is returned for a URL, version or block that the archive
	// does not have.
	ErrNotFound = errors.New("not found")

	// ErrConflict is returned by a commit that expected another head: somebody
	// else stored a version of the URL in between.
	ErrConflict = errors.New("another version was stored in between")

	// ErrSettled is returned for a visit whose job another visit has settled: see
	// [SettledError].
	ErrSettled = errors.New("another visit has done this job")

	// ErrCorrupt is returned when stored bytes do not have the hash they are
	// stored under, or cannot be decoded.
	ErrCorrupt = errors.New("stored data is corrupt")

	// ErrNewer is returned for what a newer plat has written.
	ErrNewer = errors.New("written by a newer plat; use that one, or a newer one still")

	// ErrBadURL is returned for a URL that plat does not visit.
	ErrBadURL = errors.New("bad URL")
)

// SettledError is an [ErrSettled] that says when the archive has the URL due next, zero
// for never: as the visit decided that was first.
type SettledError struct {
	URL string
	Due time.Time
}

// Error says which job it is.
func (e *SettledError) Error() string { return ErrSettled.Error() + ": " + e.URL }

// Is reports whether target is ErrSettled.
func (e *SettledError) Is(target error) bool { return target == ErrSettled }

// VisitError is a visit that ended without a page. Outcome says how.
type VisitError struct {
	Outcome Outcome
	// Retry says that the same visit may well succeed later.
	Retry bool
	Err   error

	// Picture is what the page looked like, where a step on it failed; nil if
	// there is none.
	Picture *Picture
}

// Error is the outcome and the cause.
func (e *VisitError) Error() string { return string(e.Outcome) + ": " + e.Err.Error() }

// Unwrap returns the cause.
func (e *VisitError) Unwrap() error { return e.Err }
