package workers

import (
	"context"
	"fmt"

	"plat"
	"plat/segment"
)

// reader is what it takes to put a version together again.
type reader interface {
	Version(ctx context.Context, url string, n int) (*plat.Version, error)
	Contents(ctx context.Context, hashes []plat.Hash) ([][]byte, error)
	Layout(ctx context.Context, h plat.Hash) (plat.Layout, error)
}

// Restore returns version n of a URL as it was captured, byte for byte; n = 0 is
// the last one.
func Restore(ctx context.Context, store reader, url string, n int) ([]byte, error) {
	v, err := store.Version(ctx, url, n)
	if err != nil {
		return nil, err
	}
	if err := LoadAll(ctx, store, v.Blocks); err != nil {
		return nil, fmt.Errorf("restore %s@%d: %w", url, v.N, err)
	}
	l, err := store.Layout(ctx, v.Layout)
	if err != nil {
		return nil, fmt.Errorf("restore %s@%d: %w", url, v.N, err)
	}
	page, err := segment.Restore(&l, v.Blocks)
	if err != nil {
		return nil, fmt.Errorf("%s@%d: %w", url, v.N, err)
	}
	return page, nil
}

// LoadAll fills Content and Text of all leaves.
func LoadAll(ctx context.Context, store interface {
	Contents(ctx context.Context, hashes []plat.Hash) ([][]byte, error)
}, blocks []plat.Block) error {
	var hashes []plat.Hash
	for i := range blocks {
		if blocks[i].Leaf() {
			hashes = append(hashes, blocks[i].Hash)
		}
	}
	return Load(ctx, store, blocks, hashes)
}
