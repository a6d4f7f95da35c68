package web

import (
	"context"

	"plat"
	"plat/history"
	"plat/storage"
)

// Playable returns the page of v, whose manifest is m, as players of web archives
// can show it: what [history.Page] returns, with frames and the rules that scripts
// put in folded into it, all references absolute, those to what was not kept
// leading nowhere, and without what would act. It loads the contents of v's blocks.
func Playable(ctx context.Context, store storage.Store, v *plat.Version, m plat.Manifest) ([]byte, error) {
	rw := &rewriter{assets: &assets{manifest: m}, taken: v.Taken, styles: map[string]string{}}
	return rw.version(ctx, store, v)
}

// version puts a version's page together again, and rewrites it.
func (w *rewriter) version(ctx context.Context, store storage.Store, v *plat.Version) ([]byte, error) {
	html, err := history.Page(ctx, store, v)
	if err != nil {
		return nil, err
	}
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
