package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"reflect"

	"plat/plat"
	"plat/segment"
	"plat/segment/article"
	"plat/segment/label"
	"plat/storage"
	"plat/storage/history"
	"plat/storage/sqlite"
	"plat/workers"
	"plat/workers/visitor"
)

// beside is a store whose versions are stored a second time without texts.
type beside struct {
	*sqlite.Store
	without *sqlite.Store
	extra   *int64 // bytes that texts add to versions
}

func (b beside) Commit(ctx context.Context, c *storage.Commit) (storage.Written, error) {
	by, v := *c, *c.Version
	v.Article, by.Version = nil, &v
	less, err := b.without.Commit(ctx, &by)
	if err != nil {
		return less, err
	}
	w, err := b.Store.Commit(ctx, c)
	*b.extra += w.Bytes - less.Bytes
	return w, err
}

// archived archives pages, and returns their articles from the archive. It prints the number of
// texts that differ from those of the pages, and their size.
func archived(ctx context.Context, pages []page) ([]article.Article, error) {
	dir, err := os.MkdirTemp("", "plat-eval-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	var stores [2]*sqlite.Store
	for i := range stores {
		if stores[i], err = sqlite.Open(filepath.Join(dir, fmt.Sprint(i, ".db")), sqlite.Options{}); err != nil {
			return nil, err
		}
		defer stores[i].Close()
	}
	describer, err := label.New(label.Options{})
	if err != nil {
		return nil, err
	}
	cuts, err := describe(pages, segment.Params{})
	if err != nil {
		return nil, err
	}
	shelf := &visitor.Shelf{}
	extra := int64(0)
	worker := workers.New(shelf, beside{stores[0], stores[1], &extra}, describer, workers.Options{})
	found := make([]article.Article, len(pages))
	equal, passages, literal := 0, 0, 0
	for i, p := range pages {
		p.snap.URL = "http://" + p.name + ".test/" // no two are of one site
		shelf.Snapshot = p.snap
		if _, err := worker.Visit(ctx, plat.Job{URL: p.snap.URL}); err != nil {
			return nil, fmt.Errorf("%s: %w", p.name, err)
		}
		v, err := stores[0].Version(ctx, p.snap.URL, 1)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.name, err)
		}
		if found[i], err = history.Article(ctx, stores[0], v); err != nil {
			return nil, fmt.Errorf("%s: %w", p.name, err)
		}
		if live := cuts[p.name].Article(); reflect.DeepEqual(found[i], live) {
			equal++
		}
		passages += len(v.Article.Text)
		for k := range v.Article.Text {
			literal += len(v.Article.Text[k].Literal)
		}
	}
	size, err := stores[1].Size(ctx)
	if err != nil {
		return nil, err
	}
	fmt.Printf("\n%d of %d archived texts are those of the pages; %.1f passages a page, %d bytes literal; they take %.1f bytes a version, %.2f %% of an archive without them (%d bytes)\n",
		equal, len(pages), float64(passages)/float64(len(pages)), literal, float64(extra)/float64(len(pages)), 100*float64(extra)/float64(size), size)
	return found, nil
}
