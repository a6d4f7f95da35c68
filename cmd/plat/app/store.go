package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"plat/plat/excerpt"
	"plat/queue/aliases"
	"plat/storage"
	"plat/storage/uri"

	"github.com/spf13/cobra"
)

// OpenStore opens the archive that --store names.
func (a *App) OpenStore(ctx context.Context, u uri.Use) (storage.Store, error) {
	return a.open(ctx, u, a.Patience)
}

func (a *App) open(ctx context.Context, u uri.Use, patience time.Duration) (storage.Store, error) {
	path, isFile := a.SQLite()
	isFresh := isFile && u == uri.Creates && missing(path)
	s, err := uri.Open(ctx, a.Store, u, uri.Options{Patience: patience, Waiting: a.waiting, Program: ReadBuild().String()})
	if _, ok := errors.AsType[*uri.Error](err); ok {
		return nil, Fail(ExitUsage, "%w", err)
	}
	if err != nil {
		return nil, Fail(ExitStore, "%w", err)
	}
	if isFresh {
		s = &fresh{s, path, a}
	}
	if u == uri.Reads { // a user names a page by any of its addresses
		s = aliases.Store{Store: s}
	}
	return s, nil
}

// waiting reports the cause of a wait.
func (a *App) waiting(what string) {
	if !a.Quiet {
		a.Out.Progress("")
		fmt.Fprintf(a.Stderr, "plat: %s\n", excerpt.Printable(what))
	}
}

// OpenToWrite opens an archive in which something can be stored: who visits pages and cannot keep
// them disturbs people for nothing.
func (a *App) OpenToWrite(ctx context.Context) (storage.Store, error) {
	// Wait for the failover of a server rather than lose a visited page.
	s, err := a.open(ctx, uri.Creates, cmp.Or(a.Patience, 30*time.Second))
	if err != nil {
		return nil, err
	}
	if err := s.Probe(ctx); err != nil {
		s.Close()
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

// Reading runs f for a command on an archive that is only read. An error of f that says nothing
// else is the archive's.
func (a *App) Reading(cmd *cobra.Command, f func(ctx context.Context, store storage.Store) error) error {
	return a.With(cmd.Context(), uri.Reads, f)
}

// Writing is Reading of an archive that is changed.
func (a *App) Writing(cmd *cobra.Command, f func(ctx context.Context, store storage.Store) error) error {
	return a.With(cmd.Context(), uri.Creates, f)
}

// With is Reading or Writing, as u says.
func (a *App) With(ctx context.Context, u uri.Use, f func(ctx context.Context, store storage.Store) error) error {
	return a.WithStore(ctx, u, func(s storage.Store) error {
		err := f(ctx, s)
		if _, ok := errors.AsType[*Failure](err); err == nil || ok {
			return err
		}
		return Fail(ExitStore, "%w", err)
	})
}
