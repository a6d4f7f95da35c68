// Package aliases finds pages under all their addresses.
//
// A page that has several is archived under one of them. Known aliases are in the archive (see
// storage.Addresses); further ones follow from the rules learnt for the site (see package traps).
package aliases

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"

	"plat/plat"
	"plat/queue/traps"
	"plat/storage"
)

// lookup is the part of a store that Of uses.
type lookup interface {
	State(ctx context.Context, url string) (plat.URLState, error)
	Notes(ctx context.Context, prefix string) (map[string]string, error)
}

// Of returns the URL under which the page of an address is archived: the address itself if it is
// archived, or if there is no such page.
func Of(ctx context.Context, s lookup, url string) (string, error) {
	main, err := archived(ctx, s, url)
	if main != "" || err != nil {
		return main, err
	}
	host := plat.HostOf(url)
	forms := []string{traps.Sorted(url)}
	notes, err := s.Notes(ctx, traps.NotePrefix+host)
	if err != nil {
		return "", err
	}
	site := traps.NewSite()
	if site.Learn(notes[traps.NotePrefix+host]) == nil { // a damaged note is ignored
		plain := site.Plain(url)
		forms = append(forms, plain, traps.Sorted(plain))
	}
	for _, form := range forms {
		if form == url {
			continue
		}
		if main, err := archived(ctx, s, form); main != "" || err != nil {
			return main, err
		}
	}
	return url, nil
}

// archived returns the URL under which the page of an address is archived, empty if it
// is not.
func archived(ctx context.Context, s lookup, url string) (string, error) {
	st, err := storage.MainOf(ctx, s.State, url)
	switch {
	case errors.Is(err, plat.ErrNotFound):
		return "", nil
	case err != nil:
		return "", err
	case st.Head == 0 && st.URL == url:
		return "", nil
	}
	return st.URL, nil
}

// Store is a store whose pages can be read under any of their addresses. Its results name the URL
// under which the page is archived.
type Store struct{ storage.Store }

// ReadOnly implements the method of [storage.ReadOnly].
func (s Store) ReadOnly() bool { return storage.ReadOnly(s.Store) }

// State returns the state of the page's URL, or of the address, if there is no such page.
func (s Store) State(ctx context.Context, url string) (plat.URLState, error) {
	main, err := Of(ctx, s.Store, url)
	if err != nil {
		return plat.URLState{}, err
	}
	return s.Store.State(ctx, main)
}

// Version returns a version of the page.
func (s Store) Version(ctx context.Context, url string, n int) (*plat.Version, error) {
	main, err := Of(ctx, s.Store, url)
	if err != nil {
		return nil, err
	}
	return s.Store.Version(ctx, main, n)
}

// Times returns the capture times of the page's versions.
func (s Store) Times(ctx context.Context, url string) ([]time.Time, error) {
	main, err := Of(ctx, s.Store, url)
	if err != nil {
		return nil, err
	}
	return s.Store.Times(ctx, main)
}

// Versions yields the versions of the page.
func (s Store) Versions(ctx context.Context, url string) iter.Seq2[*plat.Version, error] {
	return func(yield func(*plat.Version, error) bool) {
		main, err := Of(ctx, s.Store, url)
		if err != nil {
			yield(nil, err)
			return
		}
		s.Store.Versions(ctx, main)(yield)
	}
}

// Trees yields versions of the page with their block trees.
func (s Store) Trees(ctx context.Context, url string, from, to int) iter.Seq2[*plat.Version, error] {
	return func(yield func(*plat.Version, error) bool) {
		main, err := Of(ctx, s.Store, url)
		if err != nil {
			yield(nil, err)
			return
		}
		s.Store.Trees(ctx, main, from, to)(yield)
	}
}

// Learnt is the data that crawls have learnt about a host's addresses.
type Learnt struct {
	Host string `json:"host"`
	traps.Summary
}

// LearntOf returns the data learnt about a host, or about all, sorted by name. The error is the
// store's, or plat.ErrCorrupt or plat.ErrNewer with the host.
func LearntOf(ctx context.Context, s lookup, host string) ([]Learnt, error) {
	notes, err := s.Notes(ctx, traps.NotePrefix+host)
	if err != nil {
		return nil, err
	}
	var all []Learnt
	for _, name := range slices.Sorted(maps.Keys(notes)) {
		of := strings.TrimPrefix(name, traps.NotePrefix)
		if host != "" && of != host {
			continue
		}
		site := traps.NewSite()
		if err := site.Learn(notes[name]); err != nil {
			return nil, fmt.Errorf("%s: %w", of, err)
		}
		all = append(all, Learnt{of, site.Summary()})
	}
	return all, nil
}
