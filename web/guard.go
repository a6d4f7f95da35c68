package web

import (
	"crypto/sha256"
	"crypto/subtle"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"time"
)

// maxBody is how many bytes a request may have where nothing else is said.
const maxBody = 1 << 20

// guard lets through what may be answered: requests by our own name, with the
// token where there is one, and of those that change something only such as no
// foreign page has sent.
func (s *Server) guard(next http.Handler) http.Handler {
	same := http.NewCrossOriginProtection()
	same.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.fail(w, r, http.StatusForbidden, "another site sent this request; only pages of plat's own, and programs, may")
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
		switch {
		case s.Names != nil && !s.Names(hostname(r.Host)):
			s.fail(w, r, http.StatusMisdirectedRequest, "this server is not "+hostname(r.Host))
			return
		case !s.open(r) && !s.allowed(r):
			head.Set("WWW-Authenticate", `Basic realm="plat", charset="UTF-8"`)
			s.fail(w, r, http.StatusUnauthorized, "give the token of this archive: as a bearer token, or as the password (any user name)")
			return
		}
		if r.Body != nil && r.URL.Path != intakePath { // which has a limit of its own
			r.Body = http.MaxBytesReader(w, r.Body, maxBody)
		}
		inner.ServeHTTP(w, r)
	})
}

// policy is what pages of ours may load and do: their own style sheet, script
// and pictures, and frames of our own mementos, which have a policy of their own.
const policy = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; font-src 'self'; " +
	"frame-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'self'"

// open are paths that need no token: whoever watches over us has none; a page that
// asks for it has a style; and what belongs to a memento is signed, because a page
// in an origin of its own sends no credentials.
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
	return strings.HasPrefix(r.URL.Path, "/feed/") && s.isToken(r.URL.Query().Get("token"))
}

// isToken compares in constant time, also of tokens of other lengths.
func (s *Server) isToken(given string) bool {
	a, b := sha256.Sum256([]byte(given)), sha256.Sum256([]byte(s.Token))
	return subtle.ConstantTimeCompare(a[:], b[:]) == 1
}

// hostname is the host of a request without its port.
func hostname(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return strings.Trim(host, "[]")
}

// LoopbackNames are the names of this machine that lead to itself.
func LoopbackNames(host string) bool {
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.IsLoopback()
}

// Serve sets the time-outs of a server for strangers: nobody holds a connection
// by being slow.
func Serve(h http.Handler) *http.Server {
	return &http.Server{
		Handler: h, ReadHeaderTimeout: 10 * time.Second, ReadTimeout: time.Minute, WriteTimeout: 2 * time.Minute,
		IdleTimeout: time.Minute, MaxHeaderBytes: 64 << 10,
	}
}
