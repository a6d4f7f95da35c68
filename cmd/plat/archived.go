package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"plat"
	"plat/excerpt"
	"plat/term"
	"plat/workers"
)

// archived is what archive prints of a URL; its JSON is part of the interface.
type archived struct {
	URL         string             `json:"url"`
	Outcome     plat.Outcome       `json:"outcome"`
	Status      int                `json:"status"` // HTTP, 0 if there was no answer
	Version     int                `json:"version"`
	Stored      bool               `json:"stored"`
	Blocks      int                `json:"blocks"`
	NewBlocks   int                `json:"new_blocks"`
	Changes     map[plat.Kind]int  `json:"changes"`
	Coverage    float64            `json:"coverage"`
	PageBytes   int64              `json:"page_bytes"`
	StoredBytes int64              `json:"stored_bytes"`
	Settled     plat.Settled       `json:"settled"`
	Unsettled   bool               `json:"unsettled"`
	Coarse      int64              `json:"coarse,omitempty"`
	Rendered    bool               `json:"rendered"`
	Tries       int                `json:"tries"`
	Retry       bool               `json:"retry"` // may well succeed later
	MS          int64              `json:"ms"`    // of the last try
	Stages      map[string]float64 `json:"stages"`
	Error       string             `json:"error,omitempty"`
}

// refusedSeed is what there is to say of a URL that cannot be visited.
func refusedSeed(s seed) archived {
	return archived{URL: s.url, Outcome: plat.OutcomeBadURL, Changes: map[plat.Kind]int{}, Stages: map[string]float64{}}
}

func archivedOf(r *workers.Report, tries int) archived {
	a := archived{
		URL: r.URL, Outcome: r.Outcome, Status: r.Status, Version: r.Version, Stored: r.Stored, Blocks: r.Blocks,
		NewBlocks: r.NewBlocks, Changes: r.Changes, Coverage: math.Round(r.Coverage*1e4) / 1e4, PageBytes: r.PageBytes,
		StoredBytes: r.StoredBytes, Settled: r.Settled, Unsettled: r.Settled.Short(), Coarse: r.Coarse, Rendered: !r.Skipped, Tries: tries, Retry: r.Retry,
		MS:     r.Duration.Milliseconds(),
		Stages: map[string]float64{},
	}
	if a.Changes == nil {
		a.Changes = map[plat.Kind]int{}
	}
	for name, seconds := range r.Stages {
		a.Stages[name] = math.Round(seconds*1e5) / 100
	}
	return a
}

// columns of the line of a page. They are fixed, because lines are printed as
// pages are done.
var columns = []int{13, 3, 4, 10, 26, 18, 6, 0}

// line is the summary of a page.
func (a *archived) line(s *term.Screen) string {
	st := term.Green
	switch a.Outcome {
	case plat.OutcomeUnchanged:
		st = term.Faint
	case plat.OutcomeChanged, plat.OutcomeBlank:
		st = term.Yellow
	}
	status := "-"
	if a.Status > 0 {
		status = strconv.Itoa(a.Status)
	}
	time := term.Took(time.Duration(a.MS) * time.Millisecond)
	if a.Outcome == plat.OutcomeInterrupted {
		return term.Line(s, []term.Cell{term.Text(string(a.Outcome)).In(term.Faint), {}, {}, {}, {}, {}, term.Number(time), term.Text(a.URL)}, columns)
	}
	if a.Error != "" {
		row := []term.Cell{term.Text(string(a.Outcome)).In(term.Red), term.Text(status), {}, {}, {}, {}, term.Number(time), term.Text(a.URL)}
		return term.Line(s, row, columns) + "\n    " + s.Paint(term.Red, excerpt.Printable(strings.Join(strings.Fields(a.Error), " ")))
	}
	row := []term.Cell{
		term.Text(string(a.Outcome)).In(st), term.Text(status), term.Number(fmt.Sprintf("v%d", a.Version)), term.Number(term.Counted(a.Blocks, "block")),
		term.Text(changed(a.Changes)), term.Number(term.Size(a.StoredBytes) + " of " + term.Size(a.PageBytes)), term.Number(time), term.Text(a.URL),
	}
	if a.Outcome == plat.OutcomeUnchanged && !a.Rendered {
		row[3] = term.Cell{}
		row = append(row, term.Text("(not rendered)").In(term.Faint))
		return term.Line(s, row, append(columns, 0))
	}
	var notes []string
	if a.Unsettled {
		notes = append(notes, "taken early: "+string(a.Settled))
	}
	if a.Coarse > 0 {
		notes = append(notes, fmt.Sprintf("coarse: %s nodes", term.Count(a.Coarse)))
	}
	if a.Coverage < plat.LowCoverage {
		notes = append(notes, fmt.Sprintf("coverage %.2f", a.Coverage))
	}
	if len(notes) > 0 {
		row = append(row, term.Text("("+strings.Join(notes, ", ")+")").In(term.Faint))
		return term.Line(s, row, append(columns, 0))
	}
	return term.Line(s, row, columns)
}

