package plat

import "errors"

// Sentinel errors: only those on which a caller decides something.
var (
	// ErrNotFound is returned for a URL, version or block that the archive
	// does not have.
	ErrNotFound = errors.New("not found")

	// ErrConflict is returned by a commit that expected another head: somebody
	// else stored a version of the URL in between.
	ErrConflict = errors.New("another version was stored in between")

	// ErrSettled is returned by a commit whose job another visit has settled.
	ErrSettled = errors.New("another visit has done this job")

	// ErrCorrupt is returned when stored bytes do not have the hash they are
	// stored under, or cannot be decoded.
	ErrCorrupt = errors.New("stored data is corrupt")

	// ErrBadURL is returned for a URL that plat does not visit.
	ErrBadURL = errors.New("bad URL")
)

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
