package crawler

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"plat/focus"
	"plat/plat"
	"plat/segment/label"
	"plat/storage"
	"plat/storage/sqlite"
	"plat/storage/sqlite/sqlitetest"
)

// theDescriber is shared by all tests, because loading its dictionary is slow.
var theDescriber = sync.OnceValues(func() (*label.Describer, error) { return label.New(label.Options{}) })

func compiler(t testing.TB) *Compiler {
	t.Helper()
	d, err := theDescriber()
	if err != nil {
		t.Fatal(err)
	}
	return &Compiler{Describer: d}
}

// birds is the topic of the tests' crawls.
const birds = "topics:\n  - id: birds\n    description: bird migration, ringing, stopover, warbler, goose, plumage\n"

var birdWords = []string{"bird", "migrat", "ring", "stopov", "warbler", "goos", "plumag"}

// web is a made-up web. Pages that are nil are gone.
type web map[string]*focus.Page

// page adds a page with links, about birds or not.
func (w web) page(r *rand.Rand, u string, on bool, links ...string) {
	p := &focus.Page{URL: u}
	word := func(s string) { p.Words = append(p.Words, focus.TermOf(s)) }
	for i := range 60 {
		if on && i%4 == 0 {
			word(birdWords[r.IntN(len(birdWords))])
		}
		word(fmt.Sprint("word", r.IntN(400)))
	}
	for _, to := range links {
		k := focus.Link{URL: to, Text: "to " + to, Heading: -1, Path: uint32(r.IntN(4))}
		k.At.First = int32(len(p.Words))
		word(fmt.Sprint("link", r.IntN(50)))
		if strings.Contains(to, "/bird") && r.IntN(2) == 0 {
			word(birdWords[r.IntN(len(birdWords))])
		}
		k.At.End = int32(len(p.Words))
		p.Links = append(p.Links, k)
	}
	w[u] = p
}

// newWeb has n pages on ten hosts, a third of them about birds. These link to each other more
// often than to the rest. One link of twenty leads nowhere.
func newWeb(r *rand.Rand, n int) web {
	w := web{}
	on := func(i int) bool { return i%3 == 1 }
	name := func(i int) string {
		if on(i) {
			return fmt.Sprintf("https://h%d.test/bird%d", i%10, i)
		}
		return fmt.Sprintf("https://h%d.test/other%d", i%10, i)
	}
	for i := range n {
		var links []string
		for range 6 {
			to := r.IntN(n)
			for range 3 {
				if on(to) != on(i) {
					to = r.IntN(n)
				}
			}
			if r.IntN(20) == 0 {
				links = append(links, fmt.Sprintf("https://h%d.test/gone%d", r.IntN(10), r.IntN(n)))
				continue
			}
			links = append(links, name(to))
		}
		links = append(links, name((i+1)%n))
		w.page(r, name(i), on(i), links...)
	}
	return w
}

// seedURL is in every made-up web.
const seedURL = "https://h0.test/other0"

// world is an archive, a web, and workers that visit enlisted pages.
type world struct {
	t       testing.TB
	store   *sqlite.Store
	web     web
	crew    Assessors
	refuses map[string]bool

	mu     sync.Mutex
	now    time.Time
	queue  []string       // guarded by mu
	visits map[string]int // guarded by mu
	deaf   map[string]bool

	cloaks    func(u string) bool // nil: no site does
	cloakedAs float64             // relevance of the page for readers there
}

func newWorld(t testing.TB, w web) *world {
	t.Helper()
	store := sqlitetest.Open(t)
	return &world{t: t, store: store, web: w, crew: Assessors{Store: store}, refuses: map[string]bool{}, visits: map[string]int{}, deaf: map[string]bool{},
		now: time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)}
}

func (w *world) clock() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.now
}

func (w *world) later(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now = w.now.Add(d)
}

// steerer steers with a clock that the test moves.
func (w *world) steerer(store Store) *Steerer {
	return &Steerer{Store: store, Compiler: compiler(w.t), Ahead: 8, AheadPerHost: 4, Clock: w.clock, Log: slog.New(slog.DiscardHandler),
		Visit: func(ctx context.Context, jobs []plat.Job) ([]string, error) { return w.enlist(ctx, store, jobs) }}
}

// enlist does the same as Crew.Ask.
func (w *world) enlist(ctx context.Context, store Store, jobs []plat.Job) (refused []string, err error) {
	var wanted []plat.Job
	for _, j := range jobs {
		if w.refuses[j.URL] {
			refused = append(refused, j.URL)
			continue
		}
		j.Due = w.clock()
		wanted = append(wanted, j)
	}
	enlist := w.store.Enlist
	if m, ok := store.(*mortal); ok {
		enlist = m.Enlist
	}
	_, err = enlist(ctx, wanted, storage.Again)
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, j := range wanted {
		w.queue = append(w.queue, j.URL) // workers find enlisted jobs even if the process dies
	}
	return refused, err
}

// work visits at most n pages of the queue, in random order.
func (w *world) work(ctx context.Context, r *rand.Rand, n int) {
	w.t.Helper()
	for range n {
		w.mu.Lock()
		if len(w.queue) == 0 {
			w.mu.Unlock()
			return
		}
		i := r.IntN(len(w.queue))
		u := w.queue[i]
		w.queue = slices.Delete(w.queue, i, i+1)
		w.mu.Unlock()
		if err := w.visit(ctx, u); err != nil && ctx.Err() == nil {
			w.t.Errorf("visit of %.100s: %.300v", u, err.Error())
		}
	}
}

