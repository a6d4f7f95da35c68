package egress

import (
	"crypto/tls"
	"crypto/x509"
	"net/http"
	"time"
)

// Client returns a client for requests outside the browser, such as robots.txt:
// it has the same limits as pages, keeps no cookies and follows no redirects.
// The caller must limit the body, and close idle connections at the end.
func (g *Guard) Client() *http.Client { return g.ClientTrusting(nil) }

// ClientTrusting returns a client as [Guard.Client] does, which trusts these certificates instead of the system's; nil: those.
func (g *Guard) ClientTrusting(roots *x509.CertPool) *http.Client {
	return &http.Client{
		Transport: &lenient{
			Transport: &http.Transport{
				Proxy:                  nil, // see New
				DialContext:            g.DialContext,
				TLSClientConfig:        &tls.Config{RootCAs: roots},
				ForceAttemptHTTP2:      true,
				MaxIdleConns:           64,
				IdleConnTimeout:        10 * time.Second,
				TLSHandshakeTimeout:    10 * time.Second,
				ResponseHeaderTimeout:  g.opts.HeaderTimeout,
				MaxResponseHeaderBytes: maxHeader,
			},
			dial: g.DialContext, timeout: g.opts.HeaderTimeout,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}
