package web

import (
	"net/http"

	"plat/web/focused"
)

// focus registers what package focused serves.
func (s *Server) focus(mux *http.ServeMux) {
	s.focused = focused.New(focused.Options{Store: s.Store, Drop: s.Drop, Cache: s.cache, Version: s.Version, Log: s.Log, Failed: s.failed})
	s.focused.Register(mux)
}
