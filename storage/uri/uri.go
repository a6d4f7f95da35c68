// Package uri opens the archive that a URI names: sqlite:PATH or mongodb://HOST/DATABASE.
package uri

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"go.mongodb.org/mongo-driver/v2/x/mongo/driver/connstring"

	"plat/plat"
	"plat/storage"
	"plat/storage/mongo"
	"plat/storage/sqlite"
)

// Use is the purpose of opening an archive.
type Use int

// The uses of an archive.
const (
	Reads    Use = iota // a file may be read-only
	Writes              // the archive must exist
	Creates             // the archive is created if it does not exist
	Migrates            // the archive must exist, and may have an older format: see [storage.Keeper]
)

// Error is the error of a URI that does not name an archive.
type Error struct{ Err error }

func (e *Error) Error() string { return e.Err.Error() }

func (e *Error) Unwrap() error { return e.Err }

func bad(format string, args ...any) error { return &Error{fmt.Errorf(format, args...)} }

// Options configure the wait for an archive that different processes use. The zero value suits
// most uses.
type Options struct {
	Patience time.Duration // 0: the default of the store

	// Program is the name of the program and its version, for the archive's note on its format.
	Program string

	// Waiting, if not nil, is called with the cause of a wait, once for every wait that does
	// not end at once.
	Waiting func(what string)
}

// Open opens the archive that a URI names. A new archive needs [Creates], so that a command in
// the wrong folder fails. Reads also accepts a read-only file. The error is an [*Error], or
// comes from the store.
func Open(ctx context.Context, name string, u Use, o Options) (storage.Store, error) {
	scheme, path, ok := strings.Cut(name, ":")
	switch {
	case !ok:
		return nil, bad("store %q has no scheme; write sqlite:PATH or mongodb://HOST/DATABASE", Redacted(name))
	case scheme == "sqlite":
		return file(strings.TrimPrefix(path, "//"), name, u, o)
	case scheme == "mongodb", scheme == "mongodb+srv":
		if why := misspelled(scheme, path); why != "" {
			return nil, bad("store %q: %s", Redacted(name), why)
		}
		s, err := mongo.Open(ctx, name, mongo.Options{Patience: o.Patience, Program: o.Program, Existing: u != Creates, Migrate: u == Migrates})
		if e, ok := errors.AsType[*mongo.AddressError](err); ok {
			return nil, bad("store %q: %w", Redacted(name), e)
		}
		if errors.Is(err, mongo.ErrNoArchive) {
			return nil, noArchive(Redacted(name))
		}
		if err != nil {
			return nil, fmt.Errorf("store: %w", err)
		}
		return s.ForPeople(u == Reads), nil
	}
	return nil, bad("store %q is not one that plat knows; write sqlite:PATH or mongodb://HOST/DATABASE", Redacted(name))
}

// misspelled returns the fault of a MongoDB address, which is given without its scheme, or the
// empty string. It does not pass on the driver's errors, because they quote the address. With
// the scheme mongodb+srv, the driver would query name servers.
func misspelled(scheme, path string) string {
	ok := func(path string) bool {
		_, err := connstring.ParseAndValidate("mongodb:" + path)
		return err == nil
	}
	if ok(path) {
		return ""
	}
	bare, options, has := strings.Cut(path, "?")
	if has && ok(bare) {
		if scheme == "mongodb+srv" { // has additional options, which this check does not know
			rest := slices.DeleteFunc(strings.Split(options, "&"), func(o string) bool { return len(o) > 3 && strings.EqualFold(o[:3], "srv") })
			if ok(bare + "?" + strings.Join(rest, "&")) {
				return ""
			}
		}
		return "its options, after the ?, are not understood; see docs/mongo.md"
	}
	if i := strings.LastIndexByte(bare, '@'); i >= 0 && strings.HasPrefix(bare, "//") && ok("//"+bare[i+1:]) {
		return "its login is not understood; write mongodb://USER:PASSWORD@HOST/DATABASE, with %40 for an @ in the password, %3A for a : and %2F for a /"
	}
	return "it is not a MongoDB address; write mongodb://HOST:PORT/DATABASE, with USER:PASSWORD@ before HOST for a login"
}

// Redacted returns the address of a store or of Redis for display: see [plat.WithoutSecrets].
func Redacted(uri string) string {
	if strings.HasPrefix(uri, "sqlite:") { // a path, in which an "@" ends no login
		return uri
	}
	return plat.WithoutSecrets(uri)
}

// noArchive returns the error of an archive that does not exist.
func noArchive(at string) error {
	return fmt.Errorf("store: there is no archive at %s; make one with plat archive URL, or name a different one with --store", at)
}

func file(path, name string, u Use, o Options) (storage.Store, error) {
	if path == "" {
		return nil, bad("store %q names no file; write sqlite:PATH", name)
	}
	if _, err := os.Stat(path); u != Creates && errors.Is(err, fs.ErrNotExist) {
		return nil, noArchive(path)
	}
	how := sqlite.Options{Existing: u != Creates, Busy: o.Patience}
	if o.Waiting != nil {
		how.Waiting = func(path string, limit time.Duration) {
			o.Waiting(fmt.Sprintf("%s is in use by another process; waiting up to %v", path, limit))
		}
	}
	s, err := sqlite.Open(path, how)
	if u == Reads && errors.Is(err, sqlite.ErrReadOnly) {
		how.ReadOnly = true
		s, err = sqlite.Open(path, how)
	}
	if err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	return s, nil
}
