package storage

import (
	"context"
	"slices"
	"time"

	"plat/plat"
)

// Addresses knows URLs that lead to the same page. The page is archived under one of
// them; the state of each other one names it as its Main.
//
// A visit with a Main makes its URL such an address, and a commit makes it a page of
// its own again.
type Addresses interface {
	// SetMain makes URLs, known or not, other addresses of a page; an empty main undoes
	// it. A job that was found by a link and never visited is settled by that, at now.
	// URLs with versions, and those that somebody asked for (of depth 0), stay as they
	// are. It is idempotent.
	SetMain(ctx context.Context, main string, now time.Time, urls ...string) error

	// Others returns the URLs that SetMain, or a visit, made other addresses of main,
	// sorted, at most limit. They may have others themselves: see [Others].
	Others(ctx context.Context, main string, limit int) ([]string, error)

	// Lookalikes returns the URLs of a host whose last version has a fingerprint,
	// sorted, at most limit; see [Commit].
	Lookalikes(ctx context.Context, host string, fingerprint uint64, limit int) ([]string, error)

	// Known returns how many URLs a host has, at most limit.
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

// maxHops is how many addresses may lead from one to the next: a page that others were
// known to be is found to be another one itself.
const maxHops = 16

// MainOf returns the state of the page that a URL is another address of: that of the URL
// itself, if it is none. state is that of a store; its errors are returned.
func MainOf(ctx context.Context, state func(context.Context, string) (plat.URLState, error), url string) (st plat.URLState, err error) {
	for range maxHops {
		if st, err = state(ctx, url); err != nil || st.Head > 0 || st.Main == "" {
			return st, err
		}
		url = st.Main
	}
	return st, nil // in a circle, which nothing makes
}

// Others returns the other addresses of a page, and those of these, at most limit.
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
