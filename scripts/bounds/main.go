// Bounds measures the load of single requests on a server: files that are imported and conditions of
// subscriptions, at their limits and at ten times these. It runs plat's web server, its store and the
// examination of subscriptions in a process of their own, and prints for each request its time and the peak
// memory of the process, the p99 of concurrent requests, and for conditions the delay of other subscriptions.
package main

import (
	"archive/zip"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"plat/fixtures/zips"
)

func main() {
	child := flag.String("child", "", "serve the archive in this `DIR`, for this program itself")
	only := flag.String("only", "", "requests whose name has this `TEXT`")
	patience := flag.Duration("patience", 2*time.Minute, "longest wait for a request, and for other subscriptions")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var err error
	if *child != "" {
		err = serve(ctx, *child)
	} else {
		err = measure(ctx, *only, *patience)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bounds:", err)
		os.Exit(1)
	}
}

// ask is an expensive request.
type ask struct {
	name    string
	times   int    // how many at once
	path    string // below /api/v1/watch
	body    []byte
	changes bool // its page, and those of other subscriptions, change afterwards
}

func (a *ask) media() string {
	if a.changes || strings.HasSuffix(a.name, "one POST") {
		return "application/json"
	}
	return "application/octet-stream"
}

// measured is the cost of a request.
type measured struct {
	status      string
	took        time.Duration
	before, top int64 // bytes of the process
	p99         time.Duration
	late        time.Duration // until other subscriptions had their item; 0: not measured
	said        string
}

func measure(ctx context.Context, only string, patience time.Duration) error {
	fmt.Printf("%-46s %8s  %-6s %8s %9s %9s %9s  %s\n", "request", "size", "status", "time", "memory", "p99 other", "others at", "answer")
	for _, a := range asks() {
		if !strings.Contains(a.name, only) {
			continue
		}
		m, err := one(ctx, &a, patience)
		if err != nil {
			return fmt.Errorf("%s: %w", a.name, err)
		}
		late := "-"
		if a.changes {
			late = m.late.Round(10 * time.Millisecond).String()
		}
		fmt.Printf("%-46s %5d kB  %-6s %8s %6d MB %9s %9s  %.100s\n", a.name, len(a.body)>>10, m.status, m.took.Round(time.Millisecond),
			(m.top-m.before)>>20, m.p99.Round(100*time.Microsecond), late, m.said)
	}
	return nil
}

// one measures a request against a server of its own.
func one(ctx context.Context, a *ask, patience time.Duration) (m measured, err error) {
	dir, err := os.MkdirTemp("", "plat-bounds-")
	if err != nil {
		return m, err
	}
	defer os.RemoveAll(dir)
	self, err := os.Executable()
	if err != nil {
		return m, err
	}
	c := exec.CommandContext(ctx, self, "-child", dir)
	c.Stderr = os.Stderr
	out, err := c.StdoutPipe()
	if err != nil {
		return m, err
	}
	if err := c.Start(); err != nil {
		return m, err
	}
	defer func() {
		c.Process.Kill()
		c.Wait() // killed
	}()
	var at string
	if _, err := fmt.Fscanln(out, &at); err != nil {
		return m, fmt.Errorf("the server does not start: %w", err)
	}
	s := &server{at: at, pid: c.Process.Pid, client: &http.Client{Timeout: patience}}
	if m.before, err = s.memory("VmRSS"); err != nil {
		return m, err
	}
	if err := os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", s.pid), []byte("5"), 0); err != nil { // resets VmHWM
		return m, err
	}
	during, end := context.WithCancel(ctx)
	var others []time.Duration
	var asking sync.WaitGroup
	asking.Go(func() { others = s.others(during) })
	began := time.Now()
	var sending sync.WaitGroup
	for i := range max(1, a.times) {
		sending.Go(func() {
			status, said := s.post("/api/v1/watch"+a.path, a.media(), a.body)
			if i == 0 {
				m.status, m.said = status, said
			}
		})
	}
	sending.Wait()
	m.took = time.Since(began)
	if a.changes {
		m.late, err = s.change(ctx, patience)
	}
	end()
	asking.Wait()
	if err != nil {
		return m, err
	}
	slices.Sort(others)
	if n := len(others); n > 0 {
		m.p99 = others[n*99/100]
	}
	m.top, err = s.memory("VmHWM")
	return m, err
}

