package web

import (
	"context"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"path"
	"strconv"
	"strings"

	"plat/export/draw"
	"plat/export/replay"
	"plat/export/theme"
	"plat/plat"
	"plat/plat/excerpt"
	"plat/storage/history"
	"plat/web/api"
	"plat/web/cache"
	"plat/web/memento"
)

// replayPolicy is the Content-Security-Policy of a memento: it may only show
// itself and the resources archived with it. The sandbox gives it an opaque
// origin without scripts, forms, pop-ups and top-level navigation; the other
// directives hold even in browsers without sandbox support. Rewriting (package
// replay) only affects appearance; security does not rely on it.
const replayPolicy = "sandbox; default-src 'none'; img-src 'self' data:; style-src 'self' 'unsafe-inline' data:; font-src 'self' data:; " +
	"frame-src data:; form-action 'none'; base-uri 'none'; frame-ancestors 'self'"

// assetPrefix is the path prefix of mementos' resources.
const assetPrefix = "/asset/"

// manifest returns the resources of a version, nil if it has no stored resources.
func (s *Server) manifest(ctx context.Context, h plat.Hash) (plat.Manifest, error) {
	if h.IsZero() {
		return nil, nil
	}
	bytes := func(m plat.Manifest) int64 { return 200 * int64(len(m)) }
	return cache.Remember(ctx, s.cache, "manifest "+h.String(), bytes, func(ctx context.Context) (plat.Manifest, error) { return s.Store.Manifest(ctx, h) })
}

// assets are the resources that a page or style sheet of a version may refer
// to.
func (s *Server) assets(h plat.Hash, m plat.Manifest) *replay.Assets {
	return s.key().Assets(assetPrefix, h, m)
}

// pageState returns the state of the page of a manifest.
func (s *Server) pageState(ctx context.Context, m plat.Manifest) (*plat.PageState, error) {
	r, ok := m.Find(plat.PageStateURL)
	if !ok {
		return &plat.PageState{}, nil
	}
	bytes := func(*plat.PageState) int64 { return 4 * r.Size }
	return cache.Remember(ctx, s.cache, "state "+r.Hash.String(), bytes, func(ctx context.Context) (*plat.PageState, error) { return replay.State(ctx, s.Store, m) })
}

// showReplay shows the frame around a replay: its date and navigation to other
// versions.
func (s *Server) showReplay(w http.ResponseWriter, r *http.Request, p *api.Params) error {
	ctx := r.Context()
	v, state, err := s.asked(ctx, p)
	if err != nil {
		return err
	}
	u := v.URL
	m, err := s.manifest(ctx, v.Resources)
	if err != nil {
		return err
	}
	data := struct {
		page
		Where         where
		V             *plat.Version
		Prev, Next    int
		By            string
		Kept          string
		File          *keptFile
		Legend        []draw.Entry
		Frame         string
		Memento       string
		Width, Height int
	}{
		page: s.page(fmt.Sprintf("Replay of version %d of %s", v.N, u), "archive"), Where: whereOf(u, v.N), V: v, Prev: v.Previous(), By: by(p),
		Kept: kept(m), File: fileOf(u, m), Memento: memento.Path(u, v.Taken), Width: max(320, v.Capture.Width), Height: max(320, v.Capture.Height),
		Frame: link("/frame", "url", u, "version", strconv.Itoa(v.N), "by", by(p)),
	}
	if v.N < state.Head {
		data.Next = v.N + 1
	}
	if p.Err != nil {
		return p.Err
	}
	if data.By == draw.ByAge {
		colours, err := s.colours(ctx, v, draw.ByAge)
		if err != nil {
			return err
		}
		data.Legend = colours.Legend
	}
	return s.render(w, http.StatusOK, "replay", data)
}

// by parses how the blocks of a replay are coloured: by age, or not at all.
func by(p *api.Params) string { return api.One(p, "by", p.Query.Get("by"), []string{draw.ByAge}) }

// keptFile is the file of which a version shows a page.
type keptFile struct {
	Name, Type string
	Size       int64
	Link       string // downloads it
}

// fileOf returns the file of a version of a URL, nil if it is that of a page.
func fileOf(page string, m plat.Manifest) *keptFile {
	f, ok := m.File()
	if !ok {
		return nil
	}
	before, _, _ := strings.Cut(page, "?")
	name := path.Base(strings.TrimRight(before, "/"))
	if plain, err := url.PathUnescape(name); err == nil {
		name = path.Base(plain)
	}
	return &keptFile{name, f.Type, f.Size, link(apiRoot+"/resource/"+f.Hash.String(), "name", name)}
}

// kept describes which of a page's resources are archived.
func kept(m plat.Manifest) string {
	if len(m) == 0 {
		return "Its style sheets and pictures were not kept (with the setting resources: all they are), so it looks plainer than it did."
	}
	n, _ := m.Kept()
	text := fmt.Sprintf("%d of the %d style sheets, pictures and fonts that it used are in the archive", n, len(m))
	if n == len(m) {
		return text + "."
	}
	return text + "; the others are missing."
}

