// Crawl crawls a generated site by plat crawl, in a process of its own, and measures time, memory and
// repeated visits.
//
//	scripts/bench crawl [-pages 500] [-delay 0s] [-kill 0s] [-o site.wacz] [FLAGS of plat crawl]
//
// Every page links to its neighbours, its section and some other pages, has a style sheet and an image in
// common with all, and four paragraphs of its own. With -kill the process is killed after that time, again
// and again, and the command repeated. It exits with 1 if a page is missing in the archive, or if more than
// one visit a kill was repeated.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/dustin/go-humanize"

	"plat/scripts/procs"
)

var (
	pages = flag.Int("pages", 500, "how `many`")
	delay = flag.Duration("delay", 0, "of plat crawl: between two visits of the host")
	kill  = flag.Duration("kill", 0, "kill plat after this `TIME`, and repeat the command; 0: never")
	file  = flag.String("o", "site.wacz", "name of the export; empty: none")
	bin   = flag.String("plat", "bin/plat", "the command")
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("crawl: ")
	flag.Parse()
	if err := run(); err != nil {
		log.Fatal(err)
	}
}

// site is a site of numbered pages that counts requests for them.
type site struct {
	mu    sync.Mutex
	asked map[string]int // guarded by mu
}

// section is the number of pages of a section.
const section = 20

func (s *site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/style.css":
		w.Header().Set("Content-Type", "text/css")
		fmt.Fprint(w, "body { font: 16px sans-serif; margin: 0 } nav, footer { background: #eee; padding: 8px } main { padding: 16px; width: 800px }")
		return
	case "/mark.svg":
		w.Header().Set("Content-Type", "image/svg+xml")
		fmt.Fprint(w, `<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40"><circle cx="20" cy="20" r="18" fill="navy"/></svg>`)
		return
	case "/robots.txt":
		fmt.Fprint(w, "User-agent: *\nDisallow: /private/\n")
		return
	}
	n := 0
	if _, err := fmt.Sscanf(r.URL.Path, "/p/%d", &n); err != nil && r.URL.Path != "/" || n < 0 || n >= *pages {
		http.NotFound(w, r)
		return
	}
	s.mu.Lock()
	s.asked[r.URL.Path]++
	s.mu.Unlock()
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Write(page(n))
}

var words = strings.Fields("harbour ferry tide lantern quay market gull rope anchor keel storm chart pilot buoy lock barge crane signal fog light")

func page(n int) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "<!doctype html><html lang=en><title>Page %d</title><link rel=stylesheet href=/style.css><nav><img src=/mark.svg alt=mark> <a href=/>Home</a>", n)
	for i := 0; i < *pages; i += section {
		fmt.Fprintf(&b, " <a href=/p/%d>Section %d</a>", i, i/section)
	}
	fmt.Fprintf(&b, "</nav><main><h1>%s and %s, number %d</h1>", words[n%20], words[n/20%20], n)
	for p := range 4 {
		b.WriteString("<p>")
		for i := range 40 {
			fmt.Fprintf(&b, "%s ", words[(n*7+p*11+i*i*(n%13+1))%20])
		}
		fmt.Fprintf(&b, "and that was paragraph %d of page %d.</p>", p, n)
	}
	for _, to := range []int{n + 1, n - 1, n * 2, n * 3, n + section} {
		if to > 0 && to < *pages {
			fmt.Fprintf(&b, "<p><a href=/p/%d>to page %d</a></p>", to, to)
		}
	}
	b.WriteString("</main><footer>The end</footer></html>")
	return b.Bytes()
}

// summary is the last line of plat crawl --json.
type summary struct {
	Crawl struct {
		Pages    int            `json:"pages"`
		Earlier  int            `json:"earlier"`
		Failed   int            `json:"failed"`
		Outcomes map[string]int `json:"outcomes"`
		Page     int64          `json:"page_bytes"`
		Stored   int64          `json:"stored_bytes"`
		MS       int64          `json:"ms"`
	} `json:"crawl"`
}

