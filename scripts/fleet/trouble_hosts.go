package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"plat/plat"
	"plat/queue/intake"
)

// badHost is a misbehaving host, and the expected outcome of a visit.
type badHost struct {
	what  string
	paths map[string]http.HandlerFunc // beside /p/N, which are pages
	visit []string                    // paths; default /p/0
	want  map[string]plat.Outcome     // of paths; default "new"
	scope string
	most  int // maximum requests, including robots.txt, sitemaps and linked pages

	mu       sync.Mutex
	requests int
}

func (b *badHost) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	b.mu.Lock()
	b.requests++
	b.mu.Unlock()
	if h := b.paths[r.URL.Path]; h != nil {
		h(w, r)
		return
	}
	if r.URL.Path == "/robots.txt" || strings.HasPrefix(r.URL.Path, "/sitemap") {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Write(pageHTML(0, len(r.URL.Path), 1, 0))
}

// hang never responds.
func hang(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }

// drip sends a byte every half second.
func drip(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/html")
	for r.Context().Err() == nil {
		fmt.Fprint(w, "x")
		w.(http.Flusher).Flush()
		time.Sleep(500 * time.Millisecond)
	}
}

func status(code int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { http.Error(w, http.StatusText(code), code) }
}

// bigRobots is a robots.txt of 10 MB, with a rule at its beginning and one at
// its end.
func bigRobots(w http.ResponseWriter, _ *http.Request) {
	fmt.Fprint(w, "User-agent: *\nDisallow: /private/\n")
	filler := strings.Repeat("Disallow: /"+strings.Repeat("x", 80)+"\n", 1000)
	for n := 0; n < 10<<20; n += len(filler) {
		io.WriteString(w, filler)
	}
	fmt.Fprint(w, "Disallow: /p/\n")
}

// bomb is some megabytes that decompress to a sitemap of ten gigabytes.
var bomb = sync.OnceValue(func() []byte {
	var part, all bytes.Buffer
	z := gzip.NewWriter(&part)
	line := bytes.Repeat([]byte("<url><loc>x</loc></url>"), 1<<14)
	for n := 0; n < 64<<20; n += len(line) {
		z.Write(line)
	}
	z.Close()
	z = gzip.NewWriter(&all)
	io.WriteString(z, `<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">`)
	z.Close()
	for range 160 { // members of one gzip file
		all.Write(part.Bytes())
	}
	return all.Bytes()
})

// sitemapIndex lists an infinite series of indexes like itself.
func sitemapIndex(w http.ResponseWriter, r *http.Request) {
	io.WriteString(w, `<?xml version="1.0"?><sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">`)
	for i := range 40_000 {
		fmt.Fprintf(w, "<sitemap><loc>http://%s/sitemap.xml?%s%d</loc></sitemap>", r.Host, r.URL.RawQuery, i)
	}
	io.WriteString(w, `</sitemapindex>`)
}

// laughs is an XML file whose entities expand to 3 GB.
func laughs(w http.ResponseWriter, r *http.Request) {
	io.WriteString(w, `<?xml version="1.0"?><!DOCTYPE z [<!ENTITY a "ha">`)
	for c := 'b'; c < 'k'; c++ {
		fmt.Fprintf(w, `<!ENTITY %c "%s">`, c, strings.Repeat(fmt.Sprintf("&%c;", c-1), 10))
	}
	fmt.Fprintf(w, `]><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>http://%s/&j;</loc></url></urlset>`, r.Host)
}

