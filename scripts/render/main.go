// Render measures how completely pages are archived: plat archive visits a set
// of client-rendered pages with known visible text, and the words of the stored
// blocks are compared with it. Everything runs on 127.0.0.1, behind plat's
// egress guard.
//
//	scripts/bench render                       once, with plat's defaults
//	scripts/bench render -twice                and how many pages are equal then
//	scripts/bench render -rounds 3             median and worst of three
//	scripts/bench render -lag 200ms            behind a network with this round trip
//	scripts/bench render -tabs 1,2,4,8         with as many tabs, one after the other
//	scripts/bench render -https                by TLS, with a certificate of its own
//	scripts/bench render -pages 2000           in one run, with memory and slowest pages
//	scripts/bench render -only docsify -- --settle-timeout 2s
//	scripts/bench render -set packages         pages of npm packages
//	scripts/bench render -set packages -half b half of them, for counting
//	scripts/bench render -set packages -clipped  words that no reader sees are expected too
//
// Arguments after "--" are passed to plat archive. With -json each page and
// each capture is a line of JSON.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"

	"plat/fixtures/history"
)

// settings are the values of the flags.
type settings struct {
	data, work, bin string
	set, half       string
	clipped         bool
	only            *regexp.Regexp
	tabs            []int
	rounds, pages   int
	lag             time.Duration
	https, json     bool
	args            []string
}

func main() {
	log.SetFlags(0)
	log.SetPrefix("render: ")
	s, err := parse()
	if err != nil {
		log.Fatal(err)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := s.run(ctx); err != nil {
		log.Fatal(err)
	}
}

func parse() (*settings, error) {
	var s settings
	dir, _ := history.Dir()
	flag.StringVar(&s.data, "data", dir, "the folder of shared data")
	flag.StringVar(&s.set, "set", setData, "the pages: data, of the shared data; packages, of npm packages")
	flag.StringVar(&s.half, "half", "", "of the set packages only `half` a, which rules are fitted to, or b, which is for counting")
	flag.BoolVar(&s.clipped, "clipped", false, "of the set packages expect words too that no reader sees, as slides beside the one in view")
	flag.StringVar(&s.work, "work", "", "where the page set is built (default .work/render or .work/render-packages)")
	flag.StringVar(&s.bin, "plat", "bin/plat", "the command to measure")
	only := flag.String("only", "", "measure only URLs that match this `REGEXP`")
	tabs := flag.String("tabs", "0", "tabs, several numbers one after the other, as in 1,2,4,8; 0 is plat's default")
	flag.IntVar(&s.rounds, "rounds", 1, "captures of each kind, each into a new archive")
	twice := flag.Bool("twice", false, "the same as -rounds 2")
	flag.IntVar(&s.pages, "pages", 0, "visit so many pages in one run, going round the URLs; 0: each URL once")
	flag.DurationVar(&s.lag, "lag", 0, "round trip of the network between guard and server")
	flag.BoolVar(&s.https, "https", false, "serve the pages by TLS")
	flag.BoolVar(&s.json, "json", false, "print JSON lines")
	flag.Parse()
	s.args = flag.Args()
	if *twice {
		s.rounds = max(2, s.rounds)
	}
	for _, t := range strings.Split(*tabs, ",") {
		n, err := strconv.Atoi(t)
		if err != nil || n < 0 {
			return nil, fmt.Errorf("-tabs %q: use numbers of tabs, as in 1,2,4,8", *tabs)
		}
		s.tabs = append(s.tabs, n)
	}
	switch {
	case s.set != setData && s.set != setPackages:
		return nil, fmt.Errorf("-set %q: use data or packages", s.set)
	case s.half != "" && s.half != "a" && s.half != "b":
		return nil, fmt.Errorf("-half %q: use a or b", s.half)
	case s.set == setData && (s.half != "" || s.clipped):
		return nil, fmt.Errorf("-half and -clipped need -set packages")
	case s.work == "" && s.set == setPackages:
		s.work = ".work/render-packages"
	case s.work == "":
		s.work = ".work/render"
	}
	if s.rounds < 1 || s.pages < 0 || s.lag < 0 {
		return nil, fmt.Errorf("-rounds must be 1 or more, -pages and -lag 0 or more")
	}
	var err error
	s.only, err = regexp.Compile(*only)
	return &s, err
}

func (s *settings) run(ctx context.Context) error {
	build := prepare
	if s.set == setPackages {
		build = preparePackages
	}
	if err := build(ctx, filepath.Join(s.data, "render"), s.work); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "plat-render-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	a := &archiver{bin: s.bin, dir: dir, args: s.args}
	origin, err := s.serve(ctx, a)
	if err != nil {
		return err
	}
	pages, err := truth(s.work, origin, s.wants, s.clipped)
	if err != nil {
		return err
	}
	if s.pages > 0 {
		pages = goRound(pages, s.pages)
	}
	for _, tabs := range s.tabs {
		if err := s.measure(ctx, a, pages, tabs); err != nil {
			return err
		}
	}
	return nil
}

// wants reports whether a URL of the set is to be measured.
func (s *settings) wants(url string) bool {
	return s.only.MatchString(url) && (s.half == "" || s.half == halfOf(url))
}

// serve starts the servers, and configures a's browser for them.
func (s *settings) serve(ctx context.Context, a *archiver) (origin string, err error) {
	if origin, err = serve(ctx, s.work); err != nil {
		return "", err
	}
	scheme, addr, _ := strings.Cut(origin, "://")
	if s.https {
		var trusted trust
		scheme = "https"
		if addr, trusted, err = secured(ctx, origin); err != nil {
			return "", err
		}
		if a.chrome, err = trusting(a.dir, trusted.pin); err != nil {
			return "", err
		}
		a.roots = filepath.Join(a.dir, "roots.pem")
		if err := os.WriteFile(a.roots, trusted.pem, 0o600); err != nil {
			return "", err
		}
	}
	if s.lag > 0 {
		if addr, err = delayed(ctx, addr, s.lag); err != nil {
			return "", err
		}
	}
	return scheme + "://" + addr, nil
}

// goRound lists n pages, repeating the set as needed. Repetitions get a query
// with their round, so that plat treats them as different pages.
func goRound(pages []page, n int) []page {
	all := make([]page, n)
	for i := range all {
		all[i] = pages[i%len(pages)]
		if round := i / len(pages); round > 0 {
			sep := "?"
			if strings.Contains(all[i].URL, "?") {
				sep = "&"
			}
			all[i].URL += fmt.Sprintf("%sround=%d", sep, round)
		}
	}
	return all
}

// measure captures the pages as often as requested and prints the results.
func (s *settings) measure(ctx context.Context, a *archiver, pages []page, tabs int) error {
	if !s.json {
		fmt.Printf("%d pages", len(pages))
		if s.https {
			fmt.Print(", https")
		}
		if s.lag > 0 {
			fmt.Printf(", %v of network delay", s.lag)
		}
		fmt.Println()
		printHead()
	}
	var captures []*capture
	var all []figures
	for range s.rounds {
		c, err := a.capture(ctx, pages, tabs)
		if err != nil {
			return err
		}
		f := sumUp(c, pages)
		captures, all = append(captures, c), append(all, f)
		if s.json {
			printLines(c, pages, &f)
		} else {
			f.print()
		}
	}
	if s.json {
		return nil
	}
	printSpread(all)
	printCost(captures, all)
	printEqual(captures, pages)
	printShort(shortOf(captures, pages))
	return nil
}
