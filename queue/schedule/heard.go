package schedule

import (
	"plat/plat"
)

// Source is the kind of a signal that a page may have changed.
type Source uint8

const (
	NoSource  Source = iota // there was no signal
	OfSitemap               // the lastmod of a sitemap
	OfFeed                  // a feed of the site
	OfLink                  // a different page now links to the page, or the link's words changed

	sources = int(OfLink)
)

// Sources are all sources, with the names that signals have in plans.
var Sources = map[string]Source{plat.SignalSitemap: OfSitemap, plat.SignalFeed: OfFeed, plat.SignalLink: OfLink}

// sourceOf returns the source of a signal. Signals without a source are from an older version, and
// came from a sitemap or a feed.
func sourceOf(s plat.Signal) Source {
	if s.Source == "" {
		return OfSitemap
	}
	return Sources[s.Source]
}

// Heard counts how reliable the signals for a site's pages were. Each visit is counted with the
// last signal since the previous visit, if any.
type Heard struct {
	Changes float64          // visits that have found a change
	Right   [sources]float64 // of these, those after a signal of each source
	Wrong   [sources]float64 // visits without a change, after a signal of each source
}

// Recall returns the part of the changes that a source has signalled, 0 to 1; 0 if no change is
// known.
func (h *Heard) Recall(s Source) float64 {
	return h.Right[s-1] / max(1, h.Changes)
}

// False returns the part of a source's signals that were wrong, 0 to 1; 0 without signals.
func (h *Heard) False(s Source) float64 {
	return h.Wrong[s-1] / max(1, h.Right[s-1]+h.Wrong[s-1])
}

// visit counts a visit after a signal, or after no signal (source 0).
func (h *Heard) visit(s Source, changed bool) {
	if changed {
		h.Changes++
	}
	switch {
	case s == NoSource:
	case changed:
		h.Right[s-1]++
	default:
		h.Wrong[s-1]++
	}
	if h.Changes+h.Wrong[0]+h.Wrong[1]+h.Wrong[2] < mostHeard {
		return
	}
	h.Changes /= 2
	for i := range h.Right {
		h.Right[i], h.Wrong[i] = h.Right[i]/2, h.Wrong[i]/2
	}
}

// mostHeard is the number of changes and wrong signals at which the counts are halved: sites
// change the way they signal.
const mostHeard = 1000

// numbers returns pointers to the fields of Heard.
func (h *Heard) numbers() []*float64 {
	all := []*float64{&h.Changes}
	for i := range sources {
		all = append(all, &h.Right[i], &h.Wrong[i])
	}
	return all
}
