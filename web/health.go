package web

import (
	"fmt"
	"net/http"
)

// health registers the endpoints for orchestrators and Prometheus: /healthz
// (liveness), /readyz (readiness) and /metrics.
func (s *Server) health(mux *http.ServeMux) {
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) {
		if s.Ready != nil {
			if err := s.Ready(); err != nil {
				http.Error(w, err.Error(), http.StatusServiceUnavailable)
				return
			}
		}
		fmt.Fprintln(w, "ok")
	})
	if s.Metrics != nil {
		mux.Handle("GET /metrics", s.Metrics)
	}
}