// showFrame sends a version as it looked, its blocks coloured by age if
// requested.
func (s *Server) showFrame(w http.ResponseWriter, r *http.Request, p *api.Params) error {
	v, _, err := s.asked(r.Context(), p)
	if err != nil {
		return err
	}
	var marks replay.Marks
	if by(p) == draw.ByAge {
		colours, err := s.colours(r.Context(), v, draw.ByAge)
		if err != nil {
			return err
		}
		marks = replay.NewMarks(v, colours.Class)
	}
	if p.Err != nil {
		return p.Err
	}
	return s.rebuilt(w, r, v, "", marks)
}

// replay sends a version as it looked, with a banner when it is a page of its
// own.
func (s *Server) replay(w http.ResponseWriter, r *http.Request, v *plat.Version) {
	label := ""
	if r.Header.Get("Sec-Fetch-Dest") == "document" {
		label = banner(v)
	}
	if err := s.rebuilt(w, r, v, label, nil); err != nil {
		s.failed(w, r, err)
	}
}

// rebuilt sends a version as it looked, with a banner above it and classes
// added to some of its elements.
func (s *Server) rebuilt(w http.ResponseWriter, r *http.Request, v *plat.Version, banner string, marks replay.Marks) error {
	ctx := r.Context()
	// The cached version is shared, so load contents into a copy.
	own := *v
	own.Blocks = append([]plat.Block(nil), v.Blocks...)
	html, err := history.Page(ctx, s.Store, &own)
	if err != nil {
		return err
	}
	m, err := s.manifest(ctx, v.Resources)
	if err != nil {
		return err
	}
	state, err := s.pageState(ctx, m)
	if err != nil {
		return err
	}
	view := replay.View{
		Assets: s.assets(v.Resources, m), State: state, Link: func(url string) string { return memento.Path(url, v.Taken) },
		Banner: banner, Origin: s.origin(r), Marks: marks, MarkStyle: markStyle,
	}
	page, err := view.Page(ctx, s.Store, v, html)
	if err != nil {
		return err
	}
	h := w.Header()
	replayHeaders(h)
	h.Set("Content-Type", page.Type)
	h.Set("Content-Length", strconv.Itoa(len(page.Body)))
	if _, err := w.Write(page.Body); err != nil {
		s.Log.Debug("replay not sent", "url", v.URL, "error", err)
	}
	return nil
}

// replayHeaders sets the headers that give a response an opaque origin.
func replayHeaders(h http.Header) {
	h.Set("Content-Security-Policy", replayPolicy)
	// Browsers do not render sandboxed pages with an opener policy (HTML Living
	// Standard section 7.1.3), and the page's resources are cross-origin for
	// it.
	h.Del("Cross-Origin-Opener-Policy")
	h.Set("Cross-Origin-Resource-Policy", "cross-origin")
	h.Set("Permissions-Policy", "camera=(), microphone=(), geolocation=(), autoplay=(), fullscreen=()")
}

// markStyle is the CSS for the colours of ages.
var markStyle = draw.AgeMarks()

// banner describes the memento at the top of the page, for use outside a frame.
func banner(v *plat.Version) string {
	return `<div style="all:initial;display:block;position:relative;z-index:2147483647;box-sizing:border-box;width:100%;padding:8px 16px;background:#1b2a41;color:#fff;font:14px/1.5 system-ui,sans-serif">` +
		`Rebuilt from blocks by plat: ` + html.EscapeString(excerpt.Printable(v.URL)) + `, version ` + strconv.Itoa(v.N) + `, as it was found on ` + theme.Clock(v.Taken) + ` UTC. Scripts are off.</div>`
}

// serveAsset sends a resource of a version. References in style sheets are
// rewritten to other resources of that version.
func (s *Server) serveAsset(w http.ResponseWriter, r *http.Request) {
	if err := s.asset(w, r); err != nil {
		s.failed(w, r, err)
	}
}

func (s *Server) asset(w http.ResponseWriter, r *http.Request) error {
	ctx := r.Context()
	h, err := plat.ParseHash(r.PathValue("manifest"))
	if err != nil || !s.key().Signed(h, r.PathValue("key")) {
		return plat.ErrNotFound
	}
	m, err := s.manifest(ctx, h)
	if err != nil {
		return err
	}
	i, err := strconv.Atoi(r.PathValue("entry"))
	if err != nil || i < 0 || i >= len(m) || m[i].Left != "" {
		return plat.ErrNotFound
	}
	head := w.Header()
	replayHeaders(head)
	head.Set("Access-Control-Allow-Origin", "*") // required for fonts in an opaque origin
	head.Set("Cache-Control", "public, max-age=31536000, immutable")
	etag := `"` + m[i].Hash.Short() + `"`
	head.Set("ETag", etag)
	if r.Header.Get("If-None-Match") == etag {
		w.WriteHeader(http.StatusNotModified)
		return nil
	}
	data, err := s.Store.Resource(ctx, m[i].Hash)
	if err != nil {
		return err
	}
	kind := replay.SafeType(m[i].Type)
	if kind == "text/css" {
		kind = "text/css; charset=utf-8"
		state, err := s.pageState(ctx, m)
		if err != nil {
			return err
		}
		data = []byte(s.assets(h, m).With(state).Sheet(string(data), m[i].URL))
	}
	head.Set("Content-Type", kind)
	head.Set("Content-Length", strconv.Itoa(len(data)))
	_, err = w.Write(data)
	if err != nil {
		s.Log.Debug("resource not sent", "url", m[i].URL, "error", err)
	}
	return nil
}
