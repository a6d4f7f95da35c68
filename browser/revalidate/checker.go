package revalidate

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"sync"
	"time"

	"plat/browser/cookies"
	"plat/browser/origin"
	"plat/plat"
	"plat/plat/weburl"
)

// Options configure a Checker. All but UserAgent may be zero.
type Options struct {
	// UserAgent and Language are those of the browser, since servers may respond
	// differently to different browsers. Language is a list as in navigator.languages,
	// "de-DE,de,en".
	UserAgent string
	Language  string

	// Header is sent with requests to a page's own site, as the browser does; see
	// [origin.SameSite]. With HeaderEverywhere it is sent with all.
	Header           http.Header
	HeaderEverywhere bool

	// Cookies are those that the browser's pages begin with.
	Cookies []cookies.Cookie

	// Auth holds credentials. A document that requires them receives them, see
	// [origin.Server.Answers], and so do loads from its origin with the same challenge, as in a
	// browser after a login; no other request does.
	Auth map[origin.Server]Login

	// Share is the time for which an answer is reused for other pages of the site. 0: 2 min.
	Share time.Duration

	// Timeout limits all requests for one page. 0: 20 s.
	Timeout time.Duration

	// MaxBytes limits one answer; all answers for one page are limited to four
	// times that. 0: 8 MiB.
	MaxBytes int64

	// Now is the clock; nil is the system clock.
	Now func() time.Time
}

// Login is a user name and password.
type Login struct{ User, Password string }

// Checker sends validation requests. It is safe for concurrent use.
type Checker struct {
	client *http.Client
	o      Options
	jar    *cookies.Jar

	mu      sync.Mutex
	answers map[request]*shared  // guarded by mu
	failed  map[string]time.Time // unreachable hosts, and when they failed; guarded by mu
	checked map[string]time.Time // pages, and when they were last checked; guarded by mu
}

// request identifies an answer, besides the options: a request for a page of a different site lacks
// the header and password of the URL's own site.
type request struct {
	url     string
	own     bool   // with the header
	cookies string // of the options
	entry   entry  // for a load of an origin that the document's credentials are for
}

// shared is the last answer to a request.
type shared struct {
	Answer
	etag, modified string // validators; empty if absent
}

// Limits of the data shared between pages.
const (
	maxAnswers = 1 << 14
	failedFor  = 10 * time.Minute // time for which an unreachable host is skipped
	maxHops    = 20               // Chrome's
	atOnce     = 4                // concurrent requests; Chrome has six connections per host
)

// NewChecker returns a checker that sends requests by a client, which must not follow redirects.
func NewChecker(client *http.Client, o Options) *Checker {
	if o.Share == 0 {
		o.Share = 2 * time.Minute
	}
	if o.Timeout == 0 {
		o.Timeout = 20 * time.Second
	}
	if o.MaxBytes == 0 {
		o.MaxBytes = 8 << 20
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Checker{client: client, o: o, jar: cookies.NewJar(o.Cookies), answers: map[request]*shared{}, failed: map[string]time.Time{}, checked: map[string]time.Time{}}
}

// Forget clears all shared data.
func (c *Checker) Forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	clear(c.answers)
	clear(c.failed)
	clear(c.checked)
}

// entry is the credentials that a document required: its origin, and the text of its challenge.
// Zero: no challenge.
type entry struct{ origin, demand string }

// Check validates the document and, if that is unchanged, its loads. It stops at the first
// difference. last is the time of the last visit: shared answers must be newer. An error is ctx's;
// failures of the site are findings.
func (c *Checker) Check(ctx context.Context, at string, s *State, last time.Time) (*Findings, error) {
	asked, cancel := context.WithTimeout(ctx, c.o.Timeout)
	defer cancel()
	c.mu.Lock()
	if at := c.checked[at]; at.After(last) {
		last = at // answers from that visit are too old to share
	}
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.limit()
		c.checked[at] = c.o.Now()
	}()
	q := &question{Checker: c, last: last, free: 4 * c.o.MaxBytes}
	f := &Findings{}
	var err error
	if q.asked, err = url.Parse(at); err != nil {
		f.Verdict = Other
		return f, nil // it is rendered, and the rendering finds the fault
	}
	err = q.document(asked, at, s, f)
	if err == nil && (f.Verdict != Other || f.Drift != 0) {
		err = q.loads(asked, s, f)
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err != nil {
		f.Verdict, f.Drift = Other, 0 // too slow or too large to compare
	}
	return f, nil
}

// errIncomparable is returned if answers lack the data for a comparison.
var errIncomparable = errors.New("the answer cannot be compared")

func (q *question) document(ctx context.Context, at string, s *State, f *Findings) error {
	var hops []plat.Redirect
	for {
		conditions := http.Header{}
		if !s.NeedsSource() {
			conditions = s.Document.Conditions()
		}
		a, body, err := q.get(ctx, at, documentAccept, conditions, true)
		if err != nil {
			return err
		}
		to := a.Header.Get("Location")
		if a.Status >= 300 && a.Status < 400 && a.Status != http.StatusNotModified && to != "" {
			next := weburl.NewBase(at).Location(to)
			if !weburl.IsWeb(next) || len(hops) == maxHops || a.Header["Set-Cookie"] != nil {
				return errIncomparable
			}
			hops = append(hops, plat.Redirect{URL: at, Status: a.Status})
			at = weburl.ForRequest(next)
			continue
		}
		if a.Status != http.StatusOK && a.Status != http.StatusNotModified || ChainMark(hops, at) != s.Chain {
			f.Verdict = Other
			return nil
		}
		if q.page, err = url.Parse(at); err != nil {
			return err
		}
		var source *Source
		if a.Status == http.StatusOK {
			source = ReadSource(body)
		}
		f.CompareDocument(s, a, source)
		return nil
	}
}

