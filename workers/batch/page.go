package batch

import (
	"math"
	"strings"

	"plat/plat"
	"plat/workers"
)

// Page is the result of a visit; its JSON is part of the interface.
type Page struct {
	URL         string             `json:"url"`
	Outcome     plat.Outcome       `json:"outcome"`
	Status      int                `json:"status"` // HTTP, 0 if there was no answer
	Version     int                `json:"version"`
	Stored      bool               `json:"stored"`
	Seems       plat.Outcome       `json:"seems,omitempty"` // see [plat.Version.Seems]
	Blocks      int                `json:"blocks"`
	NewBlocks   int                `json:"new_blocks"`
	Changes     map[plat.Kind]int  `json:"changes"`
	SelfChanges map[plat.Kind]int  `json:"by_itself,omitempty"` // not among Changes
	Looks       int                `json:"looks"`               // at the page
	Coverage    float64            `json:"coverage"`
	PageBytes   int64              `json:"page_bytes"`
	StoredBytes int64              `json:"stored_bytes"` // of blocks, layout and version
	Pictures    int64              `json:"picture_bytes"`
	Resources   int64              `json:"resource_bytes"`
	Added       []string           `json:"added,omitempty"` // picture, resources: what a version that is not new got
	Settled     plat.Settled       `json:"settled"`
	Unsettled   bool               `json:"unsettled"`
	Coarse      int64              `json:"coarse,omitempty"`
	Failed      []plat.FailedLoad  `json:"failed,omitempty"` // files that the page did not get
	Rendered    bool               `json:"rendered"`
	Tries       int                `json:"tries"`
	Retry       bool               `json:"retry"` // may well succeed later
	MS          int64              `json:"ms"`    // of the last try
	Stages      map[string]float64 `json:"stages"`
	Error       string             `json:"error,omitempty"`
}

// refused returns the result of a URL that cannot be visited.
func refused(s Seed) Page {
	return Page{URL: s.URL, Outcome: plat.OutcomeBadURL, Changes: map[plat.Kind]int{}, Stages: map[string]float64{}}
}

// PageOf returns the result of a visit, after that many tries. err is its failure, or nil.
func PageOf(r *workers.Report, tries int, err error) Page {
	p := Page{
		URL: r.URL, Outcome: r.Outcome, Status: r.Status, Version: r.Version, Stored: r.Stored, Seems: r.Seems, Blocks: r.Blocks,
		NewBlocks: r.NewBlocks, Changes: r.Changes, SelfChanges: r.SelfChanges, Coverage: math.Round(r.Coverage*1e4) / 1e4, PageBytes: r.PageBytes,
		StoredBytes: r.StoredBytes, Pictures: r.Pictures, Resources: r.Resources, Added: r.Added, Settled: r.Settled, Unsettled: r.Settled.Short(), Coarse: r.Coarse, Failed: r.Failed, Tries: tries, Retry: r.Retry,
		MS:     r.Duration.Milliseconds(),
		Stages: map[string]float64{},
	}
	_, p.Rendered = r.Stages["render"]
	if p.Looks = r.Looks; p.Rendered {
		p.Looks++
	}
	if p.Changes == nil {
		p.Changes = map[plat.Kind]int{}
	}
	for name, seconds := range r.Stages {
		p.Stages[name] = math.Round(seconds*1e5) / 100
	}
	p.fail(err)
	return p
}

// fail adds the failure of a visit; nil: none.
func (p *Page) fail(err error) {
	switch {
	case p.Outcome == plat.OutcomeInterrupted:
		p.Error = "interrupted before it was done"
	case err != nil:
		// The outcome has its own field and column.
		p.Error = strings.TrimPrefix(err.Error(), string(p.Outcome)+": ")
	}
}

// Totals are the sums over a batch: numbers of pages, and bytes.
type Totals struct {
	Pages, New, Changed, Unchanged, Blank, Failed, Interrupted int

	Skipped int // unchanged and not rendered

	PageBytes, StoredBytes int64 // of the HTML of pages that were kept; of blocks, layouts and versions

	PictureBytes, ResourceBytes int64
}

// Add counts one more page.
func (t *Totals) Add(p *Page) {
	t.Pages++
	if p.Outcome != plat.OutcomeInterrupted && p.Error == "" { // pages with an error are not stored
		t.PageBytes += p.PageBytes
	}
	t.StoredBytes += p.StoredBytes
	t.PictureBytes += p.Pictures
	t.ResourceBytes += p.Resources
	switch {
	case p.Outcome == plat.OutcomeInterrupted:
		t.Interrupted++
	case p.Error != "":
		t.Failed++
	case p.Outcome == plat.OutcomeChanged:
		t.Changed++
	case p.Outcome == plat.OutcomeUnchanged:
		t.Unchanged++
		if !p.Rendered {
			t.Skipped++
		}
	case p.Outcome == plat.OutcomeBlank:
		t.Blank++
	default:
		t.New++
	}
}
