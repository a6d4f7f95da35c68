package main

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"time"

	"plat/focus"
	"plat/focus/crawler"
	"plat/plat"
)

// The hosts and pages that focused crawls of chaos runs find, and how many of these they may
// visit. A fifth belongs to the topic, most of it on a third of the hosts.
const (
	topicalHosts = 12
	topicalPages = 50
	topicalCrawl = 200
)

// topicalAbout is the topic of the crawls.
const topicalAbout = "bird migration: storks, cranes, flyways, ringing, stopover sites and wintering grounds"

var (
	ofTopic  = strings.Fields("birds migration stork crane flyway ringing stopover wintering plumage warbler passage flock nesting ornithology wetland")
	offTopic = strings.Fields("harbour ferry tide lantern quay market gull rope anchor keel storm chart pilot buoy lock barge signal fog light freight")
)

// newTopical is a site of pages that link to each other, some of which belong to the topic. Those of
// different blocks have the same pages.
func newTopical(block int) *site {
	s := &site{
		hosts: topicalHosts, pages: topicalPages, block: block,
		latency: func(host, page int) time.Duration { return time.Duration(5+(host*7+page*13)%60) * time.Millisecond },
		delay:   func(int) time.Duration { return 0 },
	}
	s.html = func(host, page int) []byte { return topicalHTML(s, host, page) }
	return s
}

// chance is a number from 0 to 1 that is the same for the same things.
func chance(of ...any) float64 {
	f := fnv.New64a()
	fmt.Fprint(f, of...)
	return rand.New(rand.NewPCG(f.Sum64(), 0)).Float64()
}

// belongs reports whether a page belongs to the topic.
func belongs(host, page int) bool {
	if page == 0 {
		return false // home pages
	}
	if host < topicalHosts/3 {
		return chance("belongs ", host, " ", page) < .5
	}
	return chance("belongs ", host, " ", page) < .05
}

// topicalHTML returns a page: paragraphs with words of the topic or of a different one, and eight links, half of
// them to the same host. Most links of pages that belong lead to pages that do.
func topicalHTML(s *site, host, page int) []byte {
	f := fnv.New64a()
	fmt.Fprint(f, "page ", host, " ", page)
	r := rand.New(rand.NewPCG(f.Sum64(), 1))
	words := func(on bool, n int) string {
		var b strings.Builder
		for i := range n {
			list := offTopic
			if on && i%2 == 0 {
				list = ofTopic
			}
			if i > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(list[r.IntN(len(list))])
		}
		return b.String()
	}
	on := belongs(host, page)
	var b strings.Builder
	title := words(on, 4)
	fmt.Fprintf(&b, "<!doctype html><html lang=en><title>%s</title><style>body{font:16px sans-serif;margin:0}nav{background:#eee;padding:8px}main{padding:16px;width:800px}</style>", title)
	fmt.Fprintf(&b, "<nav><a href='/p/0'>Home</a></nav><main><h1>%s, %d of %d</h1>", title, page, host)
	for range 3 {
		fmt.Fprintf(&b, "<p>%s.</p>", words(on, 40))
	}
	often := .1
	if on {
		often = .6
	}
	for i := range 8 {
		want := r.Float64() < often
		to, at := host, r.IntN(topicalPages)
		for tries := 0; tries < 40; tries++ {
			if to, at = host, r.IntN(topicalPages); i%2 == 1 {
				to = r.IntN(topicalHosts)
			}
			if belongs(to, at) == want {
				break
			}
		}
		fmt.Fprintf(&b, "<p>%s <a href='%s'>%s</a></p>", words(on, 12), s.url(to, at), words(belongs(to, at) && r.Float64() < .5, 3))
	}
	b.WriteString("</main></html>")
	return []byte(b.String())
}

// focusedRun is a focused crawl of a run.
type focusedRun struct {
	site *site
	id   string
	on   []int // pages of the topic among the first 1, 2, … that were visited
}

// begin begins the crawl.
func (c *focusedRun) begin(ctx context.Context, bin, store string) error {
	out, err := exec.CommandContext(ctx, bin, "focus", "new", "--store", store, "--json", "--about", topicalAbout, "--pages", fmt.Sprint(topicalCrawl),
		c.site.url(0, 0), c.site.url(topicalHosts-1, 0)).Output()
	if err != nil {
		return fmt.Errorf("plat focus new: %w", err)
	}
	var said struct{ ID string }
	if err := json.Unmarshal(out, &said); err != nil || said.ID == "" {
		return fmt.Errorf("plat focus new says %q", out)
	}
	c.id = said.ID
	return nil
}

