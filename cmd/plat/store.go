package main

import (
	"context"
	"errors"

	"plat/storage"
	"plat/storage/uri"
)

// openStore opens the archive that --store names.
func (a *app) openStore(ctx context.Context, u uri.Use) (storage.Store, error) {
	s, err := uri.Open(ctx, a.Store, u)
	if _, ok := errors.AsType[*uri.Error](err); ok {
		return nil, fail(exitConfig, "%w", err)
	}
	if err != nil {
		return nil, fail(exitStore, "%w", err)
	}
	return s, nil
}

// withStore runs f on an archive that is there.
func (a *app) withStore(ctx context.Context, u uri.Use, f func(storage.Store) error) error {
	s, err := a.openStore(ctx, u)
	if err != nil {
		return err
	}
	err = f(s)
	if closed := s.Close(); err == nil && closed != nil {
		err = fail(exitStore, "store: close: %w", closed)
	}
	return err
}
