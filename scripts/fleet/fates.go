package main

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// fate is the change of a page of a chaos run between its two visits.
type fate int

const (
	once    fate = iota // it is visited once
	edited              // its author changes it
	counted             // it counts its views, a self-change
	both
)

// fateOf spreads the fates over all hosts, so that all workers have second looks at once: a
// seventh of the pages is visited twice.
func fateOf(host, page int) fate {
	if (page+host)%7 != 3 {
		return once
	}
	return edited + fate((page+host)/7%3)
}

func (f fate) edits() bool  { return f == edited || f == both }
func (f fate) counts() bool { return f == counted || f == both }

// visits returns the expected number of visits of the page.
func (f fate) visits() int {
	if f == once {
		return 1
	}
	return 2
}

// versions returns the number of versions that the page must have, each of them news: a counter
// alone is not.
func (f fate) versions() int {
	if f.edits() {
		return 2
	}
	return 1
}

// looks returns the number of second looks of the second visit: two if something is news.
func (f fate) looks() int {
	switch {
	case f.edits():
		return 2
	case f.counts():
		return 1
	}
	return 0
}

// check returns the error in an archived page; empty if it is right.
func (f fate) check(is *page) string {
	slices.Sort(is.versions)
	for i, n := range is.versions {
		if n != i+1 {
			return fmt.Sprintf("has versions %v", is.versions)
		}
	}
	if len(is.settles) != f.visits() || len(is.versions) != f.versions() || is.news != f.versions() {
		return fmt.Sprintf("has %d settled visits, %d versions and %d times news, want %d, %d and %d (%v)",
			len(is.settles), len(is.versions), is.news, f.visits(), f.versions(), f.versions(), f)
	}
	return ""
}

func (f fate) String() string {
	return [...]string{"visited once", "edited", "counts its views", "edited, and counts its views"}[f]
}

// lookCounts counts the second looks of a run, and the deaths beside them.
type lookCounts struct {
	looks int // of visits that were finished, as the workers log them

	// Second visits that were interrupted and repeated, by the site's requests: after the request
	// of their first look, of their second, or of their third.
	cut [3]int
}

// cuts counts, from the requests since a moment, the second visits that were cut short. A
// visit that follows such a one begins no sooner than its lease ends, or than it is retried
// after a browser has died.
func (s *site) cuts(since time.Time, lease time.Duration) (all [3]int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	type which struct{ host, page int }
	seen := map[which][]request{}
	for _, r := range s.log {
		if r.look && !r.begin.Before(since) {
			seen[which{r.host, r.page}] = append(seen[which{r.host, r.page}], r)
		}
	}
	for w, list := range seen {
		extra := len(list) - 1 - fateOf(w.host, w.page).looks()
		slices.SortFunc(list, func(x, y request) int { return x.begin.Compare(y.begin) })
		for i, n := 0, 0; i < len(list)-1 && extra > 0; i++ {
			n++
			if last := n == extra; last || list[i+1].begin.Sub(list[i].end) > 3*lease/4 {
				all[min(n, len(all))-1]++
				extra, n = extra-n, 0
			}
		}
	}
	return all
}

var lookedMore = regexp.MustCompile(`more_looks=(\d+)`)

// looked adds up the second looks in a log.
func looked(log string) (looks int, err error) {
	text, err := os.ReadFile(log)
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(text)) {
		if m := lookedMore.FindStringSubmatch(line); m != nil && !strings.Contains(line, "visit failed") {
			n, _ := strconv.Atoi(m[1])
			looks += n
		}
	}
	return looks, nil
}