func run() error {
	dir, err := os.MkdirTemp("", "plat-crawl")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	s := &site{asked: map[string]int{}}
	srv := httptest.NewServer(s)
	defer srv.Close()
	_, port, _ := net.SplitHostPort(strings.TrimPrefix(srv.URL, "http://"))
	args := []string{"crawl", srv.URL + "/p/0", "--json", "--delay", delay.String(), "--allow-private", "127.0.0.0/8", "--allow-port", port, "--no-dns", "--log-level", "error",
		"--store", "sqlite:" + filepath.Join(dir, "plat.db")}
	export := filepath.Join(dir, filepath.Base(*file))
	if *file != "" {
		args = append(args, "-o", export)
	}
	var sum summary
	var memory, all int64
	began, kills := time.Now(), 0
	for killed := true; killed; {
		var r *runOf
		if r, err = once(append(args, flag.Args()...)); err != nil {
			return err
		}
		memory, all, killed, sum = max(memory, r.memory), max(all, r.all), r.killed, r.summary
		if killed {
			kills++
		}
	}
	spent := time.Since(began)
	missing, again := 0, 0
	for n := range *pages {
		switch asked := s.asked[fmt.Sprintf("/p/%d", n)]; {
		case asked == 0:
			missing++
		default:
			again += asked - 1
		}
	}
	c := sum.Crawl
	fmt.Printf("%d pages in %.1f s, %.1f pages/s; %d kills; %d repeated visits, %d missing, %d failed\n", c.Pages, spent.Seconds(), float64(c.Pages)/spent.Seconds(), kills, again, missing, c.Failed)
	fmt.Printf("memory, peak: plat %s, with Chrome %s\n", humanize.Bytes(uint64(memory)), humanize.Bytes(uint64(all)))
	for _, f := range []string{filepath.Join(dir, "plat.db"), export} {
		if st, err := os.Stat(f); err == nil && !st.IsDir() {
			fmt.Printf("%s %s\n", filepath.Base(f), humanize.Bytes(uint64(st.Size())))
		}
	}
	// After a kill some pages are unchanged: they were stored, and not yet off the list.
	if found := c.Outcomes["new"] + c.Outcomes["unchanged"]; missing > 0 || c.Failed > 0 || found != *pages || again > kills {
		return fmt.Errorf("outcomes %v", c.Outcomes)
	}
	return nil
}

// runOf is one process.
type runOf struct {
	summary
	killed      bool
	memory, all int64 // peak bytes of the process, and of it with its browser
}

func once(args []string) (*runOf, error) {
	cmd := exec.Command(*bin, args...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	r := &runOf{}
	done := make(chan struct{})
	var measuring sync.WaitGroup
	measuring.Go(func() { r.memory = procs.Memory(cmd.Process.Pid, done) })
	measuring.Go(func() { r.all = family(cmd.Process.Pid, done) })
	if *kill > 0 {
		t := time.AfterFunc(*kill, func() { cmd.Process.Kill() })
		defer t.Stop()
	}
	err := cmd.Wait()
	close(done)
	measuring.Wait()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.ExitCode() < 0 {
		r.killed = true
		return r, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %s", err, &errs)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	return r, json.Unmarshal([]byte(lines[len(lines)-1]), &r.summary)
}

// family returns the peak memory of a process and its descendants, in bytes: their private and shared
// pages, each counted once (PSS).
func family(pid int, done <-chan struct{}) (most int64) {
	for {
		var sum int64
		for _, p := range procs.Family(pid) {
			b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", p.PID))
			if _, after, ok := bytes.Cut(b, []byte("\nPss:")); ok {
				var kb int64
				fmt.Sscan(string(after), &kb)
				sum += kb << 10
			}
		}
		most = max(most, sum)
		select {
		case <-done:
			return most
		case <-time.After(500 * time.Millisecond):
		}
	}
}
