package web

import (
	"fmt"
	"net/http"

	"plat/plat/excerpt"
	"plat/web/api"
)

// health registers the endpoints for orchestrators and Prometheus: /healthz
// (liveness), /readyz (readiness) and /metrics. A server of an archive alone is ready
// when it has it.
func (s *Server) health(mux *api.Mux) {
	mux.Handle("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
	mux.Handle("GET /readyz", func(w http.ResponseWriter, r *http.Request) {
		switch {
		case s.Ready != nil:
			if err := s.Ready(); err != nil {
				http.Error(w, excerpt.Printable(err.Error()), http.StatusServiceUnavailable)
				return
			}
		case s.Starting:
			http.Error(w, "starting: no archive yet", http.StatusServiceUnavailable)
			return
		}
		fmt.Fprintln(w, "ok")
	})
	if s.Metrics != nil {
		mux.Handle("GET /metrics", s.Metrics.ServeHTTP)
	}
}