// visit does a worker's visit: it stores the result for the crawl, and then records the visit.
func (w *world) visit(ctx context.Context, u string) error {
	st, err := w.store.State(ctx, u)
	if errors.Is(err, plat.ErrNotFound) {
		return nil
	}
	if err != nil || !st.Settled.Before(st.Due) {
		return err
	}
	w.later(time.Millisecond)
	v := plat.Visit{URL: u, Time: w.clock(), Outcome: plat.OutcomeOffTopic, Status: 200, Settles: st.Due}
	p := w.web[u]
	if p == nil {
		v.Outcome, v.Status, v.Error = plat.OutcomeGone, 404, "not found"
	}
	for id := range st.Focuses() {
		a := &plat.CrawlPage{Crawl: id, URL: u, Visited: v.Time, Outcome: v.Outcome}
		if p != nil {
			res, keep, err := w.crew.Assess(ctx, id, p)
			if errors.Is(err, plat.ErrNotFound) {
				continue
			}
			if err != nil {
				return err
			}
			if a.Relevance, a.Title, a.Reading = res.Relevance, "The page "+u[:min(len(u), 100)], p.Encode(); keep {
				a.Outcome, a.Version = plat.OutcomeNew, 1
			}
			if w.cloaks != nil && w.cloaks(u) {
				shown := &focus.Page{URL: u, Words: []focus.Term{focus.TermOf("casino")}}
				a.Outcome, a.Version, a.Relevance, a.Reading = plat.OutcomeCloaked, 0, w.cloakedAs, shown.Encode()
			}
		}
		if w.deaf[u] {
			continue
		}
		if err := w.crew.Answer(ctx, a); err != nil && !errors.Is(err, plat.ErrNotFound) {
			return err
		}
	}
	w.mu.Lock()
	w.visits[u]++
	w.mu.Unlock()
	return w.store.Record(ctx, v, 1000)
}

// begin stores a crawl.
func (w *world) begin(change func(c *plat.Crawl)) *plat.Crawl {
	w.t.Helper()
	c := &plat.Crawl{ID: plat.NewID(), Topic: birds, Seeds: []string{seedURL}, State: plat.CrawlRuns, Made: w.clock()}
	if change != nil {
		change(c)
	}
	if err := w.store.PutCrawl(w.t.Context(), c); err != nil {
		w.t.Fatal(err)
	}
	return c
}

func (w *world) crawl(id string) *plat.Crawl {
	w.t.Helper()
	c, err := w.store.Crawl(w.t.Context(), id)
	if err != nil {
		w.t.Fatal(err)
	}
	return c
}

// edit changes a crawl as a user does.
func (w *world) edit(id string, change func(c *plat.Crawl)) {
	w.t.Helper()
	c := w.crawl(id)
	change(c)
	if err := w.store.PutCrawl(w.t.Context(), c); err != nil {
		w.t.Fatal(err)
	}
}

// pages returns the pages that a crawl has requested. It fails if N has gaps or a URL is there
// twice.
func (w *world) pages(id string) (all []*plat.CrawlPage) {
	w.t.Helper()
	seen := map[string]bool{}
	for p, err := range w.store.Asked(w.t.Context(), id, 0, true) {
		if err != nil {
			w.t.Fatal(err)
		}
		if all = append(all, p); p.N != len(all) || seen[p.URL] {
			w.t.Errorf("page %d is %d %s, asked for before: %t", len(all), p.N, p.URL, seen[p.URL])
		}
		seen[p.URL] = true
	}
	return all
}

// tally counts the pages of a crawl that were there, that belong, that were not there, and that
// are not answered.
func tally(c *plat.Crawl, pages []*plat.CrawlPage) (there, belong, missing, open int) {
	return tallyBy(VerdictsOf(c, nil), pages)
}

func tallyBy(v *Verdicts, pages []*plat.CrawlPage) (there, belong, missing, open int) {
	for _, p := range pages {
		switch {
		case p.Visited.IsZero():
			open++
		case len(p.Reading) == 0:
			missing++
		default:
			there++
		}
		if x := v.Of(p); x.Belongs && x.Counts {
			belong++
		}
	}
	return there, belong, missing, open
}

// follow steers a crawl step by step until it is done.
func (w *world) follow(s *Steerer, id string, r *rand.Rand) *course {
	w.t.Helper()
	c, err := s.open(w.t.Context(), w.crawl(id))
	if err != nil {
		w.t.Fatal(err)
	}
	w.goOn(c, r)
	return c
}

func (w *world) goOn(c *course, r *rand.Rand) {
	w.t.Helper()
	for range 20_000 {
		if _, err := c.step(w.t.Context()); err != nil {
			w.t.Fatal(err)
		}
		if c.crawl.State != plat.CrawlRuns {
			return
		}
		w.later(time.Second)
		w.work(w.t.Context(), r, 1+r.IntN(4))
	}
	w.t.Fatalf("the crawl does not end: %d asked for, %d under way, %+v", c.n, len(c.flying), c.focus.Counts())
}

// agree fails if a crawl's counts differ from the stored pages.
func (w *world) agree(c *course) {
	w.t.Helper()
	there, belong, missing, open := tallyBy(VerdictsOf(c.crawl, &Report{Judged: c.judged}), w.pages(c.crawl.ID))
	if n := c.focus.Counts(); n.Pages != there || n.Belong != belong || n.Missing != missing || n.Asked != there+missing+open || open != len(c.flying) || c.misses != missing {
		w.t.Errorf("the crawl counts %+v, %d misses, %d under way; stored are %d pages, %d on topic, %d missing, %d not answered", n, c.misses, len(c.flying), there, belong, missing, open)
	}
}
