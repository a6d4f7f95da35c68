package main

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"net/url"
	"runtime"
	"strings"
	"sync"

	"plat"
	"plat/focus"
	"plat/label"
	"plat/scripts/focus/corpus"
)

type options struct {
	orders  []string
	seeds   string
	sets    int
	pages   int
	perHost int
	direct  bool
	each    bool
	chart   string
}

// bench has what the crawls share.
type bench struct {
	corpus    *corpus.Corpus
	o         options
	topics    []int // in corpus.Topics
	kinds     []string
	describer *label.Describer
	pages     pages

	mu      sync.Mutex
	results map[key][]curve // by set of seeds
}

// key names the crawls of an order that differ in their seeds alone.
type key struct {
	order string
	kind  string // of seeds
	topic int
}

func newBench(c *corpus.Corpus, o options) (*bench, error) {
	d, err := label.New(label.Options{})
	if err != nil {
		return nil, err
	}
	b := &bench{corpus: c, o: o, describer: d, results: map[key][]curve{}}
	for _, kind := range strings.Split(o.seeds, ",") {
		if kind == "near" || len(c.Far) > 0 {
			b.kinds = append(b.kinds, kind)
		}
	}
	return b, b.pages.open(c, d, o.direct)
}

func (b *bench) close() { b.pages.close() }

// crawlAll makes all crawls, as many at once as there are processors.
func (b *bench) crawlAll() error {
	type job struct {
		key
		set   int
		seeds []string
	}
	var jobs []job
	for _, t := range b.topics {
		for _, kind := range b.kinds {
			sets := b.seeds(t, kind)
			for _, order := range b.o.orders {
				k := key{order, kind, t}
				b.results[k] = make([]curve, len(sets))
				for i, s := range sets {
					jobs = append(jobs, job{k, i, s})
				}
			}
		}
	}
	next := make(chan job)
	var all sync.WaitGroup
	var first error
	for range runtime.NumCPU() {
		all.Go(func() {
			for j := range next {
				c, err := b.crawl(j.topic, j.order, j.seeds)
				b.mu.Lock()
				b.results[j.key][j.set] = c
				if first == nil {
					first = err
				}
				b.mu.Unlock()
			}
		})
	}
	for _, j := range jobs {
		next <- j
	}
	close(next)
	all.Wait()
	return first
}

// topic compiles a topic from its text.
func (b *bench) topic(i int) (*focus.Topic, error) {
	text := b.corpus.Topics[i].Text
	var stems []string
	b.describer.Terms("en", []string{text}).Each(text, func(s string) bool { stems = append(stems, s); return true })
	return focus.NewTopic([]focus.Text{{Stems: stems, Weight: 1}}, nil)
}

// crawl makes one crawl.
func (b *bench) crawl(topic int, order string, seeds []string) (curve, error) {
	t, err := b.topic(topic)
	if err != nil {
		return curve{}, err
	}
	name, without, _ := strings.Cut(order, "-")
	o := focus.Options{Order: name, PerHost: b.o.perHost, Patience: -1}
	if without != "" {
		o.Without = strings.Split(without, "-")
	}
	c, err := focus.New(t, o)
	if err != nil {
		return curve{}, err
	}
	c.Seed(seeds...)
	var out curve
	for len(out.steps) < b.o.pages {
		a, ok := c.Next(nil)
		if !ok {
			break
		}
		id, page, err := b.pages.get(a.URL)
		if err != nil {
			return out, fmt.Errorf("%s: %w", a.URL, err)
		}
		if page == nil {
			out.missing++
			c.Miss(a.URL)
			continue
		}
		if out.seen(id) {
			c.Miss(a.URL) // another address of a page that was counted
			continue
		}
		c.Add(a.URL, page)
		out.add(id, b.corpus.Pages[id].Grade(b.corpus.Topics[topic].ID))
	}
	return out, nil
}

// seeds returns sets of seeds for a topic: those of the corpus, and others drawn by the same
// rule with a generator whose seed is the topic's name. Near seeds are three relevant
// pages; far seeds are home pages of hosts that neither are relevant nor link to a page that is.
func (b *bench) seeds(topic int, kind string) [][]string {
	t := &b.corpus.Topics[topic]
	h := fnv.New64a()
	h.Write([]byte(t.ID))
	rng := rand.New(rand.NewPCG(7, h.Sum64()))
	links := func(id int32) []int32 {
		_, p, err := b.pages.get(b.corpus.Pages[id].URL)
		if err != nil || p == nil {
			return nil
		}
		var to []int32
		for i := range p.Links {
			if id := b.corpus.Find(p.Links[i].URL); id >= 0 {
				to = append(to, id)
			}
		}
		return to
	}
	reach := func(from []int32) map[int32]bool {
		seen := map[int32]bool{}
		for len(from) > 0 {
			id := from[len(from)-1]
			from = from[:len(from)-1]
			if !seen[id] {
				seen[id] = true
				from = append(from, links(id)...)
			}
		}
		return seen
	}
	ids := func(urls []string) (out []int32) {
		for _, u := range urls {
			out = append(out, b.corpus.Find(u))
		}
		return out
	}
	var sets [][]string
	var from []int32
	if kind == "near" {
		if len(t.Near) > 0 {
			sets = append(sets, t.Near)
		}
		var all map[int32]bool
		if len(b.corpus.Far) > 0 {
			all = reach(ids(b.corpus.Far))
		}
		for i := range b.corpus.Pages {
			id := int32(i)
			if b.corpus.Pages[i].Grade(t.ID) >= corpus.Relevant && (all == nil || all[id]) && len(links(id)) > 2 {
				from = append(from, id)
			}
		}
	} else {
		sets = append(sets, b.corpus.Far)
		for i := range b.corpus.Pages {
			id := int32(i)
			if u, err := url.Parse(b.corpus.Pages[i].URL); err != nil || len(u.Path) > 1 || b.corpus.Pages[i].Grade(t.ID) != corpus.Irrelevant {
				continue
			}
			to := links(id)
			bad := len(to) < 5
			for _, l := range to {
				bad = bad || b.corpus.Pages[l].Grade(t.ID) != corpus.Irrelevant
			}
			if !bad {
				from = append(from, id)
			}
		}
	}
	for tries := 0; len(sets) < b.o.sets && tries < 100 && len(from) >= 3; tries++ {
		var set []string
		var chosen []int32
		for range 3 {
			id := from[rng.IntN(len(from))]
			chosen = append(chosen, id)
			set = append(set, canonical(b.corpus.Pages[id].URL))
		}
		if kind == "far" {
			n := 0
			for id := range reach(chosen) {
				if b.corpus.Pages[id].Grade(t.ID) >= corpus.Relevant {
					n++
				}
			}
			if float64(n) < .9*float64(t.FarReach) {
				continue
			}
		}
		sets = append(sets, set)
	}
	return sets
}

func canonical(u string) string {
	if c, err := plat.Canonical(u, nil); err == nil {
		return c
	}
	return u
}
