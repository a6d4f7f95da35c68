package forecast

import (
	"context"
	"errors"
	"iter"
	"time"

	"plat/plat"
	"plat/queue/schedule"
	"plat/storage"
)

// memories is an archive whose memories can be replaced.
type memories interface {
	archive
	SwapMemory(ctx context.Context, url, was, memory string) (bool, error)
}

var _ memories = storage.Store(nil)

// Rebuilder restores the policies' part of memories from visits.
type Rebuilder struct {
	Archive memories
	Day     time.Duration // the length of a day for policies; 0: 24 hours

	pages map[string]float64 // visited URLs of each budget; nil: not counted yet
}

// Rebuilt counts URLs. Its JSON is part of the interface.
type Rebuilt struct {
	Rebuilt int64 `json:"rebuilt"`
	AsWas   int64 `json:"as_they_were"` // rebuilding changes nothing, or the policy has no memory
}

// URLs rebuilds the memories of urls, or of all URLs if empty. at is the URL at which an error
// ended it. advance, if not nil, receives the number of URLs that are done, and the total (0:
// unknown).
func (r *Rebuilder) URLs(ctx context.Context, urls []string, advance func(done, total int64)) (n Rebuilt, at string, err error) {
	for at, err = range r.named(ctx, urls) {
		if err != nil {
			return n, at, err
		}
		changed, err := r.URL(ctx, at)
		switch {
		case len(urls) == 0 && errors.Is(err, plat.ErrNotFound):
			continue // removed in the meantime
		case err != nil:
			return n, at, err
		case changed:
			n.Rebuilt++
		default:
			n.AsWas++
		}
		if advance != nil {
			advance(n.Rebuilt+n.AsWas, int64(len(urls)))
		}
	}
	return n, "", nil
}

// named yields urls, or all URLs of the archive if empty.
func (r *Rebuilder) named(ctx context.Context, urls []string) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		for _, url := range urls {
			if !yield(url, nil) {
				return
			}
		}
		if len(urls) > 0 {
			return
		}
		for st, err := range r.Archive.States(ctx, "", "") {
			if !yield(st.URL, err) || err != nil {
				return
			}
		}
	}
}

// tries is the number of attempts to rebuild a memory that a visit replaces meanwhile. One
// suffices unless visits are faster than reading them.
const tries = 5

// URL rebuilds the memory of a URL, and reports whether that has changed it. The other parts
// of the memory stay. plat.ErrNotFound if the archive does not know the URL.
func (r *Rebuilder) URL(ctx context.Context, url string) (bool, error) {
	for range tries {
		st, err := r.Archive.State(ctx, url)
		if err != nil {
			return false, err
		}
		memory, err := r.memoryOf(ctx, &st)
		if err != nil || memory == st.Memory {
			return false, err
		}
		if ok, err := r.Archive.SwapMemory(ctx, url, st.Memory, memory); ok || err != nil {
			return ok, err
		}
	}
	return false, errors.New("visits kept replacing its memory; try again later")
}

// memoryOf returns the memory that a URL should have.
func (r *Rebuilder) memoryOf(ctx context.Context, st *plat.URLState) (string, error) {
	if st.Kind != plat.RenderJob || st.Schedule == (plat.Schedule{}) || st.Visits == 0 {
		return st.Memory, nil // it has no policy's memory
	}
	memory, err := plat.DecodeMemory(st.Memory)
	if err != nil {
		memory = plat.Memory{} // no visit can read it either
	}
	history, err := History(ctx, r.Archive, st.URL)
	if err != nil || len(history) == 0 {
		return st.Memory, err
	}
	pool := schedule.Pool(st.Schedule, plat.HostOf(st.URL))
	shared := schedule.Remembered(memory.Policy, pool)
	if pool != "" && shared.Pages == 0 {
		// A fleet that relies on this memory must not assume that the budget has no pages.
		if shared.Pages, err = r.pagesOf(ctx, pool); err != nil {
			return st.Memory, err
		}
	}
	visits := make([]schedule.Visit, len(history))
	for i := range history {
		visits[i].Time, visits[i].Outcome = history[i].Time, history[i].Outcome
		if history[i].Stored && history[i].News {
			visits[i].Changes.Blocks = []plat.Change{{Kind: plat.Content}}
		}
	}
	rebuilt := schedule.Rebuild(&schedule.Visit{State: *st, Due: st.Due, Memory: memory.Policy, Shared: &shared, Day: r.Day}, visits)
	if rebuilt == "" {
		return st.Memory, nil // a policy without a memory
	}
	memory.Policy = rebuilt
	return memory.Encode(), nil
}

// pagesOf counts the visited URLs of a budget, all budgets at once.
func (r *Rebuilder) pagesOf(ctx context.Context, pool string) (float64, error) {
	if r.pages == nil {
		pages := map[string]float64{}
		for st, err := range r.Archive.States(ctx, "", "") {
			if err != nil {
				return 0, err
			}
			if of := schedule.Pool(st.Schedule, plat.HostOf(st.URL)); of != "" && st.Visits > 0 && st.Kind == plat.RenderJob {
				pages[of]++
			}
		}
		r.pages = pages
	}
	return r.pages[pool], nil
}
