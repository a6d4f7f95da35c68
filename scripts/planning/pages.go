package main

import (
	"bytes"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"time"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"plat/fixtures/history"
	"plat/plat/weburl"
	"plat/queue/slots"
)

// A period is n snapshots; a page's history is cut into periods of training and one to test.
const (
	n        = 30
	periods  = 3
	training = periods - 1

	// often is in how many slots of each period at least new links must come.
	often = 5
)

// recorded is the history of a page: n snapshots of each period.
type recorded struct {
	Page    string
	periods []slots.Period
}

// read returns the pages of recorded sets that change often enough. The rule: the window of a
// page is its whole life, from its first version to its removal or the last snapshot of its
// site, in 90 even steps; new links come in at least 5 slots of each third. The second result is
// the number of all pages.
func read(sets []string) ([]recorded, int, error) {
	dir, ok := history.Dir()
	if !ok {
		return nil, 0, fmt.Errorf("there is no folder %s: name the folder of recorded data by PLAT_DATA", dir)
	}
	var pages []recorded
	all := 0
	for _, name := range sets {
		set, err := history.Open(filepath.Join(dir, "history", name, "dev"), "")
		if err != nil {
			return nil, 0, err
		}
		for _, p := range set.Pages {
			all++
			r, err := record(p)
			if err != nil {
				return nil, 0, fmt.Errorf("%s: %w", p.ID, err)
			}
			if changesOften(r.periods) {
				pages = append(pages, r)
			}
		}
	}
	return pages, all, nil
}

// record takes the snapshots of a page in even steps over its life.
func record(p history.Page) (recorded, error) {
	r := recorded{Page: p.ID}
	from, to := life(p)
	const steps = n * periods
	sets := map[string]slots.Snapshot{"": nil}
	for i := range steps {
		sha := p.Site.At(p.Path, from.Add(to.Sub(from)/(steps-1)*time.Duration(i)))
		set, known := sets[sha]
		if !known {
			body, err := p.Site.Read(sha)
			if err != nil {
				return r, err
			}
			set = links(body, p.Path)
			sets[sha] = set
		}
		if i%n == 0 {
			r.periods = append(r.periods, slots.Period{})
		}
		last := &r.periods[len(r.periods)-1]
		last.Slots = append(last.Slots, set)
	}
	return r, nil
}

// life returns the first and the last snapshot of the site with the page.
func life(p history.Page) (from, to time.Time) {
	for _, t := range p.Site.Times {
		if p.Site.At(p.Path, t) == "" {
			continue
		}
		if from.IsZero() {
			from = t
		}
		to = t
	}
	return from, to
}

// links returns the targets of the links of a page, absolute, without fragments.
func links(body []byte, path string) slots.Snapshot {
	base := weburl.NewBase((&url.URL{Scheme: "https", Host: "site.test", Path: path}).String())
	var items []string
	z := html.NewTokenizer(bytes.NewReader(body))
	for z.Next() != html.ErrorToken {
		t := z.Token()
		if t.Type != html.StartTagToken || t.DataAtom != atom.A {
			continue
		}
		for _, a := range t.Attr {
			if a.Key != "href" {
				continue
			}
			if to := base.Resolve(a.Val); to != "" {
				items = append(items, weburl.WithoutFragment(to))
			}
		}
	}
	return slots.NewSnapshot(items...)
}

// changesOften reports whether new links come in enough slots of each period. The first slot
// of all has nothing before it.
func changesOften(all []slots.Period) bool {
	for k, p := range all {
		count := 0
		for t, s := range p.Slots {
			var before slots.Snapshot
			switch {
			case t > 0:
				before = p.Slots[t-1]
			case k > 0:
				before = all[k-1].Slots[n-1]
			default:
				continue
			}
			if hasNews(before, s) {
				count++
			}
		}
		if count < often {
			return false
		}
	}
	return true
}

func hasNews(before, now slots.Snapshot) bool {
	for _, item := range now {
		if _, old := slices.BinarySearch(before, item); !old {
			return true
		}
	}
	return false
}

// known returns periods that each begin with the last items of the previous period.
func known(all []slots.Period) []slots.Period {
	out := slices.Clone(all)
	for k := 1; k < len(out); k++ {
		last := all[k-1].Slots[n-1]
		out[k].Before = append(slots.Snapshot{}, last...) // not nil, even if the page was empty
	}
	return out
}
