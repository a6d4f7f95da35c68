package traps

import (
	"math"
	"slices"
)

// A pattern counts the first visits of URLs of one pattern; see patterns.
type pattern struct {
	visits    float64 // recent ones: the numbers are halved from time to time
	fruitful  float64 // of these, with text that was new, or with links to such pages
	redirects float64 // of these, to a different URL of the site
	grown     float64 // unknown URLs to which those led that were not fruitful
}

// grows reports whether a pattern brings little but more URLs: an endless part of a site. One that
// does not, such as copies of single parts of a long page, has an end.
func (p *pattern) grows() bool {
	return p.share() < barrenShare && p.grown >= growth*p.visits
}

const (
	// A pattern is barren if surely less than that share of its URLs is fruitful.
	barrenShare = 0.2
	minVisits   = 4   // before a pattern says anything
	growth      = 0.5 // unknown URLs a visit of a pattern that grows
	maxVisits   = 64  // when its numbers are halved

	// askShare is the share of a site's visits that is spent on barren patterns.
	askShare = 0.01

	// newLetters is the least number of letters of a fruitful page that are new on its site.
	newLetters = 30

	// maxPatterns is the most patterns of a site.
	maxPatterns = 5000
)

// share returns an upper estimate of the fruitful part of a pattern's URLs: patterns with few
// visits get a bonus.
func (p *pattern) share() float64 { return (p.fruitful + 1.2) / (p.visits + 3) }

// Barren reports whether URLs of this pattern brought little lately. The most
// particular pattern that was visited often enough decides.
func (s *Site) Barren(url string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.share(url) < barrenShare
}

// Share returns an upper estimate of the fruitful part of the URLs of this pattern; 0 to 1.
func (s *Site) Share(url string) float64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.share(url)
}

// A general expectation fades with every page on the way to a URL, since the last
// fruitful one, that brought nothing.
const (
	fading = 0.5
	chain  = 3 // this number of pages in a row seems to have no end
)

func (s *Site) share(url string) float64 {
	share := 1.0
	for level, key := range patterns(url) {
		if p := s.patterns[key]; p != nil && (p.visits >= minVisits || p.fruitful >= 2) {
			share = min(1, p.share())
			if level < particular {
				return share
			}
			break
		}
	}
	if from, _ := s.found.Get(keyOf(url)); from != nil {
		share *= math.Pow(fading, float64(from.barren))
	}
	return share
}

// endless reports whether a URL of a barren pattern seems to be one of very many.
func (s *Site) endless(url string) bool {
	if from, _ := s.found.Get(keyOf(url)); from != nil && from.barren >= chain {
		return true
	}
	for _, key := range patterns(url) {
		if p := s.patterns[key]; p != nil && p.visits >= minVisits && p.grows() {
			return true
		}
	}
	return false
}

// Ask reports whether a URL may be visited now: URLs of growing barren patterns get only a small
// share of the site's visits.
func (s *Site) Ask(url string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.share(url) >= barrenShare || !s.endless(url) {
		return true
	}
	if float64(s.asked) >= askShare*float64(s.visits) {
		return false
	}
	s.asked++
	return true
}

// Again counts a visit of a URL that was visited before.
func (s *Site) Again() {
	s.mu.Lock()
	s.visits++
	s.mu.Unlock()
}

// Redirected records that the first visit of a URL led to a different one of the site.
func (s *Site) Redirected(url string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	keys := patterns(url)
	for i, key := range keys {
		if p := s.patterns[key]; p != nil && !slices.Contains(keys[:i], key) {
			p.redirects = min(p.redirects+1, p.visits)
		}
	}
}

// Redirects reports whether URLs of this pattern mostly redirect within the site, so that it is
// worth requesting the redirect first.
func (s *Site) Redirects(url string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, key := range patterns(url) {
		if p := s.patterns[key]; p != nil && p.visits >= enough {
			return 2*p.redirects >= p.visits
		}
	}
	return false
}

// Found records that a page has links to URLs that were unknown. If one of them turns out
// fruitful, so was the page, unless a page of a different pattern links there too.
func (s *Site) Found(page string, urls []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	from := &origin{keys: patterns(page)}
	if is, known := s.found.Get(keyOf(page)); known && !is.fruitful {
		from.barren = is.barren + 1
		for i, key := range from.keys {
			if p := s.patterns[key]; p != nil && !slices.Contains(from.keys[:i], key) {
				p.grown += float64(len(urls))
			}
		}
	}
	for _, url := range urls {
		s.found.Put(keyOf(url), from)
	}
}

// origin is the page that linked to a URL first.
type origin struct {
	keys     [levels]string // the patterns of the page that linked to it first
	barren   int            // pages before it that brought nothing, since the last fruitful one
	shared   bool           // pages of other patterns link to it too
	fruitful bool           // it was visited, and is
}

// Linked records the links of a page, to known and unknown URLs.
func (s *Site) Linked(page string, urls []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	general := patterns(page)[levels-1]
	for _, url := range urls {
		k := keyOf(url)
		if from, ok := s.found.Get(k); ok && !from.shared && from.keys[levels-1] != general {
			other := *from
			other.shared = true
			s.found.Put(k, &other)
		}
	}
}

// Visited counts the first visit of a URL. p is its page, nil if there was no page, or only one
// known under a different address. It returns the number of letters of p that are new on this
// site.
func (s *Site) Visited(url string, p *Page) (letters int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.visits++
	fruitful := false
	if p != nil {
		letters = s.news(p)
		fruitful = letters >= newLetters
		for _, x := range p.phrases {
			s.texts.Put(x.hash, struct{}{})
			s.texts.Put(x.unsaid, struct{}{})
		}
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
		if q.visits++; fruitful {
			q.fruitful++
		}
		if q.visits >= maxVisits {
			q.visits, q.fruitful, q.redirects, q.grown = q.visits/2, q.fruitful/2, q.redirects/2, q.grown/2
		}
	}
	from, ok := s.found.Get(keyOf(url))
	if !ok {
		from = &origin{shared: true}
	}
	if fruitful && !from.shared {
		for i, key := range from.keys {
			if q := s.patterns[key]; q != nil && !slices.Contains(from.keys[:i], key) {
				q.fruitful = min(q.fruitful+1, q.visits)
			}
		}
	}
	was := *from
	was.fruitful = fruitful
	s.found.Put(keyOf(url), &was)
	return letters
}

// News returns how many letters of a page are new on this site.
func (s *Site) News(p *Page) (letters int, fruitful bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	letters = s.news(p)
	return letters, letters >= newLetters
}

func (s *Site) news(p *Page) (letters int) {
	for _, x := range p.phrases {
		if !s.texts.Has(x.hash) && !s.texts.Has(x.unsaid) {
			letters += int(x.letters)
		}
	}
	return letters
}

// forget drops half of the patterns, those that were visited least.
func (s *Site) forget() {
	drop := len(s.patterns) / 2
	for limit := 2.0; drop > 0; limit *= 2 {
		for key, p := range s.patterns {
			if drop > 0 && p.visits < limit {
				delete(s.patterns, key)
				drop--
			}
		}
	}
}
