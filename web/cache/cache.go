// Package cache keeps values in memory that cost something to make, up to a number of bytes,
// and makes each once for all who ask at the same time.
package cache

import (
	"context"
	"math"
	"time"

	"github.com/maypok86/otter/v2"
)

// A Cache holds immutable values. It is safe for concurrent use.
type Cache struct{ kept *otter.Cache[string, cached] }

type cached struct {
	value any
	bytes int64 // approximate size
}

// New makes a cache of at most most bytes.
func New(most int64) *Cache {
	return &Cache{otter.Must(&otter.Options[string, cached]{
		MaximumWeight: uint64(most),
		Weigher:       func(key string, v cached) uint32 { return uint32(min(v.bytes+int64(len(key))+200, math.MaxUint32)) },
	})}
}

// makeTime is the time limit for computing a value. It is independent of the first request, which
// may be cancelled while other requests wait for the same value.
const makeTime = 2 * time.Minute

// Peek returns the value under a key, if there is one.
func Peek[T any](c *Cache, key string) (v T, ok bool) {
	x, ok := c.kept.GetIfPresent(key)
	if !ok {
		return v, false
	}
	return x.value.(T), true
}

// Put keeps a value of about so many bytes.
func Put[T any](c *Cache, key string, v T, bytes int64) { c.kept.Set(key, cached{v, bytes}) }

// Remember returns the value under key, or computes it with produce, once for all concurrent
// callers. A key is for values of one type.
func Remember[T any](ctx context.Context, c *Cache, key string, bytes func(T) int64, produce func(ctx context.Context) (T, error)) (T, error) {
	var none T
	if v, ok := c.kept.GetIfPresent(key); ok {
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
		v, err := c.kept.Get(ctx, key, otter.LoaderFunc[string, cached](func(ctx context.Context, _ string) (cached, error) {
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

// Bytes returns the approximate size of the cached values, in bytes.
func (c *Cache) Bytes() uint64 {
	c.kept.CleanUp()
	return c.kept.WeightedSize()
}
