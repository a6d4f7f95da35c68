package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync"

	"plat/browser/egress"
	"plat/browser/fetch"
	"plat/focus"
	"plat/plat"
	"plat/queue/links"
	"plat/scripts/focus/corpus"
	"plat/segment/htmlsnapshot"
	"plat/segment/label"
)

// pages fetches and reads each page once, without a browser, and keeps the result: the crawls of
// a run differ in the order of their requests.
type pages struct {
	corpus    *corpus.Corpus
	describer *label.Describer
	direct    bool // from memory, to try things quickly
	keep      *keeper
	server    *server
	guard     *egress.Guard
	client    *http.Client
	robots    *fetch.Client
	names     hosts

	mu   sync.Mutex
	seen map[string]*answer // by URL; guarded by mu
}

// answer is the answer of a URL.
type answer struct {
	once  sync.Once
	moved string      // where it redirects to
	id    int32       // in corpus.Pages
	page  *focus.Page // nil: no page
	err   error
}

func (p *pages) open(c *corpus.Corpus, d *label.Describer, o options) error {
	p.corpus, p.describer, p.direct, p.keep, p.seen = c, d, o.direct, o.keep, map[string]*answer{}
	if o.direct {
		return nil
	}
	var err error
	if p.server, err = serve(c); err != nil {
		return err
	}
	p.names = hostsOf(c)
	if p.guard, err = guardOf(p.names, p.server); err != nil {
		p.server.close()
		return err
	}
	p.client = p.guard.ClientTrusting(p.server.authority.pool)
	p.robots = fetch.New(p.client, fetch.Options{Agent: "plat", UserAgent: userAgent})
	return nil
}

const userAgent = "plat/bench"

func (p *pages) close() {
	if p.server == nil {
		return
	}
	p.client.CloseIdleConnections()
	p.guard.Close()
	p.server.close()
}

func hostsOf(c *corpus.Corpus) hosts {
	names := hosts{}
	for i := range c.Pages {
		if u, err := url.Parse(c.Pages[i].URL); err == nil {
			names[strings.ToLower(u.Hostname())] = true
		}
	}
	return names
}

// guardOf is a crawl's guard for which the corpus is the whole web.
func guardOf(names hosts, s *server) (*egress.Guard, error) {
	return egress.New(egress.Options{AllowPrivate: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, Resolver: names, Upstream: s.url()})
}

// hosts are the names that resolve.
type hosts map[string]bool

func (h hosts) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	if !h[host] {
		return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
	}
	return []netip.Addr{netip.AddrFrom4([4]byte{127, 0, 0, 1})}, nil
}

// maxHops is the maximum number of redirects, that of Chrome.
const maxHops = 20

// get returns the page at a URL, after redirects; nil if there is no page.
func (p *pages) get(ctx context.Context, u string) (id int32, page *focus.Page, err error) {
	for range maxHops {
		p.mu.Lock()
		a := p.seen[u]
		if a == nil {
			a = &answer{}
			p.seen[u] = a
		}
		p.mu.Unlock()
		a.once.Do(func() { p.ask(ctx, u, a) })
		if a.err != nil || a.moved == "" {
			return a.id, a.page, a.err
		}
		u = a.moved
	}
	return -1, nil, nil
}

// ask requests a URL.
func (p *pages) ask(ctx context.Context, u string, a *answer) {
	a.id = -1
	if p.direct {
		a.id = p.corpus.Find(u)
		if a.id < 0 {
			return
		}
		x := &p.corpus.Pages[a.id]
		if own := canonical(x.URL); own != u {
			a.moved = own
			return
		}
		a.page, a.err = p.keep.page(p.corpus.Name, a.id, func() (*focus.Page, error) { return p.read(x.URL, x.Type, x.Body) })
		return
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u, nil)
	if err != nil {
		return // no server would understand it
	}
	failed := new(plat.VisitError)
	switch _, err := p.robots.Obey(ctx, u); {
	case err == nil:
	case errors.As(err, &failed) && (failed.Outcome == plat.OutcomeDisallowed || !p.names[strings.ToLower(req.URL.Hostname())]):
		return
	default:
		a.err = err
		return
	}
	req.Header.Set("User-Agent", userAgent)
	r, err := p.client.Do(req)
	if err != nil {
		a.err = err
		return
	}
	defer r.Body.Close()
	body, err := io.ReadAll(io.LimitReader(r.Body, maxBody))
	switch {
	case err != nil:
		a.err = err
	case r.StatusCode >= 300 && r.StatusCode < 400:
		if to, err := r.Location(); err == nil {
			a.moved = canonical(to.String())
		}
	case r.StatusCode == http.StatusOK:
		if a.id = p.corpus.Find(u); a.id < 0 {
			a.err = fmt.Errorf("%s: answered, and is not in the corpus", u)
			return
		}
		a.page, a.err = p.read(u, r.Header.Get("Content-Type"), body)
	}
}

// maxBody is the most bytes of a page that are read.
const maxBody = 8 << 20

// read reads a page without a browser.
func (p *pages) read(at, kind string, body []byte) (*focus.Page, error) {
	s, err := htmlsnapshot.Read(canonical(at), kind, body)
	if err != nil {
		return nil, err
	}
	l := &links.Page{Snapshot: s, Frames: true}
	return focus.Read(l, l.Links(nil, maxLinks), p.describer), nil
}

// maxLinks is the most links of a page.
const maxLinks = 5_000

func canonical(u string) string {
	if c, err := plat.Canonical(u, nil); err == nil {
		return c
	}
	return u
}
