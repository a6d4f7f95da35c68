// Site is the target of a trial crawl by a fleet: any number of hosts, each
// with a front page that links to its articles. It records all visits; GET
// /__account returns the totals.
//
//	site -addr :80 -pages 20
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"
)

func main() {
	log.SetFlags(0)
	addr := flag.String("addr", ":80", "address to listen on")
	pages := flag.Int("pages", 20, "articles of each host")
	latency := flag.Duration("latency", 100*time.Millisecond, "how long each page takes to come")
	flag.Parse()
	if *pages < 1 {
		log.Fatalf("site: -pages %d: write 1 or more", *pages)
	}
	s := &site{pages: *pages, latency: *latency, hosts: map[string]*host{}, clients: map[string]bool{}}
	log.Fatal("site: ", http.ListenAndServe(*addr, s.handler()))
}

type site struct {
	pages   int
	latency time.Duration

	mu      sync.Mutex
	hosts   map[string]*host // guarded by mu
	clients map[string]bool  // guarded by mu
}

// host is the record of one host.
type host struct {
	visits   map[string]int // by page
	open     int            // visits in progress
	most     int            // maximum of concurrent visits
	last     time.Time
	shortest time.Duration // minimum interval between the starts of two visits
}

// account is the total over all hosts.
type account struct {
	Hosts    int `json:"hosts"`
	Pages    int `json:"pages"`
	Visits   int `json:"visits"`
	Clients  int `json:"clients"`
	AtOnce   int `json:"at_once"`     // maximum of concurrent visits of one host
	Shortest int `json:"shortest_ms"` // minimum interval of visits of one host
}

func (s *site) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /__account", s.account)
	mux.HandleFunc("GET /robots.txt", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, "User-agent: *\nDisallow:\n")
	})
	mux.HandleFunc("GET /sitemap.xml", http.NotFound)
	mux.HandleFunc("GET /favicon.ico", http.NotFound)
	mux.HandleFunc("GET /{$}", s.counted(s.front))
	mux.HandleFunc("GET /{page}", s.counted(s.article))
	return mux
}

func (s *site) account(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	sum := account{Hosts: len(s.hosts), Clients: len(s.clients)}
	shortest := time.Duration(0)
	for _, h := range s.hosts {
		sum.Pages += len(h.visits)
		for _, n := range h.visits {
			sum.Visits += n
		}
		sum.AtOnce = max(sum.AtOnce, h.most)
		if h.shortest > 0 && (shortest == 0 || h.shortest < shortest) {
			shortest = h.shortest
		}
	}
	sum.Shortest = int(shortest.Milliseconds())
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(sum)
}

// counted records a visit.
func (s *site) counted(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		client, _, _ := net.SplitHostPort(r.RemoteAddr)
		now := time.Now()
		s.mu.Lock()
		s.clients[client] = true
		h := s.hosts[r.Host]
		if h == nil {
			h = &host{visits: map[string]int{}}
			s.hosts[r.Host] = h
		}
		if gap := now.Sub(h.last); !h.last.IsZero() && (h.shortest == 0 || gap < h.shortest) {
			h.shortest = gap
		}
		h.last = now
		h.visits[r.URL.Path]++
		h.open++
		h.most = max(h.most, h.open)
		s.mu.Unlock()
		defer func() {
			s.mu.Lock()
			h.open--
			s.mu.Unlock()
		}()
		time.Sleep(s.latency)
		next(w, r)
	}
}

const head = `<!doctype html><html lang="en"><meta charset="utf-8"><title>%[1]s</title>
<style>body{font:16px/1.5 sans-serif;margin:0}header{background:#234;color:#fff;padding:24px}
nav{float:left;width:220px;padding:16px;background:#eee}main{margin-left:260px;padding:16px}</style>
<header><h1>%[1]s</h1></header>`

func (s *site) front(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	fmt.Fprintf(w, head, r.Host)
	fmt.Fprint(w, "<main><ul>")
	for i := range s.pages {
		fmt.Fprintf(w, `<li><a href="/%d">Harbour report %d</a></li>`, i+1, i+1)
	}
	fmt.Fprint(w, "</ul></main></html>")
}

func (s *site) article(w http.ResponseWriter, r *http.Request) {
	n, err := strconv.Atoi(r.PathValue("page"))
	if err != nil || n < 1 || n > s.pages {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	fmt.Fprintf(w, head, fmt.Sprintf("Harbour report %d of %s", n, r.Host))
	fmt.Fprint(w, `<nav><p><a href="/">All reports</a></p></nav><main>`)
	for p := range 6 {
		fmt.Fprintf(w, `<h2>Berth %d</h2><p>At berth %d of %s lay ship number %d; %d tons were landed before the tide turned.</p><p lang="zh">第%d号泊位今天卸货%d吨，天气晴朗，港口一切正常。🚢</p>`,
			p+1, p+1, r.Host, 100*n+p, 37*(n+p), p+1, 37*(n+p))
	}
	fmt.Fprint(w, "</main></html>")
}
