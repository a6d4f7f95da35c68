// Package cloaking finds pages that show crawlers a different text than readers. It requests a
// page with the User-Agent of each, without a browser and with otherwise equal headers, and
// compares how the two texts fit a topic. Pages also differ between any two requests, so a
// difference counts only if it occurs twice (Wu, Davison: Cloaking and redirection, AIRWeb 2005,
// section 3.1, compares two copies for each name too).
package cloaking

import (
	"context"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"plat/focus"
	"plat/plat"
	"plat/queue/links"
	"plat/segment/htmlsnapshot"
	"plat/segment/label"
)

// Options configures a checker.
type Options struct {
	Crawler  func() string // User-Agent under which pages are visited
	Reader   func() string // of a reader's browser
	Language string        // Accept-Language; may be empty
}

// Checker requests pages. It is safe for concurrent use.
type Checker struct {
	client *http.Client
	o      Options
	label  *label.Describer

	mu    sync.Mutex
	known map[place]*record // guarded by mu
}

// place is a host in a crawl: crawls have different topics, so each checks the host separately.
type place struct{ crawl, host string }

// record is the state of a place.
type record struct {
	told  bool // by a check
	found bool // crawlers get a different text there
	tries int  // checks so far, up to the first conclusive one
	pages int  // that belong, and were not checked, since then
}

const (
	every    = 50      // of a place's pages that belong, after the first check, one is checked
	maxTries = 3       // first pages to check, if no check is conclusive
	maxKnown = 10_000  // places that are kept
	maxBody  = 4 << 20 // bytes of a page that are read
	timeout  = 30 * time.Second
)

// New returns a checker that uses client, which must not follow redirects.
func New(client *http.Client, d *label.Describer, o Options) *Checker {
	return &Checker{client: client, o: o, label: d, known: map[place]*record{}}
}

// look is a page as one of the two sees it, with its assessment.
type look struct {
	page *focus.Page
	as   focus.Result
}

// Check returns the page at a URL as readers see it, without its links, and its result for a
// crawl's topic; nil if no difference between crawlers and readers is known. There is a difference
// if the readers' page does not belong to the topic, or belongs but has mostly different words.
// Only pages that belong to the topic as crawlers see them are compared, and only without
// redirects. Of each host, up to three first pages are checked until one is conclusive, then one
// page in 50, and after a difference every page; visits with a reader's User-Agent are never
// checked.
//
// judge assesses a page; pause waits until the host may be requested again. Check returns their
// errors.
func (c *Checker) Check(ctx context.Context, crawl, at string, judge func(*focus.Page) (focus.Result, error), pause func() error) (*focus.Page, focus.Result, error) {
	crawler, reader := c.o.Crawler(), c.o.Reader()
	where := place{crawl, plat.HostOf(at)}
	if crawler == "" || reader == "" || crawler == reader || !c.due(where) {
		return nil, focus.Result{}, nil
	}
	var crawlers, readers [2]look
	for i := range 2 {
		var err error
		crawlers[i], err = c.see(ctx, at, crawler, judge, pause)
		if err != nil || !crawlers[i].as.Belongs {
			return nil, focus.Result{}, err
		}
		readers[i], err = c.see(ctx, at, reader, judge, pause)
		if err != nil || readers[i].page == nil {
			return nil, focus.Result{}, err
		}
		if readers[i].as.Belongs && !otherWords(crawlers[i].page, readers[i].page) {
			c.tell(where, false)
			return nil, focus.Result{}, nil
		}
	}
	if (readers[0].as.Belongs || readers[1].as.Belongs) && (otherWords(crawlers[0].page, crawlers[1].page) || otherWords(readers[0].page, readers[1].page)) {
		return nil, focus.Result{}, nil // it differs at each request, whatever the User-Agent
	}
	c.tell(where, true)
	return readers[1].page, readers[1].as, nil
}

// see requests a page with a User-Agent, and assesses it. The page is nil if it cannot be read.
func (c *Checker) see(ctx context.Context, at, name string, judge func(*focus.Page) (focus.Result, error), pause func() error) (l look, err error) {
	if err := pause(); err != nil {
		return l, err
	}
	if l.page = c.get(ctx, at, name); l.page == nil {
		return l, ctx.Err()
	}
	l.as, err = judge(l.page)
	return l, err
}

// get requests a page with a User-Agent; nil: it cannot be read.
func (c *Checker) get(ctx context.Context, at, name string) *focus.Page {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, at, nil)
	if err != nil {
		return nil
	}
	for k, v := range map[string]string{
		"User-Agent": name, "Accept-Language": c.o.Language, "Accept": "text/html,application/xhtml+xml,*/*;q=0.8", "Upgrade-Insecure-Requests": "1",
		"Sec-Fetch-Dest": "document", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Site": "none", "Sec-Fetch-User": "?1",
	} {
		if v != "" {
			req.Header.Set(k, v)
		}
	}
	resp, err := c.client.Do(req)
	if err != nil {
		return nil
	}
	defer resp.Body.Close()
	kind := resp.Header.Get("Content-Type")
	if resp.StatusCode != http.StatusOK || kind != "" && !strings.Contains(kind, "html") {
		return nil
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxBody))
	if err != nil {
		return nil
	}
	snap, err := htmlsnapshot.Read(at, kind, body)
	if err != nil {
		return nil
	}
	p := focus.Read(&links.Page{Snapshot: snap}, nil, c.label)
	p.URL = at
	return p
}

// due reports whether to check a page of a place.
func (c *Checker) due(where place) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	r := c.known[where]
	if r == nil {
		if len(c.known) >= maxKnown {
			clear(c.known)
		}
		r = &record{}
		c.known[where] = r
	}
	switch {
	case r.found:
		return true
	case !r.told && r.tries < maxTries:
		r.tries++
		return true
	}
	r.pages++
	return r.pages%every == 0
}

// tell records a conclusive check.
func (c *Checker) tell(where place, found bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if r := c.known[where]; r != nil { // or there were too many
		r.told, r.found = true, r.found || found
	}
}

// Pages with fewer words are not compared, and of pages with the same text one has at least this
// share of the other's words: a page shown only in part, as behind a paywall, does not count as a
// different text.
const (
	leastWords  = 20
	leastCommon = 1. / 3
)

// otherWords reports whether most words of each of two pages are not on the other one.
func otherWords(a, b *focus.Page) bool {
	few, many := wordsOf(a), wordsOf(b)
	if len(few) > len(many) {
		few, many = many, few
	}
	if len(few) < leastWords {
		return false
	}
	common := 0
	for t := range few {
		if many[t] {
			common++
		}
	}
	return float64(common) < leastCommon*float64(len(few))
}

// wordsOf returns the words of a page outside its menus.
func wordsOf(p *focus.Page) map[focus.Term]bool {
	out := make(map[focus.Term]bool, len(p.Words)/2)
	at := int32(0)
	add := func(words []focus.Term) {
		for _, t := range words {
			out[t] = true
		}
	}
	for _, m := range p.Menus {
		add(p.Words[at:m.First])
		at = m.End
	}
	add(p.Words[at:])
	return out
}
