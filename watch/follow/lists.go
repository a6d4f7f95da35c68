package follow

import (
	"cmp"
	"context"
	"fmt"

	"plat/plat"
	"plat/storage/history"
	"plat/watch"
)

// ListStore is the part of an archive that ListsOf uses.
type ListStore interface {
	Layout(ctx context.Context, h plat.Hash) (plat.Layout, error)
	Contents(ctx context.Context, hashes []plat.Hash) ([][]byte, error)
}

// ListsOf returns the lists of a version, and the ones that are passed over, as a subscription finds them at its first
// examination. v is not changed.
func ListsOf(ctx context.Context, store ListStore, v *plat.Version, sub *plat.Subscription) (*watch.Lists, error) {
	layout, err := store.Layout(ctx, v.Layout)
	if err != nil {
		return nil, err
	}
	blocks := append([]plat.Block(nil), v.Blocks...)
	if err := history.LoadAll(ctx, store, blocks); err != nil {
		return nil, err
	}
	at := cmp.Or(v.Capture.FinalURL, v.URL)
	found, err := watch.Find(&watch.Page{URL: at, Base: v.Base(), Layout: &layout, Blocks: blocks}, watch.Options{Blocks: sub.Blocks, Muted: sub.Muted, Labels: sub.Labels})
	if err != nil {
		return nil, fmt.Errorf("lists of version %d of %s: %w", v.N, v.URL, err)
	}
	return found, nil
}
