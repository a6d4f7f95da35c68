package web

import (
	"context"
	"net/url"

	"plat/plat"
	"plat/web/api"
	"plat/web/layout"
)

// asked loads the version given by the parameters url and version, and the
// state of its URL.
func (s *Server) asked(ctx context.Context, p *api.Params) (v *plat.Version, state plat.URLState, err error) {
	u, n := p.URL(), p.Version("version")
	if p.Err != nil {
		return nil, state, p.Err
	}
	if state, err = s.Store.State(ctx, u); err != nil {
		return nil, state, err
	}
	v, err = s.versionOf(ctx, &state, n)
	return v, state, err
}

// link builds a path of this server, see [layout.Link].
func link(path string, pairs ...string) string { return layout.Link(path, pairs...) }

// where is the breadcrumb of a page.
type where struct {
	Host, URL, Path string
	N               int // 0 on the page of the URL itself
}

func whereOf(u string, n int) where {
	w := where{Host: plat.HostOf(u), URL: u, N: n, Path: u}
	if p, err := url.Parse(u); err == nil {
		w.Path = p.RequestURI()
	}
	return w
}
