package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"plat"
	"plat/excerpt"
	"plat/settings"
	"plat/visitor"
)

// Exit codes. Scripts and orchestrators branch on them, so a number never
// changes its meaning.
const (
	exitOK          = 0
	exitError       = 1  // something failed, or verify found damage
	exitUsage       = 2  // the command line cannot be understood
	exitPartly      = 3  // some URLs failed
	exitConfig      = 4  // a setting cannot be used, wherever it came from
	exitStore       = 8  // the store cannot be reached
	exitBrowser     = 10 // the browser cannot start
	exitInterrupted = 11 // by SIGINT, SIGTERM or SIGHUP
)

// errInterrupted is the cause of the context's end when a signal came.
var errInterrupted = fmt.Errorf("interrupted: %w", context.Canceled)

// failure is an error that decides the exit code.
type failure struct {
	code int
	url  string // concerned, if any
	err  error  // nil: all has been said already
}

func (f *failure) Error() string {
	if f.err == nil {
		return "failed"
	}
	return f.err.Error()
}

func (f *failure) Unwrap() error { return f.err }

// fail makes an error that ends the program with code.
func fail(code int, format string, args ...any) error {
	return &failure{code: code, err: fmt.Errorf(format, args...)}
}

// about says which URL an error concerns.
func about(url string, err error) error {
	if err == nil {
		return nil
	}
	f := &failure{code: exitError, url: url, err: err}
	if inner, ok := errors.AsType[*failure](err); ok {
		f.code = inner.code
	}
	return f
}

// codeOf is the exit code for err.
func codeOf(ctx context.Context, err error) int {
	switch f, ok := errors.AsType[*failure](err); {
	case err == nil:
		return exitOK
	case errors.Is(context.Cause(ctx), errInterrupted):
		return exitInterrupted
	case ok:
		return f.code
	case is[*settings.Error](err), is[*visitor.EgressError](err):
		return exitConfig
	case is[*visitor.BrowserError](err):
		return exitBrowser
	case errors.Is(err, plat.ErrBadURL):
		return exitUsage
	}
	return exitError
}

// is reports whether err is or wraps an E.
func is[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

// sentence is the message as people read it: one line, without what a page
// might have put into it to move the cursor.
func sentence(err error) string {
	return excerpt.Printable(strings.Join(strings.Fields(err.Error()), " "))
}
