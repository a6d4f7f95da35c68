package mongo

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"strings"
	"syscall"

	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/x/mongo/driver/topology"
)

// unreachable is an error of the driver with a text of one sentence: MongoDB cannot be reached.
// The driver's own text contains the state of all servers.
type unreachable struct {
	text string
	err  error
}

func (e *unreachable) Error() string { return e.text }

func (e *unreachable) Unwrap() error { return e.err }

// errorf is [fmt.Errorf] for errors of the driver.
func errorf(format string, args ...any) error {
	for i, a := range args {
		if err, ok := a.(error); ok {
			args[i] = plain(err)
		}
	}
	return fmt.Errorf(format, args...)
}

// plain converts an error to one sentence if MongoDB cannot be reached, and returns other
// errors unchanged.
func plain(err error) error {
	if _, done := errors.AsType[*unreachable](err); err == nil || done {
		return err
	}
	const advice = "; check that it is running and can be reached from here"
	selection, none := errors.AsType[topology.ServerSelectionError](err)
	connection, lost := errors.AsType[topology.ConnectionError](err)
	switch {
	case !none && !lost && !mongo.IsTimeout(err) && !mongo.IsNetworkError(err):
		return err
	case errors.Is(err, context.Canceled):
		return &unreachable{"interrupted while MongoDB was waited for", err}
	case none && selection.Desc.CompatibilityErr != nil:
		return &unreachable{fmt.Sprintf("MongoDB: %v", selection.Desc.CompatibilityErr), err}
	case none && len(selection.Desc.Servers) == 0: // the driver leaves out those of other sets
		return &unreachable{fmt.Sprintf("no server of MongoDB's address belongs to a replica set %q; check replicaSet in the address, or leave it out for a single server", selection.Desc.SetName), err}
	case none:
		var at []string
		why, advice := "", advice
		for _, s := range selection.Desc.Servers {
			if at = append(at, string(s.Addr)); s.LastError != nil {
				why = fmt.Sprintf(" (%v)", innermost(s.LastError))
				if endsAtOnce(s.LastError) {
					advice = "; it ends the connection at once: check whether it wants TLS, and that tls in the address says so"
				}
			}
		}
		return &unreachable{"MongoDB at " + strings.Join(at, ", ") + " does not answer" + why + advice, err}
	case mongo.IsTimeout(err):
		return &unreachable{"MongoDB" + where(connection) + " has not answered in time" + advice, err}
	}
	if code := new(mongo.CommandError); errors.As(err, code) && code.Code != 0 {
		return err // the server has responded, for example to a wrong login
	}
	return &unreachable{fmt.Sprintf("the connection to MongoDB%s has ended (%v)%s", where(connection), innermost(err), advice), err}
}

// endsAtOnce reports an error as of a connection with TLS to a server that has none, or without to one that wants it.
func endsAtOnce(err error) bool {
	_, noTLS := errors.AsType[tls.RecordHeaderError](err)
	return noTLS || errors.Is(err, io.EOF) || errors.Is(err, syscall.ECONNRESET)
}

// where returns the host and port of a connection, whose ID is "host:port[-4]".
func where(c topology.ConnectionError) string {
	host, _, ok := strings.Cut(c.ConnectionID, "[-")
	if !ok {
		return ""
	}
	return " at " + host
}

// innermost returns the cause of an error without the texts around it.
func innermost(err error) error {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return err
		}
		err = inner
	}
}
