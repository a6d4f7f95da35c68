package main

import (
	"fmt"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// site serves pages /p/N (and / as page 0) for every host name, and nothing else: no
// robots.txt, no sitemap.
type site struct {
	port int
	page func(host string, n int) []byte // nil: there is no such page
	srv  *http.Server

	mu       sync.Mutex
	requests []time.Time    // for pages
	times    map[string]int // of host and page
}

func newSite(page func(host string, n int) []byte) (*site, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &site{port: l.Addr().(*net.TCPAddr).Port, page: page, times: map[string]int{}}
	s.srv = &http.Server{Handler: s}
	go s.srv.Serve(l)
	return s, nil
}

func (s *site) stop() { s.srv.Close() }

// forget resets the counts.
func (s *site) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests, s.times = nil, map[string]int{}
}

func (s *site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	host, _, _ := net.SplitHostPort(r.Host)
	text, is := strings.CutPrefix(r.URL.Path, "/p/")
	n, err := strconv.Atoi(text)
	if r.URL.Path == "/" {
		n, is, err = 0, true, nil
	}
	var body []byte
	if is && err == nil {
		body = s.page(host, n)
	}
	if body == nil {
		http.NotFound(w, r)
		return
	}
	s.mu.Lock()
	s.requests = append(s.requests, time.Now())
	s.times[r.Host+"/"+strconv.Itoa(n)]++
	s.mu.Unlock()
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Write(body)
}

// count returns the number of requests for pages, and of different pages.
func (s *site) count() (requests, pages int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.requests), len(s.times)
}

// after returns the first request after a time.
func (s *site) after(t time.Time) (time.Time, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, at := range s.requests {
		if at.After(t) {
			return at, true
		}
	}
	return time.Time{}, false
}

var words = strings.Fields("harbour ferry tide lantern quay market gull rope anchor keel storm chart pilot buoy lock barge crane signal fog light")

// smallPage is a page of 1 kB: a heading of its own, a paragraph, and links.
func smallPage(host string, n int, links []int) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "<!doctype html><html lang=en><title>Page %d of %s</title><link rel=icon href=data:,>", n, host)
	fmt.Fprintf(&b, "<h1>%s and %s, %d</h1><p>", words[n%len(words)], words[n/len(words)%len(words)], n)
	for i := range 100 {
		b.WriteString(words[(n*7+i*i)%len(words)])
		b.WriteByte(' ')
	}
	b.WriteString("</p><ul>")
	for _, to := range links {
		fmt.Fprintf(&b, "<li><a href=/p/%d>%s %d</a>", to, words[to%len(words)], to)
	}
	b.WriteString("</ul></html>")
	return []byte(b.String())
}
