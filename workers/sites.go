package workers

import (
	"context"
	"sync"
	"time"

	"plat/traps"
)

// Traps says how a crew guards against parts of a site that have no end, and against
// one page under many addresses.
type Traps string

// Values of Traps.
const (
	TrapsOn    Traps = ""      // by rules of URLs, and by what pages show
	TrapsRules Traps = "rules" // by rules of URLs alone
	TrapsOff   Traps = "off"
)

// sites keeps what is known of the addresses of hosts, as notes in the archive too, so
// that workers share it. The zero value is ready to use.
type sites struct {
	mu   sync.Mutex
	all  map[string]*site // by host; guarded by mu
	size int              // of all, as last measured; guarded by mu
}

// site is one of sites.
type site struct {
	*traps.Site
	host    string
	size    int       // as last measured; guarded by the mu of sites
	read    sync.Once // of its note
	mu      sync.Mutex
	unsaved int       // visits since the note was written; guarded by mu
	urls    int       // that the host has, at most the limit of the crew; guarded by mu
	counted time.Time // when that was; guarded by mu
}

const (
	maxSites  = 5000      // in memory
	maxSize   = 1_000_000 // of all of them: see traps.Site.Size
	saveEvery = 50        // visits
)

// site returns what is known of a host.
func (c *Crew) site(ctx context.Context, host string) *site {
	c.sites.mu.Lock()
	s := c.sites.all[host]
	var out []*site // makes room
	if s == nil {
		for _, other := range c.sites.all {
			if len(c.sites.all) < maxSites && c.sites.size < maxSize {
				break
			}
			out = append(out, other)
			c.sites.size -= other.size
			delete(c.sites.all, other.host)
		}
		if c.sites.all == nil {
			c.sites.all = map[string]*site{}
		}
		s = &site{Site: traps.NewSite(), host: host}
		c.sites.all[host] = s
	}
	c.sites.mu.Unlock()
	for _, other := range out {
		c.save(ctx, other, 1)
	}
	s.read.Do(func() { c.learn(ctx, s) })
	return s
}

// learn reads the note of a site. What cannot be read is learnt anew.
func (c *Crew) learn(ctx context.Context, s *site) {
	notes, err := c.store.Notes(ctx, traps.NotePrefix+s.host)
	if err == nil {
		err = s.Learn(notes[traps.NotePrefix+s.host])
	}
	if err != nil && ctx.Err() == nil {
		c.o.Log.Warn("what is known of a site's addresses could not be read", "host", s.host, "error", err)
	}
}

// save writes the note of a site, after at least so many visits. It takes over first
// what other workers have learnt meanwhile. Notes are a cache: a lost one is learnt
// anew.
func (c *Crew) save(ctx context.Context, s *site, visits int) {
	s.mu.Lock()
	enough := s.unsaved >= visits
	if enough {
		s.unsaved = 0
	}
	s.mu.Unlock()
	if !enough {
		return
	}
	size := s.Size()
	c.sites.mu.Lock()
	if c.sites.all[s.host] == s {
		c.sites.size += size - s.size
		s.size = size
	}
	c.sites.mu.Unlock()
	c.learn(ctx, s)
	if text := s.Text(); text != "" {
		if err := c.store.SetNote(ctx, traps.NotePrefix+s.host, text); err != nil && ctx.Err() == nil {
			c.o.Log.Warn("what is known of a site's addresses could not be written", "host", s.host, "error", err)
		}
	}
}

// saveSites writes the notes of all sites.
func (c *Crew) saveSites(ctx context.Context) {
	c.sites.mu.Lock()
	var all []*site
	for _, s := range c.sites.all {
		all = append(all, s)
	}
	c.sites.mu.Unlock()
	for _, s := range all {
		c.save(ctx, s, 1)
	}
}

// countEvery is how often the URLs of a host are counted.
const countEvery = time.Minute

// room returns how many more URLs of a host links may add.
func (c *Crew) room(ctx context.Context, s *site) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if now := c.worker.now(); s.counted.IsZero() || now.Sub(s.counted) > countEvery {
		n, err := c.store.Known(ctx, s.host, c.o.MaxURLs)
		if err != nil {
			return 0, err
		}
		s.urls, s.counted = n, now
	}
	return max(0, c.o.MaxURLs-s.urls), nil
}

// added counts URLs that links have added.
func (s *site) added(n int) {
	s.mu.Lock()
	s.urls += n
	s.mu.Unlock()
}
