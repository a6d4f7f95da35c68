package traps

import (
	"context"
	"errors"
	"fmt"

	"plat/plat"
)

// barrenFactor lowers the priority of links whose pattern of URLs brings little.
const barrenFactor = 0.1

// Keep returns the links of a page that are to be followed, some under a different address. sorted
// maps links whose parameters are not in sorted order to their sorted form, which is to be stored
// as an alias of them. Links that are left out are found again on the next visit of the page.
func (g *Guard) Keep(ctx context.Context, jobs []plat.Job) (kept []plat.Job, sorted map[string]string, err error) {
	if g.o.Mode == Off {
		kept, err = g.limit(ctx, jobs)
		return kept, nil, err
	}
	links := make(map[string]bool, len(jobs))
	for i := range jobs {
		links[jobs[i].URL] = true
	}
	listed := map[string]bool{}
	for _, j := range jobs {
		if err := g.o.Rules.Refuse(j.URL); err != nil {
			g.refused(j.URL, err)
			continue
		}
		if g.o.Mode == On {
			s := g.site(ctx, plat.HostOf(j.URL))
			if plain := s.Plain(j.URL); plain != j.URL && !s.Check() {
				g.o.Refused("address")
				s.Replaced(j.URL, plain)
				j.URL = plain
			}
			if s.Barren(j.URL) {
				j.Priority *= barrenFactor * float32(s.Share(j.URL))
			}
		}
		if listed[j.URL] {
			continue
		}
		listed[j.URL] = true
		if form := Sorted(j.URL); form != j.URL {
			if sorted[form] != "" || links[form] {
				g.o.Refused("order")
				continue
			}
			st, err := g.read.State(ctx, form)
			if err != nil {
				return nil, nil, err
			}
			if isKnown(&st) && st.Main != j.URL {
				g.o.Refused("order")
				g.o.Known(j.URL)
				continue
			}
			if sorted == nil {
				sorted = map[string]string{}
			}
			sorted[form] = j.URL
		}
		kept = append(kept, j)
	}
	kept, err = g.limit(ctx, kept)
	return kept, sorted, err
}

func (g *Guard) refused(url string, err error) {
	rule := "other"
	if r, ok := errors.AsType[*RefusedError](err); ok {
		rule = r.Rule
	}
	g.o.Refused(rule)
	g.o.Log.Debug("a link is not followed", "url", url, "because", err)
}

// limit leaves out links to hosts that have reached their limit of URLs.
func (g *Guard) limit(ctx context.Context, jobs []plat.Job) (kept []plat.Job, err error) {
	if g.o.MaxURLs <= 0 {
		return jobs, nil
	}
	room := map[string]int{}
	for _, j := range jobs {
		host := plat.HostOf(j.URL)
		if _, ok := room[host]; !ok {
			if room[host], err = g.room(ctx, g.site(ctx, host)); err != nil {
				return nil, err
			}
		}
		if room[host] > 0 {
			st, err := g.read.State(ctx, j.URL)
			if err != nil {
				return nil, err
			}
			if isKnown(&st) {
				continue
			}
			room[host]--
			kept = append(kept, j)
			continue
		}
		g.o.Refused("max-urls")
	}
	return kept, nil
}

// Linked records the URLs to which a page links, for those of its own host.
func (g *Guard) Linked(ctx context.Context, page string, jobs []plat.Job) {
	if g.o.Mode != On || len(jobs) == 0 {
		return
	}
	host := plat.HostOf(page)
	var urls []string
	for i := range jobs {
		if plat.HostOf(jobs[i].URL) == host {
			urls = append(urls, jobs[i].URL)
		}
	}
	g.site(ctx, host).Linked(page, urls)
}

// Added records the URLs that a page's links have added, and the addresses of links that Keep
// returned as sorted.
func (g *Guard) Added(ctx context.Context, page string, added []plat.Job, sorted map[string]string) error {
	byHost := map[string][]string{}
	for i := range added {
		host := plat.HostOf(added[i].URL)
		byHost[host] = append(byHost[host], added[i].URL)
	}
	if g.o.Mode == On || g.o.MaxURLs > 0 {
		for host, urls := range byHost {
			s := g.site(ctx, host)
			s.added(len(urls))
			s.Found(page, urls)
		}
	}
	for form, url := range sorted {
		if err := g.store.SetMain(ctx, url, g.o.Now(), form); err != nil && !errors.Is(err, plat.ErrNotFound) {
			return fmt.Errorf("enlist the links: %w", err)
		}
	}
	return nil
}
