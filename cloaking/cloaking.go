// Package cloaking finds pages that show crawlers other text than readers. It asks for a page
// under the names of both, without a browser and with the same headers otherwise, and compares
// what of the two belongs to a topic. Pages also differ from one request to the next by
// themselves, so a difference counts only if it comes twice (Wu, Davison: Cloaking and
// redirection, AIRWeb 2005, section 3.1, compares two copies for each name too).
package cloaking

import (
	"context"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"plat"
	"plat/focus"
	"plat/label"
	"plat/links"
	"plat/static"
)

// Options configures a checker.
type Options struct {
	Crawler  func() string // User-Agent under which pages are visited
	Reader   func() string // of a browser that somebody reads with
	Language string        // Accept-Language; may be empty
}

// Checker asks for pages. It is safe for concurrent use.
type Checker struct {
	client *http.Client
	o      Options
	label  *label.Describer

	mu    sync.Mutex
	pages map[string]int // by host, of those that belong; guarded by mu
	found map[string]bool
}

const (
	every    = 50      // of a host's pages that belong, after the first, one is checked
	maxHosts = 10_000  // that are remembered
	maxBody  = 4 << 20 // bytes of a page that are read
	timeout  = 30 * time.Second
)

// New returns a checker that asks with client, which must not follow redirects.
func New(client *http.Client, d *label.Describer, o Options) *Checker {
	return &Checker{client: client, o: o, label: d, pages: map[string]int{}, found: map[string]bool{}}
}

// Check returns the page at a URL as readers see it, without its links, and what that is to the
// topic; nil if crawlers and readers see the same, as far as is known. Only pages that belong to the topic as
// crawlers see them are compared, and none that redirect. Of each host the first page is
// checked, then one of 50, and all once something was found; none if visits have a reader's name.
//
// judge says what a page is to the topic; pause waits until the host may be asked again. Errors
// are theirs.
func (c *Checker) Check(ctx context.Context, at string, judge func(*focus.Page) (focus.Result, error), pause func() error) (*focus.Page, focus.Result, error) {
	crawler, reader := c.o.Crawler(), c.o.Reader()
	host := plat.HostOf(at)
	if crawler == "" || reader == "" || crawler == reader || !c.due(host) {
		return nil, focus.Result{}, nil
	}
	var readers *focus.Page
	var as focus.Result
	for range 2 {
		seen, r, err := c.see(ctx, at, crawler, judge, pause)
		if err != nil || seen == nil || !r.Belongs {
			return nil, focus.Result{}, err
		}
		readers, as, err = c.see(ctx, at, reader, judge, pause)
		if err != nil || readers == nil || as.Belongs {
			return nil, focus.Result{}, err
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.found[host] = true
	return readers, as, nil
}

// see asks for a page under a name, and says what it is to the topic. The page is nil if there is
// none.
func (c *Checker) see(ctx context.Context, at, name string, judge func(*focus.Page) (focus.Result, error), pause func() error) (*focus.Page, focus.Result, error) {
	if err := pause(); err != nil {
		return nil, focus.Result{}, err
	}
	p := c.get(ctx, at, name)
	if p == nil {
		return nil, focus.Result{}, ctx.Err()
	}
	r, err := judge(p)
	return p, r, err
}

// get asks for a page under a name; nil: there is none.
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
	snap, err := static.Read(at, kind, body)
	if err != nil {
		return nil
	}
	p := focus.Read(&links.Page{Snapshot: snap}, nil, c.label)
	p.URL = at
	return p
}

// due reports whether a page of a host is to be checked.
func (c *Checker) due(host string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.pages) >= maxHosts {
		clear(c.pages)
		clear(c.found)
	}
	n := c.pages[host]
	c.pages[host]++
	return n%every == 0 || c.found[host]
}
