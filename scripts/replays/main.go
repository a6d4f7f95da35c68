// Replays compares pages with their replays: the live page in a browser, the replay of plat serve, and the
// replay of an exported WACZ in wabac, the player inside ReplayWeb.page.
//
//	go run ./scripts/replays -kit DIR              the pages of the benchmark kit (its corpus)
//	go run ./scripts/replays -webseg DIR           the annotated pages of the shared data
//	go run ./scripts/replays … -plat OLD -every 3  every third page, with the plat of an earlier commit
//
// It prints, for both replays: the mean structural similarity of the pictures (1280 px wide, the upper 4,000 px),
// the share of pages whose visible words are the same, and the failed requests; and the ten least similar pages.
package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"image/png"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"plat/fixtures/freeport"
	"plat/fixtures/likeness"
	"plat/fixtures/truth"
	"plat/fixtures/wabac"
	"plat/scripts/procs"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "replays:", err)
		os.Exit(1)
	}
}

func run() error {
	var kit, webseg, plat, modules string
	var every int
	var only, screens string
	flag.StringVar(&kit, "kit", "", "folder of the kit's corpus, with paths.txt")
	flag.StringVar(&webseg, "webseg", "", "folder of the shared data, with webseg")
	flag.StringVar(&plat, "plat", "", "the plat to measure; empty: of this checkout")
	flag.StringVar(&modules, "modules", filepath.Join(".work", "npm", "node_modules"), "folder with @webrecorder/wabac")
	flag.IntVar(&every, "every", 1, "measure every so manieth page")
	flag.StringVar(&only, "only", "", "measure the pages with this text in their URL")
	flag.StringVar(&screens, "screens", "", "write the pictures into this folder")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	dir, err := os.MkdirTemp("", "plat-replays-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if plat == "" {
		if plat, err = procs.BuildPlat(ctx, dir); err != nil {
			return err
		}
	}
	pages, end, err := serve(kit, webseg)
	if err != nil {
		return err
	}
	defer end()
	var some []string
	for i := 0; i < len(pages); i += max(1, every) {
		if strings.Contains(pages[i], only) {
			some = append(some, pages[i])
		}
	}
	a, err := archive(ctx, dir, plat, modules, some)
	if err != nil {
		return err
	}
	defer a.end()
	b, err := newBrowser(ctx)
	if err != nil {
		return err
	}
	defer b.end()
	all := []*score{{name: "plat serve"}, {name: "wabac"}}
	for i, u := range some {
		taken, ok := a.taken[u]
		if !ok {
			fmt.Printf("not archived: %s\n", u)
			continue
		}
		live, err := b.look(u, 0)
		if err != nil {
			fmt.Printf("not shown: %s: %v\n", u, err)
			continue
		}
		for k, at := range []string{a.serve + "/frame?url=" + url.QueryEscape(u), a.player + "/show?at=" + url.QueryEscape("/w/a/"+taken.Format("20060102150405")+"mp_/"+u) + "&height=" + fmt.Sprint(live.height)} {
			seen, err := b.look(at, live.height)
			if err != nil {
				return fmt.Errorf("%s of %s: %w", all[k].name, u, err)
			}
			if err := all[k].add(u, live, seen); err != nil {
				return err
			}
			if err := keep(screens, i, map[string][]byte{"live": live.picture, all[k].name: seen.picture}); err != nil {
				return err
			}
		}
		fmt.Fprintf(os.Stderr, "\r%d of %d", i+1, len(some))
	}
	fmt.Fprintln(os.Stderr)
	for _, s := range all {
		s.print()
	}
	return nil
}

