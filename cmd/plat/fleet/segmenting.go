package fleet

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"plat/cmd/plat/app"
	"plat/storage"
	"plat/web"
	"plat/web/api"
	"plat/web/divide"
	"plat/workers/segmenter"
	"plat/workers/visitor"
)

// segmenterIdle is the time without a request after which the browser of plat serve and plat up that divides pages
// ends: it takes 200 MB, and the next request waits a second for it.
const segmenterIdle = 5 * time.Minute

// segment lets clients have pages divided, until the function returned is called. The pages are rendered apart from
// those of visits, without logins.
func (s *service) segment(a *app.App, ports []uint16) (stop func(), err error) {
	if s.Service == nil || !a.Segment {
		return func() {}, nil
	}
	log, err := a.Logger(a.Stderr)
	if err != nil {
		return nil, err
	}
	divider, err := app.Segmenter(a.WithoutLogins(), log, 0, segmenterIdle, ports...)
	if err != nil {
		return nil, err
	}
	s.Change(func(o *web.Options) { o.Segment = divideWith(divider, s.drop, log) })
	return divider.Close, nil
}

// showAll opens the archive, and lets clients have pages divided, until the function returned is called. It does so
// if the process is alone: a worker of a fleet only works.
func (s *service) showAll(ctx context.Context, a *app.App, alone bool, store storage.Store, ports []uint16) (stop func(), err error) {
	if !alone {
		return func() {}, nil
	}
	segmenting, err := s.segment(a, ports)
	if err != nil {
		return nil, err
	}
	showing := s.show(ctx, store)
	return func() { segmenting(); showing() }, nil
}

// divideWith returns the handler that divides pages with a segmenter.
func divideWith(s *segmenter.Segmenter, drop []string, log *slog.Logger) *divide.Handler {
	return divide.New(divide.Options{
		Drop: drop, Log: log,
		Divide: func(ctx context.Context, from divide.Source) (any, error) {
			page, err := s.Segment(ctx, segmenter.Source(from))
			if none, ok := errors.AsType[*visitor.BrowserError](err); ok {
				return nil, &api.Mistake{Code: http.StatusServiceUnavailable, Detail: "no page can be rendered: " + app.Sentence(none)}
			}
			if wrong, ok := errors.AsType[*segmenter.SourceError](err); ok {
				return nil, api.BadRequest("%s", wrong)
			}
			if err != nil {
				return nil, err
			}
			return page.Info(nil), nil
		},
	})
}

// ServeSegmenter serves the endpoint that divides pages, without an archive, until ctx ends.
func ServeSegmenter(ctx context.Context, a *app.App) error {
	if err := needToken(a); err != nil {
		return err
	}
	log, err := a.Logger(a.Stderr)
	if err != nil {
		return err
	}
	served, err := listenAt(a)
	if err != nil {
		return err
	}
	defer served.stop()
	divider, err := app.Segmenter(a.WithoutLogins(), log, 0, 0, served.Port())
	if err != nil {
		return err
	}
	defer divider.Close()
	if err := divider.Start(ctx); err != nil {
		return err
	}
	served.Change(func(o *web.Options) {
		o.Take, o.Ready, o.Starting, o.Segment = nil, nil, false, divideWith(divider, served.drop, log)
	})
	if !a.Quiet {
		fmt.Fprintf(a.Stderr, "plat: POST a page to http://%s/api/v1/segment\n", served.Address())
	}
	select {
	case <-ctx.Done():
		return nil
	case <-served.Ended():
		return app.Fail(app.ExitError, "it serves no more")
	}
}
