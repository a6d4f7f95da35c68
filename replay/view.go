package replay

import (
	"context"
	"encoding/base64"

	"plat"
)

// store is what rewriting asks of an archive: contents of resources.
type store interface {
	Resource(ctx context.Context, h plat.Hash) ([]byte, error)
}

// View says how a server shows versions, to browsers in which scripts are off.
type View struct {
	Assets *Assets                 // what was archived with the version
	Link   func(url string) string // where a link to a page leads; url is absolute, http or https
	Banner string                  // HTML to begin the body with

	// Marks are put on elements as the attribute data-plat, and MarkStyle, which is
	// HTML, at the beginning of the head if there are any.
	Marks     Marks
	MarkStyle string
}

// Page rewrites html, which is what [plat/history.Page] returns for v. Errors are
// those of the store.
func (o View) Page(ctx context.Context, s store, v *plat.Version, html []byte) ([]byte, error) {
	return (&rewriter{View: o}).version(ctx, s, v, html)
}

// Playable returns the page of v as players of web archives can show it: html, which
// is what [plat/history.Page] returns, with frames, the rules that scripts put in and what
// stood in canvases folded into it, all references absolute, those to what is not in the
// manifest m leading nowhere, and without what would act. Errors are those of the store.
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
			if w.Assets.prefix == "" { // no player finds it under that URL
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
	base := v.Capture.FinalURL
	if base == "" {
		base = v.URL
	}
	return w.page(html, base), nil
}
