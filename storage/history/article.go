package history

import (
	"context"
	"fmt"

	"plat/plat"
	"plat/segment/article"
	"plat/segment/markdown"
)

// Article returns the main text and metadata of a version, as found when it was captured. It
// loads the contents of v's blocks to which the main text refers. It returns plat.ErrNotFound
// for old versions without this record.
func Article(ctx context.Context, store reader, v *plat.Version) (article.Article, error) {
	wrong := func(err error) (article.Article, error) {
		return article.Article{}, fmt.Errorf("text of %s@%d: %w", v.URL, v.N, err)
	}
	if v.Article == nil {
		return wrong(plat.ErrNotFound)
	}
	contents, inLayout := article.Needs(v.Article, v.Blocks)
	if err := Load(ctx, store, v.Blocks, contents); err != nil {
		return wrong(err)
	}
	var layout plat.Layout
	if inLayout {
		var err error
		if layout, err = store.Layout(ctx, v.Layout); err != nil {
			return wrong(err)
		}
	}
	a, err := article.Restore(v.Article, v.Blocks, &layout)
	if err != nil {
		return wrong(err)
	}
	return a, nil
}

// Markdown returns the text of a version as Markdown. Its blocks must be in the state after
// [Article]. It loads further contents that it needs.
func Markdown(ctx context.Context, store reader, v *plat.Version) (*markdown.Document, error) {
	wrong := func(err error) (*markdown.Document, error) {
		return nil, fmt.Errorf("Markdown of %s@%d: %w", v.URL, v.N, err)
	}
	if v.Article == nil {
		return wrong(plat.ErrNotFound)
	}
	l, err := store.Layout(ctx, v.Layout)
	if err != nil {
		return wrong(err)
	}
	cuts, _ := article.Cuts(v.Article, &l, v.Blocks)
	var more []plat.Hash
	for i := range v.Blocks {
		if _, in := cuts[i]; in && v.Blocks[i].Content == nil {
			more = append(more, v.Blocks[i].Hash)
		}
	}
	if err := Load(ctx, store, v.Blocks, more); err != nil {
		return wrong(err)
	}
	return markdown.Of(v.Article, v.Base(), &l, v.Blocks), nil
}
