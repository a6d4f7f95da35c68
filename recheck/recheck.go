// Package recheck asks sites whether what a page was made of is still the same: the
// questions of package revalidate, over the network.
//
// A question for the document follows the redirects that the rendering followed. A
// style sheet, script, font or image is asked for once for all pages of a site that
// are visited within [Options.Share]; whatever else, each time. The client decides
// where questions may go: give it the guard's, so that they go where pages may go and
// nowhere else.
package recheck

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"plat"
	"plat/revalidate"
)

// Options say how to ask. All but UserAgent may be left zero.
type Options struct {
	// UserAgent, Language and Header are what the browser sends with every request:
	// a server may answer others otherwise. Language is a list as for
	// navigator.languages, "de-DE,de,en".
	UserAgent string
	Language  string
	Header    http.Header

	// Auth holds user and password for hosts, "example.org" or "example.org:8080",
	// that ask for them. They are sent to no other host.
	Auth map[string]Login

	// Share is how long an answer stands for other pages of the site. 0: 2 min.
	Share time.Duration

	// Timeout limits all questions for one page. 0: 20 s.
	Timeout time.Duration

	// MaxBytes limits one answer, and four times that all answers for one page. 0: 8 MiB.
	MaxBytes int64

	// Now is the clock; nil is the machine's.
	Now func() time.Time
}

// Login is a user with a password.
type Login struct{ User, Password string }

// Checker asks. It is safe for concurrent use.
type Checker struct {
	client *http.Client
	o      Options

	mu      sync.Mutex
	answers map[string]*shared   // by URL; guarded by mu
	failed  map[string]time.Time // hosts that could not be reached, and when; guarded by mu
	checked map[string]time.Time // pages, and when they were last asked for; guarded by mu
}

// shared is the last answer for a URL.
type shared struct {
	revalidate.Answer
	etag, modified string // to ask with; empty if it had none
}

// Limits of what is remembered between pages.
const (
	maxAnswers = 1 << 14
	failedFor  = 10 * time.Minute // how long a host that cannot be reached is not tried again
	maxHops    = 20               // Chrome's
	atOnce     = 4                // loads asked for at once; Chrome has six connections to a host
)

// New returns a checker that asks with a client, which must not follow redirects.
func New(client *http.Client, o Options) *Checker {
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
	return &Checker{client: client, o: o, answers: map[string]*shared{}, failed: map[string]time.Time{}, checked: map[string]time.Time{}}
}

// Forget drops all that pages share.
func (c *Checker) Forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	clear(c.answers)
	clear(c.failed)
	clear(c.checked)
}

// question is what is asked for one page.
type question struct {
	*Checker
	page string    // URL of the document, after redirects
	last time.Time // of the visit before
	free int64     // bytes that answers may still have
	mu   sync.Mutex
}

// Check asks for what a page was made of, in order: the document, and if that is the
// same, its loads. It stops at the first that is not. last is when the page was
// visited before: a shared answer is newer than that visit. An error is ctx's; whatever the site
// does is in the findings.
func (c *Checker) Check(ctx context.Context, at string, s *revalidate.State, last time.Time) (*revalidate.Findings, error) {
	asked, cancel := context.WithTimeout(ctx, c.o.Timeout)
	defer cancel()
	c.mu.Lock()
	if at := c.checked[at]; at.After(last) {
		last = at // that visit's own answers are no news
	}
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.limit()
		c.checked[at] = c.o.Now()
	}()
	q := &question{Checker: c, last: last, free: 4 * c.o.MaxBytes}
	f := &revalidate.Findings{}
	err := q.document(asked, at, s, f)
	if err == nil && (f.Verdict != revalidate.Other || f.Drift != 0) {
		err = q.loads(asked, s, f)
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err != nil {
		f.Verdict, f.Drift = revalidate.Other, 0 // too slow, too large: not to be compared
	}
	return f, nil
}

// errIncomparable is the end of questions whose answers do not say enough.
var errIncomparable = errors.New("the answer cannot be compared")

