package web

import (
	"log/slog"
	"net/http"
	"strings"
	"sync"

	"plat/queue"
	"plat/replay"
	"plat/storage"
)

// Options says what is served.
type Options struct {
	Store storage.Store // the archive; nil: nothing is shown
	Queue *queue.Queue  // the frontier; nil where there is none to show
	Drop  []string      // query parameters that are no part of a URL's name, as plat.Canonical has them

	// Token, if not empty, must come with every request but for health: as a
	// bearer token, as the password of basic authentication, or, of feeds, which
	// are read by programs that know neither, in the parameter token.
	Token string

	// PublicURL is where others reach this server, without a slash at its end, if
	// that is not what requests say: absolute links begin with it.
	PublicURL string

	// Closed says that only health and metrics are answered: there is no token, and
	// anybody may ask.
	Closed bool

	// Names are the hosts that this server may be called by; none: any. Where it
	// is bound to loopback they keep out pages whose name was made to lead here.
	Names func(host string) bool

	// Take, Ready and Metrics are given where there are workers, or nil: the way
	// in for URLs, whether work can be done, and what Prometheus reads.
	Take    http.Handler
	Ready   func() error
	Metrics http.Handler

	Version string // of plat
	Log     *slog.Logger
}

// Server answers requests. It is safe for concurrent use.
type Server struct {
	Options
	key     func() replay.Key // signs references from replayed pages to what belongs to them
	cache   cache
	mux     *http.ServeMux
	guarded http.Handler
}

// cacheBytes is about the most that is remembered between requests.
const cacheBytes = 64 << 20

// New returns a server for an archive.
func New(o Options) *Server {
	s := &Server{Options: o, cache: newCache(cacheBytes), mux: http.NewServeMux()}
	s.key = sync.OnceValue(func() replay.Key { return replay.NewKey(o.Token) })
	s.guarded = s.guard(http.HandlerFunc(s.route))
	if s.Log == nil {
		s.Log = slog.New(slog.DiscardHandler)
	}
	s.health(s.mux)
	switch {
	case s.Closed:
	case s.Store == nil:
		s.mux.HandleFunc("POST "+intakePath, s.apiTake)
	default:
		s.pages(s.mux)
		s.api(s.mux)
		s.feeds(s.mux)
	}
	s.mux.HandleFunc("/", s.nothing)
	return s
}

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.guarded.ServeHTTP(w, r) }

// route sends requests whose path holds a whole URL past the mux, which would
// take its two slashes for one.
func (s *Server) route(w http.ResponseWriter, r *http.Request) {
	for _, m := range []struct {
		prefix string
		serve  func(w http.ResponseWriter, r *http.Request, rest string)
	}{
		{"/web/", s.memento},
		{"/timegate/", s.timegate},
		{"/timemap/", s.timemap},
	} {
		// The request line as it came: the path is decoded, and a URL must not be.
		if rest, ok := strings.CutPrefix(r.RequestURI, m.prefix); ok && s.Store != nil && !s.Closed {
			m.serve(w, r, rest)
			return
		}
	}
	s.mux.ServeHTTP(w, r)
}

// nothing answers where there is nothing, or nothing for that method.
func (s *Server) nothing(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		get := r.Clone(r.Context())
		get.Method = http.MethodGet
		if _, pattern := s.mux.Handler(get); pattern != "/" {
			w.Header().Set("Allow", "GET, HEAD")
			s.fail(w, r, http.StatusMethodNotAllowed, "here one may GET or HEAD")
			return
		}
	}
	s.fail(w, r, http.StatusNotFound, "there is nothing here")
}
