package web

import (
	"context"
	"math"
	"strconv"
	"time"

	"github.com/maypok86/otter/v2"

	"plat"
)

// cache holds immutable values: versions, and what is computed from them. It is
// safe for concurrent use.
type cache struct{ *otter.Cache[string, cached] }

type cached struct {
	value any
	bytes int64 // approximate size
}

func newCache(most int64) cache {
	return cache{otter.Must(&otter.Options[string, cached]{
		MaximumWeight: uint64(most),
		Weigher:       func(key string, v cached) uint32 { return uint32(min(v.bytes+int64(len(key))+200, math.MaxUint32)) },
	})}
}

// makeTime is the time limit for computing a value. It is independent of the
// first request, which may be cancelled while others wait for the same value.
const makeTime = 2 * time.Minute

// remember returns the cached value under key, or computes it with produce,
// once for all concurrent callers.
func remember[T any](ctx context.Context, c cache, key string, bytes func(T) int64, produce func(ctx context.Context) (T, error)) (T, error) {
	var none T
	if v, ok := c.GetIfPresent(key); ok {
		return v.value.(T), nil
	}
	type made struct {
		value cached
		err   error
	}
	done := make(chan made, 1)
	go func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), makeTime)
		defer cancel()
		v, err := c.Get(ctx, key, otter.LoaderFunc[string, cached](func(ctx context.Context, _ string) (cached, error) {
			v, err := produce(ctx)
			if err != nil {
				return cached{}, err
			}
			return cached{v, bytes(v)}, nil
		}))
		done <- made{v, err}
	}()
	select {
	case m := <-done:
		if m.err != nil {
			return none, m.err
		}
		return m.value.value.(T), nil
	case <-ctx.Done():
		return none, ctx.Err()
	}
}

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
	return remember(ctx, s.cache, "version "+strconv.Itoa(n)+" "+url, treeBytes, func(ctx context.Context) (*plat.Version, error) { return s.Store.Version(ctx, url, n) })
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
	return remember(ctx, s.cache, "times "+strconv.Itoa(head)+" "+url, func(t []time.Time) int64 { return 24 * int64(len(t)) },
		func(ctx context.Context) ([]time.Time, error) { return s.Store.Times(ctx, url) })
}
