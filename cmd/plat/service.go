package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"plat/queue"
	"plat/storage"
	"plat/web"
	"plat/workers"
)

// service is what --listen serves: health and metrics from the first moment, the
// rest once there is an archive to show, and a frontier to put URLs into.
type service struct {
	options  web.Options
	registry *prometheus.Registry
	now      atomic.Pointer[web.Server]
	log      *slog.Logger
	address  string
	ended    chan struct{} // closed when it serves no more
	stop     func()
}

// minToken is how long a token must be: shorter ones can be tried out.
const minToken = 16

// listenAt begins to serve at --listen, if that is given.
func (a *app) listenAt() (*service, error) {
	log, err := a.logger()
	if err != nil {
		return nil, err
	}
	s := &service{registry: prometheus.NewRegistry(), log: log, ended: make(chan struct{}), stop: func() {}}
	if a.listen == "" {
		return s, nil
	}
	if a.token != "" && len(a.token) < minToken {
		return nil, fail(exitConfig, "token: it has %d characters; write %d or more", len(a.token), minToken)
	}
	public, err := a.public()
	if err != nil {
		return nil, err
	}
	l, err := net.Listen("tcp", a.listen)
	if err != nil {
		return nil, fail(exitConfig, "listen: %w; give another address with --listen", err)
	}
	s.registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	s.options = web.Options{
		Token: a.token, PublicURL: strings.TrimSuffix(a.publicURL, "/"), Drop: a.drop(), Log: log, Version: buildOf().Version,
		Metrics: promhttp.HandlerFor(s.registry, promhttp.HandlerOpts{}),
		Ready:   func() error { return errors.New("starting") },
		Take: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Retry-After", "5")
			web.WriteProblem(w, http.StatusServiceUnavailable, "starting")
		}),
	}
	if l.Addr().(*net.TCPAddr).IP.IsLoopback() {
		s.options.Names = func(host string) bool { return web.LoopbackNames(host) || public != nil && host == public.Hostname() }
	} else if a.token == "" {
		// Without a token: health and metrics only.
		s.options.Closed = true
	}
	s.now.Store(web.New(s.options))
	server := web.Serve(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.now.Load().ServeHTTP(w, r) }))
	server.ErrorLog = slog.NewLogLogger(log.Handler(), slog.LevelDebug)
	go func() {
		defer close(s.ended)
		if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			fmt.Fprintf(a.stderr, "plat: %s\n", sentence(err))
		}
	}()
	s.address = l.Addr().String()
	s.stop = func() {
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
		defer cancel()
		server.Shutdown(ctx)
		server.Close()
		<-s.ended
	}
	return s, nil
}

// take opens the way in for URLs.
func (s *service) take(q *queue.Queue, store storage.Store) {
	if s.address == "" {
		return
	}
	s.registry.MustRegister(queue.NewCollector(q))
	s.options.Queue = q
	s.options.Take = &intake{q: q, store: store, drop: s.options.Drop}
	s.now.Store(web.New(s.options))
}

// work says that a crew is at work.
func (s *service) work(crew *workers.Crew, m *workers.Metrics) {
	if s.address == "" {
		return
	}
	s.registry.MustRegister(m)
	s.options.Ready = crew.Ready
	s.now.Store(web.New(s.options))
}

// show opens the archive, and keeps its search index up to date until the
// function returned is called.
func (s *service) show(ctx context.Context, store storage.Store) (stop func()) {
	if s.address == "" || s.options.Closed {
		return func() {}
	}
	s.options.Store = store
	s.now.Store(web.New(s.options))
	ctx, cancel := context.WithCancel(ctx)
	var indexing sync.WaitGroup
	indexing.Go(func() {
		for {
			if err := store.Index(ctx, nil); err != nil && ctx.Err() == nil {
				s.log.Error("search index", "error", err)
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

// indexEvery is how soon what is archived can be found.
const indexEvery = 3 * time.Second

// public is the URL under which others reach us through a proxy, nil if there is
// none.
func (a *app) public() (*url.URL, error) {
	if a.publicURL == "" {
		return nil, nil
	}
	u, err := url.Parse(a.publicURL)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return nil, fail(exitConfig, "public-url %q: write it as https://archive.example", redacted(a.publicURL))
	case a.token == "":
		return nil, fail(exitConfig, "public-url %s: others reach the archive there, so it needs a token of %d characters or more; give one with PLAT_TOKEN or PLAT_TOKEN_FILE", a.publicURL, minToken)
	}
	return u, nil
}
