package revalidate

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

	"plat/browser/cookies"
	"plat/browser/origin"
	"plat/plat"
)

// question is the check of one page.
type question struct {
	*Checker
	asked *url.URL  // the requested URL of the page
	page  *url.URL  // of the document, after redirects; nil: not known so far
	last  time.Time // time of the previous visit
	entry entry
	login Login // sent for it
	free  int64 // remaining bytes for answers
	mu    sync.Mutex
}

// Accept headers of Chrome.
const documentAccept = "text/html,application/xhtml+xml,application/xml;q=0.9,image/jxl,image/avif,image/webp,image/apng,*/*;q=0.8,application/signed-exchange;v=b3;q=0.7"

var accepts = map[plat.LoadKind]string{
	plat.LoadImage: "image/jxl,image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8",
	plat.LoadStyle: "text/css,*/*;q=0.1",
}

// get sends a request, and repeats it with credentials if the host requires them and a login
// exists. Status 0 means that the host is unreachable; an error, that the answer is too slow or too
// large. The body is returned if keep is set.
func (q *question) get(ctx context.Context, at, accept string, conditions http.Header, keep bool) (a Answer, body []byte, err error) {
	for login := (*Login)(nil); ; {
		a = Answer{Time: q.o.Now()}
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, at, nil)
		if err != nil {
			return a, nil, fmt.Errorf("%w: %w", errIncomparable, err)
		}
		q.headers(req, accept)
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
			if login = q.credentials(req.URL, resp); login != nil {
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

// credentials returns the login for a server that requires one by the supported scheme, nil if
// there is no such login.
func (q *question) credentials(u *url.URL, resp *http.Response) *Login {
	demand := resp.Header.Get("WWW-Authenticate")
	scheme, _, _ := strings.Cut(demand, " ")
	if !strings.EqualFold(scheme, "Basic") {
		return nil
	}
	here := entry{hostOf(u.String()), demand}
	if q.page != nil { // a load
		if here != q.entry {
			return nil
		}
		return &q.login
	}
	l, ok := origin.Find(q.o.Auth, q.asked, u)
	if !ok {
		return nil
	}
	q.entry, q.login = here, l
	return &l
}

// own reports whether a request is sent with the header.
func (q *question) own(at *url.URL) bool {
	return len(q.o.Header) > 0 && (q.o.HeaderEverywhere || origin.SameSite(q.asked, at))
}

// headers sets the headers that the browser would send. The transport itself
// adds gzip.
func (q *question) headers(req *http.Request, accept string) {
	h := req.Header
	given := ""
	if q.own(req.URL) {
		for name, values := range q.o.Header {
			h[name] = []string{strings.Join(values, ", ")}
		}
		given = strings.Join(q.o.Header["Cookie"], "; ")
	}
	if all := cookies.Join(q.jar.For(req.URL, q.page), given); all != "" {
		h["Cookie"] = []string{all}
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
	set("Referer", refererOf(q.page, req.URL))
}

// acceptLanguage is the header that Chrome derives from a list of languages.
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

// refererOf is the Referer of a page's load under
// strict-origin-when-cross-origin.
func refererOf(page, to *url.URL) string {
	if page == nil || page.Scheme == "https" && to.Scheme == "http" {
		return ""
	}
	u := *page
	u.User, u.Fragment = nil, ""
	if u.Scheme != to.Scheme || u.Host != to.Host {
		return u.Scheme + "://" + u.Host + "/"
	}
	return u.String()
}

// errTooMuch is returned for answers over the size limit.
var errTooMuch = errors.New("the answer is too large")

// read reads the body if it is needed.
func (q *question) read(resp *http.Response, a *Answer, keep bool) ([]byte, error) {
	if a.Status < 200 || a.Status >= 300 {
		io.Copy(io.Discard, io.LimitReader(resp.Body, 64<<10)) // drain, so that the connection can be reused
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
