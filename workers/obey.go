package workers

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"plat"
	"plat/robots"
)

// obey checks whether robots.txt allows a job, and returns its host's politeness
// delay.
func (c *Crew) obey(ctx context.Context, job plat.Job) (delay time.Duration, err error) {
	if c.o.IgnoreRobots {
		return c.o.Delay, nil
	}
	u, err := url.Parse(job.URL)
	if err != nil {
		return c.o.Delay, &plat.VisitError{Outcome: plat.OutcomeBadURL, Err: err}
	}
	r := c.rules.of(ctx, u.Scheme+"://"+u.Host, c.ask)
	rules := r.file.Agent(c.o.Agent)
	delay = c.o.Delay
	if d, ok := rules.Delay(); ok {
		delay = max(delay, min(d, c.o.MaxDelay))
	}
	switch {
	case ctx.Err() != nil:
		return delay, context.Cause(ctx)
	case r.access == robots.Unreachable:
		return delay, &plat.VisitError{Outcome: plat.OutcomeUnreachable, Retry: true,
			Err: fmt.Errorf("%w (%w), so nothing on the host may be visited (RFC 9309 section 2.3.1.4)", errRobotsAway, r.err)}
	case !rules.Allowed(u.RequestURI()):
		return delay, &plat.VisitError{Outcome: plat.OutcomeDisallowed, Err: fmt.Errorf("robots.txt forbids it to %s", c.o.Agent)}
	}
	return delay, nil
}

// errRobotsAway is the error of all URLs of a host while its robots.txt is
// unreachable; it does not count against the URLs.
var errRobotsAway = errors.New("robots.txt is unreachable")

// robotsFile is a cached robots.txt.
type robotsFile struct {
	file   *robots.File
	access robots.Access
	size   int       // approximate memory, in bytes
	err    error     // why it is unreachable
	until  time.Time // expiry
}

// unreachableFor is how long an unreachable robots.txt is not requested again.
const unreachableFor = time.Minute

// maxRules and maxRulesSize limit the cached rules in hosts and bytes: some kilobytes
// each, unless inflated maliciously.
const (
	maxRules     = 4096
	maxRulesSize = 64 << 20
)

// rulesCache caches the rules of hosts. The zero value is ready to use. A host is
// leased by one worker at a time, so requests for a robots.txt need no coordination.
type rulesCache struct {
	mu   sync.Mutex
	all  map[string]*robotsFile // by origin; guarded by mu
	size int                    // of all; guarded by mu
}

func (r *rulesCache) of(ctx context.Context, origin string, ask func(context.Context, string) *robotsFile) *robotsFile {
	r.mu.Lock()
	f := r.all[origin]
	r.mu.Unlock()
	if f != nil && time.Now().Before(f.until) {
		return f
	}
	f = ask(ctx, origin)
	if ctx.Err() != nil {
		return f
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.all == nil {
		r.all = map[string]*robotsFile{}
	}
	r.drop(origin)
	for other := range r.all { // evict any
		if len(r.all) < maxRules && r.size+f.size <= maxRulesSize {
			break
		}
		r.drop(other)
	}
	r.all[origin] = f
	r.size += f.size
	return f
}

// drop evicts an origin's rules. The caller holds mu.
func (r *rulesCache) drop(origin string) {
	if f := r.all[origin]; f != nil {
		r.size -= f.size
		delete(r.all, origin)
	}
}

// ask requests the robots.txt of an origin.
func (c *Crew) ask(ctx context.Context, origin string) *robotsFile {
	at := origin + "/robots.txt"
	f := &robotsFile{}
	for hops := 0; ; hops++ {
		status, body, header, err := c.get(ctx, at, robots.MaxSize+1)
		if err == nil && status >= 300 && status < 400 {
			base, _ := url.Parse(at)
			to, bad := base.Parse(header.Get("Location"))
			if bad != nil || header.Get("Location") == "" || to.Scheme != "http" && to.Scheme != "https" {
				hops = robots.MaxRedirects // invalid redirect
			} else {
				to.Fragment, at = "", to.String()
			}
		}
		f.file, f.access = robots.FromStatus(status, hops, body)
		f.size = 1<<10 + 4*len(body) // its rules take up to four times its text
		switch f.access {
		case robots.Redirected:
			continue
		case robots.Unreachable:
			if f.err = err; err == nil {
				f.err = fmt.Errorf("HTTP status %d", status)
			}
			f.until = time.Now().Add(unreachableFor)
		default:
			f.until = time.Now().Add(robots.MaxAge)
		}
		c.o.Metrics.robots.WithLabelValues(f.access.String()).Inc()
		return f
	}
}

// getLimit is the time limit for one file.
const getLimit = 30 * time.Second

// get reads at most max bytes of a URL. status is 0 if there was no answer.
func (c *Crew) get(ctx context.Context, at string, max int64) (status int, body []byte, header http.Header, err error) {
	ctx, cancel := context.WithTimeout(ctx, getLimit)
	defer cancel()
	r, err := c.open(ctx, at)
	if err != nil {
		return 0, nil, nil, err
	}
	defer r.Body.Close()
	var b bytes.Buffer
	if _, err := io.Copy(&b, io.LimitReader(r.Body, max)); err != nil && r.StatusCode < 300 {
		return 0, nil, nil, fmt.Errorf("read %s: %w", at, err)
	}
	return r.StatusCode, b.Bytes(), r.Header, nil
}

// open requests a URL.
func (c *Crew) open(ctx context.Context, at string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, at, nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("User-Agent", c.o.UserAgent)
	r, err := c.fetch.Do(req)
	if err != nil {
		var u *url.Error
		if errors.As(err, &u) {
			err = u.Err // without the URL, which the caller adds
		}
		return nil, err
	}
	return r, nil
}

// forbids returns the robots directives for agent in a page's header and meta
// elements.
func forbids(s *plat.Snapshot, agent string) (d robots.Directives) {
	for _, h := range s.Header {
		if strings.EqualFold(h[0], "X-Robots-Tag") {
			d = d.Or(robots.Meta(h[1], agent))
		}
	}
	for i := range s.Nodes {
		n := &s.Nodes[i]
		if n.Kind != plat.ElementNode || n.Name != "meta" {
			continue
		}
		name, _ := n.Attr("name")
		if strings.EqualFold(name, "robots") || strings.EqualFold(name, agent) {
			content, _ := n.Attr("content")
			d = d.Or(robots.Meta(content, agent))
		}
	}
	return d
}
