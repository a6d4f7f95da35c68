package main

import (
	"context"
	"fmt"
	"reflect"
	"sync/atomic"

	"plat/plat"
	"plat/segment/article"
	"plat/storage"
	archived "plat/storage/history"
	"plat/storage/sqlite"
)

// texts counts the stored main texts of versions.
type texts struct {
	Versions int   `json:"versions"`
	Equal    int   `json:"equal"`    // to those that the page gave
	Bytes    int64 `json:"bytes"`    // of the texts
	Passages int   `json:"passages"` // they are kept as
	Literal  int   `json:"literal"`  // bytes of those that no block has

	Extra   int64 `json:"extra"`   // bytes that they add to versions
	Without int64 `json:"without"` // size of the archive without them
}

// ofVersion counts a version that was made of a page.
func (t *texts) ofVersion(ctx context.Context, store *sqlite.Store, url string, n int, snap *plat.Snapshot) error {
	v, err := store.Version(ctx, url, n)
	if err != nil {
		return err
	}
	kept, err := archived.Article(ctx, store, v)
	if err != nil {
		return err
	}
	if err := archived.LoadAll(ctx, store, v.Blocks); err != nil {
		return err
	}
	live := article.Read(snap, &plat.Page{Blocks: v.Blocks})
	if t.Versions++; reflect.DeepEqual(kept, live) {
		t.Equal++
	}
	t.Bytes += int64(len(live.Text))
	t.Passages += len(v.Article.Text)
	for i := range v.Article.Text {
		t.Literal += len(v.Article.Text[i].Literal)
	}
	return nil
}

func (t *texts) String() string {
	n := int64(max(1, t.Versions))
	return fmt.Sprintf("texts of %d of %d versions are those of their pages; %d bytes a version, as %.1f passages, %d bytes of all of them literal; they take %.1f bytes a version, %.2f %% of an archive without them (%d bytes)",
		t.Equal, t.Versions, t.Bytes/n, float64(t.Passages)/float64(n), t.Literal, float64(t.Extra)/float64(n), 100*float64(t.Extra)/float64(max(1, t.Without)), t.Without)
}

// beside is a store whose versions are stored a second time without texts.
type beside struct {
	*sqlite.Store
	without *sqlite.Store
	extra   *atomic.Int64 // bytes that texts add to versions
}

func (b beside) Commit(ctx context.Context, c *storage.Commit) (storage.Written, error) {
	w, err := b.Store.Commit(ctx, c)
	if err != nil {
		return w, err
	}
	by, v := *c, *c.Version
	v.Article, by.Version = nil, &v
	less, err := b.without.Commit(ctx, &by)
	b.extra.Add(w.Bytes - less.Bytes)
	return w, err
}

func (b beside) Record(ctx context.Context, v plat.Visit, pageBytes int64) error {
	if err := b.Store.Record(ctx, v, pageBytes); err != nil {
		return err
	}
	return b.without.Record(ctx, v, pageBytes)
}
