package saferegexp

import (
	"regexp"
	"sync"
)

// maxCached is the size of the expressions that one generation of a cache holds: at most 20 MB.
const maxCached = 10 * MaxTotal

// Cache compiles expressions one at a time, and keeps the most recently used, so that an expression
// used repeatedly is compiled once. The zero Cache is empty; it is safe for concurrent use.
type Cache struct {
	mu       sync.Mutex
	now, old map[string]cached // two generations: when the younger is full, the older is dropped
	size     int               // of the younger generation

	compiled int // total number of compiled expressions
}

type cached struct {
	re   *regexp.Regexp
	size int
}

// Compile returns a compiled expression, from the cache if possible.
func (c *Cache) Compile(text string) (*regexp.Regexp, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok := c.now[text]; ok {
		return e.re, nil
	}
	e, ok := c.old[text]
	if !ok {
		n, err := Size(text)
		if err != nil {
			return nil, err
		}
		if e.re, err = regexp.Compile(text); err != nil {
			return nil, err
		}
		e.size = n + fixedSize
		c.compiled++
	}
	if c.now == nil || c.size+e.size > maxCached {
		c.now, c.old, c.size = map[string]cached{}, c.now, 0
	}
	c.now[text] = e
	c.size += e.size
	return e.re, nil
}
