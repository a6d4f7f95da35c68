package export

import (
	"context"
	"iter"
	"slices"
	"strings"
	"time"

	"plat/plat"
	"plat/storage"
)

// Selection selects versions: those named by one of Wanted that are also of the given host,
// prefix and time. The zero Selection selects all.
type Selection struct {
	Wanted       []Wanted  // empty: all
	Host         string    // with its port, unless it is the default; empty: any
	Prefix       string    // prefix of URLs
	Since, Until time.Time // capture times, Until exclusive; zero: unbounded
}

// Wanted names a URL, one version of it, or all URLs with a prefix.
type Wanted struct {
	URL string // canonical URL, or prefix of URLs
	N   int    // version number if One is set; 0 is the last one

	One    bool // select one version, not all
	Prefix bool // URL is a prefix of URLs
}

// version returns the selected version; 0 selects all.
func (w *Wanted) version(s *plat.URLState) int {
	if w.One && w.N == 0 {
		return s.Head
	}
	return w.N
}

// OneURL reports whether the selection is all versions of one URL.
func (s *Selection) OneURL() bool {
	return len(s.Wanted) == 1 && !s.Wanted[0].Prefix && !s.Wanted[0].One && s.Host == "" && s.Prefix == "" && s.Since.IsZero() && s.Until.IsZero()
}

// at reports whether a capture time is selected.
func (s *Selection) at(t time.Time) bool {
	return (s.Since.IsZero() || !t.Before(s.Since)) && (s.Until.IsZero() || t.Before(s.Until))
}

// chosen is a selected URL; n is the version, or 0 for all.
type chosen struct {
	state plat.URLState
	n     int
	done  []int // versions selected by earlier arguments
	again bool  // an earlier argument named the URL
}

// urls yields the selected URLs that have versions, argument by argument.
func (s *Selection) urls(ctx context.Context, store storage.Store) iter.Seq2[chosen, error] {
	all := s.Wanted
	if len(all) == 0 {
		all = []Wanted{{URL: s.Prefix, Prefix: true}}
	}
	return func(yield func(chosen, error) bool) {
		var before earlier
		for i := range all {
			w := all[i]
			if i > 0 {
				before.add(&all[i-1])
			}
			for state, err := range states(ctx, store, w) {
				if err != nil {
					yield(chosen{}, err)
					return
				}
				if state.Head == 0 || s.Host != "" && state.Host != s.Host || !strings.HasPrefix(state.URL, s.Prefix) {
					continue
				}
				c := chosen{state: state, n: w.version(&state)}
				for x := range before.naming(state.URL) {
					c.again = true
					c.done = append(c.done, x.version(&state))
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

// earlier are arguments, of which a crawl has one for each of its pages.
type earlier struct {
	byURL    map[string][]*Wanted
	prefixes []*Wanted
}

func (e *earlier) add(w *Wanted) {
	if w.Prefix {
		e.prefixes = append(e.prefixes, w)
		return
	}
	if e.byURL == nil {
		e.byURL = map[string][]*Wanted{}
	}
	e.byURL[w.URL] = append(e.byURL[w.URL], w)
}

// naming yields those that select versions of a URL.
func (e *earlier) naming(url string) iter.Seq[*Wanted] {
	return func(yield func(*Wanted) bool) {
		for _, w := range e.byURL[url] {
			if !yield(w) {
				return
			}
		}
		for _, w := range e.prefixes {
			if strings.HasPrefix(url, w.URL) && !yield(w) {
				return
			}
		}
	}
}

// states yields the states of the URLs that an argument selects. A named URL without versions
// is an error.
func states(ctx context.Context, store storage.Store, w Wanted) iter.Seq2[plat.URLState, error] {
	if w.Prefix {
		return store.States(ctx, w.URL, "")
	}
	return func(yield func(plat.URLState, error) bool) {
		state, err := store.State(ctx, w.URL)
		if err == nil && (state.Head == 0 || w.N > state.Head) {
			err = plat.ErrNotFound
		}
		if n := w.N; err == nil {
			err = storage.Kept(&state, &n)
		}
		if err != nil {
			err = &Error{URL: w.URL, N: w.N, Named: true, Err: err}
		}
		yield(state, err)
	}
}

// versions yields the selected versions of a URL, oldest first.
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
