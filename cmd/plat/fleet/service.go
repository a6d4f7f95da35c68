package fleet

import (
	"context"
	"fmt"
	"io"
	"net/url"
	"strconv"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"plat/cmd/plat/app"
	"plat/plat"
	"plat/queue"
	"plat/queue/intake"
	"plat/queue/window"
	"plat/storage"
	"plat/storage/uri"
	"plat/web"
	"plat/web/submit"
	"plat/workers"
)

// service is the HTTP server at --listen, and its metrics. Without --listen its methods do
// nothing.
type service struct {
	*web.Service // nil: there is no --listen
	registry     *prometheus.Registry
	drop         []string
}

// minToken is the minimum length of a token, in characters: shorter ones can be guessed.
const minToken = 16

// listenAt begins to serve at --listen, if that is given.
func listenAt(a *app.App) (*service, error) {
	log, err := a.Logger(a.Stderr)
	if err != nil {
		return nil, err
	}
	s := &service{registry: prometheus.NewRegistry(), drop: a.Drop()}
	if a.Listen == "" {
		return s, nil
	}
	if a.Token != "" && len(a.Token) < minToken {
		return nil, app.Fail(app.ExitUsage, "token: it has %d characters; write %d or more", len(a.Token), minToken)
	}
	if err := checkPublic(a); err != nil {
		return nil, err
	}
	s.registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	build := app.ReadBuild()
	s.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "plat_build_info", Help: "1, with the version of this binary and the format of the frontier that it understands.",
		ConstLabels: prometheus.Labels{"version": build.Version, "revision": build.Revision, "goversion": build.Go, "frontier": strconv.Itoa(queue.Format)},
	}, func() float64 { return 1 }))
	s.Service, err = web.Listen(a.Listen, web.Options{
		Token: a.Token, PublicURL: strings.TrimSuffix(a.PublicURL, "/"), Drop: s.drop, Log: log, Version: app.ReadBuild().Version, Day: a.Day, Channels: a.Channels,
		Metrics: promhttp.HandlerFor(s.registry, promhttp.HandlerOpts{}),
	}, func(err error) { fmt.Fprintf(a.Stderr, "plat: %s\n", app.Sentence(err)) })
	if err != nil {
		return nil, app.Fail(app.ExitConfig, "listen: %w; give a different address with --listen", err)
	}
	s.count("web", s.Service)
	return s, nil
}

// count measures how many connections to a listener are closed or refused.
func (s *service) count(listener string, l interface{ Turned() int64 }) {
	s.registry.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{
		Name: "plat_connections_turned_away_total", Help: "Connections closed or refused because there were too many.", ConstLabels: prometheus.Labels{"listener": listener},
	}, func() float64 { return float64(l.Turned()) }))
}

// stop ends it.
func (s *service) stop() {
	if s.Service != nil {
		s.Stop()
	}
}

// take opens the way in for URLs.
func (s *service) take(q *queue.Queue, store storage.Store, f frontier) {
	if s.Service == nil {
		return
	}
	if f.own != nil {
		s.count("redis", f.own)
	}
	counter := window.FleetCounter{Queue: q, Archive: store}
	s.registry.MustRegister(queue.NewCollector(window.StatsOf(q, counter)), window.NewCollector(counter))
	take := func(ctx context.Context, jobs []plat.Job) (int, error) { return intake.Take(ctx, store, q, jobs) }
	list := func(ctx context.Context, l *intake.List, r io.Reader) (intake.Progress, error) {
		return l.Take(ctx, store, q, r)
	}
	s.Change(func(o *web.Options) { o.Queue, o.Take, o.Add = q, submit.New(take, list, s.drop), take })
}

// work says that a crew is at work, so the service is ready. The archive is shown before: who asks
// /readyz may ask for a page next.
func (s *service) work(crew *workers.Crew, m *workers.Metrics) {
	if s.Service == nil {
		return
	}
	s.registry.MustRegister(m)
	s.Change(func(o *web.Options) { o.Ready, o.Starting = crew.Ready, false })
}

// show opens the archive until the function returned is called.
func (s *service) show(ctx context.Context, store storage.Store) (stop func()) {
	if s.Service == nil {
		return func() {}
	}
	return s.Show(ctx, store)
}

// checkPublic checks the URL at which clients reach us through a proxy.
func checkPublic(a *app.App) error {
	if a.PublicURL == "" {
		return nil
	}
	u, err := url.Parse(a.PublicURL)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return app.Fail(app.ExitUsage, "public-url %q: write it as https://archive.example", uri.Redacted(a.PublicURL))
	case a.Token == "":
		return app.Fail(app.ExitConfig, "public-url %s: other machines reach the archive there, so it needs a token of %d characters or more; give one with PLAT_TOKEN or PLAT_TOKEN_FILE", a.PublicURL, minToken)
	}
	return nil
}
