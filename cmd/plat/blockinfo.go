package main

import (
	"context"

	"plat/cmd/plat/app"
	"plat/plat"
	"plat/storage"
	"plat/storage/history"
)

// load returns a version with the contents of all of its leaves, or of those
// whose hashes pick returns.
func load(ctx context.Context, s storage.Store, url string, n int, pick func(*plat.Version) []plat.Hash) (*plat.Version, error) {
	v, err := s.Version(ctx, url, n)
	if err != nil {
		return nil, missing(ctx, s, ref{url: url, n: n}, err)
	}
	if pick == nil {
		err = history.LoadAll(ctx, s, v.Blocks)
	} else {
		err = history.Load(ctx, s, v.Blocks, pick(v))
	}
	if err != nil {
		return nil, app.About(ref{url: url, n: v.N}.String(), err)
	}
	return v, nil
}
