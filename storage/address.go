package storage

import (
	"context"
	"slices"
	"time"

	"plat/plat"
)

// Addresses stores aliases: URLs that lead to the same page. The page is archived under one of
// them, its main URL. The state of each alias contains it as Main.
//
// A visit with a Main makes its URL an alias, and a commit makes it a separate page again.
type Addresses interface {
	// SetMain makes URLs, known or not, aliases of a page. An empty main undoes that. It
	// settles, at now, a job that was found by a link and never visited. It does not change
	// URLs with versions, or URLs that a user requested (depth 0). It is idempotent.
	SetMain(ctx context.Context, main string, now time.Time, urls ...string) error

	// Others returns the aliases of main that SetMain or a visit made, sorted, at most limit.
	// They may have aliases themselves: see the function [Others].
	Others(ctx context.Context, main string, limit int) ([]string, error)

	// Lookalikes returns the URLs of a host whose last version has a fingerprint,
	// sorted, at most limit; see [Commit].
	Lookalikes(ctx context.Context, host string, fingerprint uint64, limit int) ([]string, error)

	// Known returns the number of URLs of a host, at most limit.
	Known(ctx context.Context, host string, limit int) (int, error)
}

// Alias applies [Addresses.SetMain] to the state of a URL, known or not, and reports
// whether the state changed.
func Alias(st *plat.URLState, main string, now time.Time) (changed bool) {
	was := *st
	asked := st.Depth == 0 && (!st.Due.IsZero() || !st.Settled.IsZero())
	switch {
	case st.Head > 0, main == st.URL, main != "" && asked && st.Main == "":
		return false
	case main != "" && st.Settled.IsZero():
		if st.Settled = st.Due; st.Settled.IsZero() {
			st.Settled = wholeMillis(now)
		}
		st.Due, st.NotBefore, st.Attempts, st.Throttled = time.Time{}, time.Time{}, 0, 0
	}
	st.Main = main
	return *st != was
}

// maxHops limits a chain of aliases. A chain arises when the main URL of some aliases becomes
// an alias itself.
const maxHops = 16

// MainOf returns the state of the page to which a URL leads: of its main URL, or of the URL
// itself if it is not an alias. state is the method of a store; its errors are returned.
func MainOf(ctx context.Context, state func(context.Context, string) (plat.URLState, error), url string) (st plat.URLState, err error) {
	for range maxHops {
		if st, err = state(ctx, url); err != nil || st.Head > 0 || st.Main == "" {
			return st, err
		}
		url = st.Main
	}
	return st, nil // a cycle, which is never stored
}

// Others returns the aliases of a page, including aliases of aliases, at most limit.
func Others(ctx context.Context, s Addresses, main string, limit int) ([]string, error) {
	var all []string
	next, seen := []string{main}, map[string]bool{main: true}
	for ; len(next) > 0 && len(all) < limit; next = next[1:] {
		others, err := s.Others(ctx, next[0], limit)
		if err != nil {
			return nil, err
		}
		for _, other := range others {
			if !seen[other] && len(all) < limit {
				seen[other] = true
				all, next = append(all, other), append(next, other)
			}
		}
	}
	slices.Sort(all)
	return all, nil
}
