package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"plat/cmd/plat/settings"
	"plat/plat"
	"plat/plat/excerpt"
	"plat/workers/visitor"
)

// Exit codes. Scripts and orchestrators branch on them, so a number never changes its meaning.
//
// ExitUsage means an invalid command, argument or value of a setting, from any source (--tabs -1,
// PLAT_TABS=many, "tabs: many" in a file), or the name of a file that is missing or unreadable.
// ExitConfig means an error of no single value: the content of a file of configuration, steps,
// rules or secrets, a required setting that is missing, settings that exclude each other.
const (
	ExitOK          = 0
	ExitError       = 1  // something failed, or verify found damage
	ExitUsage       = 2  // a command, an argument or the value of a setting cannot be used
	ExitPartly      = 3  // some URLs failed
	ExitConfig      = 4  // invalid content of a configuration file, or a missing setting
	ExitStore       = 8  // the store cannot be reached
	ExitBrowser     = 10 // the browser cannot start
	ExitInterrupted = 11 // by SIGINT, SIGTERM or SIGHUP
)

// ErrInterrupted is the cause of the context's end when a signal came.
var ErrInterrupted = fmt.Errorf("interrupted: %w", context.Canceled)

// Failure is an error that decides the exit code.
type Failure struct {
	Code int
	URL  string // concerned, if any
	Err  error  // nil: already printed
}

func (f *Failure) Error() string {
	if f.Err == nil {
		return "failed"
	}
	return f.Err.Error()
}

func (f *Failure) Unwrap() error { return f.Err }

// Fail makes an error that ends the program with code.
func Fail(code int, format string, args ...any) error {
	return &Failure{Code: code, Err: fmt.Errorf(format, args...)}
}

// Unread reports whether err is that of a file which is missing or cannot be read. If an
// argument names the file, it is one of usage.
func Unread(err error) bool { return is[*fs.PathError](err) }

// About adds the URL that an error concerns.
func About(url string, err error) error {
	if err == nil {
		return nil
	}
	f := &Failure{Code: ExitError, URL: url, Err: err}
	if inner, ok := errors.AsType[*Failure](err); ok {
		f.Code = inner.Code
	}
	return f
}

// CodeOf is the exit code for err.
func CodeOf(ctx context.Context, err error) int {
	switch f, ok := errors.AsType[*Failure](err); {
	case err == nil:
		return ExitOK
	case errors.Is(context.Cause(ctx), ErrInterrupted):
		return ExitInterrupted
	case ok:
		return f.Code
	case OfSettings(err):
		if s, ok := errors.AsType[*settings.Error](err); ok && s.Whole {
			return ExitConfig
		}
		return ExitUsage
	case is[*visitor.BrowserError](err):
		return ExitBrowser
	case errors.Is(err, plat.ErrBadURL):
		return ExitUsage
	}
	return ExitError
}

// OfSettings reports whether err is about an invalid setting.
func OfSettings(err error) bool { return is[*settings.Error](err) || is[*visitor.EgressError](err) }

// is reports whether err is or wraps an E.
func is[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

// Sentence returns the message of an error on one line, without the control characters that a
// page might have put into it.
func Sentence(err error) string {
	return excerpt.Printable(strings.Join(strings.Fields(err.Error()), " "))
}
