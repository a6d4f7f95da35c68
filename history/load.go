package history

import (
	"context"
	"errors"

	"plat"
	"plat/markup"
)

// loader is where contents of blocks come from.
type loader interface {
	Contents(ctx context.Context, hashes []plat.Hash) ([][]byte, error)
}

// Load fills Content and Text of those leaves whose hash is among hashes.
func Load(ctx context.Context, store loader, blocks []plat.Block, hashes []plat.Hash) error {
	if len(hashes) == 0 {
		return nil
	}
	contents, err := store.Contents(ctx, hashes)
	if err != nil {
		return err
	}
	byHash := make(map[plat.Hash][]byte, len(hashes))
	for i, h := range hashes {
		byHash[h] = contents[i]
	}
	for i := range blocks {
		b := &blocks[i]
		if c, ok := byHash[b.Hash]; ok && b.Leaf() {
			b.Content, b.Text = c, markup.Text(c, b.Hidden)
		}
	}
	return nil
}

// LoadAll fills Content and Text of all leaves.
func LoadAll(ctx context.Context, store loader, blocks []plat.Block) error {
	var hashes []plat.Hash
	for i := range blocks {
		if blocks[i].Leaf() {
			hashes = append(hashes, blocks[i].Hash)
		}
	}
	return Load(ctx, store, blocks, hashes)
}

// LoadIntact fills Content and Text of those leaves that can be read, and calls
// damaged, if it is not nil, for each that the store has not whole: the others are not
// less true for it. Other errors are those of the store.
func LoadIntact(ctx context.Context, store loader, blocks []plat.Block, damaged func(b *plat.Block, err error)) error {
	broken := func(err error) bool { return errors.Is(err, plat.ErrCorrupt) || errors.Is(err, plat.ErrNotFound) }
	err := LoadAll(ctx, store, blocks)
	if err == nil || !broken(err) {
		return err
	}
	for i := range blocks {
		if err := LoadAll(ctx, store, blocks[i:i+1]); broken(err) {
			if damaged != nil {
				damaged(&blocks[i], err)
			}
		} else if err != nil {
			return err
		}
	}
	return nil
}
