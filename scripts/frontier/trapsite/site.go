package trapsite

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"unicode"
)

// Site is a generated web site; see the package comment. It is safe for concurrent
// use.
type Site struct {
	Pages []Page

	seed      uint64
	names     names
	words     []string
	sections  []*section
	shallow   int              // pages before this one are no serials
	addresses map[string]place // normal form to page
	lists     map[string]list
	markers   map[string]int
	ticks     atomic.Int64 // requests so far, the clock of volatile blocks

	mu    sync.Mutex
	count Count // guarded by mu
}

// place is one of a page's addresses.
type place struct{ page, which int }

// New makes a site of n pages, at most 100,000.
func New(n int, seed uint64) *Site {
	s := &Site{seed: seed, words: vocabulary(500, seed), addresses: map[string]place{}, markers: map[string]int{}, lists: map[string]list{}}
	s.names = newNames(seed, s.words)
	s.makePages(n)
	s.makeLists()
	s.Forget()
	return s
}

// Lists returns how many documents of the site are lists of its pages, the start page
// included.
func (s *Site) Lists() int { return len(s.lists) }

// Traps returns the names of the parts without end, sorted.
func Traps() []string { return slices.Sorted(maps.Keys(traps)) }

// traps answer requests. Each gets the path after its first segment.
var traps = map[string]func(s *Site, w *document, r *http.Request, rest string){
	"calendar": (*Site).calendar, "session": (*Site).session, "facets": (*Site).shop,
	"repeat": (*Site).repeat, "loop": (*Site).loop, "notfound": (*Site).notFound,
}

func (s *Site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/robots.txt" || r.URL.Path == "/favicon.ico" || strings.HasPrefix(r.URL.Path, "/sitemap") {
		http.NotFound(w, r)
		return
	}
	d := &document{site: s, tick: s.ticks.Add(1)}
	path, session := r.URL.EscapedPath(), ""
	if before, id, is := strings.Cut(path, ";"+s.names.session+"="); is {
		path, session = before, id
	}
	if id := r.URL.Query().Get(s.names.session); id != "" {
		session = id
	}
	p, isPage := s.find(path, r.URL.RawQuery)
	l, isList := s.lists[path]
	if isList {
		l, isList = s.lists[path+l.query(s, r.URL.Query())]
	}
	switch {
	case isPage && session != "": // a real page under endless URLs
		s.saw(func(c *Count) { c.Traps["session"]++; c.page(p.page) })
		s.writePage(d, p)
	case isPage && p.which > 0 && s.Pages[p.page].Kind == Redirects:
		s.saw(func(c *Count) { c.Redirects++; c.seen(p) })
		http.Redirect(w, r, s.Pages[p.page].Addresses[0], []int{http.StatusMovedPermanently, http.StatusFound}[p.which-1])
		return
	case isPage:
		s.saw(func(c *Count) { c.page(p.page); c.seen(p) })
		s.writePage(d, p)
	case isList && session != "":
		s.saw(func(c *Count) { c.Traps["session"]++ })
		s.writeList(d, l)
	case isList:
		s.saw(func(c *Count) { c.Lists++ })
		s.writeList(d, l)
	default:
		name, rest := s.trapOf(path)
		if session != "" && name == "notfound" {
			name = "session"
		}
		s.saw(func(c *Count) { c.Traps[name]++ })
		traps[name](s, d, r, rest)
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Write([]byte(d.String()))
}

// find returns the page at an address. Parameters that the site does not know are
// ignored, as sites do.
func (s *Site) find(path, query string) (place, bool) {
	address := path
	if query != "" {
		address += "?" + query
	}
	if p, is := s.addresses[normal(address)]; is {
		return p, true
	}
	q, _ := url.ParseQuery(query)
	if id := q.Get(s.names.id); id != "" {
		address = fmt.Sprintf("%s?%s=%s&%s=%s", path, s.names.id, id, s.names.category, q.Get(s.names.category))
	} else {
		address = path
	}
	p, is := s.addresses[normal(address)]
	return p, is
}

// normal leaves out the slash at the end of a path.
func normal(address string) string {
	path, query, has := strings.Cut(address, "?")
	path = strings.TrimSuffix(path, "/")
	if has {
		return path + "?" + query
	}
	return path
}

// trapOf returns the trap that answers a path, and the rest of the path.
func (s *Site) trapOf(path string) (name, rest string) {
	first, rest, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	switch first {
	case s.names.calendar:
		return "calendar", rest
	case s.names.forum:
		return "session", rest
	case s.names.shop:
		return "facets", rest
	case s.names.wiki:
		return "repeat", rest
	case s.names.help:
		return "loop", rest
	}
	return "notfound", strings.TrimPrefix(path, "/")
}

// MarkerIn returns the page whose marker a text holds, or -1.
func (s *Site) MarkerIn(text string) int {
	_, after, is := strings.Cut(text, s.names.filed)
	if !is {
		return -1
	}
	f := strings.FieldsFunc(after[:min(len(after), 100)], func(r rune) bool { return r == '<' || unicode.IsSpace(r) })
	for _, n := range []int{3, 2} {
		if len(f) >= n {
			if i, is := s.markers[strings.TrimSuffix(strings.Join(f[:n], " "), ".")]; is {
				return i
			}
		}
	}
	return -1
}
