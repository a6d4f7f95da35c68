// Segmented compares the blocks that plat segment prints with those that plat archive stores, and measures both ways of
// it: a command for each page, and a server for many.
//
//	go run ./scripts/segmented -kit DIR -pages 200      pages of the benchmark kit (its corpus)
//	go run ./scripts/segmented -kit DIR -requests 1000 -clients 8
//
// It prints the pages whose blocks are the same in the archive, in the output of the command and in the answer of the
// server, and those that differ between two archives; the time of a command from its start to its end, and of a request
// alone; and of the requests at once their errors, their times and the memory of the server with its browser.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"plat/fixtures/freeport"
	"plat/scripts/procs"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "segmented:", err)
		os.Exit(1)
	}
}

// bench is a run.
type bench struct {
	plat, dir string
	pages     []page
}

// page is a page of the kit.
type page struct{ file, url string }

func run() error {
	var kit, plat string
	var pages, requests, clients int
	flag.StringVar(&kit, "kit", "", "folder of the kit's corpus, with paths.txt")
	flag.StringVar(&plat, "plat", "", "the plat to measure; empty: of this checkout")
	flag.IntVar(&pages, "pages", 200, "number of pages")
	flag.IntVar(&requests, "requests", 1000, "number of requests to the server")
	flag.IntVar(&clients, "clients", 8, "requests at once")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	dir, err := os.MkdirTemp("", "plat-segmented-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	b := &bench{plat: plat, dir: dir}
	if plat == "" {
		if b.plat, err = procs.BuildPlat(ctx, dir); err != nil {
			return err
		}
	}
	end, err := b.serveKit(kit, pages)
	if err != nil {
		return err
	}
	defer end()
	first, err := b.archive(ctx, "first.db")
	if err != nil {
		return err
	}
	second, err := b.archive(ctx, "second.db")
	if err != nil {
		return err
	}
	fmt.Printf("%d pages archived; two archives differ in %s\n", len(first), differing(first, second))
	cold, times, err := b.commands(ctx)
	if err != nil {
		return err
	}
	fmt.Printf("plat segment FILE --base: differs from the archive in %s; a command takes %s\n", differing(first, cold), spread(times))
	if err := b.doubtful(ctx, first, cold); err != nil {
		return err
	}
	return b.server(ctx, first, requests, clients)
}

// doubtful tries the pages that differ again, since some pages differ at each visit, by chance or in a race. It prints
// those of which no command has printed the blocks that an archive has.
func (b *bench) doubtful(ctx context.Context, archived, printed map[string]tree) error {
	all := b.pages
	defer func() { b.pages = all }()
	b.pages = slices.DeleteFunc(slices.Clone(all), func(p page) bool { return same(archived[p.url], printed[p.url]) })
	archives, commands := []map[string]tree{archived}, []map[string]tree{printed}
	for i := range 5 {
		again, err := b.archive(ctx, fmt.Sprintf("again-%d.db", i))
		if err != nil {
			return err
		}
		out, _, err := b.commands(ctx)
		if err != nil {
			return err
		}
		archives, commands = append(archives, again), append(commands, out)
	}
	equal, changing := 0, 0
	var never []string
	for _, p := range b.pages {
		has := func(all []map[string]tree, t tree) bool {
			return slices.ContainsFunc(all, func(m map[string]tree) bool { return same(m[p.url], t) })
		}
		switch {
		case slices.ContainsFunc(commands, func(m map[string]tree) bool { return has(archives, m[p.url]) }):
			equal++
		case !has(archives[:1], archives[1][p.url]) || !has(archives[:1], archives[2][p.url]):
			changing++
		default:
			never = append(never, p.url)
		}
	}
	fmt.Printf("of these %d, archived and segmented 5 times more: %d have the same blocks at least once, %d differ between any two archives too, %d never: %v\n",
		len(b.pages), equal, changing, len(never), never)
	return nil
}

// same reports whether two pages have the same blocks.
func same(a, b tree) bool {
	x, _ := json.Marshal(a)
	y, _ := json.Marshal(b)
	return bytes.Equal(x, y)
}

// serveKit serves the first pages of the kit, each under a host of its own, so that no page is evidence for another.
func (b *bench) serveKit(kit string, most int) (end func(), err error) {
	list, err := os.ReadFile(filepath.Join(kit, "paths.txt"))
	if err != nil {
		return nil, err
	}
	srv := httptest.NewServer(http.FileServer(http.Dir(kit)))
	_, port, _ := strings.Cut(strings.TrimPrefix(srv.URL, "http://"), ":")
	for i, p := range strings.Fields(string(list)) {
		if i < most {
			b.pages = append(b.pages, page{filepath.Join(kit, p), fmt.Sprintf("http://p%03d.localhost:%s/%s", i, port, p)})
		}
	}
	return srv.Close, nil
}

// command runs plat, with this machine's pages allowed.
func (b *bench) command(ctx context.Context, args ...string) *exec.Cmd {
	c := exec.CommandContext(ctx, b.plat, append(args, "--log-level", "error")...)
	c.Env = append(os.Environ(), "PLAT_ALLOW_PRIVATE=127.0.0.0/8,::1/128")
	return c
}

// A tree is what is compared of a page, in the order of its encoding.
type tree struct {
	Title, Layout string
	Level, Blocks int
	Coverage      float64
	Tree          []map[string]any
}

// read decodes a page, and drops what the archive does not have.
func read(line []byte) (at string, t tree, err error) {
	var in struct {
		URL string
		tree
	}
	if err := json.Unmarshal(line, &in); err != nil {
		return "", t, fmt.Errorf("%.200q: %w", line, err)
	}
	for _, n := range in.Tree {
		delete(n, "markdown")
	}
	return in.URL, in.tree, nil
}

// archive archives all pages, and returns them by URL.
func (b *bench) archive(ctx context.Context, name string) (map[string]tree, error) {
	list := filepath.Join(b.dir, "pages.txt")
	var urls strings.Builder
	for _, p := range b.pages {
		fmt.Fprintln(&urls, p.url)
	}
	if err := os.WriteFile(list, []byte(urls.String()), 0o600); err != nil {
		return nil, err
	}
	store := "--store=sqlite:" + filepath.Join(b.dir, name)
	c := b.command(ctx, "archive", "-f", list, "--robots=false", "-q", store)
	c.Stderr = os.Stderr
	var failed *exec.ExitError
	if err := c.Run(); err != nil && !errors.As(err, &failed) {
		return nil, err
	}
	out, err := b.command(ctx, "export", "--format", "jsonl", store).Output()
	if err != nil {
		return nil, fmt.Errorf("plat export: %w", err)
	}
	all := map[string]tree{}
	for line := range bytes.Lines(out) {
		u, t, err := read(line)
		if err != nil {
			return nil, err
		}
		all[u] = t
	}
	return all, nil
}

// commands runs plat segment on each file, and returns the pages by URL and the times.
func (b *bench) commands(ctx context.Context) (map[string]tree, []time.Duration, error) {
	all := map[string]tree{}
	var times []time.Duration
	for i, p := range b.pages {
		began := time.Now()
		out, err := b.command(ctx, "segment", p.file, "--base", p.url, "--json").Output()
		if err != nil {
			fmt.Printf("not segmented: %s: %v\n", p.url, err)
			continue
		}
		times = append(times, time.Since(began))
		u, t, err := read(out)
		if err != nil {
			return nil, nil, err
		}
		all[u] = t
		fmt.Fprintf(os.Stderr, "\r%d of %d", i+1, len(b.pages))
	}
	fmt.Fprintln(os.Stderr)
	return all, times, nil
}

// differing tells in how many pages two sets differ, and names some.
func differing(a, b map[string]tree) string {
	var names []string
	for u := range a {
		if !same(a[u], b[u]) {
			names = append(names, strings.TrimPrefix(u, "http://"))
		}
	}
	slices.Sort(names)
	return fmt.Sprintf("%d of %d %v", len(names), len(a), names[:min(5, len(names))])
}

// spread tells the median and the extremes of times.
func spread(times []time.Duration) string {
	if len(times) == 0 {
		return "nothing"
	}
	slices.Sort(times)
	at := func(share float64) time.Duration {
		return times[min(len(times)-1, int(share*float64(len(times))))].Round(time.Millisecond)
	}
	return fmt.Sprintf("p50 %v, p95 %v, p99 %v, %v to %v", at(.5), at(.95), at(.99), at(0), at(1))
}

// server measures plat segment --listen.
func (b *bench) server(ctx context.Context, archived map[string]tree, requests, clients int) error {
	port, err := freeport.Port()
	if err != nil {
		return err
	}
	at := fmt.Sprintf("http://127.0.0.1:%d", port)
	c := b.command(ctx, "segment", "--listen", strings.TrimPrefix(at, "http://"))
	c.Stderr = os.Stderr
	if err := c.Start(); err != nil {
		return err
	}
	defer func() {
		_ = c.Process.Signal(os.Interrupt)
		_ = c.Wait()
	}()
	if err := ready(at); err != nil {
		return err
	}
	var posts []func() ([]byte, error)
	for _, p := range b.pages {
		html, err := os.ReadFile(p.file)
		if err != nil {
			return err
		}
		posts = append(posts, func() ([]byte, error) { return post(at, p.url, html) })
	}
	warm := map[string]tree{}
	var times []time.Duration
	for _, post := range posts {
		began := time.Now()
		answer, err := post()
		if err != nil {
			fmt.Println("not segmented:", err)
			continue
		}
		times = append(times, time.Since(began))
		u, t, err := read(answer)
		if err != nil {
			return err
		}
		warm[u] = t
	}
	fmt.Printf("POST /segment, one at a time: differs from the archive in %s; %s\n", differing(archived, warm), spread(times))
	load(ctx, c.Process.Pid, posts, requests, clients)
	return nil
}

// ready waits until a server is.
func ready(at string) error {
	for began := time.Now(); time.Since(began) < 30*time.Second; time.Sleep(5 * time.Millisecond) {
		if r, err := http.Get(at + "/readyz"); err == nil {
			if r.Body.Close(); r.StatusCode == 200 {
				return nil
			}
		}
	}
	return errors.New("plat segment --listen does not answer")
}

// post sends a page to a server.
func post(at, base string, html []byte) ([]byte, error) {
	resp, err := http.Post(at+"/api/v1/segment?base="+url.QueryEscape(base), "text/html", bytes.NewReader(html))
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != 200 {
		err = fmt.Errorf("%s: %d %.200s", base, resp.StatusCode, answer)
	}
	return answer, err
}

// load sends requests, some at once, to a server, and prints their times and its memory.
func load(ctx context.Context, pid int, posts []func() ([]byte, error), requests, clients int) {
	done := make(chan struct{})
	var own, most int64
	var watching, sending sync.WaitGroup
	watching.Go(func() { own = procs.Memory(pid, done) })
	watching.Go(func() {
		for {
			most = max(most, proportional(pid))
			select {
			case <-done:
				return
			case <-time.After(200 * time.Millisecond):
			}
		}
	})
	var next, failed atomic.Int64
	took := make([]time.Duration, requests)
	began := time.Now()
	for range clients {
		sending.Go(func() {
			for i := int(next.Add(1)) - 1; i < requests; i = int(next.Add(1)) - 1 {
				began := time.Now()
				if _, err := posts[i%len(posts)](); err != nil && ctx.Err() == nil {
					failed.Add(1)
					fmt.Println("failed:", err)
				}
				took[i] = time.Since(began)
			}
		})
	}
	sending.Wait()
	all := time.Since(began)
	close(done)
	watching.Wait()
	fmt.Printf("%d requests, %d at once: %d errors, %s, %.1f a second; memory of plat %d MB, with its browser %d MB at most\n",
		requests, clients, failed.Load(), spread(took), float64(requests)/all.Seconds(), own>>20, most>>20)
}

// proportional returns the memory of a process and its descendants, in bytes; memory that several share counts once.
func proportional(pid int) (sum int64) {
	for _, p := range procs.Family(pid) {
		text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", p.PID))
		if _, rest, ok := strings.Cut(string(text), "\nPss:"); ok {
			var kb int64
			_, _ = fmt.Sscan(rest, &kb)
			sum += kb << 10
		}
	}
	return sum
}
