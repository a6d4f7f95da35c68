package history

import (
	"context"
	"fmt"

	"plat"
	"plat/article"
	"plat/markup"
)

// Article returns what a version is about, as it was found when the version was made. It loads
// of v's blocks what the main text refers to. The error is plat.ErrNotFound if v is of before
// that was kept.
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
	layout := ""
	if inLayout {
		l, err := store.Layout(ctx, v.Layout)
		if err != nil {
			return wrong(err)
		}
		layout = markup.LayoutText(l.HTML)
	}
	a, err := article.Restore(v.Article, v.Blocks, layout)
	if err != nil {
		return wrong(err)
	}
	return a, nil
}