// badHosts has one worker visit hosts that hang, lie and flood, among healthy
// hosts, with garbage in the inbox. It is long because it begins with the table
// of hosts.
func badHosts(ctx context.Context, o *scenario) ([]row, error) {
	hosts := []*badHost{
		{what: "20 pages of a host that is well", visit: pages(20), most: 21},
		{what: "robots.txt of 10 MB", visit: []string{"/p/0", "/private/0"}, most: 2,
			want: map[string]plat.Outcome{"/private/0": plat.OutcomeDisallowed}, paths: map[string]http.HandlerFunc{"/robots.txt": bigRobots}},
		{what: "robots.txt that never comes", want: map[string]plat.Outcome{"/p/0": plat.OutcomeUnreachable}, most: 1,
			paths: map[string]http.HandlerFunc{"/robots.txt": hang}},
		{what: "robots.txt that is an error 500", want: map[string]plat.Outcome{"/p/0": plat.OutcomeUnreachable}, most: 1,
			paths: map[string]http.HandlerFunc{"/robots.txt": status(500)}},
		{what: "a sitemap that unpacks to 10 GB", scope: "host depth=1", most: 4, paths: map[string]http.HandlerFunc{"/sitemap.xml": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/gzip")
			w.Write(bomb())
		}}},
		{what: "sitemap indexes without end", scope: "host depth=1", most: 53, paths: map[string]http.HandlerFunc{"/sitemap.xml": sitemapIndex}},
		{what: "a sitemap of growing entities", scope: "host depth=1", most: 5, paths: map[string]http.HandlerFunc{"/sitemap.xml": laughs}},
		{what: "a sitemap that drips", scope: "host depth=1", most: 4, paths: map[string]http.HandlerFunc{"/sitemap.xml": drip}},
		{what: "a host that always says 429", want: map[string]plat.Outcome{"/p/0": plat.OutcomeHTTPError}, most: 14,
			paths: map[string]http.HandlerFunc{"/p/0": status(429)}},
		{what: "a host that never answers", want: map[string]plat.Outcome{"/p/0": plat.OutcomeTimeout}, most: 7,
			paths: map[string]http.HandlerFunc{"/p/0": hang}},
		{what: "a page that drips", most: 7, paths: map[string]http.HandlerFunc{"/p/0": drip},
			want: map[string]plat.Outcome{"/p/0": plat.OutcomeBlank}}, // by then it is captured as it is
	}
	bomb()
	handlers := make([]http.Handler, len(hosts))
	for i, h := range hosts {
		handlers[i] = h
	}
	port, stop, err := serve(2, handlers)
	defer stop()
	if err != nil {
		return nil, err
	}
	at := func(host int, path string) string { return fmt.Sprintf("http://127.2.%d.1:%d%s", host, port, path) }
	f, err := o.fleet(ctx)
	defer f.stop()
	if err != nil {
		return nil, err
	}
	var jobs []plat.Job
	for i, h := range hosts {
		if h.visit == nil {
			h.visit = pages(1)
		}
		for _, p := range h.visit {
			jobs = append(jobs, plat.Job{URL: at(i, p), Priority: 0.5, Plan: plat.Plan{Scope: h.scope}})
		}
	}
	if _, err := intake.Take(ctx, f.archive, f.queue, jobs); err != nil {
		return nil, err
	}
	garbage := []any{"", " ", "nonsense", "\x00\xff\xfe", "{", `{"url": 7}`, `{"url": "https://a.test/", "colour": "red"}`, `{"url": "https://a.test/"} {}`,
		`[` + strings.Repeat(`[`, 100_000), "javascript:alert(1)", "http://", "http://[::1", "http://user:pass@/", strings.Repeat("http://a.test/", 1<<20),
		`{"url": "https://a.test/", "priority": 1e300}`, `{"url": "https://a.test/", "every": "-1h"}`, `{"url": "https://a.test/", "scope": "world"}`}
	// Half before, half after a healthy host.
	last := at(0, "/p/late")
	entries := append(append(append([]any{}, garbage[:9]...), last), garbage[9:]...)
	if err := f.redis.Do(ctx, append([]any{"LPUSH", "plat:inbox"}, entries...)...); err != nil {
		return nil, err
	}
	hosts[0].visit = append(hosts[0].visit, "/p/late")
	hosts[0].most++

	began := time.Now()
	w, err := f.worker(o.plat, append(hasty(port), "--tabs", "4")...)
	if err != nil {
		return nil, err
	}
	stats, err := f.done(ctx, nil)
	if err != nil {
		return nil, err
	}
	errs := map[string]string{} // of URLs that failed
	for d, err := range f.archive.Dead(ctx) {
		if err != nil {
			return nil, err
		}
		errs[d.URL] = d.Error
	}
	var rows []row
	for i, h := range hosts {
		r := row{what: h.what}
		var outcomes []string
		count := map[plat.Outcome]int{}
		var order []plat.Outcome
		for _, p := range h.visit {
			st, err := f.archive.State(ctx, at(i, p))
			if err != nil {
				return nil, err
			}
			if count[st.Outcome] == 0 {
				order = append(order, st.Outcome)
			}
			count[st.Outcome]++
			want := h.want[p]
			if want == "" {
				want = plat.OutcomeNew
			}
			if st.Outcome != want {
				r.err = errors.Join(r.err, fmt.Errorf("%s is %s, want %s", p, st.Outcome, want))
			}
			if text, failed := errs[at(i, p)]; failed {
				r.said = short(text)
			}
		}
		for _, oc := range order {
			outcomes = append(outcomes, fmt.Sprintf("%d %s", count[oc], oc))
		}
		h.mu.Lock()
		n := h.requests
		h.mu.Unlock()
		r.became = fmt.Sprintf("%s; %d requests", strings.Join(outcomes, ", "), n)
		if n > h.most {
			r.err = errors.Join(r.err, fmt.Errorf("%d requests, want at most %d", n, h.most))
		}
		if r.said == "" {
			for _, line := range w.logged(`msg=sitemap`) {
				if strings.Contains(line, at(i, "/")) {
					r.said = said([]string{line})
					break
				}
			}
		}
		rows = append(rows, r)
	}
	rejected, err := f.queue.Rejections(ctx, 100)
	if err != nil {
		return nil, err
	}
	r := row{what: fmt.Sprintf("%d entries of garbage in the inbox", len(garbage)), became: fmt.Sprintf("%d rejected, each with a reason; the one between is visited", len(rejected))}
	if len(rejected) != len(garbage) || stats.Inbox != 0 {
		r.err = fmt.Errorf("%d rejected of %d; %d are left in the inbox", len(rejected), len(garbage), stats.Inbox)
	}
	for _, x := range rejected {
		if strings.Contains(x.Entry, "colour") {
			r.said = short(x.Reason)
		}
	}
	rows = append(rows, r)
	r = row{what: "the worker of all this", became: fmt.Sprintf("at work for %.0f s, at most %s of memory beside Chrome", time.Since(began).Seconds(), peak(w.pid()))}
	if !w.runs() {
		r.err = errors.New("it has ended: " + tail(w.log, 3))
	}
	return append(rows, r), nil
}

func pages(n int) []string {
	var all []string
	for i := range n {
		all = append(all, fmt.Sprintf("/p/%d", i))
	}
	return all
}

// peak is the peak memory of a process.
func peak(pid int) string {
	b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	_, rest, _ := strings.Cut(string(b), "VmHWM:")
	var kb int
	fmt.Sscan(rest, &kb)
	return fmt.Sprintf("%d MB", kb/1000)
}
