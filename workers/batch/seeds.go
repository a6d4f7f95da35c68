package batch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"plat/plat"
	"plat/plat/decodeerror"
	"plat/queue"
)

// Seed is a URL to visit, or the error of a line that is not a URL.
type Seed struct {
	URL string // canonical; if Err is not nil as written, without a password
	As  string // its spelling in requests, if that is different; see [plat.Spelled]
	Err error  // of its spelling
}

// NewSeed returns the seed of a line. It loses parameters in drop; see
// [plat.Canonical].
func NewSeed(raw string, drop []string) Seed {
	u, spelling, err := plat.Address(raw, drop)
	if err != nil {
		return Seed{URL: plat.WithoutLogin(raw), Err: err}
	}
	return Seed{URL: u, As: spelling}
}

// Seeds hands out URLs, each once, while more are still being read. It is safe for
// concurrent use.
type Seeds struct {
	drop []string

	mu    sync.Mutex
	more  *sync.Cond          // something below has changed
	seen  map[string]struct{} // guarded by mu, like all that follows
	queue []Seed
	found int
	ended bool
	err   error // of reading
}

// NewSeeds returns an empty list of seeds, whose URLs lose parameters in drop; see [plat.Canonical].
func NewSeeds(drop []string) *Seeds {
	s := &Seeds{drop: drop, seen: map[string]struct{}{}}
	s.more = sync.NewCond(&s.mu)
	return s
}

// Add adds a URL, in whatever spelling.
func (s *Seeds) Add(raw string) { s.put(NewSeed(raw, s.drop)) }

func (s *Seeds) put(x Seed) {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := x.URL
	if x.Err != nil { // and lines that begin alike
		key += "\x00" + x.Err.Error()
	}
	if _, ok := s.seen[key]; ok {
		return
	}
	s.seen[key] = struct{}{}
	s.queue = append(s.queue, x)
	s.found++
	s.more.Signal()
}

// End says that no more will come, and why if it was not for their end.
func (s *Seeds) End(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended, s.err = true, errors.Join(s.err, err)
	s.more.Broadcast()
}

// next waits for a seed; ok is false when there are no more, or ctx has ended.
func (s *Seeds) next(ctx context.Context) (x Seed, ok bool) {
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
		return Seed{}, false
	}
	x, s.queue = s.queue[0], s.queue[1:]
	return x, true
}

// Err is why the list could not be read to its end, nil if it could.
func (s *Seeds) Err() error {
	_, _, err := s.total()
	return err
}

// total returns the number of seeds so far, and whether the list is complete.
func (s *Seeds) total() (n int, all bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.found, s.ended, s.err
}

// Read adds the URLs of a list: one a line, or JSON Lines with a "url". A line that is
// neither becomes a seed that fails. The error is of reading; tell it to [Seeds.End].
func (s *Seeds) Read(r io.Reader) error {
	return queue.EachSeed(r, func(l queue.Line) error {
		n, line := l.N, l.Text
		if l.Err != nil {
			s.put(Seed{URL: excerpt(plat.WithoutLogin(line)), Err: fmt.Errorf("line %d: %w", n, l.Err)})
			return nil
		}
		if line[0] == '{' {
			j, err := queue.DecodeSeed(line)
			if err == nil && j.URL == "" {
				err = errors.New("it has no \"url\"")
			}
			if err != nil {
				s.put(Seed{URL: excerpt(loginless(line)), Err: fmt.Errorf("line %d is no JSON with a \"url\": %w", n, decodeerror.JSON(err))})
				return nil
			}
			line = j.URL
		}
		s.Add(line)
		return nil
	})
}

// maxShown is the length to which an invalid line is shortened in errors, in bytes.
const maxShown = 100

// excerpt is the beginning of a line that is no seed.
func excerpt(line string) string {
	if len(line) <= maxShown {
		return strings.ToValidUTF8(line, "\uFFFD")
	}
	return strings.ToValidUTF8(line[:maxShown], "\uFFFD") + "…"
}

// loginless returns an invalid line of JSON for display, without a part that may be a
// login.
func loginless(line string) string {
	from, to := strings.Index(line, "//"), strings.LastIndexByte(line, '@')
	if from < 0 || to < from {
		return line
	}
	return line[:from+2] + "…" + line[to:]
}