// changed is "3 changed +1 −2": what the kinds of change come to.
func changed(n map[plat.Kind]int) string {
	other := 0
	for k, c := range n {
		if k != plat.Added && k != plat.Removed {
			other += c
		}
	}
	var parts []string
	if other > 0 {
		parts = append(parts, fmt.Sprintf("%d changed", other))
	}
	if c := n[plat.Added]; c > 0 {
		parts = append(parts, fmt.Sprintf("+%d", c))
	}
	if c := n[plat.Removed]; c > 0 {
		parts = append(parts, fmt.Sprintf("−%d", c))
	}
	return strings.Join(parts, " ")
}

// kinds is "1 added, 2 content": changes by kind, in the order people read them.
func kinds(n map[plat.Kind]int) string {
	var parts []string
	for _, k := range plat.Kinds {
		if n[k] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n[k], k))
		}
	}
	return strings.Join(parts, ", ")
}

// sums adds up what a batch did.
type sums struct {
	pages, fresh, changed, unchanged, skipped, blank, failed, interrupted int
	page, stored                                                          int64
}

func (s *sums) add(a *archived) {
	s.pages++
	s.page += a.PageBytes
	s.stored += a.StoredBytes
	switch {
	case a.Outcome == plat.OutcomeInterrupted:
		s.interrupted++
	case a.Error != "":
		s.failed++
	case a.Outcome == plat.OutcomeChanged:
		s.changed++
	case a.Outcome == plat.OutcomeUnchanged:
		s.unchanged++
		if !a.Rendered {
			s.skipped++
		}
	case a.Outcome == plat.OutcomeBlank:
		s.blank++
	default:
		s.fresh++
	}
}

// progress is "12/100 · 1 failed · 4.2 pages/s · 21s left".
func (s *sums) progress(total int, all bool, spent time.Duration) string {
	line := fmt.Sprintf("%d/%d", s.pages, total)
	if !all {
		line += "+"
	}
	if s.failed > 0 {
		line += fmt.Sprintf(" · %d failed", s.failed)
	}
	if s.pages == 0 || spent <= 0 {
		return line
	}
	rate := float64(s.pages) / spent.Seconds()
	line += fmt.Sprintf(" · %.1f pages/s", rate)
	if left := total - s.pages; all && left > 0 {
		line += " · " + time.Duration(float64(left)/rate*float64(time.Second)).Round(time.Second).String() + " left"
	}
	return line
}

// total is the last line.
func (s *sums) total(out *term.Screen, spent time.Duration) string {
	var parts []string
	for _, p := range []struct {
		n    int
		what string
	}{{s.fresh, "new"}, {s.changed, "changed"}, {s.unchanged, "unchanged"}, {s.blank, "blank"}, {s.failed, "failed"}, {s.interrupted, "interrupted"}} {
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", p.n, p.what))
		}
		if p.what == "unchanged" && s.skipped > 0 {
			parts[len(parts)-1] += fmt.Sprintf(" (%d not rendered)", s.skipped)
		}
	}
	line := fmt.Sprintf("%s in %s", term.Counted(s.pages, "page"), term.Took(spent))
	// In less time, or of failures alone, it says nothing of how fast pages go.
	if spent >= time.Second && s.fresh+s.changed+s.unchanged+s.blank > 0 {
		line += fmt.Sprintf(", %.1f pages/s", float64(s.pages)/spent.Seconds())
	}
	if len(parts) > 0 {
		line += ": " + strings.Join(parts, ", ")
	}
	return out.Paint(term.Bold, line+fmt.Sprintf("; stored %s of %s", term.Size(s.stored), term.Size(s.page)))
}
