package output

import (
	"fmt"
	"time"

	"plat/cmd/plat/terminal"
	"plat/plat"
	"plat/storage"
)

// Forgotten lists the versions that were removed from an archive on purpose, or would be.
type Forgotten struct {
	Pages int

	out    *terminal.Screen
	asJSON bool
	dry    bool
	cut    storage.Cut
	sum    storage.Forgotten
	table  terminal.Table
}

// maxForgotten is the maximum number of listed pages without JSON.
const maxForgotten = 50

// NewForgotten returns an empty list; dry says that nothing is removed.
func NewForgotten(out *terminal.Screen, asJSON, dry bool, cut storage.Cut) *Forgotten {
	l := &Forgotten{out: out, asJSON: asJSON, dry: dry, cut: cut}
	l.table.Head(">versions", ">visits", ">items", "kept", "URL")
	return l
}

// Add adds the versions removed of a URL, with its state before the removal.
func (l *Forgotten) Add(st *plat.URLState, f storage.Forgotten) {
	l.Pages++
	l.sum.Add(f)
	last := max(st.Forgotten, st.Head)
	if !l.cut.Whole() {
		last = st.Forgotten + f.Versions
	}
	if l.asJSON {
		l.out.JSON(struct {
			URL       string `json:"url"`
			Versions  int    `json:"versions"`
			Visits    int    `json:"visits"`
			Items     int    `json:"items"`
			Forgotten int    `json:"forgotten"`
			Whole     bool   `json:"whole"`
		}{st.URL, f.Versions, f.Visits, f.Items, last, l.cut.Whole()})
		return
	}
	kept := "nothing"
	if !l.cut.Whole() {
		kept = fmt.Sprintf("%d to %d", last+1, st.Head)
	}
	if l.Pages <= maxForgotten {
		l.table.Row(terminal.Number(terminal.Count(int64(f.Versions))), terminal.Number(terminal.Count(int64(f.Visits))), terminal.Number(terminal.Count(int64(f.Items))), terminal.Text(kept), terminal.Text(st.URL))
	}
}

// Print prints the list, or its end. before and after are the bytes of the archive on disk; left
// is set while they still include the bytes of the removed versions.
func (l *Forgotten) Print(swept storage.Swept, before, after int64, left bool) {
	if l.asJSON {
		known := &after
		if left {
			known = nil
		}
		var until *time.Time
		if !l.sum.Until.IsZero() {
			until = &l.sum.Until
		}
		l.out.JSON(struct {
			Total    bool       `json:"total"`
			DryRun   bool       `json:"dry_run"`
			Pages    int        `json:"pages"`
			Versions int        `json:"versions"`
			Visits   int        `json:"visits"`
			Items    int        `json:"items"`
			Removed  sweptInfo  `json:"removed"`
			Before   int64      `json:"bytes_before"`
			After    *int64     `json:"bytes_after"`
			Left     bool       `json:"bytes_left"`
			Until    *time.Time `json:"until"`
		}{true, l.dry, l.Pages, l.sum.Versions, l.sum.Visits, l.sum.Items, sweptOf(&swept), before, known, left, until})
		return
	}
	if l.Pages == 0 {
		l.out.Print("nothing to forget")
		return
	}
	if left {
		l.out.Print("not done yet: the bytes of what was forgotten are still in the archive; when no other process reads it, remove them with plat gc")
	}
	l.table.Print(l.out)
	if more := l.Pages - maxForgotten; more > 0 {
		l.out.Print(fmt.Sprintf("and of %s more", terminal.Counted(int64(more), "page")))
	}
	what := fmt.Sprintf("%s, %s, %s of %s", terminal.Counted(int64(l.sum.Versions), "version"), terminal.Counted(int64(l.sum.Visits), "visit"),
		terminal.Counted(int64(l.sum.Items), "item"), terminal.Counted(int64(l.Pages), "page"))
	if l.dry {
		l.out.Print("would be forgotten: " + what)
		return
	}
	if left {
		l.out.Print("forgotten, but bytes not removed: " + what)
		return
	}
	l.out.Print("forgotten: " + what)
	l.out.Print(fmt.Sprintf("removed %s, %s, %s, %s: the archive had %s, and has %s", terminal.Counted(swept.Blocks, "block"), terminal.Counted(swept.Layouts, "layout"),
		terminal.Counted(swept.Pictures, "picture"), terminal.Counted(swept.Resources, "resource"), terminal.Size(before), terminal.Size(after)))
	if !l.sum.Until.IsZero() {
		l.out.Print("the rest is removed by plat gc, from " + terminal.Clock(l.sum.Until) + " (UTC) on: visits under way may rely on it")
	}
}