// loads requests all loads, several concurrently, and compares the answers in
// their order.
func (q *question) loads(ctx context.Context, s *State, f *Findings) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	type result struct {
		answer Answer
		fresh  bool
		err    error
	}
	now := q.o.Now()
	results := make([]result, len(s.Loads))
	done := make([]chan struct{}, len(s.Loads))
	for i := range done {
		done[i] = make(chan struct{})
	}
	var work sync.WaitGroup
	defer work.Wait()
	defer cancel()
	next := make(chan int)
	work.Go(func() {
		defer close(next)
		for i := range s.Loads {
			if now.Before(s.Loads[i].Fresh) {
				results[i].fresh = true
				close(done[i])
				continue
			}
			select {
			case next <- i:
			case <-ctx.Done():
				return
			}
		}
	})
	for range min(atOnce, len(s.Loads)) {
		work.Go(func() {
			for i := range next {
				results[i].answer, results[i].err = q.load(ctx, &s.Loads[i])
				close(done[i])
			}
		})
	}
	for i := range s.Loads {
		select {
		case <-done[i]:
		case <-ctx.Done():
			return ctx.Err()
		}
		switch r := &results[i]; {
		case r.err != nil:
			return r.err
		case r.fresh:
			f.Keep(s)
		default:
			before := f.Verdict
			f.CompareLoad(s, r.answer)
			if before != f.Verdict && f.Verdict == Other {
				return nil
			}
		}
	}
	return nil
}

// load requests a load, or returns the answer shared by a page checked earlier.
func (q *question) load(ctx context.Context, r *Resource) (Answer, error) {
	now := q.o.Now()
	host := hostOf(r.URL)
	u, err := url.Parse(r.URL)
	if err != nil {
		return Answer{}, fmt.Errorf("%w: %w", errIncomparable, err)
	}
	which := request{url: r.URL, own: q.own(u), cookies: q.jar.For(u, q.page)}
	if hostOf(r.URL) == q.entry.origin {
		which.entry = q.entry
	}
	q.Checker.mu.Lock()
	known := q.answers[which]
	failed := q.failed[host]
	q.Checker.mu.Unlock()
	if now.Sub(failed) < failedFor {
		return Answer{Time: failed}, nil
	}
	if known != nil && Lasting(r.Kind) && known.Time.After(q.last) && now.Sub(known.Time) < q.o.Share && known.Tells(r) {
		return known.Answer, nil
	}
	conditions := r.Conditions()
	ours := len(conditions) == 0 && known != nil && known.Tells(r)
	if ours {
		// The state has no validators, for lack of space: use those of the last
		// answer.
		if known.etag != "" {
			conditions.Set("If-None-Match", known.etag)
		}
		if known.modified != "" {
			conditions.Set("If-Modified-Since", known.modified)
		}
	}
	a, _, err := q.get(ctx, r.URL, accepts[r.Kind], conditions, false)
	if err != nil {
		return a, err
	}
	if a.Status == 0 {
		q.Checker.mu.Lock()
		q.limit()
		q.failed[host] = a.Time
		q.Checker.mu.Unlock()
		return a, nil
	}
	full := &shared{Answer: a}
	switch {
	case a.Status != http.StatusNotModified:
		full.etag, full.modified = a.Header.Get("ETag"), a.Header.Get("Last-Modified")
	case ours:
		*full = *known
		full.Time = a.Time
		a = full.Answer
	default:
		// r's own validators matched, so share them; the body is known only if an
		// earlier answer with the same validators had one.
		h := a.Header.Clone()
		full.etag, full.modified = conditions.Get("If-None-Match"), conditions.Get("If-Modified-Since")
		setOr(h, "ETag", full.etag)
		setOr(h, "Last-Modified", full.modified)
		full.Answer = Answer{Status: http.StatusOK, Header: h, Time: a.Time}
		if known != nil && known.etag == full.etag && known.modified == full.modified {
			full.Body = known.Body
		}
	}
	q.Checker.mu.Lock()
	q.limit()
	q.answers[which] = full
	q.Checker.mu.Unlock()
	return a, nil
}

func setOr(h http.Header, name, value string) {
	if value == "" {
		h.Del(name)
	} else {
		h.Set(name, value)
	}
}

// limit evicts an arbitrary entry when a map is full. mu is held.
func (c *Checker) limit() {
	for at := range c.answers {
		if len(c.answers) < maxAnswers {
			break
		}
		delete(c.answers, at)
	}
	for page := range c.checked {
		if len(c.checked) < maxAnswers {
			break
		}
		delete(c.checked, page)
	}
	for host := range c.failed {
		if len(c.failed) < maxAnswers {
			break
		}
		delete(c.failed, host)
	}
}
