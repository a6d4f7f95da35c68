package watchcmd

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"plat/cmd/plat/app"
	"plat/cmd/plat/terminal"
	"plat/plat"
	"plat/plat/excerpt"
	"plat/storage"
	"plat/watch"
	"plat/watch/follow"
	"plat/watch/view"
)

// hints prints what keeps subscriptions from telling items, and the next step: pages that were never examined, but for those
// removed from the archive, and pages on which nothing was found to watch.
func hints(ctx context.Context, a *app.App, store storage.Store, subs []*storage.Subscribed) error {
	if a.Quiet {
		return nil
	}
	var fresh []string
	var undecided []*storage.Subscribed
	for _, s := range subs {
		switch {
		case s.Paused:
		case watch.Undecided(s.Broken):
			undecided = append(undecided, s)
		case len(s.Pages) == 0:
			fresh = append(fresh, s.URL)
		}
	}
	if len(fresh) <= someHints { // of many, most are not removed
		there := fresh[:0]
		for _, url := range fresh {
			st, err := store.State(ctx, url)
			if err != nil && !errors.Is(err, plat.ErrNotFound) {
				return err
			}
			if err != nil || !st.Gone() {
				there = append(there, url)
			}
		}
		fresh = there
	}
	if n := len(fresh); n > 0 {
		which := fresh[0]
		if n > 1 {
			which = terminal.Counted(n, "page")
		}
		fmt.Fprintf(a.Stderr, "plat: %s: not examined yet; plat watch run, or plat up, visits and examines subscribed pages\n", excerpt.Printable(which))
	}
	for i, s := range undecided {
		if i == someHints {
			fmt.Fprintf(a.Stderr, "plat: and %s more; plat watch ls shows all\n", terminal.Count(int64(len(undecided)-i)))
			break
		}
		fmt.Fprintf(a.Stderr, "plat: %s: %s: %s\n", excerpt.Printable(s.URL), view.Choose, view.Sought(s.Broken))
		fmt.Fprintf(a.Stderr, "plat:   %s\n", view.ToChoose(s))
	}
	return nil
}

// hintsOf is hints for the selected subscriptions of an archive.
func hintsOf(ctx context.Context, a *app.App, store storage.Store, which storage.Which) error {
	if a.Quiet {
		return nil
	}
	var all []*storage.Subscribed
	for s, err := range store.Subscriptions(ctx, which) {
		if err != nil {
			return err
		}
		all = append(all, s)
	}
	return hints(ctx, a, store, all)
}

// someHints is the number of subscriptions that are named.
const someHints = 3

// foresee looks for lists on the stored versions of new subscriptions' pages, so that hints can say at once that there is
// none.
func foresee(ctx context.Context, store storage.Store, subs []*storage.Subscribed) error {
	for _, s := range subs {
		if len(s.Pages) > 0 || len(s.Blocks) > 0 || slices.Contains(s.Kinds, plat.ItemText) {
			continue
		}
		lists, err := headLists(ctx, store, s.URL, &s.Subscription)
		if err != nil {
			return err
		}
		if lists != nil && len(lists.Chosen) == 0 {
			s.Broken = watch.NoList
		}
	}
	return nil
}

// headLists returns the lists of a page's last version, or nil if the archive has none.
func headLists(ctx context.Context, store storage.Store, url string, sub *plat.Subscription) (*watch.Lists, error) {
	st, err := store.State(ctx, url)
	if errors.Is(err, plat.ErrNotFound) || err == nil && st.Head == 0 {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	for v, err := range store.Trees(ctx, st.URL, st.Head, st.Head) {
		if err != nil {
			return nil, err
		}
		return follow.ListsOf(ctx, store, v, sub)
	}
	return nil, nil
}
