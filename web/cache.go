package web

import (
	"container/list"
	"context"
	"errors"
	"strconv"
	"sync"
	"time"

	"plat"
)

// cache holds what cannot change any more: versions, and what follows from a
// number of them. What was asked for longest ago goes first when it is full.
// It is safe for concurrent use.
type cache struct {
	mu    sync.Mutex
	most  int64 // bytes, about
	bytes int64
	byKey map[string]*list.Element
	used  *list.List // of *cached, latest first
	made  map[string]*making
}

type cached struct {
	key   string
	value any
	bytes int64
}

func newCache(most int64) *cache {
	return &cache{most: most, byKey: map[string]*list.Element{}, used: list.New(), made: map[string]*making{}}
}

func (c *cache) get(key string) (any, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.byKey[key]
	if !ok {
		return nil, false
	}
	c.used.MoveToFront(e)
	return e.Value.(*cached).value, true
}

func (c *cache) put(key string, value any, bytes int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if bytes > c.most/4 || c.byKey[key] != nil {
		return
	}
	c.byKey[key] = c.used.PushFront(&cached{key, value, bytes})
	for c.bytes += bytes; c.bytes > c.most; {
		last := c.used.Remove(c.used.Back()).(*cached)
		delete(c.byKey, last.key)
		c.bytes -= last.bytes
	}
}

// making is a value that somebody makes; done is closed when it is there, or err.
type making struct {
	done  chan struct{}
	value any
	err   error
}

// errUnmade is the error of what nobody finished to make.
var errUnmade = errors.New("nobody made it")

// begin returns what is being made under key, and whether the caller is the one to
// make it.
func (c *cache) begin(key string) (m *making, mine bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if m = c.made[key]; m != nil {
		return m, false
	}
	m = &making{done: make(chan struct{}), err: errUnmade}
	c.made[key] = m
	return m, true
}

func (c *cache) end(key string, m *making) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.made, key)
	close(m.done)
}

// remember returns what the cache has under key, or what make makes. Of many that
// ask at once one makes it; if it fails, perhaps because whom it was for has
// gone, another tries.
func remember[T any](c *cache, key string, bytes func(T) int64, make func() (T, error)) (T, error) {
	for {
		if v, ok := c.get(key); ok {
			return v.(T), nil
		}
		m, mine := c.begin(key)
		if !mine {
			if <-m.done; m.err == nil {
				return m.value.(T), nil
			}
			continue
		}
		defer c.end(key, m)
		v, err := make()
		if m.value, m.err = v, err; err == nil {
			c.put(key, v, bytes(v)+int64(len(key))+100)
		}
		return v, err
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
