package main

import (
	"context"
	"errors"
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

// use is what a command does with the archive.
type use int

const (
	reads  use = iota
	writes     // to one that is there
	makes      // and makes it if it is not
)

// openStore opens the archive that --store names. Only a command that writes
// makes a new one: whoever asks in the wrong folder is told so. One that reads
// is content with a file that cannot be written.
func (a *app) openStore(ctx context.Context, u use) (storage.Store, error) {
	scheme, _, ok := strings.Cut(a.Store, ":")
	switch {
	case !ok:
		return nil, fail(exitConfig, "store %q has no scheme; write sqlite:PATH or mongodb://HOST/DATABASE", a.Store)
	case scheme == "sqlite":
		path, _ := a.SQLite()
		if path == "" {
			return nil, fail(exitConfig, "store %q names no file; write sqlite:PATH", a.Store)
		}
		if _, err := os.Stat(path); u != makes && errors.Is(err, fs.ErrNotExist) {
			return nil, fail(exitStore, "store: there is no archive at %s; make one with plat archive URL, or name another with --store", path)
		}
		s, err := sqlite.Open(path, sqlite.Options{})
		if u == reads && errors.Is(err, sqlite.ErrReadOnly) {
			s, err = sqlite.Open(path, sqlite.Options{ReadOnly: true})
		}
		if err != nil {
			return nil, fail(exitStore, "store: %w", err)
		}
		return s, nil
	case scheme == "mongodb", scheme == "mongodb+srv":
		if scheme == "mongodb" { // reading the other asks the name servers
			if _, err := connstring.ParseAndValidate(a.Store); err != nil {
				return nil, fail(exitConfig, "store: %w; write mongodb://HOST:PORT/DATABASE", err)
			}
		}
		s, err := mongo.Open(ctx, a.Store, mongo.Options{})
		if err != nil {
			return nil, fail(exitStore, "store: %w", err)
		}
		return s, nil
	}
	return nil, fail(exitConfig, "store %q: there is no store %q; write sqlite:PATH or mongodb://HOST/DATABASE", redacted(a.Store), scheme)
}

// redacted is a URI without its password.
func redacted(uri string) string {
	u, err := url.Parse(uri)
	if err != nil {
		scheme, _, _ := strings.Cut(uri, ":")
		return scheme + ":…"
	}
	return u.Redacted()
}

// withStore runs f on an archive that is there.
func (a *app) withStore(ctx context.Context, u use, f func(storage.Store) error) error {
	s, err := a.openStore(ctx, u)
	if err != nil {
		return err
	}
	if u == reads {
		err = f(address.Store{Store: s})
	} else {
		err = f(s)
	}
	if closed := s.Close(); err == nil && closed != nil {
		err = fail(exitStore, "store: close: %w", closed)
	}
	return err
}
