package history

import (
	"context"
	"iter"
	"math"
	"time"

	"plat/plat"
	"plat/storage"
)

// Spans returns the spans of a URL, ordered by beginning; lineage 0 is every block,
// otherwise only that lineage. Contents are not loaded.
func Spans(ctx context.Context, store interface {
	Trees(ctx context.Context, url string, from, to int) iter.Seq2[*plat.Version, error]
}, url string, lineage int32) ([]*storage.Span, error) {
	fold := storage.NewSpans(url, nil)
	var all []*storage.Span
	for v, err := range store.Trees(ctx, url, 1, math.MaxInt) {
		if err != nil {
			return nil, err
		}
		opened, _ := fold.Add(v)
		for _, sp := range opened {
			if lineage == 0 || sp.Lineage == lineage {
				all = append(all, sp)
			}
		}
	}
	return all, nil
}

// Seen returns the time of the latest visit that found each version of a URL: version n at
// index n-1.
func Seen(ctx context.Context, store interface {
	Times(ctx context.Context, url string) ([]time.Time, error)
	Visits(ctx context.Context, url string, limit int) iter.Seq2[plat.Visit, error]
}, url string) ([]time.Time, error) {
	seen, err := store.Times(ctx, url)
	if err != nil {
		return nil, err
	}
	for v, err := range store.Visits(ctx, url, 0) {
		if err != nil {
			return nil, err
		}
		if n := v.Version - 1; n >= 0 && n < len(seen) && v.Time.After(seen[n]) {
			seen[n] = v.Time
		}
	}
	return seen, nil
}

// Since returns the version that introduced the content of each leaf of v, by block
// index; parent blocks are omitted.
func Since(ctx context.Context, store interface {
	Trees(ctx context.Context, url string, from, to int) iter.Seq2[*plat.Version, error]
}, v *plat.Version) ([]int, error) {
	fold := storage.NewSpans(v.URL, nil)
	for x, err := range store.Trees(ctx, v.URL, 1, v.N) {
		if err != nil {
			return nil, err
		}
		fold.Add(x)
	}
	type key struct {
		lineage int32
		hash    plat.Hash
	}
	at := map[key]int{}
	for _, sp := range fold.Open() {
		at[key{sp.Lineage, sp.Hash}] = sp.First
	}
	first := make([]int, len(v.Blocks))
	for i := range v.Blocks {
		first[i] = at[key{v.Blocks[i].Lineage, v.Blocks[i].Hash}]
	}
	return first, nil
}
