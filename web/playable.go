package web

import (
	"context"
	"encoding/base64"

	"plat"
	"plat/storage"
)

// Playable returns the page of v as players of web archives can show it: html, which
// is what [history.Page] returns, with frames, the rules that scripts put in and what
// stood in canvases folded into it, all references absolute, those to what is not in the
// manifest m leading nowhere, and without what would act.
func Playable(ctx context.Context, store storage.Store, v *plat.Version, m plat.Manifest, html []byte) ([]byte, error) {
	rw := &rewriter{assets: &assets{manifest: m}, taken: v.Taken, styles: map[string]string{}}
	return rw.version(ctx, store, v, html)
}

// version rewrites the page of a version.
func (w *rewriter) version(ctx context.Context, store storage.Store, v *plat.Version, html []byte) ([]byte, error) {
	m := w.assets.manifest
	w.canvases = map[string]string{}
	for i := range m {
		if place, ok := plat.ParseCanvasPlace(m[i].URL); ok && m[i].Left == "" {
			url := w.assets.path(m[i].URL)
			if w.assets.prefix == "" { // no player finds it under that URL
				data, err := store.Resource(ctx, m[i].Hash)
				if err != nil {
					return nil, err
				}
				url = "data:image/png;base64," + base64.StdEncoding.EncodeToString(data)
			}
			w.canvases[pathKey(place.Path)] = url
		}
		if place, ok := plat.ParseStylePlace(m[i].URL); ok && m[i].Left == "" {
			css, err := store.Resource(ctx, m[i].Hash)
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
