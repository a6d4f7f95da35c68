package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"plat/queue"
)

// seed is a URL to archive, or what stands where one should be.
type seed struct {
	url string // canonical; if err is not nil as written, without a password
	err error  // of its spelling
}

// seeds hands out URLs, each once, while more are still being read.
type seeds struct {
	canonical func(string) (string, error)

	mu    sync.Mutex
	more  *sync.Cond          // something below has changed
	seen  map[string]struct{} // guarded by mu, like all that follows
	queue []seed
	found int
	ended bool
	err   error // of reading
}

func newSeeds(canonical func(string) (string, error)) *seeds {
	s := &seeds{canonical: canonical, seen: map[string]struct{}{}}
	s.more = sync.NewCond(&s.mu)
	return s
}

func (s *seeds) add(raw string) {
	u, err := s.canonical(raw)
	if err != nil {
		u = unsecret(raw)
	}
	s.put(seed{u, err})
}

func (s *seeds) put(x seed) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.seen[x.url]; ok {
		return
	}
	s.seen[x.url] = struct{}{}
	s.queue = append(s.queue, x)
	s.found++
	s.more.Signal()
}

// end says that no more will come, and why if it was not for their end.
func (s *seeds) end(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended, s.err = true, errors.Join(s.err, err)
	s.more.Broadcast()
}

// next waits for a seed; ok is false when there are no more, or ctx has ended.
func (s *seeds) next(ctx context.Context) (x seed, ok bool) {
	stop := context.AfterFunc(ctx, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.more.Broadcast()
	})
	defer stop()
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.queue) == 0 && !s.ended && ctx.Err() == nil {
		s.more.Wait()
	}
	if len(s.queue) == 0 || ctx.Err() != nil {
		return seed{}, false
	}
	x, s.queue = s.queue[0], s.queue[1:]
	return x, true
}

// total is how many there are so far, and whether that is all.
func (s *seeds) total() (n int, all bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.found, s.ended, s.err
}

// openList opens a list of URLs: a file, or standard input for "-".
func (a *app) openList(name string) (io.ReadCloser, error) {
	if name == "-" {
		return io.NopCloser(a.stdin), nil
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, fail(exitUsage, "list of URLs: %w", err)
	}
	return f, nil
}

// read adds the URLs of a list: one a line, or JSON Lines with a "url".
func (s *seeds) read(r io.Reader) error {
	return queue.EachSeed(r, func(n int, line string) error {
		if line[0] == '{' {
			var j struct {
				URL string `json:"url"`
			}
			err := json.Unmarshal([]byte(line), &j)
			if err == nil && j.URL == "" {
				err = errors.New("it has no \"url\"")
			}
			if err != nil {
				s.put(seed{line, fmt.Errorf("line %d is no JSON with a \"url\": %w", n, err)})
				return nil
			}
			line = j.URL
		}
		s.add(line)
		return nil
	})
}
