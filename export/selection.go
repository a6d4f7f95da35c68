package export

import (
	"context"
	"iter"
	"slices"
	"strings"
	"time"

	"plat"
	"plat/storage"
)

// Selection says which versions are asked for: those that one of Wanted names, and
// that are of the host, URLs and time given. The zero Selection is all.
type Selection struct {
	Wanted       []Wanted  // none: all
	Host         string    // with its port, if not the usual; empty: any
	Prefix       string    // with which URLs begin
	Since, Until time.Time // of versions, Until exclusive; zero: unbounded
}

// Wanted names a URL, one version of it, or all URLs that begin in some way.
type Wanted struct {
	URL string // canonical, or the beginning of URLs
	N   int    // of the version; 0 is the last one if One is set

	One    bool // one version is asked for, not all
	Prefix bool // URL is the beginning of URLs
}

// names reports whether versions of a URL are asked for.
func (w *Wanted) names(url string) bool {
	return w.URL == url || w.Prefix && strings.HasPrefix(url, w.URL)
}

// version is the one that is asked for; 0 is all of them.
func (w *Wanted) version(s *plat.URLState) int {
	if w.One && w.N == 0 {
		return s.Head
	}
	return w.N
}

// OneURL reports whether all versions of one URL are asked for.
func (s *Selection) OneURL() bool {
	return len(s.Wanted) == 1 && !s.Wanted[0].Prefix && !s.Wanted[0].One && s.Host == "" && s.Prefix == "" && s.Since.IsZero() && s.Until.IsZero()
}

// at reports whether a time is asked for.
func (s *Selection) at(t time.Time) bool {
	return (s.Since.IsZero() || !t.Before(s.Since)) && (s.Until.IsZero() || t.Before(s.Until))
}

// chosen is a URL, of which version n is asked for, or for 0 all.
type chosen struct {
	state plat.URLState
	n     int
	done  []int // versions that an argument before has asked for
	again bool  // an argument before has named the URL
}

// urls yields the URLs that are asked for and have versions, argument by argument.
func (s *Selection) urls(ctx context.Context, store storage.Store) iter.Seq2[chosen, error] {
	all := s.Wanted
	if len(all) == 0 {
		all = []Wanted{{URL: s.Prefix, Prefix: true}}
	}
	return func(yield func(chosen, error) bool) {
		for i, w := range all {
			for state, err := range states(ctx, store, w) {
				if err != nil {
					yield(chosen{}, err)
					return
				}
				if state.Head == 0 || s.Host != "" && state.Host != s.Host || !strings.HasPrefix(state.URL, s.Prefix) {
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
func states(ctx context.Context, store storage.Store, w Wanted) iter.Seq2[plat.URLState, error] {
	if w.Prefix {
		return store.States(ctx, w.URL, "")
	}
	return func(yield func(plat.URLState, error) bool) {
		state, err := store.State(ctx, w.URL)
		if err == nil && (state.Head == 0 || w.N > state.Head) {
			err = plat.ErrNotFound
		}
		if err != nil {
			err = &Error{URL: w.URL, N: w.N, Named: true, Err: err}
		}
		yield(state, err)
	}
}

// versions yields the versions of a URL that are asked for, oldest first.
func (s *Selection) versions(ctx context.Context, store storage.Store, c chosen) iter.Seq2[*plat.Version, error] {
	return func(yield func(*plat.Version, error) bool) {
		from, to := c.n, c.n
		if c.n == 0 {
			times, err := store.Times(ctx, c.state.URL)
			if err != nil {
				yield(nil, about(c.state.URL, 0, err))
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
				yield(nil, about(c.state.URL, 0, err))
				return
			}
			if s.at(v.Taken) && !slices.Contains(c.done, v.N) && !yield(v, nil) {
				return
			}
		}
	}
}
