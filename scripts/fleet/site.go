package main

import (
	"fmt"
	"hash/fnv"
	"net"
	"net/http"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// site is a set of hosts, 127.block.h.1, all at one port, that serve pages /p/N and
// log every request for one.
type site struct {
	hosts, pages int
	block        int // 0 is 1
	port         int
	latency      func(host, page int) time.Duration // of a response
	delay        func(host int) time.Duration       // Crawl-delay, 0: not in robots.txt

	edition atomic.Int64 // the edition of the pages served
	changes func(host, page int, edition int64) int64
	counts  func(host, page int) bool   // the page shows its number of requests; nil: no page does
	html    func(host, page int) []byte // a page, in all editions; nil: pageHTML

	stop func() // set by start

	mu    sync.Mutex
	log   []request
	views map[[2]int]int
}

// view counts a request of a page that counts them; 0: it does not.
func (s *site) view(host, page int) int {
	if s.counts == nil || !s.counts(host, page) {
		return 0
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.views == nil {
		s.views = map[[2]int]int{}
	}
	s.views[[2]int{host, page}] += 7
	return 1000 + s.views[[2]int{host, page}]
}

// request is a logged request for a page.
type request struct {
	host, page int
	begin, end time.Time
	look       bool // by a browser; other requests only revalidate the page
}

func (s *site) start() (err error) {
	handlers := make([]http.Handler, s.hosts)
	for h := range handlers {
		handlers[h] = s.host(h)
	}
	s.block = max(1, s.block)
	s.port, s.stop, err = serve(s.block, handlers)
	return err
}

// serve listens at 127.block.h.1 for each handler h, all at one port. Call
// stop, even after an error.
func serve(block int, handlers []http.Handler) (port int, stop func(), err error) {
	var servers []*http.Server
	stop = func() {
		for _, srv := range servers {
			srv.Close()
		}
	}
	for h, handler := range handlers {
		l, err := net.Listen("tcp", fmt.Sprintf("127.%d.%d.1:%d", block, h, port))
		if err != nil {
			return port, stop, err
		}
		port = l.Addr().(*net.TCPAddr).Port
		srv := &http.Server{Handler: handler}
		servers = append(servers, srv)
		go srv.Serve(l)
	}
	return port, stop, nil
}

// requests is the number of requests for pages.
func (s *site) requests() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.log)
}

func (s *site) url(host, page int) string {
	return fmt.Sprintf("http://127.%d.%d.1:%d/p/%d", s.block, host, s.port, page)
}

func (s *site) host(h int) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /robots.txt", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		fmt.Fprintln(w, "User-agent: *\nDisallow: /private/")
		if d := s.delay(h); d > 0 {
			fmt.Fprintf(w, "Crawl-delay: %g\n", d.Seconds())
		}
	})
	mux.HandleFunc("GET /p/{page}", func(w http.ResponseWriter, r *http.Request) {
		var page int
		if _, err := fmt.Sscan(r.PathValue("page"), &page); err != nil || page < 0 || page >= s.pages {
			http.NotFound(w, r)
			return
		}
		begin := time.Now()
		defer func() {
			s.mu.Lock()
			s.log = append(s.log, request{h, page, begin, time.Now(), r.Header.Get("Upgrade-Insecure-Requests") != ""})
			s.mu.Unlock()
		}()
		select {
		case <-time.After(s.latency(h, page)):
		case <-r.Context().Done():
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		if s.html != nil {
			w.Write(s.html(h, page))
			return
		}
		w.Write(pageHTML(h, page, s.changes(h, page, s.edition.Load()), s.view(h, page)))
	})
	return mux
}

// pageHTML is an edition of a page: a heading of its own, a menu, paragraphs of
// which one changes, and one counts views if there are any, a footer. Everything else
// is the same on all pages, as on real sites.
func pageHTML(host, page int, edition int64, views int) []byte {
	var b strings.Builder
	word := func(i int) string {
		words := strings.Fields("harbour ferry tide lantern quay market gull rope anchor keel storm chart pilot buoy lock barge crane signal fog light")
		f := fnv.New32a()
		if i < 2 {
			fmt.Fprint(f, host, page)
		}
		fmt.Fprint(f, i)
		return words[f.Sum32()%uint32(len(words))]
	}
	fmt.Fprintf(&b, "<!doctype html><html lang=en><title>Page %d of %d</title><style>body{font:16px sans-serif;margin:0}nav,footer{background:#eee;padding:8px}main{padding:16px;width:800px}</style>", page, host)
	fmt.Fprintf(&b, "<nav><a href='/p/0'>Home</a> <a href='/p/1'>News</a></nav><main><h1>%s and %s, %d of %d</h1>", word(0), word(1), page, host)
	for p := range 4 {
		b.WriteString("<p>")
		for i := range 30 {
			b.WriteString(word(2 + 30*p + i))
			b.WriteByte(' ')
		}
		b.WriteString("</p>")
	}
	if views > 0 {
		fmt.Fprintf(&b, "<p>This page was read %d times.</p>", views)
	}
	fmt.Fprintf(&b, "<p>Edition %d of this page.</p></main><footer>The end</footer></html>", edition)
	return []byte(b.String())
}

// rudeness checks the log for concurrent requests to one host, and for requests
// sooner than the host's delay allows.
func (s *site) rudeness(delay func(host int) time.Duration) (requests, atOnce, tooSoon int, closest time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	byHost := make([][]request, s.hosts)
	for _, r := range s.log {
		byHost[r.host] = append(byHost[r.host], r)
	}
	closest = time.Hour
	for h, list := range byHost {
		sort.Slice(list, func(i, j int) bool { return list[i].begin.Before(list[j].begin) })
		for i := 1; i < len(list); i++ {
			gap := list[i].begin.Sub(list[i-1].end)
			switch {
			case gap < 0:
				atOnce++
			case gap < delay(h):
				tooSoon++
			}
			closest = min(closest, gap-delay(h))
		}
	}
	return len(s.log), atOnce, tooSoon, closest
}
