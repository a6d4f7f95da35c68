package focusweb

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"plat/focus/crawler"
	"plat/plat"
	"plat/queue/aliases"
	"plat/segment/label"
	"plat/storage"
	"plat/web/api"
	"plat/web/cache"
	"plat/web/layout"
)

//go:embed pages/*.html pages/parts/*.html
var pageFiles embed.FS

var templates = layout.Parse(pageFiles)

// Options configures a Server. All functions are set.
type Options struct {
	Store   storage.Store
	Drop    []string // query parameters removed from URLs, see plat.Canonical
	Cache   *cache.Cache
	Version string // of plat
	Log     *slog.Logger

	Failed func(w http.ResponseWriter, r *http.Request, err error) // sends an error
}

// Server serves focused crawls.
type Server struct {
	Options
	store      storage.Store // without package aliases, as it is read by those who steer crawls
	readOnly   bool
	describer  func() (*label.Describer, error)
	explaining chan struct{} // full while a crawl is gone through again
}

// New returns a server.
func New(o Options) *Server {
	s := &Server{Options: o, store: o.Store, readOnly: storage.ReadOnly(o.Store), explaining: make(chan struct{}, 1)}
	if a, ok := o.Store.(aliases.Store); ok {
		s.store = a.Store
	}
	s.describer = sync.OnceValues(func() (*label.Describer, error) { return label.New(label.Options{}) })
	return s
}

// Time limits of a response.
const (
	answerTime  = 20 * time.Second
	explainTime = 100 * time.Second // a crawl is gone through again
)

// Routes lists the routes of this package.
func (s *Server) Routes() []api.Route {
	return append([]api.Route{
		api.NewRoute("GET", "/focus", []string{"from"}, s.showList),
		api.NewRoute("POST", "/focus/begin", nil, s.begin),
		api.NewRoute("GET", "/focus/{id}", []string{"show", "from", "still"}, s.showOne),
		api.NewRoute("GET", whyPath, []string{"url"}, s.showWhy),
		api.NewRoute("POST", "/focus/{id}/label", nil, s.label),
		api.NewRoute("POST", "/focus/{id}/state", nil, s.setState),
		api.NewRoute("GET", "/focus/{id}/remove", nil, s.showRemove),
		api.NewRoute("POST", "/focus/{id}/remove", nil, s.remove),
	}, s.apiRoutes()...)
}

const whyPath = "/focus/{id}/why"

// Register adds the routes to a mux.
func (s *Server) Register(mux *api.Mux) {
	(&api.Server{Drop: s.Drop, Failed: s.Failed, Limit: func(path string) time.Duration {
		if strings.HasSuffix(path, whyPath) {
			return explainTime
		}
		return answerTime
	}}).Register(mux, s.Routes())
}

// page is the data common to the pages of this package.
func (s *Server) page(title string) layout.Page {
	return layout.Page{Title: title, Here: "focus", Version: s.Version, Sheet: "focus.css"}
}

func (s *Server) render(w http.ResponseWriter, name string, data any) error {
	sent, err := layout.Send(w, http.StatusOK, templates, name, data)
	if sent && err != nil {
		s.Log.Debug("page not sent", "page", name, "error", err)
		return nil
	}
	return err
}

// crawl returns the one that the path names.
func (s *Server) crawl(r *http.Request) (*plat.Crawl, error) {
	id := r.PathValue("id")
	c, err := s.store.Crawl(r.Context(), id)
	return c, api.OrNotFound(err, "there is no focused crawl %.64q", id)
}

// status returns the crawl that the path names, and how far it is.
func (s *Server) status(r *http.Request) (*plat.Crawl, *crawler.Status, error) {
	c, err := s.crawl(r)
	if err != nil {
		return nil, nil, err
	}
	st, err := crawler.StatusOf(r.Context(), s.store, c)
	return c, st, err
}

// change changes the crawl that the path names; command does the same.
func (s *Server) change(r *http.Request, command string, edit func(c *plat.Crawl)) (*plat.Crawl, error) {
	if err := s.mayWrite(command); err != nil {
		return nil, err
	}
	id := r.PathValue("id")
	c, err := crawler.Change(r.Context(), s.store, id, func(c *plat.Crawl) error {
		edit(c)
		if err := storage.CheckCrawl(c); err != nil {
			return api.BadRequest("%s", err)
		}
		return nil
	})
	return c, s.kept(api.OrNotFound(err, "there is no focused crawl %.64q", id), command)
}

// mayWrite reports whether something may be changed; command does the same.
func (s *Server) mayWrite(command string) error {
	if !s.readOnly {
		return nil
	}
	return &api.Mistake{Code: http.StatusForbidden, Detail: "this server only reads the archive; use " + command + " where it can be written"}
}

// kept explains an error of storing; command does the same.
func (s *Server) kept(err error, command string) error {
	_, told := errors.AsType[*api.Mistake](err)
	switch {
	case errors.Is(err, crawler.ErrSettings), errors.Is(err, crawler.ErrGoOn):
		return api.BadRequest("%s", err)
	case errors.Is(err, plat.ErrConflict):
		return &api.Mistake{Code: http.StatusConflict, Detail: "the crawl is being changed by other requests; send it again"}
	case err == nil, told, errors.Is(err, plat.ErrNotFound), errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return err
	}
	s.Log.Error("a focused crawl cannot be stored", "error", err)
	return &api.Mistake{Code: http.StatusInternalServerError, Detail: "it cannot be stored, and the log says why; if this server only reads the archive, use " + command}
}

// compiler makes topics as those who steer crawls do.
func (s *Server) compiler() (*crawler.Compiler, error) {
	d, err := s.describer()
	if err != nil {
		return nil, err
	}
	return &crawler.Compiler{Describer: d, Archive: s.store}, nil
}

// Lengths of untrusted texts, in characters.
const (
	maxName  = 100
	maxTitle = 200
)

// nameOf returns the displayed name of a crawl.
func nameOf(name, id string) string {
	if name = layout.Line(name, maxName); name == "" {
		return id
	}
	return name
}

// share is a part in percent.
func share(part, of int) string {
	if of == 0 {
		return "–"
	}
	return fmt.Sprintf("%.0f %%", 100*float64(part)/float64(of))
}
