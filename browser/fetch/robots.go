package fetch

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"sync"
	"time"

	"plat/browser/fetch/robots"
	"plat/plat"
	"plat/plat/weburl"
)

// Obey checks whether robots.txt allows a URL, and returns its host's politeness delay. The
// error is a *plat.VisitError, or the context's. A request that is refused before it is sent
// has an error with the method Refused() bool; then the URL is refused.
func (c *Client) Obey(ctx context.Context, at string) (delay time.Duration, err error) {
	if c.o.IgnoreRobots {
		return c.o.Delay, nil
	}
	u, err := url.Parse(weburl.ForRequest(at))
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
	case r.access == robots.Unreachable && refused(r.err):
		return delay, &plat.VisitError{Outcome: plat.OutcomeRefused, Err: fmt.Errorf("robots.txt: %w", r.err)}
	case r.access == robots.Unreachable && isDNS(r.err):
		return delay, &plat.VisitError{Outcome: plat.OutcomeUnreachable, Retry: true, Err: fmt.Errorf("%w (so %w)", r.err, ErrRobotsUnreachable)}
	case r.access == robots.Unreachable:
		return delay, &plat.VisitError{Outcome: plat.OutcomeUnreachable, Retry: true,
			Err: fmt.Errorf("%w (%w), so nothing on the host may be visited (RFC 9309 section 2.3.1.4)", ErrRobotsUnreachable, r.err)}
	case !rules.Allowed(u.RequestURI()):
		return delay, &plat.VisitError{Outcome: plat.OutcomeDisallowed, Err: fmt.Errorf("robots.txt disallows it for %s; --robots=false visits it regardless", c.o.Agent)}
	}
	return delay, nil
}

// refused reports whether a request was not sent because it is not allowed: the host has not
// failed, and a retry would be in vain.
func refused(err error) bool {
	var r interface{ Refused() bool }
	return errors.As(err, &r) && r.Refused()
}

// isDNS reports whether a name could not be resolved: the user has to know that first, and robots.txt does
// not matter.
func isDNS(err error) bool {
	_, is := errors.AsType[*net.DNSError](err)
	return is
}

// ErrRobotsUnreachable is the error of all URLs of a host while its robots.txt is
// unreachable; it does not count against the URLs.
var ErrRobotsUnreachable = errors.New("robots.txt is unreachable")

// robotsFile is a cached robots.txt.
type robotsFile struct {
	file   *robots.File
	access robots.Access
	size   int       // approximate memory, in bytes
	err    error     // why it is unreachable
	until  time.Time // expiry
}

// unreachableFor is the time before an unreachable robots.txt is requested again.
const unreachableFor = time.Minute

// maxRules and maxRulesSize limit the cached rules in hosts and bytes: some kilobytes
// each, unless inflated maliciously.
const (
	maxRules     = 4096
	maxRulesSize = 64 << 20
)

// rulesCache caches the rules of hosts. The zero value is ready to use.
type rulesCache struct {
	mu     sync.Mutex
	all    map[string]*robotsFile   // by origin; guarded by mu
	size   int                      // of all; guarded by mu
	asking map[string]chan struct{} // origins that are requested at present; closed on the answer. Guarded by mu
}

// of returns the rules of an origin. Concurrent callers share one request.
func (r *rulesCache) of(ctx context.Context, origin string, ask func(context.Context, string) *robotsFile) *robotsFile {
	for {
		r.mu.Lock()
		f := r.all[origin]
		if f != nil && time.Now().Before(f.until) {
			r.mu.Unlock()
			return f
		}
		answered := r.asking[origin]
		if answered == nil {
			break
		}
		r.mu.Unlock()
		select {
		case <-answered:
		case <-ctx.Done():
			return &robotsFile{file: &robots.File{}, access: robots.Unreachable, err: ctx.Err()}
		}
	}
	if r.asking == nil {
		r.asking = map[string]chan struct{}{}
	}
	answered := make(chan struct{})
	r.asking[origin] = answered
	r.mu.Unlock()
	f := ask(ctx, origin)
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.asking, origin)
	close(answered)
	if ctx.Err() != nil {
		return f
	}
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
func (c *Client) ask(ctx context.Context, origin string) *robotsFile {
	at := origin + "/robots.txt"
	f := &robotsFile{}
	for hops := 0; ; hops++ {
		status, body, header, err := c.get(ctx, at, robots.MaxSize+1)
		if err == nil && status >= 300 && status < 400 {
			to := weburl.NewBase(at).Location(header.Get("Location"))
			if header.Get("Location") == "" || !weburl.IsWeb(to) {
				hops = robots.MaxRedirects // invalid redirect
			} else {
				at = weburl.ForRequest(to)
			}
		}
		f.file, f.access = robots.FromStatus(status, hops, body)
		f.size = 1<<10 + 4*len(body) // its parsed rules take up to four times its size
		switch f.access {
		case robots.Redirected:
			continue
		case robots.Unreachable:
			if f.err = err; err == nil {
				f.err = fmt.Errorf("HTTP status %d", status)
			}
			if hops > 0 {
				f.err = fmt.Errorf("redirected to %s: %w", at, f.err)
			}
			f.until = time.Now().Add(unreachableFor)
		default:
			f.until = time.Now().Add(robots.MaxAge)
		}
		c.o.Answered(f.access)
		return f
	}
}
