package web

import (
	"plat/web/focused"
	"plat/web/routes"
)

// focus registers what package focused serves.
func (s *Server) focus(mux *routes.Mux) {
	s.focused = focused.New(focused.Options{Store: s.Store, Drop: s.Drop, Cache: s.cache, Version: s.Version, Log: s.Log, Failed: s.failed})
	s.focused.Register(mux)
}
