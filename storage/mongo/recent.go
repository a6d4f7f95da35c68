package mongo

import (
	"slices"
	"sync"

	"plat/plat"
)

// recent keeps the last versions that this process has read or written: a visit reads the version
// before, compares, and commits. Versions do not change, unless older ones are forgotten, or Attach adds to them.
type recent struct {
	mu     sync.Mutex
	byURL  map[string]*standing
	urls   []string // oldest first
	blocks int
}

// maxRecentBlocks limits the blocks of recent versions: some hundred pages, about 20 MB.
const maxRecentBlocks = 20_000

// get returns the last version of a URL, or nil. Callers do not modify it.
func (r *recent) get(st *plat.URLState) *standing {
	r.mu.Lock()
	defer r.mu.Unlock()
	v := r.byURL[st.URL]
	if v == nil || v.N != st.Head || v.Oldest != (st.Head == st.Oldest()) || oldestOf(&v.Tree) <= st.Forgotten {
		return nil
	}
	return v
}

// put adds a version, without the contents of its blocks.
func (r *recent) put(v *standing) {
	kept := *v
	kept.Blocks = slices.Clone(v.Blocks)
	for i := range kept.Blocks {
		kept.Blocks[i].Content, kept.Blocks[i].Text = nil, ""
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.drop(v.URL)
	if len(kept.Blocks) > maxRecentBlocks/4 {
		return
	}
	if r.byURL == nil {
		r.byURL = map[string]*standing{}
	}
	r.byURL[v.URL] = &kept
	r.urls = append(r.urls, v.URL)
	for r.blocks += len(kept.Blocks); r.blocks > maxRecentBlocks; {
		r.drop(r.urls[0])
	}
}

func (r *recent) drop(url string) {
	if v := r.byURL[url]; v != nil {
		r.blocks -= len(v.Blocks)
		delete(r.byURL, url)
		r.urls = slices.DeleteFunc(r.urls, func(u string) bool { return u == url })
	}
}

// remove removes the version of a URL.
func (r *recent) remove(url string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.drop(url)
}

func (r *recent) clear() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.byURL, r.urls, r.blocks = nil, nil, 0
}

// states has the documents of URLs that State has read: of visits that will change them.
type states struct {
	mu    sync.Mutex
	byURL map[string]*urlDoc
}

// maxStates is more than a process has visits under way. When there are more, any is dropped: that costs a read.
const maxStates = 500

// take removes and returns the document of a URL, or nil.
func (s *states) take(url string) *urlDoc {
	s.mu.Lock()
	defer s.mu.Unlock()
	d := s.byURL[url]
	delete(s.byURL, url)
	return d
}

// epoch returns that of a document that is remembered.
func (s *states) epoch(url string) epoch {
	s.mu.Lock()
	defer s.mu.Unlock()
	if d := s.byURL[url]; d != nil {
		return d.epoch()
	}
	return unknownEpoch
}

func (s *states) put(d *urlDoc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.byURL == nil {
		s.byURL = map[string]*urlDoc{}
	}
	for url := range s.byURL {
		if len(s.byURL) < maxStates {
			break
		}
		delete(s.byURL, url)
	}
	s.byURL[string(d.URL)] = d
}

// lastVisits has the last visit of some URLs whose own document is known to be written.
type lastVisits struct {
	mu    sync.Mutex
	byURL map[string]string // the _id of the visit
}

// maxLastVisits limits the URLs of lastVisits. When there are more, all are dropped: each costs
// one insert that has no effect.
const maxLastVisits = 50_000

func (l *lastVisits) has(url, id string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.byURL[url] == id
}

func (l *lastVisits) put(url, id string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.byURL == nil || len(l.byURL) >= maxLastVisits {
		l.byURL = map[string]string{}
	}
	l.byURL[url] = id
}