func (q *question) document(ctx context.Context, at string, s *revalidate.State, f *revalidate.Findings) error {
	var hops []plat.Redirect
	for {
		conditions := http.Header{}
		if !s.NeedsSource() {
			conditions = s.Document.Conditions()
		}
		a, body, err := q.get(ctx, at, documentAccept, "", conditions, true)
		if err != nil {
			return err
		}
		to := a.Header.Get("Location")
		if a.Status >= 300 && a.Status < 400 && a.Status != http.StatusNotModified && to != "" {
			base, err := url.Parse(at)
			if err != nil {
				return err
			}
			next, err := base.Parse(to)
			if err != nil || next.Scheme != "http" && next.Scheme != "https" || len(hops) == maxHops || a.Header["Set-Cookie"] != nil {
				return errIncomparable
			}
			hops = append(hops, plat.Redirect{URL: at, Status: a.Status})
			next.Fragment = ""
			at = next.String()
			continue
		}
		if a.Status != http.StatusOK && a.Status != http.StatusNotModified || revalidate.ChainMark(hops, at) != s.Chain {
			f.Verdict = revalidate.Other
			return nil
		}
		q.page = at
		var source *revalidate.Source
		if a.Status == http.StatusOK {
			source = revalidate.ReadSource(body)
		}
		f.CompareDocument(s, a, source)
		return nil
	}
}

// loads asks for all loads, some at once, and compares the answers in their order.
func (q *question) loads(ctx context.Context, s *revalidate.State, f *revalidate.Findings) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	type result struct {
		answer revalidate.Answer
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
			if before != f.Verdict && f.Verdict == revalidate.Other {
				return nil
			}
		}
	}
	return nil
}

// load asks for a load, or takes the answer that another page got.
func (q *question) load(ctx context.Context, r *revalidate.Resource) (revalidate.Answer, error) {
	now := q.o.Now()
	host := hostOf(r.URL)
	q.Checker.mu.Lock()
	known := q.answers[r.URL]
	failed := q.failed[host]
	q.Checker.mu.Unlock()
	if now.Sub(failed) < failedFor {
		return revalidate.Answer{Time: failed}, nil
	}
	if known != nil && revalidate.Lasting(r.Kind) && known.Time.After(q.last) && now.Sub(known.Time) < q.o.Share && known.Tells(r) {
		return known.Answer, nil
	}
	conditions := r.Conditions()
	ours := len(conditions) == 0 && known != nil && known.Tells(r)
	if ours {
		// The state has no validators, for want of room: those of the last answer do.
		if known.etag != "" {
			conditions.Set("If-None-Match", known.etag)
		}
		if known.modified != "" {
			conditions.Set("If-Modified-Since", known.modified)
		}
	}
	a, _, err := q.get(ctx, r.URL, accepts[r.Kind], q.page, conditions, false)
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
		// What stands there still has r's validators; others may know its body.
		h := a.Header.Clone()
		full.etag, full.modified = conditions.Get("If-None-Match"), conditions.Get("If-Modified-Since")
		setOr(h, "ETag", full.etag)
		setOr(h, "Last-Modified", full.modified)
		full.Answer = revalidate.Answer{Status: http.StatusOK, Header: h, Time: a.Time}
		if known != nil && known.etag == full.etag && known.modified == full.modified {
			full.Body = known.Body
		}
	}
	q.Checker.mu.Lock()
	q.limit()
	q.answers[r.URL] = full
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

// limit forgets something, any, where too much is remembered. mu is held.
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

// What Chrome accepts.
const documentAccept = "text/html,application/xhtml+xml,application/xml;q=0.9,image/jxl,image/avif,image/webp,image/apng,*/*;q=0.8,application/signed-exchange;v=b3;q=0.7"

var accepts = map[plat.LoadKind]string{
	plat.LoadImage: "image/jxl,image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8",
	plat.LoadStyle: "text/css,*/*;q=0.1",
}

