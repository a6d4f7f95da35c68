package web

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"plat/plat"
	"plat/storage"
	"plat/web/cache"
)

// versionsKey returns the part of a cache key that changes with the versions of a URL; some may
// be forgotten.
func versionsKey(st *plat.URLState) string {
	return strconv.Itoa(st.Forgotten) + "-" + strconv.Itoa(st.Head) + " " + st.URL
}

// version returns a version with its block tree, which must not be modified; n
// = 0 is the last one.
func (s *Server) version(ctx context.Context, url string, n int) (*plat.Version, error) {
	st, err := s.Store.State(ctx, url)
	if err != nil {
		return nil, err
	}
	return s.versionOf(ctx, &st, n)
}

// versionOf is version for a URL whose state is loaded.
func (s *Server) versionOf(ctx context.Context, st *plat.URLState, n int) (*plat.Version, error) {
	if err := storage.Kept(st, &n); err != nil {
		return nil, err
	}
	key := fmt.Sprintf("version %d %d %s", n, st.Forgotten, st.URL)
	if n == st.Head { // a visit may add a picture or resources to it
		key = fmt.Sprintf("last %d %s", st.Visits, key)
	}
	return cache.Remember(ctx, s.cache, key, treeBytes, func(ctx context.Context) (*plat.Version, error) { return s.Store.Version(ctx, st.URL, n) })
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

// times returns the times of a URL's versions, at least of those in its state.
func (s *Server) times(ctx context.Context, st *plat.URLState) ([]time.Time, error) {
	return cache.Remember(ctx, s.cache, "times "+versionsKey(st), func(t []time.Time) int64 { return 24 * int64(len(t)) },
		func(ctx context.Context) ([]time.Time, error) { return s.Store.Times(ctx, st.URL) })
}
