package main

import (
	"context"
	"fmt"
	"log"
	"runtime"
	"slices"
	"strings"
	"sync"

	"plat/focus"
	"plat/scripts/focus/corpus"
	"plat/segment/label"
)

type options struct {
	orders []string
	kinds  []string // of seeds
	caps   []int    // most pages of one host
	sets   int      // of seeds of each kind
	pages  int      // that exist, of each crawl
	direct bool
	keep   *keeper // may be nil
	each   bool
}

// bench is the shared state of the crawls.
type bench struct {
	corpus    *corpus.Corpus
	o         options
	topics    []int // in corpus.Topics
	describer *label.Describer
	pages     pages

	mu      sync.Mutex
	results map[key][]*curve // by set of seeds
}

// key names the crawls that differ in their seeds alone.
type key struct {
	order string
	kind  string // of seeds
	cap   int
	topic int
}

func newBench(c *corpus.Corpus, topics string, o options) (*bench, error) {
	d, err := label.New(label.Options{})
	if err != nil {
		return nil, err
	}
	b := &bench{corpus: c, o: o, describer: d, results: map[key][]*curve{}}
	for i := range c.Topics {
		if topics == "" || strings.Contains(","+topics+",", ","+c.Topics[i].ID+",") {
			b.topics = append(b.topics, i)
		}
	}
	if len(b.topics) == 0 {
		return nil, fmt.Errorf("no topic of %s is one of %s", c.Name, topics)
	}
	return b, b.pages.open(c, d, o)
}

func (b *bench) close() { b.pages.close() }

// job is a crawl to make.
type job struct {
	key
	set   int
	seeds seeds
}

func (b *bench) jobs() []job {
	var jobs []job
	sower := newSower(b.corpus)
	for _, t := range b.topics {
		for _, kind := range b.o.kinds {
			sets := sower.sets(&b.corpus.Topics[t], kind, b.o.sets)
			for _, order := range b.o.orders {
				for _, most := range b.o.caps {
					k := key{order, kind, most, t}
					b.results[k] = make([]*curve, len(sets))
					for i, s := range sets {
						jobs = append(jobs, job{k, i, s})
					}
				}
			}
		}
	}
	return jobs
}

// crawlAll makes all crawls, as many at once as there are processors.
func (b *bench) crawlAll(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	jobs := b.jobs()
	next := make(chan job)
	var all sync.WaitGroup
	for range runtime.NumCPU() {
		all.Go(func() {
			for j := range next {
				c, err := b.crawl(ctx, j)
				if err != nil {
					cancel(err)
					continue
				}
				b.mu.Lock()
				b.results[j.key][j.set] = c
				b.mu.Unlock()
			}
		})
	}
	for i, j := range jobs {
		if i%100 == 99 {
			log.Printf("%d of %d crawls", i+1, len(jobs))
		}
		if ctx.Err() != nil {
			break
		}
		next <- j
	}
	close(next)
	all.Wait()
	return context.Cause(ctx)
}

// keepComplete forgets the topics of which crawls are missing: an hour's work that is interrupted
// is not lost.
func (b *bench) keepComplete() {
	b.topics = slices.DeleteFunc(b.topics, func(t int) bool {
		begun := false
		for k, all := range b.results {
			if k.topic == t {
				if begun = true; slices.Contains(all, nil) {
					return true
				}
			}
		}
		return !begun
	})
}

// topic compiles a topic from its text.
func (b *bench) topic(i int) (*focus.Topic, error) {
	text := b.corpus.Topics[i].Text
	var stems []string
	b.describer.Terms("en", []string{text}).Each(text, func(s string) bool { stems = append(stems, s); return true })
	return focus.NewTopic([]focus.Text{{Stems: stems, Weight: 1}})
}

// crawl makes one crawl.
func (b *bench) crawl(ctx context.Context, j job) (*curve, error) {
	if c := b.o.keep.crawl(b.corpus.Name, j, b.o.pages); c != nil {
		return c, nil
	}
	t, err := b.topic(j.topic)
	if err != nil {
		return nil, err
	}
	o := focus.Options{PerHost: j.cap, Patience: -1}
	name, changes, _ := strings.Cut(j.order, ":")
	if o.Constants, err = constantsOf(changes); err != nil {
		return nil, err
	}
	name, without, _ := strings.Cut(name, "-")
	for part := range strings.SplitSeq(without, "-") {
		if part != "" {
			o.Constants[part] = 0
		}
	}
	o.Order = name
	c, err := focus.New(t, o)
	if err != nil {
		return nil, err
	}
	c.Seed(j.seeds.urls...)
	out := &curve{seeds: j.seeds}
	known := map[int32]bool{}
	for len(out.steps) < b.o.pages {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		a, ok := c.Next(nil)
		if !ok {
			break
		}
		id, page, err := b.pages.get(ctx, a.URL)
		switch {
		case err != nil:
			return nil, fmt.Errorf("%s: %w", a.URL, err)
		case page == nil:
			out.missing++
			c.Miss(a.URL)
		case known[id]: // an alias of a counted page
			out.repeats++
			c.Miss(a.URL)
		default:
			known[id] = true
			c.Add(a.URL, page)
			out.add(b.corpus.Pages[id].Grade(b.corpus.Topics[j.topic].ID))
		}
	}
	return out, b.o.keep.keepCrawl(b.corpus.Name, j, b.o.pages, out)
}
