package main

import (
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"
)

// A site serves small pages under any host name, and notes when which was asked for.
type site struct {
	port int
	srv  *http.Server

	mu       sync.Mutex
	requests []time.Time    // for pages
	seen     map[string]int // by host and path
}

func startSite() (*site, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &site{port: l.Addr().(*net.TCPAddr).Port, seen: map[string]int{}}
	s.srv = &http.Server{Handler: s}
	go s.srv.Serve(l)
	return s, nil
}

func (s *site) stop() { s.srv.Close() }

func (s *site) url(host, page int) string {
	return fmt.Sprintf("http://h%d.localhost:%d/page/%d", host, s.port, page)
}

func (s *site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/robots.txt" || r.URL.Path == "/favicon.ico" {
		http.NotFound(w, r)
		return
	}
	s.mu.Lock()
	s.requests = append(s.requests, time.Now())
	s.seen[r.Host+r.URL.Path]++
	s.mu.Unlock()
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	fmt.Fprintf(w, "<!doctype html><title>%[1]s</title><h1>Page %[1]s</h1><p>This is a small page of %[2]s with some text in it.</p>", r.URL.Path, r.Host)
}

// forget begins anew.
func (s *site) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests, s.seen = nil, map[string]int{}
}

// first returns the time of the first request after a time, zero if there is none.
func (s *site) first(after time.Time) time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range s.requests {
		if t.After(after) {
			return t
		}
	}
	return time.Time{}
}

// count returns the number of requests, and of those beyond one for each page.
func (s *site) count() (all, again int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.requests), len(s.requests) - len(s.seen)
}
