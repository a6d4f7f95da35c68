package follow

import (
	"context"
	"errors"

	"plat/plat"
	"plat/storage"
)

// Readdress moves subscriptions whose URL is an alias of an archived page to the address under
// which it is archived. They have not been examined, so no state is lost. It does the same for feeds.
func (f *Follower) Readdress(ctx context.Context) error {
	for s, err := range f.Store.Subscriptions(ctx, storage.Which{}) {
		if err != nil {
			return err
		}
		if err := f.readdress(ctx, s); err != nil {
			return err
		}
	}
	return nil
}

func (f *Follower) readdress(ctx context.Context, s *storage.Subscribed) error {
	url, err := f.mainOf(ctx, s.URL, len(s.Pages) == 0)
	if err != nil {
		return err
	}
	moved := url != s.URL
	var feeds []string
	for _, feed := range s.Feeds {
		to, err := f.mainOf(ctx, feed, true)
		if err != nil {
			return err
		}
		if moved = moved || to != feed; to != url {
			feeds = append(feeds, to)
		}
	}
	if !moved {
		return nil
	}
	// It may have been changed or removed in the meantime.
	now, err := f.Store.Subscription(ctx, s.ID)
	if errors.Is(err, plat.ErrNotFound) || err == nil && (!storage.SamePages(&now.Subscription, &s.Subscription) || len(now.Pages) > 0 && url != s.URL) {
		return nil
	}
	if err != nil {
		return err
	}
	now.URL, now.Feeds = url, Names(feeds)
	return f.Store.Subscribe(ctx, &now.Subscription)
}

// mainOf returns the address under which a page is archived, if it may move.
func (f *Follower) mainOf(ctx context.Context, url string, may bool) (string, error) {
	if !may {
		return url, nil
	}
	st, err := f.Store.State(ctx, url)
	if errors.Is(err, plat.ErrNotFound) || err == nil && st.Main == "" {
		return url, nil
	}
	return st.Main, err
}
