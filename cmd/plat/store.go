package main

import (
	"context"
	"errors"
	"io/fs"
	"net/url"
	"os"
	"strings"

	"go.mongodb.org/mongo-driver/v2/x/mongo/driver/connstring"

	"plat/storage"
	"plat/storage/mongo"
	"plat/storage/sqlite"
)

// openStore opens the archive that --store names. Only a command that writes
// makes a new one: whoever asks in the wrong folder is told so.
func (a *app) openStore(ctx context.Context, make bool) (storage.Store, error) {
	scheme, rest, ok := strings.Cut(a.store, ":")
	switch {
	case !ok:
		return nil, fail(exitConfig, "store %q has no scheme; write sqlite:PATH or mongodb://HOST/DATABASE", a.store)
	case scheme == "sqlite":
		path := strings.TrimPrefix(rest, "//")
		if path == "" {
			return nil, fail(exitConfig, "store %q names no file; write sqlite:PATH", a.store)
		}
		if _, err := os.Stat(path); !make && errors.Is(err, fs.ErrNotExist) {
			return nil, fail(exitStore, "store: there is no archive at %s; make one with plat archive URL, or name another with --store", path)
		}
		s, err := sqlite.Open(path, sqlite.Options{})
		if err != nil {
			return nil, fail(exitStore, "store: %w", err)
		}
		return s, nil
	case scheme == "mongodb", scheme == "mongodb+srv":
		if scheme == "mongodb" { // reading the other asks the name servers
			if _, err := connstring.ParseAndValidate(a.store); err != nil {
				return nil, fail(exitConfig, "store: %w; write mongodb://HOST:PORT/DATABASE", err)
			}
		}
		s, err := mongo.Open(ctx, a.store, mongo.Options{})
		if err != nil {
			return nil, fail(exitStore, "store: %w", err)
		}
		return s, nil
	}
	return nil, fail(exitConfig, "store %q: there is no store %q; write sqlite:PATH or mongodb://HOST/DATABASE", redacted(a.store), scheme)
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

// withStore runs f on the archive, read-only as far as plat is concerned.
func (a *app) withStore(ctx context.Context, f func(storage.Store) error) error {
	s, err := a.openStore(ctx, false)
	if err != nil {
		return err
	}
	err = f(s)
	if closed := s.Close(); err == nil && closed != nil {
		err = fail(exitStore, "store: close: %w", closed)
	}
	return err
}
