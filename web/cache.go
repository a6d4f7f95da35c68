package web

import (
	"context"
	"errors"
	"math"
	"strconv"
	"time"

	"github.com/maypok86/otter/v2"

	"plat"
)

// cache holds what cannot change any more: versions, and what follows from a
// number of them. It is safe for concurrent use.
type cache struct{ *otter.Cache[string, cached] }

type cached struct {
	value any
	bytes int64 // that it takes, about
}

func newCache(most int64) cache {
	return cache{otter.Must(&otter.Options[string, cached]{
		MaximumWeight: uint64(most),
		Weigher:       func(key string, v cached) uint32 { return uint32(min(v.bytes+int64(len(key))+200, math.MaxUint32)) },
	})}
}

// remember returns what the cache has under key, or what make makes. Of many that
// ask at once one makes it; if it fails because whom it was for has gone, another
// tries.
func remember[T any](c cache, key string, bytes func(T) int64, make func() (T, error)) (T, error) {
	for {
		mine := false
		v, err := c.Get(context.Background(), key, otter.LoaderFunc[string, cached](func(context.Context, string) (cached, error) {
			mine = true
			v, err := make()
			if err != nil {
				return cached{}, err
			}
			return cached{v, bytes(v)}, nil
		}))
		if err == nil {
			return v.value.(T), nil
		}
		if mine || !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded) {
			var none T
			return none, err
		}
	}
}

// version returns a version with its block tree, which must not be written to; n
// = 0 is the last one.
func (s *Server) version(ctx context.Context, url string, n int) (*plat.Version, error) {
	if n == 0 {
		st, err := s.store.State(ctx, url)
		if err != nil {
			return nil, err
		}
		if n = st.Head; n == 0 {
			return nil, plat.ErrNotFound
		}
	}
	return remember(s.cache, "version "+strconv.Itoa(n)+" "+url, treeBytes, func() (*plat.Version, error) { return s.store.Version(ctx, url, n) })
}

// treeBytes is about what a version takes in memory.
func treeBytes(v *plat.Version) int64 {
	n := int64(1000)
	for i := range v.Blocks {
		b := &v.Blocks[i]
		n += 400 + int64(len(b.Topic)+len(b.Because)+len(b.Lead)) + 4*int64(len(b.Path)+len(b.Hidden))
	}
	return n
}

// times returns when the versions of a URL were taken, of which there are head at
// least.
func (s *Server) times(ctx context.Context, url string, head int) ([]time.Time, error) {
	return remember(s.cache, "times "+strconv.Itoa(head)+" "+url, func(t []time.Time) int64 { return 24 * int64(len(t)) },
		func() ([]time.Time, error) { return s.store.Times(ctx, url) })
}
