package app

import (
	"context"
	"errors"

	"plat/storage"
	"plat/storage/uri"
)

// OpenStore opens the archive that --store names.
func (a *App) OpenStore(ctx context.Context, u uri.Use) (storage.Store, error) {
	s, err := uri.Open(ctx, a.Store, u)
	if _, ok := errors.AsType[*uri.Error](err); ok {
		return nil, Fail(ExitConfig, "%w", err)
	}
	if err != nil {
		return nil, Fail(ExitStore, "%w", err)
	}
	return s, nil
}

// WithStore runs f on the archive that --store names, and closes it.
func (a *App) WithStore(ctx context.Context, u uri.Use, f func(storage.Store) error) error {
	s, err := a.OpenStore(ctx, u)
	if err != nil {
		return err
	}
	err = f(s)
	if closed := s.Close(); err == nil && closed != nil {
		err = Fail(ExitStore, "store: close: %w", closed)
	}
	return err
}
