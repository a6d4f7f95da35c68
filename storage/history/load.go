package history

import (
	"context"
	"errors"
	"slices"

	"plat/plat"
	"plat/segment/markup"
)

// loader loads contents of blocks.
type loader interface {
	Contents(ctx context.Context, hashes []plat.Hash) ([][]byte, error)
}

// Load sets Content and Text of those leaves whose hash is among hashes.
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

// Share copies Content and Text from the current version to the leaves of an old version that
// were not loaded because both versions have them.
func Share(old, now []plat.Block) {
	same := make(map[plat.Hash]*plat.Block, len(now))
	for i := range now {
		same[now[i].Hash] = &now[i]
	}
	for i := range old {
		b, s := &old[i], same[old[i].Hash]
		if !b.Leaf() || b.Content != nil || s == nil {
			continue
		}
		if b.Content, b.Text = s.Content, s.Text; !slices.Equal(b.Hidden, s.Hidden) {
			b.Text = markup.Text(b.Content, b.Hidden)
		}
	}
}

// LoadAll sets Content and Text of all leaves.
func LoadAll(ctx context.Context, store loader, blocks []plat.Block) error {
	var hashes []plat.Hash
	for i := range blocks {
		if blocks[i].Leaf() {
			hashes = append(hashes, blocks[i].Hash)
		}
	}
	return Load(ctx, store, blocks, hashes)
}

// LoadIntact sets Content and Text of those leaves that can be read, and calls damaged, if not
// nil, for each that is damaged or missing: one damaged block must not hide the intact ones.
// Other errors of the store are returned.
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
