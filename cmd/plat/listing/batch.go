package listing

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"plat/cmd/plat/term"
	"plat/plat"
	"plat/plat/excerpt"
	"plat/workers/batch"
)

// columns of the line of a page. They are fixed, because lines are printed as
// pages are done.
var columns = []int{13, 3, 4, 10, 26, 18, 6, 0}

// Page is the line of a page that was visited; under that of a failure stands why.
func Page(s *term.Screen, a *batch.Page) string {
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
	if len(a.ByItself) > 0 {
		if a.Outcome == plat.OutcomeChanged && changed(a.Changes) == "" {
			notes = append(notes, "nothing new")
		}
		notes = append(notes, "by itself: "+Kinds(a.ByItself))
	}
	if a.Pictures > 0 {
		notes = append(notes, "picture "+term.Size(a.Pictures))
	}
	if a.Resources > 0 {
		notes = append(notes, "resources "+term.Size(a.Resources))
	}
	if a.Unsettled {
		notes = append(notes, "taken early: "+string(a.Settled))
	}
	if a.Coarse > 0 {
		notes = append(notes, fmt.Sprintf("coarse: %s nodes", term.Count(a.Coarse)))
	}
	if n := len(a.Failed); n > 0 {
		notes = append(notes, failed(a.Failed))
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

// failed is "not loaded: a.png, b.css and 3 more files".
func failed(all []plat.FailedLoad) string {
	const named = 2
	var names []string
	for _, f := range all[:min(named, len(all))] {
		names = append(names, excerpt.Line(excerpt.Printable(f.URL), 60))
	}
	line := "not loaded: " + strings.Join(names, ", ")
	if more := len(all) - named; more > 0 {
		line += " and " + term.Counted(more, "file") + " more"
	}
	return line
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
func Progress(p batch.Progress) string {
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
	line += fmt.Sprintf(" · %.1f pages/s", rate)
	if left := p.Found - p.Pages; p.All && left > 0 {
		line += " · " + time.Duration(float64(left)/rate*float64(time.Second)).Round(time.Second).String() + " left"
	}
	return line
}

// Stored is "5.4 MB of HTML; stored: blocks 0.44 MB, pictures 137 MB".
func Stored(t *batch.Totals) string {
	line := fmt.Sprintf("%s of HTML; stored: blocks %s", term.Size(t.PageBytes), term.Size(t.StoredBytes))
	if t.PictureBytes > 0 {
		line += ", pictures " + term.Size(t.PictureBytes)
	}
	if t.ResourceBytes > 0 {
		line += ", resources " + term.Size(t.ResourceBytes)
	}
	return line
}

// Totals is the last line of a batch that took spent.
func Totals(out *term.Screen, t *batch.Totals, spent time.Duration) string {
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
	line := fmt.Sprintf("%s in %s", term.Counted(t.Pages, "page"), term.Took(spent))
	// In less time, or of failures alone, it says nothing of how fast pages go.
	if spent >= time.Second && t.New+t.Changed+t.Unchanged+t.Blank > 0 {
		line += fmt.Sprintf(", %.1f pages/s", float64(t.Pages)/spent.Seconds())
	}
	if len(parts) > 0 {
		line += ": " + strings.Join(parts, ", ")
	}
	return out.Paint(term.Bold, line+"; "+Stored(t))
}
