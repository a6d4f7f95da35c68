package storagetest

import (
	"context"
	"iter"

	"plat/plat"
	"plat/storage"
)

// Fake is a Store whose methods fail, wait or are preceded by others as a test wants. Around replaces
// each call of a method listed below; do makes the call. It returns the error of the method: that of do,
// or one of its own. All methods that are not listed go to Store.
type Fake struct {
	storage.Store
	Around func(ctx context.Context, c Call, do func(context.Context) error) error
}

// Call is a method of a Store with the arguments by which tests tell calls apart.
type Call struct {
	Method   string      // its name
	URL      string      // of State, Version, SwapMemory, Commit, Attach and Record
	Visit    plat.Visit  // of Commit and Record
	Hashes   []plat.Hash // of Contents and Layout
	Readings bool        // of Asked
}

// Writes reports whether the method stores a visit.
func (c Call) Writes() bool { return c.Method == "Commit" || c.Method == "Record" }

func around[T any](ctx context.Context, f *Fake, c Call, do func(context.Context) (T, error)) (v T, err error) {
	err = f.Around(ctx, c, func(ctx context.Context) (err error) { v, err = do(ctx); return err })
	return v, err
}

func (f *Fake) State(ctx context.Context, url string) (plat.URLState, error) {
	return around(ctx, f, Call{Method: "State", URL: url}, func(ctx context.Context) (plat.URLState, error) { return f.Store.State(ctx, url) })
}

func (f *Fake) Version(ctx context.Context, url string, n int) (*plat.Version, error) {
	return around(ctx, f, Call{Method: "Version", URL: url}, func(ctx context.Context) (*plat.Version, error) { return f.Store.Version(ctx, url, n) })
}

func (f *Fake) Last(ctx context.Context, st *plat.URLState) (*plat.Version, error) {
	return around(ctx, f, Call{Method: "Last", URL: st.URL}, func(ctx context.Context) (*plat.Version, error) { return f.Store.Last(ctx, st) })
}

func (f *Fake) Contents(ctx context.Context, hashes []plat.Hash) ([][]byte, error) {
	return around(ctx, f, Call{Method: "Contents", Hashes: hashes}, func(ctx context.Context) ([][]byte, error) { return f.Store.Contents(ctx, hashes) })
}

func (f *Fake) Layout(ctx context.Context, h plat.Hash) (plat.Layout, error) {
	return around(ctx, f, Call{Method: "Layout", Hashes: []plat.Hash{h}}, func(ctx context.Context) (plat.Layout, error) { return f.Store.Layout(ctx, h) })
}

func (f *Fake) Commit(ctx context.Context, c *storage.Commit) (storage.Written, error) {
	return around(ctx, f, Call{Method: "Commit", URL: c.Visit.URL, Visit: c.Visit}, func(ctx context.Context) (storage.Written, error) { return f.Store.Commit(ctx, c) })
}

func (f *Fake) Attach(ctx context.Context, url string, n int, a *storage.Attachment) (storage.Written, error) {
	return around(ctx, f, Call{Method: "Attach", URL: url}, func(ctx context.Context) (storage.Written, error) { return f.Store.Attach(ctx, url, n, a) })
}

func (f *Fake) Record(ctx context.Context, v plat.Visit, pageBytes int64) error {
	return f.Around(ctx, Call{Method: "Record", URL: v.URL, Visit: v}, func(ctx context.Context) error { return f.Store.Record(ctx, v, pageBytes) })
}

func (f *Fake) SwapMemory(ctx context.Context, url, was, memory string) (bool, error) {
	return around(ctx, f, Call{Method: "SwapMemory", URL: url}, func(ctx context.Context) (bool, error) { return f.Store.SwapMemory(ctx, url, was, memory) })
}

func (f *Fake) Defer(ctx context.Context, all ...storage.Deferral) error {
	return f.Around(ctx, Call{Method: "Defer"}, func(ctx context.Context) error { return f.Store.Defer(ctx, all...) })
}

func (f *Fake) Probe(ctx context.Context) error {
	return f.Around(ctx, Call{Method: "Probe"}, f.Store.Probe)
}

// Asked makes its call when the sequence is ranged over.
func (f *Fake) Asked(ctx context.Context, crawl string, after int, readings bool) iter.Seq2[*plat.CrawlPage, error] {
	return func(yield func(*plat.CrawlPage, error) bool) {
		err := f.Around(ctx, Call{Method: "Asked", Readings: readings}, func(ctx context.Context) error {
			for p, err := range f.Store.Asked(ctx, crawl, after, readings) {
				if !yield(p, err) {
					break
				}
			}
			return nil
		})
		if err != nil {
			yield(nil, err)
		}
	}
}