// done waits until the crawl has ended.
func (c *focusedRun) done(ctx context.Context, f *fleet) error {
	for {
		limit, cancel := context.WithTimeout(ctx, 5*time.Second)
		crawl, err := f.archive.Crawl(limit, c.id)
		cancel()
		switch {
		case err != nil: // the store may be stopped
		case crawl.State == plat.CrawlIsDone:
			return nil
		case crawl.State != plat.CrawlRuns:
			return fmt.Errorf("the focused crawl is %s: %s", crawl.State, crawl.Reason)
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%w: the focused crawl runs (%v)", context.Cause(ctx), err)
		case <-time.After(200 * time.Millisecond):
		}
	}
}

// check compares the crawl in the archive with the expected result, and removes it from found.
// wrong is the last difference.
func (c *focusedRun) check(ctx context.Context, f *fleet, found map[string]*page) (wrong string, err error) {
	truth := map[string]bool{}
	for h := range topicalHosts {
		for p := range topicalPages {
			truth[c.site.url(h, p)] = belongs(h, p)
		}
	}
	asked, on := 0, 0
	seen := map[string]bool{}
	for p, err := range f.archive.Asked(ctx, c.id, 0, false) {
		if err != nil {
			return "", err
		}
		asked++
		is := found[p.URL]
		delete(found, p.URL)
		does, known := truth[p.URL]
		off := p.Outcome == plat.OutcomeOffTopic
		switch {
		case p.N != asked:
			wrong = fmt.Sprintf("%s is page %d of the crawl, want %d", p.URL, p.N, asked)
		case seen[p.URL]:
			wrong = p.URL + " was asked for twice"
		case !known || p.Visited.IsZero():
			wrong = fmt.Sprintf("%s has no page or no answer (%s)", p.URL, p.Outcome)
		case is == nil || len(is.settles) != 1:
			wrong = fmt.Sprintf("%s, a page of the crawl: its visits are %+v, want one that settles a job", p.URL, is)
		case off == (p.Relevance >= focus.DefaultLeast):
			wrong = fmt.Sprintf("%s: %s, and its relevance is %.2f", p.URL, p.Outcome, p.Relevance)
		case off && len(is.versions) != 0 || !off && !slices.Equal(is.versions, []int{1}):
			wrong = fmt.Sprintf("%s: %s, and has versions %v", p.URL, p.Outcome, is.versions)
		}
		seen[p.URL] = true
		if does {
			on++
		}
		c.on = append(c.on, on)
	}
	if asked != topicalCrawl {
		wrong = fmt.Sprintf("the focused crawl has %d pages, want %d", asked, topicalCrawl)
	}
	for u := range found {
		if strings.HasPrefix(u, fmt.Sprintf("http://127.%d.", c.site.block)) {
			wrong = u + " was not asked for by the focused crawl, and is in the archive"
		}
	}
	return wrong, nil
}

// at returns the number of pages of the topic among the first n.
func (c *focusedRun) at(n int) int {
	if len(c.on) == 0 {
		return 0
	}
	return c.on[min(n, len(c.on))-1]
}

func (c *focusedRun) String() string {
	return fmt.Sprintf("%d/%d/%d", c.at(topicalCrawl/4), c.at(topicalCrawl/2), c.at(topicalCrawl))
}

var tookOver = regexp.MustCompile(`time=(\S+).*` + regexp.QuoteMeta(crawler.LogSteers) + `.*crawl=(\S+)`)

// steers returns the worker that steers the crawl, by the logs, and the number of workers that
// have done so until now; nil if no worker has.
func (f *fleet) steers(id string) (last *proc, times int) {
	var at string
	for _, w := range f.workers {
		text, err := os.ReadFile(w.log)
		if err != nil {
			continue
		}
		for line := range strings.Lines(string(text)) {
			if m := tookOver.FindStringSubmatch(line); m != nil && m[2] == id {
				if times++; m[1] > at {
					at, last = m[1], w
				}
			}
		}
	}
	return last, times
}
