package web

import (
	"plat/web/api"
	"plat/web/focusweb"
)

// focus registers the routes of package focusweb.
func (s *Server) focus(mux *api.Mux) {
	s.focused = focusweb.New(focusweb.Options{Store: s.Store, Drop: s.Drop, Cache: s.cache, Version: s.Version, Log: s.Log, Failed: s.failed})
	s.focused.Register(mux)
}
