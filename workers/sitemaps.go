package workers

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"sync"
	"time"

	"plat"
	"plat/queue"
	"plat/sitemap"
)

const (
	sitemapsEvery = 24 * time.Hour // of a host
	maxSitemaps   = 50             // files read at a time
	maxSitemapURL = 200_000        // URLs taken from them
)

// sitemapsRead remembers which hosts' sitemaps were read lately. The zero value
// is ready.
type sitemapsRead struct {
	mu sync.Mutex
	at map[string]time.Time // by origin and scope; guarded by mu
}

// forget says that the reading did not come to an end.
func (s *sitemapsRead) forget(what string) {
	s.mu.Lock()
	delete(s.at, what)
	s.mu.Unlock()
}

func (s *sitemapsRead) begin(what string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if time.Since(s.at[what]) < sitemapsEvery {
		return false
	}
	if s.at == nil || len(s.at) >= maxRules {
		s.at = map[string]time.Time{}
	}
	s.at[what] = time.Now()
	return true
}

// sitemaps has the URLs of the seed's host's sitemaps visited that are in the
// seed's scope. Sitemaps are hints: what is wrong with them is logged and
// harms nobody. The error is ours: the archive's, the frontier's or the end.
func (c *Crew) sitemaps(ctx context.Context, seed plat.Job, delay time.Duration) (err error) {
	scope, err := queue.ParseScope(seed.Scope)
	if err != nil || scope.Kind == queue.Page {
		return nil
	}
	u, err := url.Parse(seed.URL)
	if err != nil {
		return nil
	}
	origin := u.Scheme + "://" + u.Host
	what := origin + " " + seed.Scope
	if !c.read.begin(what) {
		return nil
	}
	defer func() {
		if err != nil {
			c.read.forget(what)
		}
	}()
	todo := []string{origin + "/sitemap.xml"}
	if !c.o.IgnoreRobots {
		if listed := c.rules.of(ctx, origin, c.ask).file.Sitemaps(); len(listed) > 0 {
			todo = listed
		}
	}
	seen := map[string]bool{}
	taken := 0
	var urls []string
	flush := func() error {
		n, err := c.enlist(ctx, seed, urls)
		taken += n
		urls = urls[:0]
		return err
	}
	for len(todo) > 0 && len(seen) < maxSitemaps && taken < maxSitemapURL {
		at := todo[0]
		todo = todo[1:]
		// A sitemap speaks of its own host only, and is asked for there only:
		// another's is leased to somebody else.
		if seen[at] || plat.HostOf(at) != plat.HostOf(seed.URL) {
			continue
		}
		seen[at] = true
		if !sleep(ctx, nil, delay) {
			return context.Cause(ctx)
		}
		var ours error
		err := c.readSitemap(ctx, at, func(kind sitemap.Kind, e sitemap.Entry) error {
			if kind == sitemap.Index {
				if len(todo) < maxSitemaps {
					todo = append(todo, e.Loc)
				}
				return nil
			}
			link, err := plat.Canonical(e.Loc, c.o.Drop)
			if err != nil || !scope.Follows(seed.URL, seed.Depth, link) {
				return nil
			}
			if urls = append(urls, link); len(urls) < 1000 {
				return nil
			}
			ours = flush()
			return ours
		})
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case ours != nil:
			return ours
		case err != nil:
			c.o.Log.Info("sitemap", "url", at, "error", err)
		}
	}
	if err := flush(); err != nil {
		return err
	}
	if !sleep(ctx, nil, delay) { // before the page itself
		return context.Cause(ctx)
	}
	if taken > 0 {
		c.o.Log.Info("sitemaps", "host", u.Host, "files", len(seen), "new", taken)
	}
	return nil
}

// errNoSitemap is returned where there is none.
var errNoSitemap = errors.New("there is none")

func (c *Crew) readSitemap(ctx context.Context, at string, yield func(sitemap.Kind, sitemap.Entry) error) error {
	ctx, cancel := context.WithTimeout(ctx, 2*getLimit)
	defer cancel()
	for range 5 {
		r, err := c.open(ctx, at)
		if err != nil {
			return err
		}
		if r.StatusCode >= 300 && r.StatusCode < 400 {
			r.Body.Close()
			base, _ := url.Parse(at)
			to, err := base.Parse(r.Header.Get("Location"))
			if err != nil || to.Host != base.Host {
				return fmt.Errorf("it is elsewhere: %q", r.Header.Get("Location"))
			}
			at = to.String()
			continue
		}
		defer r.Body.Close()
		if r.StatusCode >= 400 {
			return fmt.Errorf("%w: the server says %d", errNoSitemap, r.StatusCode)
		}
		_, err = sitemap.Read(r.Body, sitemap.Limits{}, yield)
		return err
	}
	return errors.New("too many redirects")
}
