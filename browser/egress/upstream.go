package egress

import (
	"bufio"
	"context"
	"crypto/tls"
	"encoding/base64"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"time"

	"golang.org/x/net/proxy"

	"plat/plat"
)

// through is the connector via an operator's proxy.
func through(u *url.URL) (connector, error) {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443", "socks5": "1080", "socks5h": "1080"}[u.Scheme]
	}
	shown := plat.WithoutSecrets(u.String())
	at := net.JoinHostPort(u.Hostname(), port)
	var forward net.Dialer
	switch u.Scheme {
	case "socks5", "socks5h":
		var auth *proxy.Auth
		if u.User != nil {
			password, _ := u.User.Password()
			auth = &proxy.Auth{User: u.User.Username(), Password: password}
		}
		d, err := proxy.SOCKS5("tcp", at, auth, &forward)
		if err != nil {
			return nil, fmt.Errorf("egress: upstream proxy %s: %w", shown, err)
		}
		socks, ok := d.(proxy.ContextDialer)
		if !ok {
			return nil, fmt.Errorf("egress: upstream proxy %s: this SOCKS client does not support contexts", shown)
		}
		return func(ctx context.Context, to netip.AddrPort) (net.Conn, error) {
			c, err := socks.DialContext(ctx, "tcp", to.String())
			if err != nil {
				return nil, fmt.Errorf("upstream proxy %s: %w", shown, err)
			}
			return c, nil
		}, nil
	}
	return func(ctx context.Context, to netip.AddrPort) (net.Conn, error) {
		c, err := forward.DialContext(ctx, "tcp", at)
		if err != nil {
			return nil, fmt.Errorf("upstream proxy %s: %w", shown, err)
		}
		if u.Scheme == "https" {
			c = tls.Client(c, &tls.Config{ServerName: u.Hostname()})
		}
		t, err := askConnect(ctx, c, u.User, to)
		if err != nil {
			c.Close()
			return nil, fmt.Errorf("upstream proxy %s: %w", shown, err)
		}
		return t, nil
	}, nil
}

// askConnect requests a tunnel from the HTTP proxy at the other end of c.
func askConnect(ctx context.Context, c net.Conn, user *url.Userinfo, to netip.AddrPort) (net.Conn, error) {
	// Connections only support deadlines: translate the context's end into one.
	stop := context.AfterFunc(ctx, func() { c.SetDeadline(time.Unix(1, 0)) })
	req := &http.Request{
		Method: http.MethodConnect, URL: &url.URL{Opaque: to.String()}, Host: to.String(),
		Header: http.Header{"User-Agent": {""}},
	}
	if user != nil {
		password, _ := user.Password()
		req.Header.Set("Proxy-Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte(user.Username()+":"+password)))
	}
	if err := req.Write(c); err != nil {
		return nil, err
	}
	r := bufio.NewReader(c)
	resp, err := http.ReadResponse(r, req)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("CONNECT %s: %s", to, resp.Status)
	}
	if !stop() {
		return nil, context.Cause(ctx)
	}
	if n := r.Buffered(); n > 0 {
		// The target's first bytes arrived with the proxy's response.
		return &prefixed{Conn: c, r: r}, nil
	}
	return c, nil
}

// prefixed is a connection with some bytes already read.
type prefixed struct {
	net.Conn
	r *bufio.Reader
}

func (p *prefixed) Read(b []byte) (int, error) { return p.r.Read(b) }
