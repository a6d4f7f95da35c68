package main

import (
	"fmt"
	"os"
	"text/tabwriter"

	"plat/plat"
)

// baselines are bytes of HTML in 10⁶, from the README of the data: page-level
// deduplication with gzip, WARC with revisit records, git's aggressive pack, and
// a chain of zstd patches.
var baselines = map[string][4]float64{
	"news": {4.03, 4.47, 0.34, 0.20},
	"docs": {5.58, 6.22, 0.59, 0.42},
}

// target is the maximum size of an archive relative to page-level
// deduplication.
const target = 0.35

// result is the result for a set.
type result struct {
	Set        string  `json:"set"`
	Pages      int     `json:"pages"`
	Visits     int     `json:"visits"`
	Versions   int     `json:"versions"`
	Unchanged  int     `json:"unchanged"`
	Failed     int     `json:"failed"`  // ended on an error page, which is not a version
	Doubted    doubts  `json:"doubted"` // versions that were visited again before they were stored
	Blocks     int64   `json:"blocks"`
	StoreBytes int64   `json:"store_bytes"`
	PageBytes  int64   `json:"page_bytes"` // every visit whole
	PerVersion int64   `json:"bytes_per_version"`
	Ratio      float64 `json:"ratio"` // of page-level deduplication + gzip

	Restored      int     `json:"restored"` // versions, after garbage collection
	IdlesStored   int     `json:"unchanged_but_stored"`
	Leaves        int     `json:"leaves"` // leaf blocks of all visits
	Pairs         int     `json:"pairs"`  // consecutive versions that differ in bytes
	SameText      int     `json:"pairs_same_text"`
	FalseContent  int     `json:"same_text_reported_content"`
	OtherText     int     `json:"pairs_other_text"`
	Missed        int     `json:"other_text_not_reported"`
	Quiet         int     `json:"other_text_no_news"`
	Kept          kept    `json:"kept"` // of the text common to consecutive versions
	LeastCoverage float64 `json:"least_coverage"`
	Seconds       float64 `json:"seconds"`

	Texts      texts      `json:"texts"`
	Files      otherFiles `json:"files"`
	Told       []*told    `json:"sites"`
	Mismatches []string   `json:"mismatches,omitempty"`
}

// files are those that are kept.
func files() plat.ResourceSet {
	if *resources == "none" {
		return plat.NoResources
	}
	return plat.ResourceSet(*resources)
}

func report(results []*result) {
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	mb := func(n int64) string { return fmt.Sprintf("%.2f", float64(n)/1e6) }
	fmt.Fprintln(w, "set\tpages\tvisits\tfailed\tversions\tblocks\tplat MB\t× page dedup\ttarget\tbytes/version\tpage dedup+gzip\tWARC.gz\tgit pack\tzstd chain\t")
	for _, r := range results {
		b := baselines[r.Set]
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t%d\t%s\t%.3f\t%.2f\t%d\t%.2f\t%.2f\t%.2f\t%.2f\t\n", r.Set, r.Pages, r.Visits, r.Failed, r.Versions, r.Blocks,
			mb(r.StoreBytes), r.Ratio, target, r.PerVersion, b[0], b[1], b[2], b[3])
	}
	w.Flush()
	fmt.Println()
	fmt.Fprintln(w, "set\tunchanged visits\tof these stored\tversions restored\tpairs\tsame text\treported content\tother text\tnot reported\tleast coverage\ts\t")
	for _, r := range results {
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t%d\t%d (%.2f %%)\t%d\t%d\t%.4f\t%.0f\t\n", r.Set, r.Unchanged, r.IdlesStored, r.Restored,
			r.Pairs, r.SameText, r.FalseContent, 100*float64(r.FalseContent)/float64(max(1, r.SameText)), r.OtherText, r.Missed, r.LeastCoverage, r.Seconds)
	}
	w.Flush()
	fmt.Println()
	fmt.Fprintln(w, "set\tcommon text, characters\tin blocks of the same hash\tof the same lineage\tblocks/version\t")
	for _, r := range results {
		k := r.Kept
		part := func(n int64) string { return fmt.Sprintf("%.2f %%", 100*float64(n)/float64(max(1, k.Common))) }
		fmt.Fprintf(w, "%s\t%d\t%s\t%s\t%.1f\t\n", r.Set, k.Common, part(k.Same), part(k.Followed), float64(r.Leaves)/float64(max(1, r.Visits-r.Failed)))
	}
	w.Flush()
	for _, r := range results {
		fmt.Printf("%s: of %d versions, these were hardly the page before, and were stored when they had stayed: %v\n", r.Set, r.Versions, r.Doubted)
		fmt.Printf("%s: %v\n", r.Set, &r.Texts)
		for _, m := range r.Mismatches {
			fmt.Println(r.Set, m)
		}
	}
}
