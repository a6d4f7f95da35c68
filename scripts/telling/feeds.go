package main

import (
	"context"
	"fmt"
	"log"
	"net/http"

	"github.com/mmcdole/gofeed"

	"plat/storage"
	"plat/watch/feed"
)

// feeds reads the feeds of all subscriptions, as a feed reader does.
func (t *trial) feeds(ctx context.Context, subs []*storage.Subscribed) error {
	entries, again := 0, 0
	for _, s := range subs {
		ids := map[string]bool{}
		for it, err := range t.store.Items(ctx, storage.ItemQuery{Of: storage.Which{IDs: []string{s.ID}}, Limit: storage.MaxItems}) {
			if err != nil {
				return err
			}
			ids[feed.URN("item", it.ID)] = true
		}
		for format := range feed.Formats {
			address := fmt.Sprintf("http://%s/watch/feed.%s?id=%s&limit=500", t.listen, format, s.ID)
			res, err := http.Get(address)
			if err != nil {
				return err
			}
			read, err := gofeed.NewParser().Parse(res.Body)
			res.Body.Close()
			if err != nil || res.StatusCode != http.StatusOK {
				return fmt.Errorf("%s: status %d, %v", address, res.StatusCode, err)
			}
			seen := map[string]bool{}
			for _, e := range read.Items {
				if seen[e.GUID] || !ids[e.GUID] {
					return fmt.Errorf("%s: entry %s is there twice, or of no item", address, e.GUID)
				}
				seen[e.GUID] = true
			}
			if len(seen) != min(len(ids), 500) && res.ContentLength < feed.MaxBytes/2 {
				return fmt.Errorf("%s: %d entries of %d items", address, len(seen), len(ids))
			}
			entries += len(seen)
			if code, err := conditional(address, res.Header.Get("ETag")); err != nil || code != http.StatusNotModified {
				return fmt.Errorf("%s: asked again with its ETag it answers %d, %v", address, code, err)
			}
			again++
		}
	}
	log.Printf("feeds %4d with %d entries read by gofeed, and not sent again to who has them", again, entries)
	return nil
}

// conditional makes a conditional request.
func conditional(address, tag string) (int, error) {
	r, err := http.NewRequest(http.MethodGet, address, nil)
	if err != nil {
		return 0, err
	}
	r.Header.Set("If-None-Match", tag)
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, err
	}
	return res.StatusCode, res.Body.Close()
}
