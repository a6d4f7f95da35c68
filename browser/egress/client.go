package egress

import (
	"net/http"
	"time"
)

// Client returns a client for requests outside the browser, such as robots.txt:
// it has the same limits as pages, keeps no cookies and follows no redirects.
// The caller must limit the body, and close idle connections at the end.
func (g *Guard) Client() *http.Client {
	return &http.Client{
		Transport: &http.Transport{
			Proxy:                  nil, // see New
			DialContext:            g.DialContext,
			ForceAttemptHTTP2:      true,
			MaxIdleConns:           64,
			IdleConnTimeout:        10 * time.Second,
			TLSHandshakeTimeout:    10 * time.Second,
			ResponseHeaderTimeout:  g.opts.HeaderTimeout,
			MaxResponseHeaderBytes: maxHeader,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}
