package history

import (
	"context"
	"fmt"

	"plat/plat"
	"plat/segment/markup"
)

// reader is the part of a store needed to restore a version.
type reader interface {
	loader
	Version(ctx context.Context, url string, n int) (*plat.Version, error)
	Layout(ctx context.Context, h plat.Hash) (plat.Layout, error)
	Manifest(ctx context.Context, h plat.Hash) (plat.Manifest, error)
}

// Restore returns version n of a URL as captured, byte for byte; n = 0 is the last
// one.
func Restore(ctx context.Context, store reader, url string, n int) ([]byte, error) {
	v, err := store.Version(ctx, url, n)
	if err != nil {
		return nil, err
	}
	return Page(ctx, store, v)
}

// Page returns the page of a version, byte for byte. It loads the contents of v's
// blocks.
func Page(ctx context.Context, store reader, v *plat.Version) ([]byte, error) {
	wrong := func(err error) error { return fmt.Errorf("restore %s@%d: %w", v.URL, v.N, err) }
	if err := LoadAll(ctx, store, v.Blocks); err != nil {
		return nil, wrong(err)
	}
	l, err := store.Layout(ctx, v.Layout)
	if err != nil {
		return nil, wrong(err)
	}
	page, err := markup.Restore(&l, v.Blocks)
	if err != nil {
		return nil, wrong(err)
	}
	return page, nil
}
