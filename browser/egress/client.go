package egress

import (
	"net/http"
	"time"
)

// Client returns a client for what is fetched without a browser, as robots.txt:
// it goes where pages may go and nowhere else, keeps no cookies and follows no
// redirects. The body is the caller's to bound. Close its idle connections when
// it is done with.
func (g *Guard) Client() *http.Client {
	return &http.Client{
		Transport: &http.Transport{
			Proxy:                  nil, // see New
			DialContext:            g.dialPlain,
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
