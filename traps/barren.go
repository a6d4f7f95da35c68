package traps

import "slices"

// A pattern counts the visits of URLs of one pattern; see patterns.
type pattern struct {
	visits   int // first visits of URLs
	fruitful int // of these, with text that was new, or with links that led to such
	barren   int // since the last fruitful one
}

const (
	// barrenAfter is after how many barren visits in a row a pattern that never was
	// fruitful is barren. A fruitful visit adds one to it, at most patience.
	barrenAfter = 8
	patience    = 56

	// askEvery is one in how many visits of a site is spent on barren patterns.
	askEvery = 64

	// A page is fruitful if it shows that many letters that are new on its site, and
	// that share of its text.
	newLetters = 25
	newShare   = 0.03

	// maxPatterns is the most patterns of a site.
	maxPatterns = 5000
)

func (p *pattern) isBarren() bool { return p.barren >= barrenAfter+min(p.fruitful, patience) }

// trusted reports whether a pattern is known well enough to be decided by itself.
func (p *pattern) trusted() bool {
	return p.visits >= barrenAfter || p.visits >= 3 && 3*p.fruitful >= p.visits
}

// Barren reports whether URLs of this pattern brought nothing lately. The most
// particular pattern that is known well decides.
func (s *Site) Barren(url string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.barren(patterns(url))
}

func (s *Site) barren(keys [levels]string) bool {
	for _, key := range keys {
		p := s.patterns[key]
		switch {
		case p == nil:
		case p.isBarren():
			return true
		case p.trusted():
			return false
		}
	}
	return false
}

// Ask reports whether a URL may be visited now: one of a barren pattern only once in a
// while.
func (s *Site) Ask(url string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.barren(patterns(url)) {
		return true
	}
	if s.visits-s.asked < askEvery {
		return false
	}
	s.asked = s.visits
	return true
}

// Found notes that a page has links to URLs that nobody knew before. If one of them
// turns out fruitful, so was the page.
func (s *Site) Found(page string, urls []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	keys := patterns(page)
	for _, url := range urls {
		s.found.put(keyOf(url), keys)
	}
}

// Visited counts the first visit of a URL. p is its page, nil if there was none, or
// only one that is known under another address. It returns how many letters of it are
// new on this site.
func (s *Site) Visited(url string, p *Page) (letters int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.visits++
	fruitful := false
	if p != nil {
		for _, x := range p.phrases {
			if _, known := s.texts.get(x.hash); !known {
				letters += int(x.letters)
			}
			s.texts.put(x.hash, struct{}{})
		}
		fruitful = letters >= newLetters && float64(letters) >= newShare*float64(p.letters)
	}
	keys := patterns(url)
	for i, key := range keys {
		if slices.Contains(keys[:i], key) {
			continue // more general, and yet the same
		}
		q := s.patterns[key]
		if q == nil {
			if len(s.patterns) >= maxPatterns {
				s.forget()
			}
			q = &pattern{}
			s.patterns[key] = q
		}
		q.visits++
		if fruitful {
			q.fruitful++
			q.barren = 0
		} else {
			q.barren++
		}
	}
	if keys, ok := s.found.get(keyOf(url)); ok && fruitful {
		for _, key := range keys {
			if q := s.patterns[key]; q != nil && q.barren > 0 {
				q.barren, q.fruitful = 0, min(q.fruitful+1, q.visits)
			}
		}
	}
	return letters
}

// forget drops half of the patterns, those that were visited least and are not barren.
func (s *Site) forget() {
	drop := len(s.patterns) / 2
	for limit := 2; drop > 0; limit *= 2 {
		for key, p := range s.patterns {
			if drop > 0 && p.visits < limit && (!p.isBarren() || limit > 1000) {
				delete(s.patterns, key)
				drop--
			}
		}
	}
}
