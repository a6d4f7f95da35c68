package main

import (
	"context"
	"errors"
	"iter"
	"slices"
	"strings"
	"time"

	"plat"
	"plat/storage"
)

// selection says which versions are asked for.
type selection struct {
	wanted       []wanted // none: all
	host, begins string
	since, until time.Time
}

// wanted is an argument: a URL, one version of it, or the beginning of URLs.
type wanted struct {
	ref
	prefix bool
}

// names reports whether the argument asks for versions of a URL.
func (w *wanted) names(url string) bool {
	return w.url == url || w.prefix && strings.HasPrefix(url, w.url)
}

// version is the one that the argument asks for; 0 is all of them, @0 the last.
func (w *wanted) version(s *plat.URLState) int {
	if w.set && w.n == 0 {
		return s.Head
	}
	return w.n
}

// read understands the command line.
func (s *selection) read(a *app, args []string, site, since, until string, now time.Time) error {
	for _, arg := range args {
		if begins, ok := strings.CutSuffix(arg, "*"); ok {
			s.wanted = append(s.wanted, wanted{ref{url: begins}, true})
			continue
		}
		r, err := a.parseRef(arg)
		if err != nil {
			return err
		}
		s.wanted = append(s.wanted, wanted{r, false})
	}
	s.host, s.begins = storage.Site(site)
	var err error
	s.since, s.until, err = period(since, until, now)
	return err
}

// oneURL reports whether all versions of one URL are asked for.
func (s *selection) oneURL() bool {
	return len(s.wanted) == 1 && !s.wanted[0].prefix && !s.wanted[0].set && s.host == "" && s.begins == "" && s.since.IsZero() && s.until.IsZero()
}

// at reports whether a time is asked for.
func (s *selection) at(t time.Time) bool {
	return (s.since.IsZero() || !t.Before(s.since)) && (s.until.IsZero() || t.Before(s.until))
}

// chosen is a URL, of which version n is asked for, or for 0 all.
type chosen struct {
	state plat.URLState
	n     int
	done  []int // versions that an argument before has asked for
	again bool  // an argument before has named the URL
}

// urls yields the URLs that are asked for and have versions, argument by argument.
func (s *selection) urls(ctx context.Context, store storage.Store) iter.Seq2[chosen, error] {
	all := s.wanted
	if len(all) == 0 {
		all = []wanted{{ref{url: s.begins}, true}}
	}
	return func(yield func(chosen, error) bool) {
		for i, w := range all {
			for state, err := range states(ctx, store, w) {
				if err != nil {
					yield(chosen{}, err)
					return
				}
				if state.Head == 0 || s.host != "" && state.Host != s.host || !strings.HasPrefix(state.URL, s.begins) {
					continue
				}
				c := chosen{state: state, n: w.version(&state)}
				for _, x := range all[:i] {
					if x.names(state.URL) {
						c.again = true
						c.done = append(c.done, x.version(&state))
					}
				}
				if slices.Contains(c.done, 0) {
					continue
				}
				if !yield(c, nil) {
					return
				}
			}
		}
	}
}

// states yields what is known of the URLs that an argument asks for. One that
// names a URL without a version is an error.
func states(ctx context.Context, store storage.Store, w wanted) iter.Seq2[plat.URLState, error] {
	if w.prefix {
		return store.States(ctx, w.url, "")
	}
	return func(yield func(plat.URLState, error) bool) {
		state, err := store.State(ctx, w.url)
		if err == nil && (state.Head == 0 || w.n > state.Head) {
			err = plat.ErrNotFound
		}
		if err != nil {
			err = missing(ctx, store, w.ref, err)
		}
		yield(state, err)
	}
}

// versions yields the versions of a URL that are asked for, oldest first.
func (s *selection) versions(ctx context.Context, store storage.Store, c chosen) iter.Seq2[*plat.Version, error] {
	return func(yield func(*plat.Version, error) bool) {
		from, to := c.n, c.n
		if c.n == 0 {
			times, err := store.Times(ctx, c.state.URL)
			if err != nil {
				yield(nil, about(c.state.URL, err))
				return
			}
			from = slices.IndexFunc(times, s.at) + 1
			for to = len(times); to >= from && to > 0 && !s.at(times[to-1]); to-- {
			}
			if from == 0 {
				return
			}
		}
		for v, err := range store.Trees(ctx, c.state.URL, from, to) {
			if err != nil {
				yield(nil, about(c.state.URL, err))
				return
			}
			if s.at(v.Taken) && !slices.Contains(c.done, v.N) && !yield(v, nil) {
				return
			}
		}
	}
}

// errNothing says that no version is what was asked for.
var errNothing = errors.New("no version answers that; nothing was written")
