// Package uri opens the archive that a URI names: sqlite:PATH or mongodb://HOST/DATABASE.
package uri

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"strings"

	"go.mongodb.org/mongo-driver/v2/x/mongo/driver/connstring"

	"plat/address"
	"plat/storage"
	"plat/storage/mongo"
	"plat/storage/sqlite"
)

// Use is what an archive is opened for.
type Use int

// The uses of an archive.
const (
	Reads  Use = iota // its pages are found under all their addresses: see package address
	Writes            // to one that is there
	Makes             // and makes it if it is not
)

// Error says that a URI names no archive.
type Error struct{ Err error }

func (e *Error) Error() string { return e.Err.Error() }

func (e *Error) Unwrap() error { return e.Err }

func bad(format string, args ...any) error { return &Error{fmt.Errorf(format, args...)} }

// Open opens the archive that a URI names. Only a command that makes one makes a new
// one: whoever asks in the wrong folder is told so. One that reads is content with a
// file that cannot be written. The error is an [*Error], or of the store.
func Open(ctx context.Context, name string, u Use) (storage.Store, error) {
	s, err := open(ctx, name, u)
	if err == nil && u == Reads {
		s = address.Store{Store: s}
	}
	return s, err
}

func open(ctx context.Context, name string, u Use) (storage.Store, error) {
	scheme, path, ok := strings.Cut(name, ":")
	switch {
	case !ok:
		return nil, bad("store %q has no scheme; write sqlite:PATH or mongodb://HOST/DATABASE", name)
	case scheme == "sqlite":
		return file(strings.TrimPrefix(path, "//"), name, u)
	case scheme == "mongodb", scheme == "mongodb+srv":
		if scheme == "mongodb" { // reading the other asks the name servers
			if _, err := connstring.ParseAndValidate(name); err != nil {
				return nil, bad("store: %w; write mongodb://HOST:PORT/DATABASE", err)
			}
		}
		s, err := mongo.Open(ctx, name, mongo.Options{})
		if err != nil {
			return nil, fmt.Errorf("store: %w", err)
		}
		return s, nil
	}
	return nil, bad("store %q: there is no store %q; write sqlite:PATH or mongodb://HOST/DATABASE", Redacted(name), scheme)
}

func file(path, name string, u Use) (storage.Store, error) {
	if path == "" {
		return nil, bad("store %q names no file; write sqlite:PATH", name)
	}
	if _, err := os.Stat(path); u != Makes && errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("store: there is no archive at %s; make one with plat archive URL, or name another with --store", path)
	}
	s, err := sqlite.Open(path, sqlite.Options{})
	if u == Reads && errors.Is(err, sqlite.ErrReadOnly) {
		s, err = sqlite.Open(path, sqlite.Options{ReadOnly: true})
	}
	if err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	return s, nil
}

// Redacted is a URI without its password.
func Redacted(uri string) string {
	u, err := url.Parse(uri)
	if err != nil {
		scheme, _, _ := strings.Cut(uri, ":")
		return scheme + ":…"
	}
	return u.Redacted()
}
