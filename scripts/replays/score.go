package main

import (
	"bytes"
	"cmp"
	"fmt"
	"image/png"
	"slices"
	"strings"
	"sync"

	"plat/fixtures/likeness"
)

// score sums up one kind of replay. Its methods may be called at once.
type score struct {
	name string

	mu       sync.Mutex
	pages    []compared
	sameText int
	failed   int
	lost     []string // pages that were not compared, and the reasons
}

type compared struct {
	url    string
	like   float64
	words  float64 // share of words that both have
	failed []string
	err    error // the replay was not shown
}

// lose counts a page that cannot be compared with any replay.
func lose(all []*score, u string, err error) {
	for _, s := range all {
		s.mu.Lock()
		s.lost = append(s.lost, u+": "+err.Error())
		s.mu.Unlock()
	}
}

// add compares a replay with the live page. err is the reason why the replay was not shown.
func (s *score) add(u string, live, is *seen, err error) {
	c := compared{url: u, err: err}
	if err == nil {
		c.like, c.err = alike(live.picture, is.picture)
		c.words, c.failed = common(live.words, is.words), is.failed
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err == nil && slices.Equal(live.words, is.words) {
		s.sameText++
	}
	s.failed += len(c.failed)
	s.pages = append(s.pages, c)
}

func alike(live, is []byte) (float64, error) {
	a, err := png.Decode(bytes.NewReader(live))
	if err != nil {
		return 0, err
	}
	b, err := png.Decode(bytes.NewReader(is))
	if err != nil {
		return 0, err
	}
	return likeness.Of(a, b), nil
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

// text returns the figures, the ten least similar pages, and every page with a difference of words or a failed request.
func (s *score) text() string {
	var b strings.Builder
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
	fmt.Fprintf(&b, "\n%s: %d pages, similarity %.4f (worst %.4f), same words %d (%.1f %%; %.4f of all), failed requests %d, %d pages not compared\n", s.name, len(s.pages), like/n, worst, s.sameText, 100*float64(s.sameText)/n, words/n, s.failed, len(s.lost))
	for i, p := range s.pages {
		if i < 10 || p.err != nil || p.words < 1 || len(p.failed) > 0 {
			fmt.Fprintf(&b, "  %.4f  words %.3f  %s  ", p.like, p.words, p.url)
			fmt.Fprint(&b, strings.Join(p.failed[:min(3, len(p.failed))], " "))
			if p.err != nil {
				fmt.Fprintf(&b, "not shown: %v", p.err)
			}
			fmt.Fprintln(&b)
		}
	}
	for _, l := range s.lost {
		fmt.Fprintf(&b, "  not compared: %s\n", l)
	}
	return b.String()
}
