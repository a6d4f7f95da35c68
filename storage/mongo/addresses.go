package mongo

import (
	"context"
	"fmt"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"plat/plat"
	"plat/storage"
)

// lookKey is the value of urls.look: a host and the fingerprint of a last version.
func lookKey(host string, fingerprint uint64) string {
	if fingerprint == 0 {
		return ""
	}
	return fmt.Sprintf("%s %016x", hostKey(host), fingerprint)
}

// SetMain makes URLs aliases of a page, each by one compare-and-swap.
func (s *Store) SetMain(ctx context.Context, main string, now time.Time, urls ...string) error {
	err := s.checkMain(ctx, main)
	for _, url := range urls {
		if err != nil {
			break
		}
		err = s.setMain(ctx, main, now, url)
	}
	if err != nil {
		return errorf("mongo: other addresses of %q: %w", main, err)
	}
	return nil
}

func (s *Store) setMain(ctx context.Context, main string, now time.Time, url string) error {
	return s.changeURL(ctx, url, time.Time{}, func(u *urlDoc, _ bool) (bool, error) {
		st, err := u.state()
		if err != nil {
			return false, err
		}
		known := u.Rev > 0
		if !known && main == "" || !storage.Alias(&st, main, now) {
			return false, nil
		}
		u.setJob(&st, now.UnixMicro())
		u.Main = text(st.Main)
		return true, nil
	})
}

// checkMain returns plat.ErrNotFound for an unknown page.
func (s *Store) checkMain(ctx context.Context, main string) error {
	if main == "" {
		return nil
	}
	u, err := s.readURL(ctx, main)
	if err == nil && u == nil {
		err = fmt.Errorf("nothing is known of %q: %w", main, plat.ErrNotFound)
	}
	return err
}

// Others returns the aliases of a page.
func (s *Store) Others(ctx context.Context, main string, limit int) ([]string, error) {
	return s.addressesOf(ctx, bson.D{{Key: "main", Value: text(main)}}, limit)
}

// Lookalikes returns the URLs of a host whose last version has a fingerprint.
func (s *Store) Lookalikes(ctx context.Context, host string, fingerprint uint64, limit int) ([]string, error) {
	return s.addressesOf(ctx, bson.D{{Key: "look", Value: lookKey(host, fingerprint)}}, limit)
}

func (s *Store) addressesOf(ctx context.Context, filter bson.D, limit int) ([]string, error) {
	got, err := findAll[urlDoc](ctx, s.urls, filter, options.Find().SetSort(bson.D{{Key: "url", Value: 1}}).SetLimit(int64(limit)).SetProjection(bson.D{{Key: "url", Value: 1}}))
	if err != nil {
		return nil, errorf("mongo: addresses: %w", err)
	}
	var all []string
	for i := range got {
		all = append(all, string(got[i].URL))
	}
	return all, nil
}

// Known returns the number of URLs of a host.
func (s *Store) Known(ctx context.Context, host string, limit int) (int, error) {
	n, err := s.urls.CountDocuments(ctx, bson.D{{Key: "host", Value: text(host)}}, options.Count().SetLimit(int64(limit)))
	if err != nil {
		return 0, errorf("mongo: URLs of %q: %w", host, err)
	}
	return int(n), nil
}