// server is the process that is measured.
type server struct {
	at     string
	pid    int
	client *http.Client
}

// memory is a figure of /proc/PID/status in bytes.
func (s *server) memory(name string) (int64, error) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.pid))
	if err != nil {
		return 0, err
	}
	_, rest, _ := strings.Cut(string(b), name+":")
	fields := strings.Fields(rest)
	if len(fields) == 0 {
		return 0, fmt.Errorf("no %s in the status of the process", name)
	}
	n, err := strconv.ParseInt(fields[0], 10, 64)
	return n << 10, err
}

// post returns the status of a request and the message of its answer.
func (s *server) post(path, media string, body []byte) (status, said string) {
	r, err := s.client.Post("http://"+s.at+path, media, bytes.NewReader(body))
	if err != nil {
		return "none", err.Error()
	}
	defer r.Body.Close()
	b, err := io.ReadAll(io.LimitReader(r.Body, 4<<20))
	if err != nil {
		return strconv.Itoa(r.StatusCode), err.Error()
	}
	var answer struct {
		Detail    string
		Added     *int
		Omissions []json.RawMessage
		More      int
	}
	if json.Unmarshal(b, &answer) == nil && answer.Added != nil {
		return strconv.Itoa(r.StatusCode), fmt.Sprintf("%d added, %d omissions", *answer.Added, len(answer.Omissions)+answer.More)
	}
	return strconv.Itoa(r.StatusCode), cmp.Or(answer.Detail, string(b[:min(len(b), 100)]))
}

// others returns the times of concurrent requests, made one by one.
func (s *server) others(ctx context.Context) (all []time.Duration) {
	for ctx.Err() == nil {
		began := time.Now()
		r, err := s.client.Get("http://" + s.at + "/watch")
		if err == nil {
			io.Copy(io.Discard, r.Body) // only its time counts
			r.Body.Close()
		}
		all = append(all, time.Since(began))
		select {
		case <-ctx.Done():
		case <-time.After(20 * time.Millisecond):
		}
	}
	return all
}

// change changes the page of the request and those of other subscriptions, and returns the time until
// all other subscriptions have their item.
func (s *server) change(ctx context.Context, patience time.Duration) (time.Duration, error) {
	for n := range 2 {
		if status, said := s.post(fmt.Sprintf("/change?n=%d", n), "text/plain", nil); status != "200" {
			return 0, fmt.Errorf("change: %s %s", status, said)
		}
		began := time.Now()
		for {
			r, err := s.client.Get("http://" + s.at + "/behind")
			if err != nil {
				return 0, err
			}
			b, err := io.ReadAll(r.Body)
			r.Body.Close()
			if err != nil {
				return 0, err
			}
			if string(b) == "0" {
				if n == 1 {
					return time.Since(began), nil
				}
				break
			}
			if time.Since(began) > patience {
				return patience, nil
			}
			select {
			case <-ctx.Done():
				return 0, ctx.Err()
			case <-time.After(20 * time.Millisecond):
			}
		}
	}
	return 0, nil
}

// subscription is the body of a POST with so many conditions.
func subscription(n int, match string) []byte {
	all := make([]string, n)
	for i := range all {
		all[i] = match
	}
	b, err := json.Marshal(map[string]any{"url": "https://slow.test/", "match": all})
	if err != nil {
		panic(err) // texts
	}
	return b
}

// lines are JSON Lines of n watches with these fields.
func lines(n int, fields func(i int) string) []byte {
	var b bytes.Buffer
	for i := range n {
		fmt.Fprintf(&b, "{\"url\": \"https://a.test/%d\"%s}\n", i, fields(i))
	}
	return b.Bytes()
}

