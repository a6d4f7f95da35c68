package workers

import (
	"context"
	"iter"
	"net/url"
	"sync"

	"plat/plat"
	"plat/queue/recent"
	"plat/segment/boilerplate"
)

// templates remembers the blocks of pages by site, for the labels of further pages: blocks of most
// pages of a site are its template.
type templates struct {
	store lister
	mu    sync.Mutex
	sites recent.Map[string, *boilerplate.Site] // by scheme and host
}

// lister finds other pages of a site.
type lister interface {
	States(ctx context.Context, prefix, after string) iter.Seq2[plat.URLState, error]
	Last(ctx context.Context, st *plat.URLState) (*plat.Version, error)
}

const (
	rememberedSites = 500 // of each generation
	neighbours      = 8   // read from the archive when a site is seen first
	manyURLs        = 100 // looked at for them: most URLs of a crawl may be unvisited
)

func newTemplates(a lister) *templates {
	return &templates{store: a, sites: recent.Map[string, *boilerplate.Site]{Max: rememberedSites}}
}

// of returns the site of a URL. When it is seen for the first time, some of its pages are
// read from the archive: those that are sorted behind the URL, which are about the
// same, then the first ones. A page that cannot be read is left out.
func (t *templates) of(ctx context.Context, page string) *boilerplate.Site {
	origin := originOf(page)
	if origin == "" {
		return nil
	}
	t.mu.Lock()
	site, known := t.sites.Get(origin)
	if !known {
		site = &boilerplate.Site{}
	}
	t.sites.Put(origin, site)
	t.mu.Unlock()
	if known {
		return site
	}
	for _, after := range []string{page, ""} {
		asked := 0
		for s, err := range t.store.States(ctx, origin+"/", after) {
			if asked++; err != nil || asked > manyURLs || site.Len() >= neighbours {
				break
			}
			if s.URL == page || s.Head == 0 {
				continue
			}
			if v, err := t.store.Last(ctx, &s); err == nil {
				site.Learn(s.URL, v.Blocks)
			}
		}
	}
	return site
}

// originOf returns scheme and host of a URL, empty if it has no host.
func originOf(page string) string {
	u, err := url.Parse(page)
	if err != nil || u.Host == "" {
		return ""
	}
	return u.Scheme + "://" + u.Host
}

// learn remembers the blocks of a page, archived or not.
func (t *templates) learn(ctx context.Context, page string, blocks []plat.Block) {
	if s := t.of(ctx, page); s != nil {
		s.Learn(page, blocks)
	}
}
