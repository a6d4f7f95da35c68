package output

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"plat/cmd/plat/terminal"
	"plat/plat"
	"plat/plat/excerpt"
	"plat/workers/batch"
)

// columns of the line of a page. They are fixed, because lines are printed as
// pages are done.
var columns = []int{13, 3, 4, 10, 26, 18, 6, 0}

// PrintPage prints the result of a visit; if quiet, only a failure. An error means that the output is
// closed.
func PrintPage(out *terminal.Screen, p *batch.Page, quiet, asJSON bool) error {
	switch {
	case quiet && p.Error == "":
	case asJSON:
		out.JSON(p)
	default:
		out.Print(Page(out, p))
	}
	if out.Err() != nil {
		return terminal.ErrOutput
	}
	return nil
}

// Page returns the line of a visited page; for a failure, a second line gives the reason.
func Page(s *terminal.Screen, a *batch.Page) string {
	st := terminal.Green
	switch a.Outcome {
	case plat.OutcomeUnchanged:
		st = terminal.Faint
	case plat.OutcomeChanged, plat.OutcomeBlank:
		st = terminal.Yellow
	}
	status := "-"
	if a.Status > 0 {
		status = strconv.Itoa(a.Status)
	}
	time := terminal.Took(time.Duration(a.MS) * time.Millisecond)
	if a.Outcome == plat.OutcomeInterrupted {
		return terminal.Line(s, []terminal.Cell{terminal.Text(string(a.Outcome)).In(terminal.Faint), {}, {}, {}, {}, {}, terminal.Number(time), terminal.Text(a.URL)}, columns)
	}
	if a.Error != "" {
		row := []terminal.Cell{terminal.Text(string(a.Outcome)).In(terminal.Red), terminal.Text(status), {}, {}, {}, {}, terminal.Number(time), terminal.Text(a.URL)}
		return terminal.Line(s, row, columns) + "\n    " + s.Paint(terminal.Red, excerpt.Printable(strings.Join(strings.Fields(a.Error), " ")))
	}
	row := []terminal.Cell{
		terminal.Text(string(a.Outcome)).In(st), terminal.Text(status), terminal.Number(fmt.Sprintf("v%d", a.Version)), terminal.Number(terminal.Counted(a.Blocks, "block")),
		terminal.Text(changed(a.Changes)), terminal.Number(terminal.Size(a.StoredBytes) + " of " + terminal.Size(a.PageBytes)), terminal.Number(time), terminal.Text(a.URL),
	}
	if a.Outcome == plat.OutcomeUnchanged && !a.Rendered {
		row[3] = terminal.Cell{}
		row = append(row, terminal.Text("(not rendered)").In(terminal.Faint))
		return terminal.Line(s, row, append(columns, 0))
	}
	var notes []string
	if a.Seems != "" {
		notes = append(notes, Seems(a.Seems))
	}
	if len(a.SelfChanges) > 0 {
		if a.Outcome == plat.OutcomeChanged && changed(a.Changes) == "" {
			notes = append(notes, "nothing new")
		}
		notes = append(notes, "by itself: "+Kinds(a.SelfChanges))
	}
	for _, part := range []struct {
		what  string
		bytes int64
	}{{"picture", a.Pictures}, {"resources", a.Resources}} {
		switch {
		case slices.Contains(a.Added, part.what):
			notes = append(notes, part.what+" added, "+terminal.Size(part.bytes))
		case part.bytes > 0:
			notes = append(notes, part.what+" "+terminal.Size(part.bytes))
		}
	}
	if a.Unsettled {
		notes = append(notes, "taken early: "+string(a.Settled))
	}
	if a.Coarse > 0 {
		notes = append(notes, fmt.Sprintf("coarse: %s nodes", terminal.Count(a.Coarse)))
	}
	if n := len(a.Failed); n > 0 {
		notes = append(notes, failed(a.Failed))
	}
	if a.Coverage < plat.LowCoverage {
		notes = append(notes, fmt.Sprintf("coverage %.2f", a.Coverage))
	}
	if len(notes) > 0 {
		row = append(row, terminal.Text("("+strings.Join(notes, ", ")+")").In(terminal.Faint))
		return terminal.Line(s, row, append(columns, 0))
	}
	return terminal.Line(s, row, columns)
}

