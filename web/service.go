package web

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"plat/browser/connections"
	"plat/queue/aliases"
	"plat/storage"
	"plat/web/api"
)

// Service serves health and metrics immediately, and the rest once it has an
// archive and a queue. It is safe for concurrent use.
type Service struct {
	address *net.TCPAddr
	server  *http.Server
	limited *connections.Listener
	now     atomic.Pointer[Server]
	ended   chan struct{} // closed when serving has ended

	mu      sync.Mutex
	options Options // current; guarded by mu
}

// Listen begins to serve at a TCP address. Until [Service.Change] sets them, it
// is not ready and takes no URLs. On loopback it accepts only this machine's
// names and that of PublicURL as Host; elsewhere, without a token, it serves
// only health and metrics. failed receives the error if serving ends without
// Stop.
func Listen(address string, o Options, failed func(error)) (*Service, error) {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, err
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	o.Ready = func() error { return errors.New("starting") }
	o.Take = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Retry-After", "5")
		api.WriteProblem(w, http.StatusServiceUnavailable, "starting")
	})
	switch public, err := url.Parse(o.PublicURL); {
	case l.Addr().(*net.TCPAddr).IP.IsLoopback():
		o.Names = func(host string) bool {
			return LoopbackNames(host) || o.PublicURL != "" && err == nil && host == public.Hostname()
		}
	case o.Token == "":
		o.Closed = true
	}
	o.Starting = !o.Closed
	s := &Service{address: l.Addr().(*net.TCPAddr), ended: make(chan struct{}), options: o}
	s.now.Store(New(o))
	s.server = Serve(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.now.Load().ServeHTTP(w, r) }))
	s.server.ErrorLog = slog.NewLogLogger(o.Log.Handler(), slog.LevelDebug)
	s.limited = connections.Limit(l, connections.Options{Name: "the web interface", Most: cmp.Or(o.connections, connections.Share(maxConnections)), Refusal: refusal, Log: o.Log})
	go func() {
		defer close(s.ended)
		if err := s.limited.Serve(s.server); !errors.Is(err, http.ErrServerClosed) {
			failed(err)
		}
	}()
	return s, nil
}

// maxConnections is the most connections that a Service has; fewer where the process may open few files,
// see [connections.Share].
const maxConnections = 1000

// refusal answers a client for which there is no connection.
var refusal = func() []byte {
	detail := `{"type":"about:blank","title":"Service Unavailable","status":503,"detail":"too many connections; retry later"}` + "\n"
	return fmt.Appendf(nil, "HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/problem+json\r\nContent-Length: %d\r\nRetry-After: 5\r\nConnection: close\r\n\r\n%s", len(detail), detail)
}()

// Turned returns how many connections were closed or refused because there were too many.
func (s *Service) Turned() int64 { return s.limited.Turned() }

// Address is the host and port it listens on.
func (s *Service) Address() string { return s.address.String() }

// Port is the port it listens on.
func (s *Service) Port() uint16 { return s.address.AddrPort().Port() }

// Ended is closed when serving has ended.
func (s *Service) Ended() <-chan struct{} { return s.ended }

// Change modifies the options for subsequent requests.
func (s *Service) Change(change func(o *Options)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(&s.options)
	s.now.Store(New(s.options))
}

// indexEvery is the interval of search index updates.
const indexEvery = 3 * time.Second

// Show opens the archive and keeps its search index up to date until the
// returned function is called. If the service is closed it does nothing.
func (s *Service) Show(ctx context.Context, store storage.Store) (stop func()) {
	if s.now.Load().Closed {
		return func() {}
	}
	s.Change(func(o *Options) { o.Store, o.Starting = aliases.Store{Store: store}, false })
	log := s.now.Load().Log
	ctx, cancel := context.WithCancel(ctx)
	var indexing sync.WaitGroup
	indexing.Go(func() {
		for {
			if err := store.Index(ctx, nil); err != nil && ctx.Err() == nil {
				log.Error("search index", "error", err)
			}
			select {
			case <-time.After(indexEvery):
			case <-ctx.Done():
				return
			}
		}
	})
	return func() {
		cancel()
		indexing.Wait()
	}
}

// Stop ends the service; running requests get two seconds.
func (s *Service) Stop() {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	s.server.Shutdown(ctx)
	s.server.Close()
	<-s.ended
}
