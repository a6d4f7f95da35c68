package web

import (
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"plat/web/watchweb"
)

// maxBody is the default limit of a request body, in bytes.
const maxBody = 1 << 20

// guard admits requests with an accepted Host and, if a token is set, with that
// token. It rejects cross-origin requests that change state.
func (s *Server) guard(next http.Handler) http.Handler {
	same := http.NewCrossOriginProtection()
	same.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.fail(w, r, http.StatusForbidden, "cross-origin request refused; send it from plat's own pages or from a program")
	}))
	inner := same.Handler(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		head := w.Header()
		head.Set("X-Content-Type-Options", "nosniff")
		head.Set("Referrer-Policy", "no-referrer")
		head.Set("Content-Security-Policy", policy)
		head.Set("Cross-Origin-Opener-Policy", "same-origin")
		head.Set("Cross-Origin-Resource-Policy", "same-origin")
		head.Set("X-Frame-Options", "SAMEORIGIN")
		name, ok := hostname(r.Host)
		switch {
		case s.Names != nil && !(ok && s.Names(name)):
			s.fail(w, r, http.StatusMisdirectedRequest, fmt.Sprintf("this server is not %q", r.Host))
			return
		case !s.open(r) && !s.allowed(r):
			head.Set("WWW-Authenticate", `Basic realm="plat", charset="UTF-8"`)
			s.fail(w, r, http.StatusUnauthorized, "token required: send it as a bearer token, or as the password (any user name)")
			return
		}
		switch r.URL.Path {
		case intakePath, segmentPath, watchweb.ImportPath: // which have limits of their own
		default:
			if r.Body != nil {
				r.Body = http.MaxBytesReader(w, r.Body, maxBody)
			}
		}
		inner.ServeHTTP(w, r)
	})
}

// policy is the Content-Security-Policy of our pages: their own style sheet,
// script and pictures, and frames with our mementos, which have a policy of
// their own.
const policy = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; font-src 'self'; " +
	"frame-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'self'"

// open reports whether a path needs no token: monitoring sends no token; the login page needs its
// style sheet; and assets of mementos are signed instead, because a page with an opaque origin
// sends no credentials.
func (s *Server) open(r *http.Request) bool {
	switch r.URL.Path {
	case "/healthz", "/readyz":
		return true
	}
	return strings.HasPrefix(r.URL.Path, assetPrefix) || strings.HasPrefix(r.URL.Path, "/static/")
}

func (s *Server) allowed(r *http.Request) bool {
	if s.Token == "" {
		return true
	}
	if scheme, given, _ := strings.Cut(r.Header.Get("Authorization"), " "); strings.EqualFold(scheme, "Bearer") {
		return s.isToken(given)
	}
	if _, given, ok := r.BasicAuth(); ok {
		return s.isToken(given)
	}
	return (strings.HasPrefix(r.URL.Path, "/feed/") || watchweb.TokenInQuery(r.URL.Path)) && s.isToken(r.URL.Query().Get("token"))
}

// isToken compares in constant time, for tokens of any length.
func (s *Server) isToken(given string) bool {
	a, b := sha256.Sum256([]byte(given)), sha256.Sum256([]byte(s.Token))
	return subtle.ConstantTimeCompare(a[:], b[:]) == 1
}

// hostname returns the host of a request without its port and brackets; false if it is malformed
// (RFC 9110 section 7.2): a host that proxies may parse differently must not pass.
func hostname(host string) (name string, ok bool) {
	name, port, _ := strings.Cut(host, ":")
	if inside, is := strings.CutPrefix(host, "["); is {
		inside, rest, closed := strings.Cut(inside, "]")
		a, err := netip.ParseAddr(inside)
		if !closed || err != nil || !a.Is6() || a.Zone() != "" || rest != "" && rest[0] != ':' {
			return "", false
		}
		name, port = inside, strings.TrimPrefix(rest, ":")
	} else if strings.ContainsAny(name, "[]") {
		return "", false
	}
	if port != "" {
		if _, err := strconv.ParseUint(port, 10, 16); err != nil {
			return "", false
		}
	}
	return strings.ToLower(name), name != ""
}

// LoopbackNames reports whether a host name refers to this machine.
func LoopbackNames(host string) bool {
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.IsLoopback()
}

// Serve makes a server with time-outs for untrusted clients, so that slow ones
// cannot hold connections.
func Serve(h http.Handler) *http.Server {
	return &http.Server{
		Handler: h, ReadHeaderTimeout: 10 * time.Second, ReadTimeout: time.Minute, WriteTimeout: 2 * time.Minute,
		IdleTimeout: time.Minute, MaxHeaderBytes: 64 << 10,
	}
}
