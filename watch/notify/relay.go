package notify

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"time"

	"plat/browser/connections"
)

// mostRelayed limits the connections of a relay. One attempt opens a few.
const mostRelayed = 32

// openRelay listens on loopback for the time of one attempt and passes requests on to a server,
// by the connections of w. It is for services that do not accept an HTTP client. It adds no
// credentials, so a request by a different local process gets only public responses of the
// server.
func (w *watched) openRelay(server *url.URL) (addr string, end func(), err error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, fmt.Errorf("open a relay: %w", err)
	}
	proxy := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(server)
			r.Out.Host = server.Host
		},
		Transport: w,
		ErrorLog:  quiet,
		ErrorHandler: func(rw http.ResponseWriter, _ *http.Request, _ error) {
			rw.WriteHeader(http.StatusBadGateway) // w stores the error
		},
		ModifyResponse: func(r *http.Response) error {
			if r.StatusCode >= 300 && r.StatusCode <= 399 {
				return fmt.Errorf("the receiver answered %s; redirects are not followed", r.Status)
			}
			return nil
		},
	}
	srv := &http.Server{Handler: proxy, ErrorLog: quiet, ReadHeaderTimeout: 10 * time.Second, BaseContext: func(net.Listener) context.Context { return w.ctx }}
	done := make(chan struct{})
	go func() {
		defer close(done)
		connections.Limit(l, connections.Options{Name: "the relay of a channel", Most: mostRelayed}).Serve(srv)
	}()
	return l.Addr().String(), func() {
		srv.Close()
		<-done
	}, nil
}