// get asks once, and once more if the host wants a password that we have. Status 0
// says that the host could not be reached; an error that it takes too long or sends
// too much. The body is kept if it is to be read.
func (q *question) get(ctx context.Context, at, accept, referer string, conditions http.Header, keep bool) (a revalidate.Answer, body []byte, err error) {
	for login := (*Login)(nil); ; {
		a = revalidate.Answer{Time: q.o.Now()}
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, at, nil)
		if err != nil {
			return a, nil, fmt.Errorf("%w: %w", errIncomparable, err)
		}
		q.headers(req, accept, referer)
		for name, values := range conditions {
			req.Header[name] = values
		}
		if login != nil {
			req.SetBasicAuth(login.User, login.Password)
		}
		resp, err := q.client.Do(req)
		if err != nil {
			if ctx.Err() != nil {
				return a, nil, ctx.Err()
			}
			return a, nil, nil
		}
		if resp.StatusCode == http.StatusUnauthorized && login == nil {
			if login = q.login(req.URL, resp); login != nil {
				resp.Body.Close()
				continue
			}
		}
		a.Status, a.Header = resp.StatusCode, resp.Header
		body, err = q.read(resp, &a, keep)
		resp.Body.Close()
		return a, body, err
	}
}

// login is the password for a host that asks for it in the one way that we know.
func (q *question) login(u *url.URL, resp *http.Response) *Login {
	scheme, _, _ := strings.Cut(resp.Header.Get("WWW-Authenticate"), " ")
	if !strings.EqualFold(scheme, "Basic") {
		return nil
	}
	l, ok := q.o.Auth[u.Host]
	if !ok {
		if l, ok = q.o.Auth[u.Hostname()]; !ok {
			return nil
		}
	}
	return &l
}

// headers sets what the browser would send. The transport asks for gzip by itself.
func (q *question) headers(req *http.Request, accept, referer string) {
	h := req.Header
	for name, values := range q.o.Header {
		h[name] = []string{strings.Join(values, ", ")}
	}
	if accept == "" {
		accept = "*/*"
	}
	set := func(name, value string) {
		if value != "" && h[name] == nil {
			h.Set(name, value)
		}
	}
	set("User-Agent", q.o.UserAgent)
	set("Accept", accept)
	set("Accept-Language", acceptLanguage(q.o.Language))
	set("Referer", refererOf(referer, req.URL))
}

// acceptLanguage is the header that Chrome makes of a list of languages.
func acceptLanguage(list string) string {
	var out []string
	for i, l := range strings.Split(list, ",") {
		l = strings.TrimSpace(l)
		if i > 0 {
			l = fmt.Sprintf("%s;q=0.%d", l, max(1, 10-i))
		}
		out = append(out, l)
	}
	return strings.Join(out, ",")
}

// refererOf is what a page's load says of the page: strict-origin-when-cross-origin.
func refererOf(page string, to *url.URL) string {
	u, err := url.Parse(page)
	if page == "" || err != nil || u.Scheme == "https" && to.Scheme == "http" {
		return ""
	}
	u.User, u.Fragment = nil, ""
	if u.Scheme != to.Scheme || u.Host != to.Host {
		return u.Scheme + "://" + u.Host + "/"
	}
	return u.String()
}

// errTooMuch is the end of an answer that is larger than anybody compares.
var errTooMuch = errors.New("the answer is too large")

// read takes the body in, as far as anybody asks for it.
func (q *question) read(resp *http.Response, a *revalidate.Answer, keep bool) ([]byte, error) {
	if a.Status < 200 || a.Status >= 300 {
		io.Copy(io.Discard, io.LimitReader(resp.Body, 64<<10)) // so that the connection can be used again
		return nil, nil
	}
	q.mu.Lock()
	limit := min(q.o.MaxBytes, q.free)
	q.mu.Unlock()
	var body []byte
	var n int64
	var err error
	sum := sha256.New()
	if keep {
		body, err = io.ReadAll(io.LimitReader(resp.Body, limit+1))
		n = int64(len(body))
		sum.Write(body)
	} else {
		n, err = io.Copy(sum, io.LimitReader(resp.Body, limit+1))
	}
	if err != nil {
		return nil, err
	}
	if n > limit {
		return nil, errTooMuch
	}
	q.mu.Lock()
	q.free -= n
	q.mu.Unlock()
	copy(a.Body[:], sum.Sum(nil))
	return body, nil
}

func hostOf(at string) string {
	u, err := url.Parse(at)
	if err != nil {
		return ""
	}
	return u.Scheme + "://" + u.Host
}
