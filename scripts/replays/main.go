// Replays compares pages with their replays: the live page in a browser, the replay of plat serve, and the
// replay of an exported WACZ in wabac, the player inside ReplayWeb.page.
//
//	go run ./scripts/replays -kit DIR              the pages of the benchmark kit (its corpus)
//	go run ./scripts/replays -webseg DIR           the annotated pages of the shared data
//	go run ./scripts/replays … -plat OLD -every 3  every third page, with the plat of an earlier commit
//
// It prints, for both replays: the mean structural similarity of the pictures (1280 px wide, the upper 4,000 px),
// the share of pages whose visible words are the same, and the failed requests; and the ten least similar pages. A page
// that is not archived, or not shown live, is named and counted apart; a replay that is not shown in two tries has the
// similarity 0.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"plat/fixtures/freeport"
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
	var every, browsers int
	var only, screens string
	flag.StringVar(&kit, "kit", "", "folder of the kit's corpus, with paths.txt")
	flag.StringVar(&webseg, "webseg", "", "folder of the shared data, with webseg")
	flag.StringVar(&plat, "plat", "", "the plat to measure; empty: of this checkout")
	flag.StringVar(&modules, "modules", filepath.Join(".work", "npm", "node_modules"), "folder with @webrecorder/wabac")
	flag.IntVar(&every, "every", 1, "measure every so manieth page")
	flag.IntVar(&browsers, "browsers", 1, "browsers at once")
	flag.StringVar(&only, "only", "", "measure the pages with this text in their URL")
	flag.StringVar(&screens, "screens", "", "write the pictures and the words into this folder")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
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
	all := a.measure(ctx, some, screens, max(1, browsers))
	fmt.Fprintln(os.Stderr)
	for _, s := range all {
		fmt.Print(s.text())
	}
	return context.Cause(ctx)
}

// measure compares the pages with their replays, in several browsers at once.
func (a *archived) measure(ctx context.Context, pages []string, screens string, browsers int) []*score {
	all := []*score{{name: "plat serve"}, {name: "wabac"}}
	next := make(chan int)
	var done atomic.Int32
	var group sync.WaitGroup
	for range browsers {
		group.Go(func() {
			b := &viewer{ctx: ctx}
			defer b.close()
			for i := range next {
				a.compare(b, pages[i], i, screens, all)
				fmt.Fprintf(os.Stderr, "\r%d of %d", done.Add(1), len(pages))
			}
		})
	}
	for i := range pages {
		if ctx.Err() != nil {
			break
		}
		next <- i
	}
	close(next)
	group.Wait()
	return all
}

const patience = 40 * time.Second // for one page in one browser

// compare adds one page to the scores.
func (a *archived) compare(b *viewer, u string, page int, screens string, all []*score) {
	taken, ok := a.taken[u]
	if !ok {
		lose(all, u, errors.New("not archived"))
		return
	}
	live, err := b.try(u, 0)
	if b.ctx.Err() != nil {
		return // interrupted: neither shown nor lost
	}
	if err != nil {
		lose(all, u, fmt.Errorf("not shown live: %w", err))
		return
	}
	if err := keep(screens, page, "live", live); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	for k, at := range []string{a.serve + "/frame?url=" + url.QueryEscape(u), a.player + "/show?at=" + url.QueryEscape("/w/a/"+taken.Format("20060102150405")+"mp_/"+u) + "&height=" + fmt.Sprint(live.height)} {
		is, err := b.try(at, live.height)
		if b.ctx.Err() != nil {
			return
		}
		if err == nil {
			err = keep(screens, page, all[k].name, is)
		}
		all[k].add(u, live, is, err)
	}
}

// try opens a page. If the browser does not show it, try starts a new browser and opens the page once more.
func (b *viewer) try(url string, height int64) (*seen, error) {
	s, err := b.look(url, height, patience)
	if err != nil && b.ctx.Err() == nil {
		s, err = b.look(url, height, patience)
	}
	return s, err
}

// keep writes the picture and the words of a page into a folder, unless its name is empty.
func keep(dir string, page int, name string, s *seen) error {
	if dir == "" {
		return nil
	}
	file := filepath.Join(dir, fmt.Sprintf("%03d-%s", page, name))
	if err := os.WriteFile(file+".txt", []byte(strings.Join(s.words, "\n")+"\n"), 0o600); err != nil {
		return err
	}
	return os.WriteFile(file+".png", s.picture, 0o600)
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
