package traps

import (
	"context"
	"sync"
	"time"
)

// known keeps the data of hosts, also as notes in the archive, so that workers share it. The zero
// value is ready to use.
type known struct {
	mu   sync.Mutex
	all  map[string]*site // by host; guarded by mu
	size int              // of all, as last measured; guarded by mu
}

// site is the data of one host.
type site struct {
	*Site
	host    string
	size    int       // as last measured; guarded by the mu of known
	read    sync.Once // of its note
	mu      sync.Mutex
	unsaved int       // visits since the note was written; guarded by mu
	urls    int       // that the host has, at most MaxURLs; guarded by mu
	counted time.Time // when that was; guarded by mu
}

const (
	maxSites  = 5000      // in memory
	maxSize   = 1_000_000 // of all of them: see traps.Site.Size
	saveEvery = 50        // visits
)

// site returns the data of a host.
func (g *Guard) site(ctx context.Context, host string) *site {
	g.sites.mu.Lock()
	s := g.sites.all[host]
	var out []*site // makes room
	if s == nil {
		for _, other := range g.sites.all {
			if len(g.sites.all) < maxSites && g.sites.size < maxSize {
				break
			}
			out = append(out, other)
			g.sites.size -= other.size
			delete(g.sites.all, other.host)
		}
		if g.sites.all == nil {
			g.sites.all = map[string]*site{}
		}
		s = &site{Site: NewSite(), host: host}
		g.sites.all[host] = s
	}
	g.sites.mu.Unlock()
	for _, other := range out {
		g.save(ctx, other, 1)
	}
	s.read.Do(func() { g.readNote(ctx, s) })
	return s
}

// readNote reads the note of a site. A note that cannot be read is learnt again.
func (g *Guard) readNote(ctx context.Context, s *site) {
	notes, err := g.store.Notes(ctx, NotePrefix+s.host)
	if err == nil {
		err = s.Learn(notes[NotePrefix+s.host])
	}
	if err != nil && ctx.Err() == nil {
		g.o.Log.Warn("cannot read the rules for a site's addresses", "host", s.host, "error", err)
	}
}

// save writes the note of a site, if it has at least that many unsaved visits. Before, it reads
// the data that different workers have saved meanwhile. Notes are a cache: a lost one is learnt
// again.
func (g *Guard) save(ctx context.Context, s *site, visits int) {
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
	g.sites.mu.Lock()
	if g.sites.all[s.host] == s {
		g.sites.size += size - s.size
		s.size = size
	}
	g.sites.mu.Unlock()
	g.readNote(ctx, s)
	if text := s.Text(); text != "" {
		if err := g.store.SetNote(ctx, NotePrefix+s.host, text); err != nil && ctx.Err() == nil {
			g.o.Log.Warn("cannot write the rules for a site's addresses", "host", s.host, "error", err)
		}
	}
}

// Save writes the notes of all sites.
func (g *Guard) Save(ctx context.Context) {
	g.sites.mu.Lock()
	var all []*site
	for _, s := range g.sites.all {
		all = append(all, s)
	}
	g.sites.mu.Unlock()
	for _, s := range all {
		g.save(ctx, s, 1)
	}
}

// countEvery is the interval at which the URLs of a host are counted.
const countEvery = time.Minute

// room returns how many more URLs of a host links may add.
func (g *Guard) room(ctx context.Context, s *site) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if now := time.Now(); s.counted.IsZero() || now.Sub(s.counted) > countEvery {
		n, err := g.store.Known(ctx, s.host, g.o.MaxURLs)
		if err != nil {
			return 0, err
		}
		s.urls, s.counted = n, now
	}
	return max(0, g.o.MaxURLs-s.urls), nil
}

// added counts URLs that links have added.
func (s *site) added(n int) {
	s.mu.Lock()
	s.urls += n
	s.mu.Unlock()
}