func conditions(n int) func(int) string {
	return func(i int) string {
		all := make([]string, n)
		for k := range all {
			all[k] = fmt.Sprintf("%d x%d.{0,900}", i, k)
		}
		b, err := json.Marshal(all)
		if err != nil {
			panic(err) // texts
		}
		return `, "match": ` + string(b)
	}
}

// backup is a backup of changedetection.io of n watches.
func backup(n int) []byte {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i := range n {
		w, err := z.Create(fmt.Sprintf("%d/watch.json", i))
		if err == nil {
			_, err = fmt.Fprintf(w, `{"url": "https://a.test/%d", "title": "%d", "paused": true}`, i, i)
		}
		if err != nil {
			panic(err) // a buffer takes everything
		}
	}
	if err := z.Close(); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// asks returns the requests: each kind at its limit, and at ten times it.
func asks() []ask {
	const mb = 1 << 20
	repeat := func(s string, size int) []byte { return []byte(strings.Repeat(s, max(1, size/len(s)))) }
	spaces := zips.Deflated(strings.Repeat(" ", mb-10))
	columns := func(n int) []byte {
		return []byte("url" + strings.Repeat(",", n) + "\n" + strings.Repeat("a"+strings.Repeat(",", 10)+"\n", n))
	}
	imports := []ask{
		{name: "URLs: 20,000", body: lines(20_000, func(int) string { return "" })},
		{name: "URLs: 200,000", body: lines(200_000, func(int) string { return "" })},
		{name: "backup of 20,000 watches", body: backup(20_000)},
		{name: "zip: 128 entries of one member that fails", body: zips.Sharing(128, spaces, mb-10)},
		{name: "zip: 1,280 of them", body: zips.Sharing(1_280, spaces, mb-10)},
		{name: "zip: 12 MB of 60,000 of them", body: zips.Sharing(60_000, append(bytes.Repeat([]byte{0, 0, 0, 255, 255}, 2*mb), 3, 0), 0)},
		{name: "table: 1,000 columns", body: columns(999)},
		{name: "table: 10,000 columns", body: columns(9_999)},
		{name: "table: 100,000 columns", body: columns(99_999)},
		{name: "900 watches of 40 conditions", body: lines(900, conditions(40))},
		{name: "9,000 watches of 40 conditions", body: lines(9_000, conditions(40))},
		{name: "nonsense: 10,000 lines", body: append([]byte("https://a.test/\n"), repeat("x\n", 20_000)...)},
		{name: "nonsense: 30 MB", body: append([]byte("https://a.test/\n"), repeat("x\n", 30*mb)...)},
		{name: "tags: 1 MB", body: append([]byte("https://a.test/ "), repeat("ab,", mb-100)...)},
		{name: "tags: 31 MB", body: append([]byte("https://a.test/ "), repeat("ab,", 31*mb)...)},
		{name: "OPML: 10 MB in one element", body: []byte("<opml><body><outline" + strings.Repeat(" a=''", 2*mb) + "/></body></opml>")},
		{name: "twelve at once: nonsense of 30 MB", times: 12, body: append([]byte("https://a.test/\n"), repeat("x\n", 30*mb)...)},
	}
	for i := range imports {
		imports[i].path = "/import"
	}
	return append(imports,
		ask{name: "conditions: 4 of a{1000}b{1000}, one POST", body: subscription(4, "a{1000}b{1000}")},
		ask{name: "conditions: 2,900 of them, one POST", body: subscription(2_900, "a{1000}b{1000}")},
		ask{name: "conditions: twelve times 2,900, one POST", times: 12, body: subscription(2_900, "a{1000}b{1000}")},
		ask{name: "conditions: 200 ranges, one POST", body: subscription(200, `[B-\x{1e942}]`)},
		ask{name: "matching: 5 of (?:.?){600}q", body: subscription(5, "(?:.?){600}q"), changes: true},
		ask{name: "matching: 50 of them", body: subscription(50, "(?:.?){600}q"), changes: true},
		ask{name: "matching: 2,000 of them", body: subscription(2_000, "(?:.?){600}q"), changes: true},
	)
}

// listen is a port of loopback.
func listen() (net.Listener, error) { return net.Listen("tcp", "127.0.0.1:0") }
