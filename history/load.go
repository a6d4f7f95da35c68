package history

import (
	"context"

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
