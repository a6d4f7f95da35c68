package browser

import (
	"context"

	"github.com/chromedp/cdproto/cdp/jsonv2"

	"plat"
)

// startedWorker notes a worker that several pages may share.
func (t *tab) startedWorker() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.log.Live = true
	t.workers++
}

// listLoads fills in a snapshot's loads.
func (v *visit) listLoads(ctx context.Context, s *plat.Snapshot) {
	v.mu.Lock()
	all, known := v.log.List()
	live, watching := v.log.Live, v.watching
	v.mu.Unlock()
	if !watching {
		var names func() ([]string, bool)
		if v.uses > 1 {
			names = func() ([]string, bool) { return v.resourceNames(ctx) }
		}
		all, known = v.cache.FromLane(v.lane, len(s.Redirects)+1, names)
	}
	if live {
		all = append(all, plat.Load{Kind: plat.LoadLive})
	}
	s.Loads, s.LoadsKnown = all, known
}

// resourceNames is the page's own list of what it has loaded.
func (v *visit) resourceNames(ctx context.Context) (names []string, ok bool) {
	b, err := v.evaluate(ctx, 0, "Performance.prototype.getEntriesByType.call(performance, 'resource').map((e) => e.name)")
	if err != nil || jsonv2.Unmarshal(b, &names, jsonv2.AllowInvalidUTF8(true)) != nil {
		return nil, false
	}
	return names, len(names) < 250 // where the list of resources ends
}
