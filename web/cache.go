package web

import (
	"context"
	"strconv"
	"time"

	"plat"
	"plat/cache"
)

// version returns a version with its block tree, which must not be modified; n
// = 0 is the last one.
func (s *Server) version(ctx context.Context, url string, n int) (*plat.Version, error) {
	if n == 0 {
		st, err := s.Store.State(ctx, url)
		if err != nil {
			return nil, err
		}
		if n = st.Head; n == 0 {
			return nil, plat.ErrNotFound
		}
	}
	return cache.Remember(ctx, s.cache, "version "+strconv.Itoa(n)+" "+url, treeBytes, func(ctx context.Context) (*plat.Version, error) { return s.Store.Version(ctx, url, n) })
}

// treeBytes is the approximate size of a version in memory.
func treeBytes(v *plat.Version) int64 {
	n := int64(1000)
	for i := range v.Blocks {
		b := &v.Blocks[i]
		n += 400 + int64(len(b.Topic)+len(b.Explanation)+len(b.Lead)) + 4*int64(len(b.Path)+len(b.Hidden))
	}
	return n
}

// times returns when the versions of a URL were taken; there are at least head.
func (s *Server) times(ctx context.Context, url string, head int) ([]time.Time, error) {
	return cache.Remember(ctx, s.cache, "times "+strconv.Itoa(head)+" "+url, func(t []time.Time) int64 { return 24 * int64(len(t)) },
		func(ctx context.Context) ([]time.Time, error) { return s.Store.Times(ctx, url) })
}
