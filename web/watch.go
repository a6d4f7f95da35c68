package web

import (
	"context"

	"plat/export/draw"
	"plat/plat"
	"plat/web/api"
	"plat/web/watchweb"
)

// watch registers the routes of package watchweb.
func (s *Server) watch(mux *api.Mux) {
	s.watched = watchweb.New(watchweb.Options{
		Store: s.Store, Drop: s.Drop, Cache: s.cache, Version: s.Version, Log: s.Log, Channels: s.Channels, Origin: s.origin, Failed: s.failed,
		Head: func(ctx context.Context, url string) (*plat.Version, error) { return s.version(ctx, url, 0) },
		Overlay: func(ctx context.Context, v *plat.Version, how draw.View) (draw.Overlay, error) {
			return s.overlay(ctx, v, false, how)
		},
	})
	s.watched.Register(mux)
}
