package fetch

import (
	"context"
	"errors"
	"fmt"

	"plat/browser/fetch/sitemap"
	"plat/plat/weburl"
)

// Sitemaps returns the URLs of an origin's sitemaps: those that its robots.txt lists, or else
// the usual one.
func (c *Client) Sitemaps(ctx context.Context, origin string) []string {
	if !c.o.IgnoreRobots {
		if listed := c.rules.of(ctx, origin, c.ask).file.Sitemaps(); len(listed) > 0 {
			return listed
		}
	}
	return []string{origin + "/sitemap.xml"}
}

// Sitemap reads a sitemap, and yields its entries in order; see [sitemap.Read]. It follows
// redirects within the host.
func (c *Client) Sitemap(ctx context.Context, at string, yield func(sitemap.Kind, sitemap.Entry) error) error {
	ctx, cancel := context.WithTimeout(ctx, 2*getLimit)
	defer cancel()
	for range 5 {
		r, err := c.open(ctx, at)
		if err != nil {
			return err
		}
		if r.StatusCode >= 300 && r.StatusCode < 400 {
			r.Body.Close()
			to := weburl.NewBase(at).Location(r.Header.Get("Location"))
			if !weburl.IsWeb(to) || weburl.Host(to) != weburl.Host(weburl.Resolve(at)) {
				return fmt.Errorf("redirected to %q", r.Header.Get("Location"))
			}
			at = weburl.ForRequest(to)
			continue
		}
		defer r.Body.Close()
		if r.StatusCode >= 400 {
			return fmt.Errorf("no sitemap: status %d", r.StatusCode)
		}
		_, err = sitemap.Read(r.Body, sitemap.Limits{Base: at}, yield)
		return err
	}
	return errors.New("too many redirects")
}
