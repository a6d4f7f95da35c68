package schedule

import (
	"plat/plat"
)

// Source is where a signal comes from that a page may have changed.
type Source uint8

const (
	NoSource  Source = iota // there was no signal
	OfSitemap               // the lastmod of a sitemap
	OfFeed                  // a feed of the site
	OfLink                  // a link to the page came to another one, or its words changed

	sources = int(OfLink)
)

// Sources are all sources, with the names that signals have in plans.
var Sources = map[string]Source{plat.SignalSitemap: OfSitemap, plat.SignalFeed: OfFeed, plat.SignalLink: OfLink}

// sourceOf is where a signal comes from. Those without a name were read by an older plat, from
// a sitemap or a feed.
func sourceOf(s plat.Signal) Source {
	if s.Source == "" {
		return OfSitemap
	}
	return Sources[s.Source]
}

// Heard is what the visits of a site's pages have shown of its sources of signals. Each visit
// follows the last signal that has come since the one before, if any.
type Heard struct {
	Changes float64          // visits that have found a change
	Told    [sources]float64 // of these, those after a signal of each source
	Wrong   [sources]float64 // visits that have found none, after a signal of each source
}

// Recall is the part of the changes of which a source has told, 0 to 1; 0 if no change is known.
func (h *Heard) Recall(s Source) float64 {
	return h.Told[s-1] / max(1, h.Changes)
}

// False is the part of what a source has told that was wrong, 0 to 1; 0 if it has told nothing.
func (h *Heard) False(s Source) float64 {
	return h.Wrong[s-1] / max(1, h.Told[s-1]+h.Wrong[s-1])
}

// visit notes a visit that follows a signal, or none.
func (h *Heard) visit(s Source, changed bool) {
	if changed {
		h.Changes++
	}
	switch {
	case s == NoSource:
	case changed:
		h.Told[s-1]++
	default:
		h.Wrong[s-1]++
	}
	if h.Changes+h.Wrong[0]+h.Wrong[1]+h.Wrong[2] < mostHeard {
		return
	}
	h.Changes /= 2
	for i := range h.Told {
		h.Told[i], h.Wrong[i] = h.Told[i]/2, h.Wrong[i]/2
	}
}

// mostHeard is at how many visits half of what is known of sources is forgotten: sites change
// how they tell.
const mostHeard = 1000

// numbers are those of Heard.
func (h *Heard) numbers() []*float64 {
	all := []*float64{&h.Changes}
	for i := range sources {
		all = append(all, &h.Told[i], &h.Wrong[i])
	}
	return all
}
