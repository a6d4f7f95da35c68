package plat

import (
	"errors"
	"fmt"
	"time"
)

// Sentinel errors that callers branch on.
var (
	// ErrNotFound is returned for a URL, version or block that is not in the archive.
	ErrNotFound = errors.New("not found")

	// ErrForgotten is the [ErrNotFound] for a URL or version that a user removed from the archive.
	ErrForgotten = fmt.Errorf("forgotten: %w", ErrNotFound)

	// ErrConflict is returned by Commit when the head is not the expected one: a concurrent writer
	// stored a version of the URL first.
	ErrConflict = errors.New("a concurrent writer stored a version first")

	// ErrSettled is returned for a visit whose job was already settled by a different visit: see
	// [SettledError].
	ErrSettled = errors.New("a different visit has settled this job")

	// ErrCorrupt is returned when stored bytes do not have the hash they are
	// stored under, or cannot be decoded.
	ErrCorrupt = errors.New("stored data is corrupt")

	// ErrNewer is returned for data written by a newer plat.
	ErrNewer = errors.New("written by a newer plat; upgrade to that version or later")

	// ErrOlder is returned for an archive written by an older plat, which has to be migrated first.
	ErrOlder = errors.New("written by an older plat")

	// ErrBadURL is returned for a URL that plat does not visit.
	ErrBadURL = errors.New("bad URL")
)

// SettledError is an [ErrSettled] with the URL's next due time in the archive, as set
// by the visit that settled the job; zero for never.
type SettledError struct {
	URL string
	Due time.Time
}

// Error returns the message with the URL of the job.
func (e *SettledError) Error() string { return ErrSettled.Error() + ": " + e.URL }

// Is reports whether target is ErrSettled.
func (e *SettledError) Is(target error) bool { return target == ErrSettled }

// VisitError is the error of a visit that ended without a page, for the reason in Outcome.
type VisitError struct {
	Outcome Outcome
	// Retry reports whether the same visit may succeed later.
	Retry bool
	Err   error

	// Picture shows the page at a failed step; nil if there is no picture.
	Picture *Picture
}

// Error returns the outcome and the cause.
func (e *VisitError) Error() string { return string(e.Outcome) + ": " + e.Err.Error() }

// Unwrap returns the cause.
func (e *VisitError) Unwrap() error { return e.Err }
