package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"plat/plat"
	"plat/watch"
)

// methods are those of package watch, as tables call them.
var methods = []struct {
	name string
	watch.Method
}{
	{"full", watch.Full},
	{"no vote", watch.NoVote},
	{"LCS, improved", watch.Improved},
	{"LCS, plain", watch.Plain},
}

// prediction is the report between two versions of the record, in the form of the evaluator.
type prediction struct {
	Page  string          `json:"page"`
	From  int             `json:"from"`
	To    int             `json:"to"`
	Items []predictedItem `json:"items"`
}

type predictedItem struct {
	URL   *string `json:"url"`
	Title string  `json:"title"`
}

// watcher examines the versions of one page as a subscription does: its memory is written
// after each version, and read before the next one.
type watcher struct {
	method watch.Method
	memory []byte
}

func (w *watcher) look(p *watch.Page) (*watch.Result, error) {
	var m watch.Memory
	if err := m.UnmarshalBinary(w.memory); err != nil {
		return nil, err
	}
	r, err := m.Look(p, watch.Options{Method: w.method})
	if err != nil {
		return nil, err
	}
	w.memory, err = m.MarshalBinary()
	return r, err
}

// speed is the cost of examinations by the method of subscriptions.
type speed struct {
	Looks         int     `json:"looks"`
	LooksASecond  float64 `json:"looks_a_second"`
	MedianMS      float64 `json:"median_ms"`
	WorstMS       float64 `json:"worst_ms"`
	WorstPage     string  `json:"worst_page"`
	MemoryMedian  int     `json:"memory_median_bytes"`
	MemoryWorst   int     `json:"memory_worst_bytes"`
	MemoryLargest string  `json:"memory_worst_page"`
}

// looks collects the costs of examinations.
type looks struct {
	took   []time.Duration
	memory []int
	speed
}

func (l *looks) add(page string, took time.Duration) {
	if ms := took.Seconds() * 1e3; ms > l.WorstMS {
		l.WorstMS, l.WorstPage = ms, page
	}
	l.took = append(l.took, took)
}

func (l *looks) remembers(page string, bytes int) {
	if bytes > l.MemoryWorst {
		l.MemoryWorst, l.MemoryLargest = bytes, page
	}
	l.memory = append(l.memory, bytes)
}

func (l *looks) sum() speed {
	var all time.Duration
	for _, d := range l.took {
		all += d
	}
	s := l.speed
	s.Looks = len(l.took)
	s.MedianMS, s.MemoryMedian = median(l.took).Seconds()*1e3, median(l.memory)
	if all > 0 {
		s.LooksASecond = float64(s.Looks) / all.Seconds()
	}
	return s
}

// median returns the median of unsorted values; 0 without values.
func median[T int | time.Duration | float64](all []T) T {
	if len(all) == 0 {
		return 0
	}
	s := slices.Sorted(slices.Values(all))
	return s[len(s)/2]
}

// predict examines all pages of a set by every method, and writes a file of predictions for
// each. It returns the files, and the cost of the first method.
func (o *options) predict(ctx context.Context, set string, a *archive) (files []string, cost speed, err error) {
	outs := make([]*json.Encoder, len(methods))
	for i, m := range methods {
		name := filepath.Join(o.archives, fmt.Sprintf("%s-method-%d.jsonl", set, m.Method))
		f, err := os.Create(name)
		if err != nil {
			return nil, speed{}, err
		}
		defer f.Close()
		w := bufio.NewWriter(f)
		defer func() {
			if e := w.Flush(); err == nil {
				err = e
			}
		}()
		files, outs[i] = append(files, name), json.NewEncoder(w)
	}
	var all looks
	missing := 0
	for i := range a.pages {
		p := &a.pages[i]
		watchers := make([]watcher, len(methods))
		before := ""
		there, err := a.versions(ctx, p, func(v *plat.Version, l *plat.Layout, n int) error {
			old := before
			before = watch.Text(v.Blocks)
			for i := range watchers {
				watchers[i].method = methods[i].Method
				start := time.Now()
				r, err := watchers[i].look(&watch.Page{
					URL: v.URL, Layout: l, Blocks: v.Blocks, Before: func() (string, error) { return old, nil },
				})
				if err != nil {
					return err
				}
				if i == 0 {
					all.add(p.ID, time.Since(start))
				}
				if items := newItems(r); len(items) > 0 && n >= 2 {
					if err := outs[i].Encode(prediction{p.ID, n - 1, n, items}); err != nil {
						return err
					}
				}
			}
			return nil
		})
		if err != nil {
			return nil, speed{}, err
		}
		if !there {
			missing++
			fmt.Fprintf(os.Stderr, "%s: %s is not in the archive; its new items count as missed\n", set, p.ID)
			continue
		}
		all.remembers(p.ID, len(watchers[0].memory))
	}
	if missing == len(a.pages) {
		return nil, speed{}, fmt.Errorf("the archive in %s has none of the pages; name another folder with -archives", o.archives)
	}
	return files, all.sum(), nil
}

func newItems(r *watch.Result) []predictedItem {
	var out []predictedItem
	for i := range r.Items {
		it := &r.Items[i]
		if it.Kind != plat.ItemNew {
			continue
		}
		p := predictedItem{Title: it.Title}
		if it.URL != "" {
			p.URL = &it.URL
		}
		out = append(out, p)
	}
	return out
}
