package web

import (
	"net/http"
	"time"

	"plat/web/api"
	"plat/web/divide"
)

// segment registers the endpoint that divides pages.
func (s *Server) segment(mux *api.Mux) {
	server := api.Server{Drop: s.Drop, Limit: func(string) time.Duration { return divide.Answer }, Failed: s.failed}
	server.Register(mux, []api.Route{api.NewRoute(http.MethodPost, segmentPath, divide.Params, s.apiSegment)})
}

func (s *Server) apiSegment(w http.ResponseWriter, r *http.Request, p *api.Params) error {
	if s.Segment == nil {
		return api.NotFound("this server divides no pages; plat serve and plat up do, unless --segment=false, and plat segment --listen")
	}
	return s.Segment.Serve(w, r, p)
}

// segmenterOnly registers the endpoints of a server without an archive that divides pages.
func (s *Server) segmenterOnly(mux *api.Mux) {
	s.segment(mux)
	for _, e := range s.endpoints() {
		switch e.path {
		case "/about", "/openapi.yaml", "/openapi.json":
			mux.Handle(apiRoot+e.path, s.endpoint(e), e.params...)
		}
	}
}
