package web

import (
	"context"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"plat/export/replay"
	"plat/plat"
	"plat/queue"
	"plat/storage"
	"plat/web/api"
	"plat/web/cache"
	"plat/web/divide"
	"plat/web/focusweb"
	"plat/web/mcpserver"
	"plat/web/watchweb"
)

// Options configures a Server.
type Options struct {
	Store storage.Store // the archive; nil: no archive pages
	Queue *queue.Queue  // the crawl queue; nil: no fleet page
	Drop  []string      // query parameters removed from URLs, see plat.Canonical

	// Token, if not empty, is required for every request except health: as a
	// bearer token, as the password of basic authentication, or, for feeds,
	// whose readers may support neither, in the parameter token.
	Token string

	// PublicURL is the external address of this server without a trailing
	// slash, used for absolute links if it differs from the requests' host.
	PublicURL string

	// Closed restricts the server to health and metrics, which need no token.
	Closed bool

	// Starting is set while the archive is being opened: all requests but those for health and
	// metrics get 503.
	Starting bool

	// Channels lets channels of subscriptions be added and removed by API.
	Channels bool

	// Names accepts the Host names of this server; nil accepts any. On loopback
	// it protects against DNS rebinding.
	Names func(host string) bool

	// Take, Add, Ready and Metrics are set if there are workers, else nil: the
	// handler for URLs (package submit), readiness, and the metrics for Prometheus.
	Take    http.Handler
	Add     func(context.Context, []plat.Job) (fresh int, err error) // for the form of the start page
	Ready   func() error
	Metrics http.Handler

	// Segment divides pages; nil: a request to do so gets 404.
	Segment *divide.Handler

	Day     time.Duration // of policies that learn; 0: 24 hours
	Version string        // of plat
	Log     *slog.Logger

	connections int // most of a Service; 0: as many as maxConnections says
}

type Server struct {
	Options
	key     func() replay.Key // signs references from replayed pages to their resources
	cache   *cache.Cache
	mux     *api.Mux
	guarded http.Handler
	watched *watchweb.Server
	focused *focusweb.Server
}

// cacheBytes is the approximate limit of the cache.
const cacheBytes = 64 << 20

// New returns a server for an archive.
func New(o Options) *Server {
	s := &Server{Options: o, cache: cache.New(cacheBytes), mux: &api.Mux{}}
	s.key = sync.OnceValue(func() replay.Key { return replay.NewKey(o.Token) })
	s.guarded = s.guard(http.HandlerFunc(s.route))
	if s.Log == nil {
		s.Log = slog.New(slog.DiscardHandler)
	}
	s.health(s.mux)
	switch {
	case s.Closed:
	case s.Store == nil && s.Segment != nil:
		s.segmenterOnly(s.mux)
	case s.Store == nil:
		s.mux.Handle("POST "+intakePath, s.apiTake)
	default:
		s.pages(s.mux)
		s.api(s.mux)
		s.feeds(s.mux)
		s.watch(s.mux)
		s.focus(s.mux)
		s.mux.Handle("/mcp", mcpserver.Handler(mcpserver.New(mcpserver.Options{Store: s.Store, Version: s.Version, Drop: s.Drop})).ServeHTTP)
	}
	s.mux.Handle("/", s.nothing)
	return s
}

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.guarded.ServeHTTP(w, r) }

// withURL is a prefix of paths that end in a whole URL.
type withURL struct {
	prefix string
	serve  func(w http.ResponseWriter, r *http.Request, rest string)
}

// withURLs lists the prefixes that route serves.
func (s *Server) withURLs() []withURL {
	return []withURL{{"/web/", s.memento}, {"/timegate/", s.timegate}, {"/timemap/", s.timemap}}
}

// route sends requests whose path contains a whole URL past the mux, which
// would merge its two slashes.
func (s *Server) route(w http.ResponseWriter, r *http.Request) {
	for _, m := range s.withURLs() {
		// Use the raw request line: URLs must not be decoded.
		if rest, ok := strings.CutPrefix(r.RequestURI, m.prefix); ok && s.Store != nil && !s.Closed {
			m.serve(w, r, rest)
			return
		}
	}
	s.mux.ServeHTTP(w, r)
}

// nothing answers unknown paths and methods.
func (s *Server) nothing(w http.ResponseWriter, r *http.Request) {
	if s.Starting {
		w.Header().Set("Retry-After", "1")
		s.fail(w, r, http.StatusServiceUnavailable, "starting")
		return
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		get := r.Clone(r.Context())
		get.Method = http.MethodGet
		if _, pattern := s.mux.Handler(get); pattern != "/" {
			w.Header().Set("Allow", "GET, HEAD")
			s.fail(w, r, http.StatusMethodNotAllowed, "use GET or HEAD")
			return
		}
	}
	s.fail(w, r, http.StatusNotFound, "unknown address")
}