// keep writes pictures into a folder, unless its name is empty.
func keep(dir string, page int, pictures map[string][]byte) error {
	if dir == "" {
		return nil
	}
	for name, b := range pictures {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%03d-%s.png", page, name)), b, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// serve serves the pages of the kit, or the annotated ones, and lists their URLs.
func serve(kit, webseg string) (pages []string, end func(), err error) {
	if kit != "" {
		list, err := os.ReadFile(filepath.Join(kit, "paths.txt"))
		if err != nil {
			return nil, nil, err
		}
		srv := httptest.NewServer(http.FileServer(http.Dir(kit)))
		for _, p := range strings.Fields(string(list)) {
			pages = append(pages, srv.URL+"/"+p)
		}
		return pages, srv.Close, nil
	}
	if webseg == "" {
		return nil, nil, errors.New("which pages? -kit DIR or -webseg DIR")
	}
	marked, err := truth.Read(filepath.Join(webseg, "webseg", "dev", "truth.json"))
	if err != nil {
		return nil, nil, err
	}
	srv := httptest.NewServer(truth.Site(webseg, "dev", nil))
	for i := range marked {
		pages = append(pages, srv.URL+"/webseg/"+marked[i].Name+"/")
	}
	return pages, srv.Close, nil
}

// archived is an archive of the pages, served by plat and by a player.
type archived struct {
	taken         map[string]time.Time
	serve, player string
	end           func()
}

func archive(ctx context.Context, dir, plat, modules string, pages []string) (*archived, error) {
	env := append(os.Environ(), "PLAT_ALLOW_PRIVATE=127.0.0.0/8")
	store := "--store=sqlite:" + filepath.Join(dir, "a.db")
	command := func(args ...string) *exec.Cmd {
		c := exec.CommandContext(ctx, plat, append(args, store)...)
		c.Env = env
		return c
	}
	list := filepath.Join(dir, "pages.txt")
	if err := os.WriteFile(list, []byte(strings.Join(pages, "\n")), 0o600); err != nil {
		return nil, err
	}
	c := command("archive", "-f", list, "--resources", "all", "--delay", "0", "--robots=false", "-q")
	c.Stderr = os.Stderr
	var failed *exec.ExitError
	if err := c.Run(); err != nil && !errors.As(err, &failed) {
		return nil, err
	}
	wacz := filepath.Join(dir, "a.wacz")
	if out, err := command("export", "-o", wacz).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("plat export: %w\n%s", err, out)
	}
	a := &archived{taken: map[string]time.Time{}}
	out, err := command("export", "--format", "jsonl").Output()
	if err != nil {
		return nil, fmt.Errorf("plat export: %w", err)
	}
	for line := range bytes.Lines(out) {
		var v struct {
			URL   string    `json:"url"`
			Taken time.Time `json:"taken"`
		}
		if err := json.Unmarshal(line, &v); err != nil {
			return nil, err
		}
		a.taken[v.URL] = v.Taken
	}
	port, err := freeport.Port()
	if err != nil {
		return nil, err
	}
	at := fmt.Sprintf("127.0.0.1:%d", port)
	server := command("serve", "--listen", at)
	if err := server.Start(); err != nil {
		return nil, err
	}
	a.serve = "http://" + at
	mux := wabac.Player(modules, wacz)
	mux.HandleFunc("/show", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, `<!doctype html><body style="margin:0"><iframe id=f src="%s" style="border:0;display:block;width:1280px;height:%spx"></iframe>`, strings.ReplaceAll(r.URL.Query().Get("at"), `"`, "%22"), r.URL.Query().Get("height"))
	})
	srv := httptest.NewServer(mux)
	a.player = srv.URL
	a.end = func() {
		srv.Close()
		server.Process.Kill()
		server.Wait()
	}
	for range 100 {
		if r, err := http.Get(a.serve + "/healthz"); err == nil {
			r.Body.Close()
			return a, nil
		}
		time.Sleep(100 * time.Millisecond)
	}
	a.end()
	return nil, errors.New("plat serve does not answer")
}

// score sums up one kind of replay.
type score struct {
	name     string
	pages    []compared
	sameText int
	failed   int
}

type compared struct {
	url    string
	like   float64
	words  float64 // share of words that both have
	failed []string
}

func (s *score) add(u string, live, is *seen) error {
	a, err := png.Decode(bytes.NewReader(live.picture))
	if err != nil {
		return err
	}
	b, err := png.Decode(bytes.NewReader(is.picture))
	if err != nil {
		return err
	}
	c := compared{url: u, like: likeness.Of(a, b), words: common(live.words, is.words), failed: is.failed}
	if slices.Equal(live.words, is.words) {
		s.sameText++
	}
	s.failed += len(is.failed)
	s.pages = append(s.pages, c)
	return nil
}

// common returns the share of words that two sorted lists have in common, of the longer one.
func common(a, b []string) float64 {
	if len(a) == 0 && len(b) == 0 {
		return 1
	}
	count, n := map[string]int{}, 0
	for _, w := range a {
		count[w]++
	}
	for _, w := range b {
		if count[w] > 0 {
			count[w]--
			n++
		}
	}
	return float64(n) / float64(max(len(a), len(b)))
}

func (s *score) print() {
	n := float64(max(1, len(s.pages)))
	like, words := 0.0, 0.0
	for _, p := range s.pages {
		like += p.like
		words += p.words
	}
	slices.SortFunc(s.pages, func(a, b compared) int { return cmp.Compare(a.like, b.like) })
	worst := 0.0
	if len(s.pages) > 0 {
		worst = s.pages[0].like
	}
	fmt.Printf("\n%s: %d pages, similarity %.4f (worst %.4f), same words %d (%.1f %%; %.4f of all), failed requests %d\n", s.name, len(s.pages), like/n, worst, s.sameText, 100*float64(s.sameText)/n, words/n, s.failed)
	for _, p := range s.pages[:min(10, len(s.pages))] {
		fmt.Printf("  %.4f  words %.3f  %s  %s\n", p.like, p.words, p.url, strings.Join(p.failed[:min(3, len(p.failed))], " "))
	}
}
