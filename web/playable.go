package web

import (
	"context"

	"plat"
	"plat/storage"
)

// Playable returns the page of v as players of web archives can show it: html, which
// is what [history.Page] returns, with frames and the rules that scripts put in folded
// into it, all references absolute, those to what is not in the manifest m leading
// nowhere, and without what would act.
func Playable(ctx context.Context, store storage.Store, v *plat.Version, m plat.Manifest, html []byte) ([]byte, error) {
	rw := &rewriter{assets: &assets{manifest: m}, taken: v.Taken, styles: map[string]string{}}
	return rw.version(ctx, store, v, html)
}

// version rewrites the page of a version.
func (w *rewriter) version(ctx context.Context, store storage.Store, v *plat.Version, html []byte) ([]byte, error) {
	m := w.assets.manifest
	for i := range m {
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
