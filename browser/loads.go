package browser

import (
	"context"
	"slices"

	"github.com/chromedp/cdproto/cdp/jsonv2"

	"plat/browser/requests"
	"plat/browser/tab"
	"plat/plat"
)

// listLoads fills in a snapshot's loads, and those that failed.
func (v *visit) listLoads(ctx context.Context, s *plat.Snapshot) {
	var all []plat.Load
	var failed []plat.FailedLoad
	var known, live, watching bool
	v.View(func(s *tab.State) {
		all, known = s.Log.List()
		failed, live, watching = slices.Clone(s.Log.Failed), s.Log.Live, s.Watching
	})
	s.Failed = requests.Failed(v.Lane, failed)
	if !watching {
		var names func() ([]string, bool)
		if v.Uses > 1 && v.request.Loads {
			names = func() ([]string, bool) { return v.resourceNames(ctx) }
		}
		all, known = v.Cache.FromLane(v.Lane, len(s.Redirects)+1, names)
	}
	if live {
		all = append(all, plat.Load{Kind: plat.LoadLive})
	}
	s.Loads, s.LoadsKnown = all, known && v.request.Loads
}

// resourceNames returns the resources that the page lists in its performance timeline.
func (v *visit) resourceNames(ctx context.Context) (names []string, ok bool) {
	b, err := v.Evaluate(ctx, 0, "Performance.prototype.getEntriesByType.call(performance, 'resource').map((e) => e.name)")
	if err != nil || jsonv2.Unmarshal(b, &names, jsonv2.AllowInvalidUTF8(true)) != nil {
		return nil, false
	}
	return names, len(names) < 250 // where the list of resources ends
}
