package main

import (
	"cmp"
	"context"
	"fmt"
	"log"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"

	"plat/browser"
	"plat/focus"
	"plat/queue/links"
	"plat/scripts/focus/corpus"
	"plat/segment"
	"plat/segment/label"
)

// warmUp is the number of pages of a crawl before relevances are compared: the first relevances
// depend on each other more than on the reading.
const warmUp = 2_000

// both is a page that was read with Chrome and without.
type both struct {
	id             int32
	url            string
	static, chrome *focus.Page
	plain          *focus.Page // with Chrome, but without blocks
	only           [2][]string // links that only one of them has
	jaccard        float64     // of their links
	words          float64     // the same of their words
	differ         []string    // topics to which one of them belongs alone
}

// readings are compared.
type readings struct {
	bench  *bench
	pages  []both
	failed []string // pages that Chrome did not take
	warm   []*focus.Page
}

// compareReadings reads pages with Chrome and without, drawn from those that can be reached, and
// says how far both agree on their links and on whether they belong to topics.
func compareReadings(ctx context.Context, c *corpus.Corpus, n int, chrome string, worst int) error {
	b, err := newBench(c, "", options{})
	if err != nil {
		return err
	}
	defer b.close()
	var ids []int32
	for i, there := range c.Reach(newSower(c).far) {
		if there {
			ids = append(ids, int32(i))
		}
	}
	rand.New(rand.NewPCG(11, 13)).Shuffle(len(ids), func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
	n = min(n, len(ids))
	r := &readings{bench: b}
	for _, id := range ids[n:min(len(ids), n+warmUp)] {
		_, p, err := b.pages.get(ctx, canonical(c.Pages[id].URL))
		if err != nil {
			return err
		}
		if p != nil {
			r.warm = append(r.warm, p)
		}
	}
	if err := r.read(ctx, ids[:n], chrome); err != nil {
		return err
	}
	r.links(worst)
	err = r.topics()
	r.worstWords(worst)
	return err
}

// read reads pages both ways.
func (r *readings) read(ctx context.Context, ids []int32, chrome string) error {
	p := &r.bench.pages
	pool, err := browser.New(ctx, browser.Options{
		Guard: p.guard, Chrome: chrome, Tabs: runtime.NumCPU(),
		Flags: []string{"--ignore-certificate-errors-spki-list=" + p.server.authority.pin},
	})
	if err != nil {
		return err
	}
	defer pool.Close()
	next := make(chan int32)
	var all sync.WaitGroup
	var mu sync.Mutex
	for range runtime.NumCPU() {
		all.Go(func() {
			for id := range next {
				x := both{id: id, url: canonical(p.corpus.Pages[id].URL)}
				_, static, err := p.get(ctx, x.url)
				if err == nil && static != nil {
					x.static = static
					x.chrome, x.plain, err = render(ctx, pool, x.url, p.describer)
				}
				mu.Lock()
				if err != nil || static == nil {
					r.failed = append(r.failed, fmt.Sprintf("%s: %v", x.url, err))
				} else {
					r.pages = append(r.pages, x)
				}
				mu.Unlock()
			}
		})
	}
	for i, id := range ids {
		if i%100 == 99 {
			log.Printf("%d of %d pages", i+1, len(ids))
		}
		if ctx.Err() == nil {
			next <- id
		}
	}
	close(next)
	all.Wait()
	slices.SortFunc(r.pages, func(a, b both) int { return cmp.Compare(a.id, b.id) })
	return context.Cause(ctx)
}

// render reads a page with Chrome: as crawls do, and without its blocks.
func render(ctx context.Context, pool *browser.Pool, u string, d *label.Describer) (page, plain *focus.Page, err error) {
	snap, err := pool.Render(ctx, browser.Request{URL: u})
	if err != nil {
		return nil, nil, err
	}
	cut, err := segment.Segment(snap, segment.Params{})
	if err != nil {
		return nil, nil, err
	}
	if err := d.Describe(snap, &cut.Page, cut.Spans, cut.Visible()); err != nil {
		return nil, nil, err
	}
	l := &links.Page{Snapshot: snap, Blocks: cut.Page.Blocks, Spans: cut.Spans, Frames: true}
	found := l.Links(nil, maxLinks)
	page = focus.Read(l, found, d)
	l.Blocks, l.Spans = nil, nil
	return page, focus.Read(l, found, d), nil
}

// links compares the pages' links.
func (r *readings) links(worst int) {
	equal, sum := 0, 0.0
	for i := range r.pages {
		x := &r.pages[i]
		x.compareLinks()
		if sum += x.jaccard; x.jaccard == 1 {
			equal++
		}
	}
	n := float64(len(r.pages))
	fmt.Printf("%d pages read with Chrome and without; Chrome did not take %d\n", len(r.pages), len(r.failed))
	for _, f := range r.failed[:min(10, len(r.failed))] {
		fmt.Printf("  %s\n", f)
	}
	fmt.Printf("the same links: %.1f %% of the pages; links of one among those of both: mean %.4f\n", 100*float64(equal)/n, sum/n)
	order := make([]int, len(r.pages))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(r.pages[a].jaccard, r.pages[b].jaccard) })
	for _, i := range order[:min(worst, len(order))] {
		if x := &r.pages[i]; x.jaccard < 1 {
			fmt.Printf("  %.3f %s: %d only without Chrome, %d only with it\n", x.jaccard, x.url, len(x.only[0]), len(x.only[1]))
			for side, only := range x.only {
				for _, u := range only[:min(3, len(only))] {
					fmt.Printf("        %s %s\n", [...]string{"without:", "with:   "}[side], u)
				}
			}
		}
	}
}

