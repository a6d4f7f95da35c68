package watchweb

import (
	"cmp"
	"context"
	"embed"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"plat/export/draw"
	"plat/plat"
	"plat/queue/aliases"
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

	// Channels says that channels may be added and removed by API: their URLs make this
	// server send requests.
	Channels bool

	Origin  func(r *http.Request) string                                 // for absolute links
	Failed  func(w http.ResponseWriter, r *http.Request, err error)      // sends an error
	Head    func(ctx context.Context, url string) (*plat.Version, error) // the last version with its blocks, not to be modified
	Overlay func(ctx context.Context, v *plat.Version, how draw.View) (draw.Overlay, error)
}

// Server serves subscriptions.
type Server struct {
	Options
	raw     storage.Store // without package aliases: a subscription's URL is that of an archived page
	imports chan struct{} // one for each import that is under way
}

// New returns a server.
func New(o Options) *Server {
	s := &Server{Options: o, raw: o.Store, imports: make(chan struct{}, maxImports)}
	if a, ok := o.Store.(aliases.Store); ok {
		s.raw = a.Store
	}
	return s
}

// Time limits of a response.
const (
	answerTime = 20 * time.Second
	importTime = 100 * time.Second
)

// Routes lists the routes of this package.
func (s *Server) Routes() []api.Route {
	which := []string{"id", "tag", "group"}
	feeds := append([]string{"limit", "token"}, which...)
	digests := append([]string{"period"}, feeds...)
	all := []api.Route{
		api.NewRoute("GET", "/watch", []string{"q", "group", "tag", "state", "sort", "from"}, s.showList),
		api.NewRoute("GET", "/watch/items", []string{"id", "tag", "group", "unread", "after"}, s.showItems),
		api.NewRoute("GET", "/watch/digest", []string{"period", "at", "id", "tag", "group"}, s.showDigest),
		api.NewRoute("GET", "/watch/pick", []string{"url"}, s.showPickURL),
		api.NewRoute("POST", "/watch/pick", nil, s.pickURL),
		api.NewRoute("POST", "/watch/add", nil, s.add),
		api.NewRoute("POST", "/watch/read", nil, s.read),
		api.NewRoute("GET", "/watch/{id}", []string{"after"}, s.showOne),
		api.NewRoute("GET", "/watch/{id}/icon", nil, s.icon),
		api.NewRoute("GET", "/watch/{id}/test", nil, s.showTest),
		api.NewRoute("GET", "/watch/{id}/pick", nil, s.showPick),
		api.NewRoute("POST", "/watch/{id}/pick", nil, s.pick),
		api.NewRoute("POST", "/watch/{id}/edit", nil, s.edit),
		api.NewRoute("POST", "/watch/{id}/pause", nil, s.pause),
		api.NewRoute("GET", "/watch/{id}/remove", nil, s.showRemove),
		api.NewRoute("POST", "/watch/{id}/remove", nil, s.remove),
		api.NewRoute("GET", "/watch/opml", []string{"tag", "group", "token"}, s.opml),
	}
	for _, f := range layout.Formats {
		all = append(all,
			api.NewRoute("GET", "/watch/feed."+f.Path, feeds, s.feed),
			api.NewRoute("GET", "/watch/digest."+f.Path, digests, s.digestFeed))
	}
	return append(all, s.apiRoutes()...)
}

// Register adds the routes to a mux.
func (s *Server) Register(mux *api.Mux) {
	(&api.Server{Drop: s.Drop, Failed: s.Failed, Limit: func(path string) time.Duration {
		if path == ImportPath {
			return importTime
		}
		return answerTime
	}}).Register(mux, s.Routes())
}

// TokenInQuery reports whether a path is one for feed readers, which may be able to send
// the token only in the address.
func TokenInQuery(path string) bool {
	return path == "/watch/opml" || strings.HasPrefix(path, "/watch/feed.") || strings.HasPrefix(path, "/watch/digest.")
}

// page is the data common to the pages of this package.
func (s *Server) page(title string) layout.Page {
	return layout.Page{Title: title, Here: "watch", Version: s.Version, Sheet: "watch.css"}
}

func (s *Server) render(w http.ResponseWriter, name string, data any) error {
	sent, err := layout.Send(w, http.StatusOK, templates, name, data)
	if sent && err != nil {
		s.Log.Debug("page not sent", "page", name, "error", err)
		return nil
	}
	return err
}

// selection is the set of subscriptions that a request selects.
type selection struct {
	storage.Which
	id string
}

// maxText limits a parameter, in bytes.
const maxText = 1000

func selectionOf(p *api.Params) selection {
	sel := selection{storage.Which{Group: p.Text("group", maxText), Tag: p.Text("tag", maxText)}, p.Text("id", maxText)}
	if sel.id != "" {
		sel.IDs = []string{sel.id}
	}
	return sel
}

// params are the selection as parameters, in pairs of name and value.
func (sel *selection) params(more ...string) []string {
	return append([]string{"id", sel.id, "tag", sel.Tag, "group", sel.Group}, more...)
}

// name describes the selection in words; empty: everything.
func (sel *selection) name() string {
	var parts []string
	if sel.Group != "" {
		parts = append(parts, "group "+layout.Line(sel.Group, 100))
	}
	if sel.Tag != "" {
		parts = append(parts, "tag "+layout.Line(sel.Tag, 100))
	}
	return strings.Join(parts, ", ")
}

// subscriptions returns those that are selected; by ID one that there is not is an error.
func (s *Server) subscriptions(ctx context.Context, sel *selection) ([]*storage.Subscribed, error) {
	var all []*storage.Subscribed
	for sub, err := range s.Store.Subscriptions(ctx, sel.Which) {
		if err != nil {
			return nil, err
		}
		all = append(all, sub)
	}
	if sel.id != "" && len(all) == 0 {
		return nil, api.NotFound("there is no subscription %.64q", sel.id)
	}
	return all, nil
}

// one returns the subscription that the path names.
func (s *Server) one(r *http.Request) (*storage.Subscribed, error) {
	id := r.PathValue("id")
	sub, err := s.Store.Subscription(r.Context(), id)
	return sub, api.OrNotFound(err, "there is no subscription %.64q", id)
}

// oneVisited returns the subscription that the path names, and the state of its page.
func (s *Server) oneVisited(r *http.Request) (*storage.Subscribed, plat.URLState, error) {
	sub, err := s.one(r)
	if err != nil {
		return nil, plat.URLState{}, err
	}
	st, err := s.state(r.Context(), sub.URL)
	return sub, st, err
}

// state returns the state of a subscription's page; the zero state if it is not in the archive.
func (s *Server) state(ctx context.Context, u string) (plat.URLState, error) {
	st, err := s.raw.State(ctx, u)
	if errors.Is(err, plat.ErrNotFound) {
		return plat.URLState{URL: u}, nil
	}
	return st, err
}

// feedLinks are the feeds of a selection.
func feedLinks(sel *selection, name string) []layout.Feed {
	var all []layout.Feed
	for _, f := range layout.Formats {
		all = append(all, layout.Feed{Name: f.Name, Title: f.Name + ": " + name, Type: f.Media, Href: layout.Link("/watch/feed."+f.Path, sel.params()...)})
	}
	return all
}

// maxTitle is the maximum length of a displayed title, in characters.
const maxTitle = 200

// titleOf returns the displayed title of a subscription.
func titleOf(s *plat.Subscription) string {
	return cmp.Or(layout.Line(s.Title, maxTitle), layout.Line(s.URL, maxTitle))
}
