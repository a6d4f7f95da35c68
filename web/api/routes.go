package api

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"
)

// Route is one method of one path.
type Route struct {
	Method, Path string
	Params       []string // of the query; all other parameters are rejected
	Serve        func(w http.ResponseWriter, r *http.Request, p *Params) error
}

// NewRoute returns a route.
func NewRoute(method, path string, params []string, serve func(w http.ResponseWriter, r *http.Request, p *Params) error) Route {
	return Route{method, path, params, serve}
}

// Server says how routes are served.
type Server struct {
	Drop   []string                                                // query parameters removed from URLs, see plat.Canonical
	Limit  func(path string) time.Duration                         // of an answer
	Failed func(w http.ResponseWriter, r *http.Request, err error) // sends an error
}

// Mux is an [http.ServeMux] that knows its routes, so that tests can request them all.
type Mux struct {
	http.ServeMux
	Routes []Route // without their functions
}

// Handle registers a handler for the pattern "METHOD PATH", or "PATH" for GET, which takes parameters in the query.
func (m *Mux) Handle(pattern string, h http.HandlerFunc, params ...string) {
	m.ServeMux.Handle(pattern, h)
	method, path, ok := strings.Cut(pattern, " ")
	if !ok {
		method, path = http.MethodGet, pattern
	}
	m.Routes = append(m.Routes, Route{Method: method, Path: path, Params: params})
}

// Register adds routes to a mux.
func (s *Server) Register(mux *Mux, all []Route) {
	paths := map[string]map[string]Route{}
	for _, r := range all {
		if paths[r.Path] == nil {
			paths[r.Path] = map[string]Route{}
		}
		paths[r.Path][r.Method] = r
		mux.Routes = append(mux.Routes, Route{Method: r.Method, Path: r.Path, Params: r.Params})
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
		s.Failed(w, r, &Mistake{Code: http.StatusMethodNotAllowed, Detail: "use " + strings.Join(allow, " or ")})
		return
	}
	s.Serve(w, r, route)
}

// Serve serves a request by a route, whatever its method.
func (s *Server) Serve(w http.ResponseWriter, r *http.Request, route Route) {
	ctx, done := context.WithTimeout(r.Context(), s.Limit(route.Path))
	defer done()
	r = r.WithContext(ctx)
	p := ReadParams(r, route.Params, s.Drop)
	if !strings.HasPrefix(route.Path, "/api/") {
		maps.DeleteFunc(p.Query, func(_ string, values []string) bool { return values[0] == "" }) // empty form fields
	}
	err := p.Err
	if err == nil {
		err = route.Serve(w, r, p)
	}
	if err != nil {
		s.Failed(w, r, err)
	}
}