// Seems is "login?": what a version probably is in place of the page.
func Seems(o plat.Outcome) string { return string(o) + "?" }

// failed is "not loaded: a.png, b.css and 3 more files".
func failed(all []plat.FailedLoad) string {
	const named = 2
	var names []string
	for _, f := range all[:min(named, len(all))] {
		names = append(names, excerpt.Line(excerpt.Printable(f.URL), 60))
	}
	line := "not loaded: " + strings.Join(names, ", ")
	if more := len(all) - named; more > 0 {
		line += " and " + terminal.Counted(more, "file") + " more"
	}
	return line
}

// changed returns the summary of kinds of change, such as "3 changed +1 −2".
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

// Kinds is "1 added, 2 content": changes by kind, in the order people read them.
func Kinds(n map[plat.Kind]int) string {
	var parts []string
	for _, k := range plat.Kinds {
		if n[k] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n[k], k))
		}
	}
	return strings.Join(parts, ", ")
}

// Progress is "12/100 · 1 failed · 4.2 pages/s · 21s left".
func Progress(p batch.Progress) string { return progress(p, "pages") }

// progress is [Progress] of things that are not pages.
func progress(p batch.Progress, things string) string {
	line := fmt.Sprintf("%d/%d", p.Pages, p.Found)
	if !p.All {
		line += "+"
	}
	if p.Failed > 0 {
		line += fmt.Sprintf(" · %d failed", p.Failed)
	}
	if p.Pages == 0 || p.Spent <= 0 {
		return line
	}
	rate := float64(p.Pages) / p.Spent.Seconds()
	line += fmt.Sprintf(" · %.1f %s/s", rate, things)
	if left := p.Found - p.Pages; p.All && left > 0 {
		line += " · " + time.Duration(float64(left)/rate*float64(time.Second)).Round(time.Second).String() + " left"
	}
	return line
}

// Stored is "5.4 MB of HTML; stored: blocks 0.44 MB, pictures 137 MB".
func Stored(t *batch.Totals) string {
	line := fmt.Sprintf("%s of HTML; stored: blocks %s", terminal.Size(t.PageBytes), terminal.Size(t.StoredBytes))
	if t.PictureBytes > 0 {
		line += ", pictures " + terminal.Size(t.PictureBytes)
	}
	if t.ResourceBytes > 0 {
		line += ", resources " + terminal.Size(t.ResourceBytes)
	}
	return line
}

// OnlyBlocks is the hint after a batch that has stored versions without pictures and resources.
const OnlyBlocks = "no picture and no files of the pages are kept; archive them again with --screenshot --resources all to add both"

// Totals is the last line of a batch that took spent.
func Totals(out *terminal.Screen, t *batch.Totals, spent time.Duration) string {
	var parts []string
	for _, p := range []struct {
		n    int
		what string
	}{{t.New, "new"}, {t.Changed, "changed"}, {t.Unchanged, "unchanged"}, {t.Blank, "blank"}, {t.Failed, "failed"}, {t.Interrupted, "interrupted"}} {
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", p.n, p.what))
		}
		if p.what == "unchanged" && t.Skipped > 0 {
			parts[len(parts)-1] += fmt.Sprintf(" (%d not rendered)", t.Skipped)
		}
	}
	line := fmt.Sprintf("%s in %s", terminal.Counted(t.Pages, "page"), terminal.Took(spent))
	// In less time, or of failures alone, it says nothing of how fast pages go.
	if spent >= time.Second && t.New+t.Changed+t.Unchanged+t.Blank > 0 {
		line += fmt.Sprintf(", %.1f pages/s", float64(t.Pages)/spent.Seconds())
	}
	if len(parts) > 0 {
		line += ": " + strings.Join(parts, ", ")
	}
	return out.Paint(terminal.Bold, line+"; "+Stored(t))
}