func (x *both) compareLinks() {
	have := map[string][2]bool{}
	for side, p := range [...]*focus.Page{x.static, x.chrome} {
		for i := range p.Links {
			h := have[p.Links[i].URL]
			h[side] = true
			have[p.Links[i].URL] = h
		}
	}
	common := 0
	for u, h := range have {
		switch {
		case !h[1]:
			x.only[0] = append(x.only[0], u)
		case !h[0]:
			x.only[1] = append(x.only[1], u)
		default:
			common++
		}
	}
	slices.Sort(x.only[0])
	slices.Sort(x.only[1])
	x.jaccard = 1
	if len(have) > 0 {
		x.jaccard = float64(common) / float64(len(have))
	}
}

// topics compares how relevant the pages are to all topics.
func (r *readings) topics() error {
	words := 0.0
	for i := range r.pages {
		x := &r.pages[i]
		x.words = overlap(x.static.Words, x.chrome.Words)
		words += x.words / float64(len(r.pages))
	}
	fmt.Printf("words of one among those of both: mean %.4f\n", words)
	if err := r.decide("Chrome", true, func(x *both) *focus.Page { return x.chrome }); err != nil {
		return err
	}
	return r.decide("Chrome, but no blocks", false, func(x *both) *focus.Page { return x.plain })
}

// decide compares the relevances of the pages without Chrome with those of a different reading.
func (r *readings) decide(name string, list bool, of func(*both) *focus.Page) error {
	var xs, ys []float64
	same := 0
	fmt.Printf("\n%-16s %12s %12s %8s %8s\n", "belongs to", "correlation", "decisions", "without", "with "+name)
	for _, t := range r.bench.topics {
		a, err := r.relevances(t, func(x *both) *focus.Page { return x.static })
		if err != nil {
			return err
		}
		b, err := r.relevances(t, of)
		if err != nil {
			return err
		}
		id := r.bench.corpus.Topics[t].ID
		agreed, belong := 0, [2]int{}
		for i := range a {
			if (a[i] >= .5) == (b[i] >= .5) {
				agreed++
			} else if list {
				r.pages[i].differ = append(r.pages[i].differ, fmt.Sprintf("%s %.2f, with Chrome %.2f", id, a[i], b[i]))
			}
			for side, v := range [...]float64{a[i], b[i]} {
				if v >= .5 {
					belong[side]++
				}
			}
		}
		fmt.Printf("%-16s %12.4f %10.2f %% %8d %8d\n", id, correlation(a, b), 100*float64(agreed)/float64(len(a)), belong[0], belong[1])
		same += agreed
		xs, ys = append(xs, a...), append(ys, b...)
	}
	fmt.Printf("all topics: correlation of relevance %.4f; the same decision at .5: %.2f %% of %d\n", correlation(xs, ys), 100*float64(same)/float64(len(xs)), len(xs))
	return nil
}

// worstWords lists pages whose words differ most, and all that belong to a topic in one reading
// alone.
func (r *readings) worstWords(worst int) {
	if worst == 0 {
		return
	}
	order := make([]int, len(r.pages))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(r.pages[a].words, r.pages[b].words) })
	fmt.Println()
	for k, i := range order {
		if x := &r.pages[i]; k < worst && x.words < 1 || len(x.differ) > 0 {
			fmt.Printf("  %.3f %s: %d words without Chrome, %d with it, of menus %d and %d; %s\n", x.words, x.url, len(x.static.Words), len(x.chrome.Words), menus(x.static), menus(x.chrome), strings.Join(x.differ, "; "))
		}
	}
}

// menus returns the number of words of a page's menus.
func menus(p *focus.Page) (n int32) {
	for _, s := range p.Menus {
		n += s.End - s.First
	}
	return n
}

// relevances are those of the pages to a topic.
func (r *readings) relevances(topic int, of func(*both) *focus.Page) ([]float64, error) {
	t, err := r.bench.topic(topic)
	if err != nil {
		return nil, err
	}
	c, err := focus.New(t, focus.Options{Order: "bfs"})
	if err != nil {
		return nil, err
	}
	add := func(p *focus.Page) focus.Result {
		q := *p
		q.Links = nil // nothing is to be followed
		return c.Add(p.URL, &q)
	}
	for _, p := range r.warm {
		add(p)
	}
	var out []float64
	for i := range r.pages {
		out = append(out, add(of(&r.pages[i])).Relevance)
	}
	return out, nil
}

func correlation(a, b []float64) float64 {
	n := float64(len(a))
	var sa, sb, saa, sbb, sab float64
	for i := range a {
		sa += a[i]
		sb += b[i]
		saa += a[i] * a[i]
		sbb += b[i] * b[i]
		sab += a[i] * b[i]
	}
	return (n*sab - sa*sb) / math.Sqrt((n*saa-sa*sa)*(n*sbb-sb*sb))
}

// overlap is the Jaccard index of two bags of words.
func overlap(a, b []focus.Term) float64 {
	count := map[focus.Term]int{}
	for _, w := range a {
		count[w]++
	}
	common := 0
	for _, w := range b {
		if count[w] > 0 {
			count[w]--
			common++
		}
	}
	if len(a)+len(b) == 0 {
		return 1
	}
	return float64(common) / float64(len(a)+len(b)-common)
}
