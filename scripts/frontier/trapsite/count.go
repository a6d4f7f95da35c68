package trapsite

import "maps"

// Count counts the requests to a site.
type Count struct {
	Documents int            // answered, redirects not included
	Redirects int            // answered
	Lists     int            // lists of pages and the start page, under their own address
	Traps     map[string]int // documents by trap; a real page with a session id counts here
	Pages     int            // different real pages answered
	Complete  int            // documents until the last of those
	Own       int            // requests for pages' first addresses
	Others    int            // requests for second and third addresses, redirects included
	Again     int            // documents with a real page that was answered before, under whatever address

	pages  map[int]bool
	places map[place]int
	asked  map[int]int
}

// Count returns the requests since the beginning or Forget.
func (s *Site) Count() Count {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.count
	c.Traps, c.pages, c.places, c.asked = maps.Clone(c.Traps), nil, nil, nil
	for p, n := range s.count.places {
		if p.which == 0 {
			c.Own += n
		} else {
			c.Others += n
		}
	}
	for _, n := range s.count.asked {
		c.Again += n - 1
	}
	return c
}

// Served reports whether page n was answered under any address.
func (s *Site) Served(n int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.count.pages[n]
}

// Forget resets the counts.
func (s *Site) Forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ticks.Store(0)
	s.count = Count{Traps: map[string]int{}, pages: map[int]bool{}, places: map[place]int{}, asked: map[int]int{}}
}

// saw counts one request.
func (s *Site) saw(count func(c *Count)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	redirects := s.count.Redirects
	s.count.Documents++
	count(&s.count)
	if s.count.Redirects > redirects {
		s.count.Documents--
	}
}

// page counts an answer with a real page.
func (c *Count) page(n int) {
	c.asked[n]++
	if !c.pages[n] {
		c.pages[n] = true
		c.Pages++
		c.Complete = c.Documents
	}
}

// seen counts a request for one of a page's three addresses.
func (c *Count) seen(p place) { c.places[p]++ }
