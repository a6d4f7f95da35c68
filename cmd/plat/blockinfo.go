package main

import (
	"context"

	"plat"
	"plat/history"
	"plat/storage"
)

// load returns a version with the contents of all of its leaves, or of those
// whose hashes pick returns.
func load(ctx context.Context, s storage.Store, url string, n int, pick func(*plat.Version) []plat.Hash) (*plat.Version, error) {
	v, err := s.Version(ctx, url, n)
	if err != nil {
		return nil, missing(ctx, s, ref{url: url, n: n}, err)
	}
	hashes := allHashes(v)
	if pick != nil {
		hashes = pick(v)
	}
	if err := history.Load(ctx, s, v.Blocks, hashes); err != nil {
		return nil, about(ref{url: url, n: v.N}.String(), err)
	}
	return v, nil
}

func allHashes(v *plat.Version) []plat.Hash {
	var hashes []plat.Hash
	seen := map[plat.Hash]bool{}
	for i := range v.Blocks {
		if b := &v.Blocks[i]; b.Leaf() && !seen[b.Hash] {
			seen[b.Hash] = true
			hashes = append(hashes, b.Hash)
		}
	}
	return hashes
}
