package replay

import (
	"context"
	"encoding/base64"

	"plat/plat"
)

// store is the part of an archive that rewriting needs: contents of resources.
type store interface {
	Resource(ctx context.Context, h plat.Hash) ([]byte, error)
}

// View configures the display of versions by a server, for browsers with scripts off.
type View struct {
	Assets *Assets                 // resources archived with the version
	Link   func(url string) string // target of a link to a page; url is absolute, http or https
	Banner string                  // HTML for the start of the body

	// Marks become the attribute data-plat of elements. Unless they are empty, MarkStyle, which
	// is HTML, is put at the beginning of the head.
	Marks     Marks
	MarkStyle string
}

// Page rewrites html, the result of [plat/history.Page] for v. Errors are those
// of the store.
func (o View) Page(ctx context.Context, s store, v *plat.Version, html []byte) ([]byte, error) {
	return (&rewriter{View: o}).version(ctx, s, v, html)
}

// Playable returns the page of v for web archive players: html, the result of
// [plat/history.Page], with frames, rules inserted by scripts and canvas contents inlined, all
// references absolute or, if they are not in the manifest m, empty, and without active content.
// Errors come from the store.
func Playable(ctx context.Context, s store, v *plat.Version, m plat.Manifest, html []byte) ([]byte, error) {
	itself := func(url string) string { return url }
	return View{Assets: &Assets{manifest: m}, Link: itself}.Page(ctx, s, v, html)
}

// version rewrites the page of a version.
func (w *rewriter) version(ctx context.Context, s store, v *plat.Version, html []byte) ([]byte, error) {
	m := w.Assets.manifest
	w.canvases = map[string]string{}
	for i := range m {
		if place, ok := plat.ParseCanvasPlace(m[i].URL); ok && m[i].Left == "" {
			url := w.Assets.Path(m[i].URL)
			if w.Assets.prefix == "" { // players cannot find it under that URL
				data, err := s.Resource(ctx, m[i].Hash)
				if err != nil {
					return nil, err
				}
				url = "data:image/png;base64," + base64.StdEncoding.EncodeToString(data)
			}
			w.canvases[pathKey(place.Path)] = url
		}
		if place, ok := plat.ParseStylePlace(m[i].URL); ok && m[i].Left == "" {
			css, err := s.Resource(ctx, m[i].Hash)
			if err != nil {
				return nil, err
			}
			w.addStyle(place, string(css))
		}
	}
	return w.page(html, v.Base()), nil
}
