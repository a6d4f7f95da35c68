package crawler

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"time"

	"plat/focus"
	"plat/focus/topic"
	"plat/plat"
	"plat/storage"
)

// Status is a crawl for display.
type Status struct {
	ID       string          `json:"id"`
	Name     string          `json:"name"`
	State    plat.CrawlState `json:"state"`
	Reason   string          `json:"reason,omitempty"`
	Topic    string          `json:"topic"` // the topic, in words
	Order    string          `json:"order"`
	Pages    int             `json:"pages"`    // most; 0: no limit
	PerHost  int             `json:"per_host"` // most of one host; 0: no limit
	Least    float64         `json:"least"`
	Keep     bool            `json:"keep"`
	Near     string          `json:"near,omitempty"` // as stored; no effect, see [plat.Crawl]
	Scope    string          `json:"scope"`
	Made     time.Time       `json:"made"`
	Seeds    []string        `json:"seeds"`
	Labels   int             `json:"labels"`             // how many
	Unheeded bool            `json:"unheeded,omitempty"` // there are labels newer than the report
	Unknown  []string        `json:"unknown,omitempty"`  // labelled URLs that the crawl has not requested: see Unknown
	Report   *Report         `json:"report,omitempty"`   // without the data for workers

	verdicts *Verdicts
}

// Verdicts returns the verdicts on the crawl's pages.
func (s *Status) Verdicts() *Verdicts { return s.verdicts }

// StatusOf returns the status of a crawl, with the archive's data of pending pages.
func StatusOf(ctx context.Context, store Store, c *plat.Crawl) (*Status, error) {
	r, err := ReadReport(ctx, store, c.ID)
	if err != nil {
		return nil, err
	}
	st := &Status{ID: c.ID, Name: c.Name, State: c.State, Reason: c.Reason, Topic: topicOf(c), Order: cmp.Or(c.Order, focus.Orders()[0]), Pages: c.Pages, PerHost: c.PerHost,
		Least: cmp.Or(c.Least, focus.DefaultLeast), Keep: c.Keep, Near: c.Near, Scope: cmp.Or(c.Scope, "any"), Made: c.Made, Seeds: some(c.Seeds), Labels: len(c.Labels), Report: r, verdicts: VerdictsOf(c, r)}
	if r == nil {
		return st, nil
	}
	st.Unheeded = r.Heeds != heeds(c.Labels)
	r.Assessor, r.Judged, r.Heeds = nil, nil, ""
	r.Terms, r.Curve, r.Sites, r.Waiting = some(r.Terms), some(r.Curve), some(r.Sites), some(r.Waiting)
	return st, tried(ctx, store, r.Oldest)
}

// topicOf describes the topic of a crawl: the name of its topic, or the user's words.
func topicOf(c *plat.Crawl) string {
	tree, err := topic.Parse(strings.NewReader(c.Topic))
	if err != nil || len(tree.Roots) == 0 {
		return ""
	}
	t := tree.Roots[0]
	if len(t.Names) == 0 && t.Description != "" {
		return t.Description
	}
	return t.Name()
}

// tried completes pending pages: with the result of the last attempt to visit them since the
// request.
func tried(ctx context.Context, store Store, pages []Pending) error {
	for i := range pages {
		p := &pages[i]
		st, err := store.State(ctx, p.URL)
		if errors.Is(err, plat.ErrNotFound) {
			continue
		}
		if err != nil {
			return err
		}
		if !st.Last.IsZero() && !st.Last.Before(p.Asked) {
			p.Tried, p.Outcome, p.Next = st.Last, st.Outcome, st.NotBefore
		}
	}
	return nil
}

// some returns a list that JSON shows as [] if it is empty.
func some[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// Page is a page of a crawl for display.
type Page struct {
	N         int          `json:"n"`
	URL       string       `json:"url"`
	Title     string       `json:"title,omitempty"`
	Relevance float64      `json:"relevance"`
	Belongs   bool         `json:"belongs"`
	Same      bool         `json:"same,omitempty"`  // it is an alias of a visited page, and not counted
	Label     string       `json:"label,omitempty"` // a user's label: yes or no
	Expected  float64      `json:"expected"`
	From      string       `json:"from,omitempty"`
	Outcome   plat.Outcome `json:"outcome,omitempty"`
	Version   int          `json:"version"`          // 0: no version is stored
	Visited   time.Time    `json:"visited,omitzero"` // zero: not yet
}

// PageLabel is a user's label of a page.
type PageLabel struct {
	URL     string `json:"url"`
	Belongs string `json:"belongs"` // yes, no, or "none" to remove the label
}

// Unknown returns the labelled URLs that a crawl has not requested.
func Unknown(ctx context.Context, store storage.CrawlPages, crawl string, all []PageLabel) (unknown []string, err error) {
	for _, s := range all {
		if s.Belongs == "none" {
			continue
		}
		_, err := store.AskedFor(ctx, crawl, s.URL)
		switch {
		case errors.Is(err, plat.ErrNotFound):
			unknown = append(unknown, s.URL)
		case err != nil:
			return unknown, err
		}
	}
	return unknown, nil
}

// Label stores users' labels in a crawl; of several for one URL the last counts.
func Label(c *plat.Crawl, now time.Time, all ...PageLabel) {
	last := make(map[string]int, len(all))
	for i := range all {
		last[all[i].URL] = i
	}
	kept := c.Labels[:0:0]
	for _, l := range c.Labels {
		if _, said := last[l.URL]; !said {
			kept = append(kept, l)
		}
	}
	for i, s := range all {
		if s.Belongs != "none" && last[s.URL] == i {
			kept = append(kept, plat.CrawlLabel{URL: s.URL, Belongs: s.Belongs == "yes", Time: now.UTC()})
		}
	}
	c.Labels = kept
}
