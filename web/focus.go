package web

import (
	"plat/web/focusweb"
	"plat/web/routes"
)

// focus registers what package focusweb serves.
func (s *Server) focus(mux *routes.Mux) {
	s.focused = focusweb.New(focusweb.Options{Store: s.Store, Drop: s.Drop, Cache: s.cache, Version: s.Version, Log: s.Log, Failed: s.failed})
	s.focused.Register(mux)
}
