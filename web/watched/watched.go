package watched

import (
	"cmp"
	"context"
	"embed"
	"errors"
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"plat"
	"plat/address"
	"plat/cache"
	"plat/draw"
	"plat/excerpt"
	"plat/storage"
	"plat/web/layout"
	"plat/web/problem"
	"plat/web/query"
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
	raw storage.Store // without package address: a subscription's URL is that of an archived page
}

// New returns a server.
func New(o Options) *Server {
	s := &Server{Options: o, raw: o.Store}
	if a, ok := o.Store.(address.Store); ok {
		s.raw = a.Store
	}
	return s
}

// Time limits of a response.
const (
	answerTime = 20 * time.Second
	importTime = 100 * time.Second
)

// Route is one method of one path.
type Route struct {
	Method, Path string
	Params       []string // in the query; others are rejected
	serve        func(w http.ResponseWriter, r *http.Request, p *query.Params) error
}

// Routes lists what is served.
func (s *Server) Routes() []Route {
	which := []string{"id", "tag", "group"}
	feeds := append([]string{"limit", "token"}, which...)
	digests := append([]string{"period"}, feeds...)
	all := []Route{
		{"GET", "/watch", []string{"q", "group", "tag", "state", "sort", "from"}, s.showList},
		{"GET", "/watch/items", []string{"id", "tag", "group", "unread", "after"}, s.showItems},
		{"GET", "/watch/digest", []string{"period", "at", "id", "tag", "group"}, s.showDigest},
		{"GET", "/watch/pick", []string{"url"}, s.showPickURL},
		{"POST", "/watch/pick", nil, s.pickURL},
		{"POST", "/watch/add", nil, s.add},
		{"POST", "/watch/read", nil, s.read},
		{"GET", "/watch/{id}", []string{"after"}, s.showOne},
		{"GET", "/watch/{id}/icon", nil, s.icon},
		{"GET", "/watch/{id}/test", nil, s.showTest},
		{"GET", "/watch/{id}/pick", nil, s.showPick},
		{"POST", "/watch/{id}/pick", nil, s.pick},
		{"POST", "/watch/{id}/edit", nil, s.edit},
		{"POST", "/watch/{id}/pause", nil, s.pause},
		{"GET", "/watch/{id}/remove", nil, s.showRemove},
		{"POST", "/watch/{id}/remove", nil, s.remove},
		{"GET", "/watch/opml", []string{"tag", "group", "token"}, s.opml},
	}
	for _, f := range layout.Formats {
		all = append(all,
			Route{"GET", "/watch/feed." + f.Path, feeds, s.feed},
			Route{"GET", "/watch/digest." + f.Path, digests, s.digestFeed})
	}
	return append(all, s.apiRoutes()...)
}

// Register adds the routes to a mux.
func (s *Server) Register(mux *http.ServeMux) {
	paths := map[string]map[string]Route{}
	for _, r := range s.Routes() {
		if paths[r.Path] == nil {
			paths[r.Path] = map[string]Route{}
		}
		paths[r.Path][r.Method] = r
	}
	for path, methods := range paths {
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) { s.answer(w, r, methods) })
	}
}

// answer serves a request by its method.
func (s *Server) answer(w http.ResponseWriter, r *http.Request, methods map[string]Route) {
	method := r.Method
	if method == http.MethodHead {
		method = http.MethodGet
	}
	route, ok := methods[method]
	if !ok {
		allow := slices.Sorted(maps.Keys(methods))
		if _, get := methods[http.MethodGet]; get {
			allow = append(allow, http.MethodHead)
		}
		w.Header().Set("Allow", strings.Join(allow, ", "))
		s.Failed(w, r, &problem.Mistake{Code: http.StatusMethodNotAllowed, Detail: "use " + strings.Join(allow, " or ")})
		return
	}
	limit := answerTime
	if route.Path == ImportPath {
		limit = importTime
	}
	ctx, done := context.WithTimeout(r.Context(), limit)
	defer done()
	r = r.WithContext(ctx)
	p := query.Read(r, route.Params, s.Drop)
	if !strings.HasPrefix(route.Path, apiRoot) {
		maps.DeleteFunc(p.Query, func(_ string, values []string) bool { return values[0] == "" }) // empty form fields
	}
	err := p.Err
	if err == nil {
		err = route.serve(w, r, p)
	}
	if err != nil {
		s.Failed(w, r, err)
	}
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

// selection is what a request asks for.
type selection struct {
	storage.Which
	id string
}

// maxText limits a parameter, in bytes.
const maxText = 1000

func selectionOf(p *query.Params) selection {
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

// name says what is selected; empty: everything.
func (sel *selection) name() string {
	var parts []string
	if sel.Group != "" {
		parts = append(parts, "group "+line(sel.Group, 100))
	}
	if sel.Tag != "" {
		parts = append(parts, "tag "+line(sel.Tag, 100))
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
		return nil, problem.None("there is no subscription %.64q", sel.id)
	}
	return all, nil
}

// one returns the subscription that the path names.
func (s *Server) one(r *http.Request) (*storage.Subscribed, error) {
	id := r.PathValue("id")
	sub, err := s.Store.Subscription(r.Context(), id)
	return sub, problem.Missing(err, "there is no subscription %.64q", id)
}

// oneVisited returns the subscription that the path names, and what is known of its page.
func (s *Server) oneVisited(r *http.Request) (*storage.Subscribed, plat.URLState, error) {
	sub, err := s.one(r)
	if err != nil {
		return nil, plat.URLState{}, err
	}
	st, err := s.state(r.Context(), sub.URL)
	return sub, st, err
}

// state returns what is known of a subscription's page; the zero state if nothing is.
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

// line is an untrusted text on one line of at most most characters.
func line(s string, most int) string {
	if len(s) > 64*most {
		s = s[:64*most] // what is left is cleaned below
	}
	return excerpt.Line(strings.Join(strings.Fields(excerpt.Printable(s)), " "), most)
}

// maxTitle is how much of a title is shown, in characters.
const maxTitle = 200

// titleOf is how a subscription is called.
func titleOf(s *plat.Subscription) string {
	return cmp.Or(line(s.Title, maxTitle), line(s.URL, maxTitle))
}

// opens returns an address if a page may lead to it: an absolute one of the web.
func opens(raw string) string {
	u, err := url.Parse(raw)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return ""
	}
	return u.String()
}
