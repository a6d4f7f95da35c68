// Render measures how complete pages are archived: the real command, plat archive,
// visits a set of client-rendered pages of which it is known what a reader sees,
// and the words of the stored blocks are compared with these. Everything is on
// 127.0.0.1, behind plat's egress guard.
//
//	scripts/bench render                       once, with plat's defaults
//	scripts/bench render -rounds 3             median and worst of three
//	scripts/bench render -only docsify -- --settle-timeout 2s
//
// What follows "--" is given to plat archive. With -json each page and each
// capture is a line of JSON.
package main

import (
	"context"
	"encoding/json"
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

	"plat/fixtures/history"
)

// settings are what the flags say.
type settings struct {
	data, work, bin string
	only            *regexp.Regexp
	tabs            []int
	rounds          int
	json            bool
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
	flag.StringVar(&s.work, "work", ".work/render", "where the page set is built")
	flag.StringVar(&s.bin, "plat", "bin/plat", "the command to measure")
	only := flag.String("only", "", "measure only URLs that match this `REGEXP`")
	tabs := flag.String("tabs", "0", "tabs, several numbers one after the other, as in 1,2,4,8; 0 is plat's default")
	flag.IntVar(&s.rounds, "rounds", 1, "captures of each kind")
	flag.BoolVar(&s.json, "json", false, "print JSON lines")
	flag.Parse()
	s.args = flag.Args()
	for _, t := range strings.Split(*tabs, ",") {
		n, err := strconv.Atoi(t)
		if err != nil || n < 0 {
			return nil, fmt.Errorf("-tabs %q: write numbers of tabs, as in 1,2,4,8", *tabs)
		}
		s.tabs = append(s.tabs, n)
	}
	if s.rounds < 1 {
		return nil, fmt.Errorf("-rounds %d: write 1 or more", s.rounds)
	}
	var err error
	s.only, err = regexp.Compile(*only)
	return &s, err
}

func (s *settings) run(ctx context.Context) error {
	if err := prepare(ctx, filepath.Join(s.data, "render"), s.work); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	origin, err := serve(ctx, s.work)
	if err != nil {
		return err
	}
	pages, err := truth(s.work, origin, s.only)
	if err != nil {
		return err
	}
	a := &archiver{bin: s.bin, args: s.args}
	for _, tabs := range s.tabs {
		if err := s.measure(ctx, a, pages, tabs); err != nil {
			return err
		}
	}
	return nil
}

// measure captures the pages as often as asked for and prints what came of it.
func (s *settings) measure(ctx context.Context, a *archiver, pages []page, tabs int) error {
	urls := make([]string, len(pages))
	for i, p := range pages {
		urls[i] = p.URL
	}
	var captures []*capture
	if !s.json {
		fmt.Printf("%d URLs\n", len(pages))
		printHead()
	}
	for range s.rounds {
		c, err := a.capture(ctx, urls, tabs)
		if err != nil {
			return err
		}
		captures = append(captures, c)
		f := sumUp(c, pages)
		if s.json {
			printLines(c, pages, &f)
		} else {
			f.print()
		}
	}
	if !s.json {
		printShort(shortOf(captures, pages))
	}
	return nil
}

// line is what -json says of a page.
type line struct {
	Page      string  `json:"page"`
	Words     int     `json:"words"` // of the truth
	Recall    float64 `json:"recall"`
	Outcome   string  `json:"outcome"`
	Error     string  `json:"error,omitempty"`
	Settle    string  `json:"settle,omitempty"`
	Unsettled bool    `json:"unsettled"`
	WallMS    float64 `json:"wall_ms"`
}

func printLines(c *capture, pages []page, f *figures) {
	out := json.NewEncoder(os.Stdout)
	for _, p := range pages {
		l := line{Page: p.Name, Words: p.Truth.size()}
		if r := c.Pages[p.URL]; r != nil {
			l.Recall, l.Outcome, l.Error, l.Settle = recall(p.Truth, r.Words), string(r.Outcome), r.Error, r.Settle
			l.Unsettled, l.WallMS = r.Unsettled, millis(r.Wall)
		}
		out.Encode(l)
	}
	out.Encode(f)
}
