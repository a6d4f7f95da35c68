package fetch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"plat/browser/fetch/robots"
)

// A doer sends HTTP requests, and does not follow redirects.
type doer interface {
	Do(r *http.Request) (*http.Response, error)
}

// Options configures a client.
type Options struct {
	Agent        string        // the product token for robots.txt
	UserAgent    string        // the User-Agent header
	IgnoreRobots bool          // do not request or obey robots.txt
	Delay        time.Duration // of a host whose robots.txt asks for no longer one
	MaxDelay     time.Duration // limit of robots.txt's crawl-delay

	Answered func(robots.Access) // called with the result of each request for a robots.txt; may be nil
}

// Client requests files. It is safe for concurrent use.
type Client struct {
	http  doer
	o     Options
	rules rulesCache
}

// New returns a client that sends its requests with d.
func New(d doer, o Options) *Client {
	if o.Answered == nil {
		o.Answered = func(robots.Access) {}
	}
	return &Client{http: d, o: o}
}

// Location returns the target of a URL's redirect, if robots.txt allows the request, as the site
// writes it. Empty: no redirect, or the request failed.
func (c *Client) Location(ctx context.Context, at string) string {
	if _, err := c.Obey(ctx, at); err != nil {
		return ""
	}
	status, _, header, err := c.get(ctx, at, 0)
	if err != nil || status < 300 || status >= 400 {
		return ""
	}
	return header.Get("Location")
}

// getLimit is the time limit for one file.
const getLimit = 30 * time.Second

// get reads at most max bytes of a URL. status is 0 if there was no answer.
func (c *Client) get(ctx context.Context, at string, max int64) (status int, body []byte, header http.Header, err error) {
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
func (c *Client) open(ctx context.Context, at string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, at, nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("User-Agent", c.o.UserAgent)
	r, err := c.http.Do(req)
	if err != nil {
		var u *url.Error
		if errors.As(err, &u) {
			err = u.Err // without the URL, which the caller adds
		}
		return nil, err
	}
	return r, nil
}
