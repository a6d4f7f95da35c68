package egress

import (
	"errors"
	"fmt"
	"net/netip"
	"strings"
)

// Kinds of failure; an [Error] is one of them under errors.Is.
var (
	// ErrRefused: the policy does not allow the target.
	ErrRefused = errors.New("blocked")

	// ErrNoHost: the name has no address, or its name server failed.
	ErrNoHost = errors.New("no such host")

	// ErrUnreachable: the address refused the connection, or closed it before a
	// response.
	ErrUnreachable = errors.New("unreachable")

	// ErrTimeout: name server, connection or response header took too long.
	ErrTimeout = errors.New("timed out")

	// ErrCapped: the page has reached its byte limit.
	ErrCapped = errors.New("the page's byte limit is reached")

	// ErrStopped: the lane has no page, or the page has ended.
	ErrStopped = errors.New("the lane is stopped")
)

// Error is why a target was not reached.
type Error struct {
	Kind   error      // one of the sentinels of this package
	Target string     // "host:port" as requested, empty from Guard.Check
	Why    string     // one word, as in the header X-Plat-Egress
	Addr   netip.Addr // the refused address, zero if none was reached
	Err    error      // the cause, may be nil

	note string // explanation of Why, with its source
	next string // advice for the user
}

// Error returns the requested target, the finding and the advice.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.Kind.Error())
	if e.Target != "" {
		fmt.Fprintf(&b, ": %q", e.Target)
	}
	if e.Addr.IsValid() {
		fmt.Fprintf(&b, ": %s", e.Addr)
	}
	switch {
	case e.note != "":
		fmt.Fprintf(&b, ": %s", e.note)
	case e.Err != nil:
		fmt.Fprintf(&b, ": %v", e.Err)
	case e.Why != "":
		fmt.Fprintf(&b, ": %s", e.Why)
	}
	if e.next != "" {
		fmt.Fprintf(&b, "; %s", e.next)
	}
	return b.String()
}

// Refused reports whether the policy does not allow the target, for packages that do not
// import this one.
func (e *Error) Refused() bool { return e.Kind == ErrRefused }

// Unwrap returns the kind and the cause.
func (e *Error) Unwrap() []error {
	if e.Err == nil {
		return []error{e.Kind}
	}
	return []error{e.Kind, e.Err}
}

// maxTarget bounds the target of an error, bytes: a page may write anything.
const maxTarget = maxName + len("[]:65535")

// at returns a copy of e that names the target.
func (e *Error) at(target string) *Error {
	c := *e
	c.Target = target[:min(len(target), maxTarget)]
	return &c
}

// offline is the refusal of every request of a page without network; see [Lane.ResetOffline].
var offline = refusal("offline", "the page has no network")

// refusal is an ErrRefused without an address: invalid spelling, scheme,
// method.
func refusal(why, note string) *Error {
	return &Error{Kind: ErrRefused, Why: why, note: note}
}
