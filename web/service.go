package web

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"plat/storage"
)

// Service answers at an address: health and metrics from the first moment, the rest
// once there is an archive to show, and a frontier to put URLs into. It is safe for
// concurrent use.
type Service struct {
	address string
	server  *http.Server
	now     atomic.Pointer[Server]
	ended   chan struct{} // closed when it serves no more

	mu      sync.Mutex
	options Options // of now; guarded by mu
}

// Listen begins to serve at an address of TCP. Until [Service.Change] says otherwise
// it is not ready and takes no URLs. On loopback it answers by the names of this
// machine and of PublicURL only; elsewhere, without a token, health and metrics
// alone. failed is told why it ended, if Stop has not ended it.
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
		WriteProblem(w, http.StatusServiceUnavailable, "starting")
	})
	switch public, err := url.Parse(o.PublicURL); {
	case l.Addr().(*net.TCPAddr).IP.IsLoopback():
		o.Names = func(host string) bool {
			return LoopbackNames(host) || o.PublicURL != "" && err == nil && host == public.Hostname()
		}
	case o.Token == "":
		o.Closed = true
	}
	s := &Service{address: l.Addr().String(), ended: make(chan struct{}), options: o}
	s.now.Store(New(o))
	s.server = Serve(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.now.Load().ServeHTTP(w, r) }))
	s.server.ErrorLog = slog.NewLogLogger(o.Log.Handler(), slog.LevelDebug)
	go func() {
		defer close(s.ended)
		if err := s.server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			failed(err)
		}
	}()
	return s, nil
}

// Address is where it listens: host and port.
func (s *Service) Address() string { return s.address }

// Ended is closed when it serves no more.
func (s *Service) Ended() <-chan struct{} { return s.ended }

// Change has requests from now on answered by other options.
func (s *Service) Change(change func(o *Options)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(&s.options)
	s.now.Store(New(s.options))
}

// indexEvery is how soon what is archived can be found.
const indexEvery = 3 * time.Second

// Show opens the archive, and keeps its search index up to date until the function
// returned is called. Where only health and metrics are answered it does nothing.
func (s *Service) Show(ctx context.Context, store storage.Store) (stop func()) {
	if s.now.Load().Closed {
		return func() {}
	}
	s.Change(func(o *Options) { o.Store = store })
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

// Stop ends the service: requests under way have two seconds.
func (s *Service) Stop() {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	s.server.Shutdown(ctx)
	s.server.Close()
	<-s.ended
}
